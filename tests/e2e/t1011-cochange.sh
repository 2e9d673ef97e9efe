#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='co-changes of a history: classes, filters, links, groups, fixes, increments'
. "$(dirname "$0")/../test-lib.sh"

tt() { "$BUILD/test-tool" cochange "$@"; }

_clock=1700000000
# commit AUTHOR SUBJECT [BODY]: everything in the work tree, a day after the last one; $sha
commit() {
  _clock=$((_clock + 86400))
  git -C repo add -A &&
  GIT_AUTHOR_EMAIL="$1@example.com" GIT_AUTHOR_DATE="$_clock +0000" GIT_COMMITTER_DATE="$_clock +0000" \
    git -C repo commit -q -m "$2" ${3:+-m "$3"} &&
  sha=$(git -C repo rev-parse HEAD)
}

# put FILE: standard input, below repo
put() { mkdir -p "repo/$(dirname "$1")" && cat >"repo/$1"; }

# driver N CALL: drivers/aN/aN.c, which calls something
driver() {
  printf '#include <linux/foo.h>\n\nstatic struct foo_ops ops%s = {\n\t.probe = probe%s,\n};\n\nint use%s(struct foo *f)\n{\n\t%s\n\treturn f->%s;\n}\n\nint probe%s(struct foo *f%s)\n{\n\treturn 0;\n}\n' \
    "$1" "$1" "$1" "$2" "${3:-count}" "$1" "${4:-}" | put "drivers/a$1/a$1.c"
}

# foo_h PROTOTYPE [MEMBER] [MORE PARAMETERS OF probe] [MORE LINES]
foo_h() {
  printf '#ifndef FOO_H\n#define FOO_H\n\n#define FOO_LIMIT 8\n\nstruct foo {\n\tint %s;\n\tint flags;\n};\n\nstruct foo_ops {\n\tint (*probe)(struct foo *f%s);\n};\n\n%s\n\n%s\n#endif\n' \
    "${2:-count}" "${3:-}" "$1" "${4:-}" | put include/linux/foo.h
}

# is NAME CLASS FILTER: what the commit in variable NAME is
is() {
  local hash=${!1}
  tt commit store.db "$hash" >row || return 1
  awk -F'\t' -v c="$2" -v f="$3" -v l="${4:-same-commit}" \
    'NR == 1 { ok = $2 == c && $3 == f && $4 == l } END { exit !ok }' row ||
    { echo "$1 $hash is not $2 $3:"; cat row; return 1; }
}

test_expect_success 'a history with one commit of each kind' '
  git init -q -b main repo &&
  foo_h "void foo_start(struct foo *f);" &&
  driver 1 "foo_start(f);" && driver 2 "foo_start(f);" && driver 3 "foo_start(f);" &&
  put lib/foo.c <<-\EOF &&
	#include <linux/foo.h>

	void foo_start(struct foo *f)
	{
	}
	EOF
  commit ann "start" && start=$sha &&

  foo_h "void foo_begin(struct foo *f);" &&
  sed -i s/foo_start/foo_begin/ repo/lib/foo.c &&
  driver 1 "foo_begin(f);" && driver 2 "foo_begin(f);" && commit ann "foo: rename foo_start() to foo_begin()" && rename=$sha &&

  driver 3 "foo_begin(f);" && commit bob "a3: use foo_begin() for foo_start()" && followup=$sha &&

  foo_h "void foo_begin(struct foo *f, int how);" && sed -i "s/struct foo \*f)/struct foo *f, int how)/" repo/lib/foo.c &&
  driver 1 "foo_begin(f, 1);" && driver 2 "foo_begin(f, 2);" &&
  commit ann "foo: foo_begin() takes how" && signature=$sha &&

  driver 3 "foo_begin(f, 3);" && commit ann "a3: give foo_begin() its argument" && series=$sha &&

  foo_h "void foo_begin(struct foo *f, int how);" users &&
  for i in 1 2 3; do driver $i "foo_begin(f, $i);" users; done &&
  commit ann "foo: rename a member" "Fixes: $(git -C repo rev-parse --short=12 $rename) (\"foo: rename\")" && member=$sha &&

  foo_h "void foo_begin(struct foo *f, int how);" users ", int id" &&
  for i in 1 2 3; do driver $i "foo_begin(f, $i);" users ", int id"; done &&
  commit ann "foo: probe gets the id" && callback=$sha &&

  foo_h "void foo_begin(struct foo *f, int how);" users ", int id" "int foo_new(void);" &&
  for i in 1 2 3; do driver $i "foo_new();" users ", int id"; done &&
  commit ann "foo: something new" && adoption=$sha &&

  foo_h "int foo_new(void);" users ", int id" && printf "#include <linux/foo.h>\n" | put lib/foo.c &&
  commit ann "foo: nobody calls foo_begin() any more" && implonly=$sha &&

  foo_h "int foo_new(void);" users ", int id" "void foo_old(void);" &&
  for i in 1 2 3; do driver $i "foo_new(); foo_old();" users ", int id"; done && commit ann "foo_old() is back" &&
  foo_h "int foo_new(void);" users ", int id" &&
  for i in 1 2 3; do driver $i "foo_new();" users ", int id"; done && commit ann "foo: drop foo_old()" && removal=$sha &&

  printf "struct foo *foo_find(int id);\n" | put include/linux/find.h &&
  for i in 1 2 3; do sed -i "s/foo_new();/foo_find($i);/; 1i #include <linux/find.h>" repo/drivers/a$i/a$i.c; done &&
  commit ann "find" &&
  git -C repo mv include/linux/find.h include/linux/search.h &&
  sed -i s,linux/find.h,linux/search.h, repo/drivers/a?/a?.c && commit ann "foo: move find.h" && move=$sha &&

  sed -i "s/FOO_LIMIT 8/FOO_LIMIT 16/" repo/include/linux/foo.h &&
  for i in 1 2 3; do sed -i "s/foo_find($i);/foo_find(FOO_LIMIT);/" repo/drivers/a$i/a$i.c; done &&
  commit ann "limit" &&
  sed -i "s/FOO_LIMIT 16/FOO_LIMIT 15/" repo/include/linux/foo.h &&
  sed -i "s/foo_find(FOO_LIMIT);/foo_find(FOO_LIMIT + 1);/" repo/drivers/a?/a?.c &&
  commit ann "foo: the limit is inclusive" && constant=$sha &&

  sed -i "s/^struct foo \*foo_find(int id)/const struct foo *foo_find(int id)/" repo/include/linux/search.h &&
  sed -i "s/foo_find(FOO/const struct foo *g = foo_find(FOO/" repo/drivers/a?/a?.c &&
  commit ann "foo: what is found is const" && hardening=$sha
'

test_expect_success 'exports' '
  printf "EXPORT_SYMBOL(foo_find);\nEXPORT_SYMBOL(foo_sum);\n" | put lib/sum.c && commit ann "export" &&
  printf "EXPORT_SYMBOL_GPL(foo_find);\nEXPORT_SYMBOL(foo_sum);\n" | put lib/sum.c &&
  commit ann "foo: EXPORT_SYMBOL_GPL()" && licence=$sha &&
  printf "EXPORT_SYMBOL_GPL(foo_find);\nEXPORT_SYMBOL_NS(foo_sum, SUMS);\n" | put lib/sum.c &&
  printf "MODULE_IMPORT_NS(SUMS);\n" >>repo/drivers/a1/a1.c &&
  commit ann "foo: a namespace for sums" && namespace=$sha
'

test_expect_success 'filters' '
  sed -i "s/^\tint flags;/    int   flags;/" repo/include/linux/foo.h && sed -i "s/return 0;/return  0;/" repo/drivers/a?/a?.c &&
  commit ann "blanks" && whitespace=$sha &&
  sed -i "s,flags;,flags; /* of foo */," repo/include/linux/foo.h && sed -i "1i /* a driver */" repo/drivers/a?/a?.c &&
  commit ann "comments" && comments=$sha &&
  sed -i "1i /* SPDX-License-Identifier: GPL-2.0 */" repo/include/linux/foo.h repo/drivers/a?/a?.c &&
  commit ann "SPDX" && spdx=$sha &&
  sed -i "s/int flags;/int flags;/; s/^#define FOO_LIMIT.*/&\n#define FOO_LEAST 1/" repo/include/linux/foo.h &&
  sed -i "s/return  0;/return 1;/" repo/drivers/a?/a?.c && commit ann "two things at once" && unrelated=$sha &&
  printf "#define A1_REG 1\n" | put drivers/a1/a1.h && sed -i "s/return 1;/return A1_REG;/" repo/drivers/a1/a1.c &&
  commit ann "a1: its own header" && private=$sha &&
  printf "int foo_late(void);\n" >>repo/include/linux/foo.h &&
  printf "int x(void) { return foo_late(); }\n" | put drivers/new/new.c && commit ann "new driver" && newcode=$sha &&
  git -C repo mv include/linux/search.h include/linux/seek.h && git -C repo mv drivers/new/new.c drivers/new/newer.c &&
  commit ann "moved as they are" && moved=$sha &&
  printf "void foo_wrong(void);\n" >>repo/include/linux/foo.h &&
  for i in 1 2 3; do printf "int w%s(void) { foo_wrong(); return 0; }\n" $i >>repo/drivers/a$i/a$i.c; done &&
  commit ann "foo: foo_wrong" && reverted=$sha &&
  git -C repo revert --no-edit $reverted >/dev/null && revert=$(git -C repo rev-parse HEAD) &&
  tt mine repo store.db >figures
'

for kind in rename signature member adoption removal constant hardening licence namespace; do
  test_expect_success "class $kind" "is $kind $kind none"
done
test_expect_success 'a callback with other parameters is a signature' 'is callback signature none'
test_expect_success 'a header that moves' 'is move header-move none'
for kind in whitespace comments spdx unrelated private revert reverted; do
  test_expect_success "filter $kind" "is $kind none $kind"
done
test_expect_success 'filter new-code' 'is newcode none new-code'
test_expect_success 'filter moved' 'is moved none moved'
test_expect_success 'a change that only its implementation follows is none' 'is implonly none unrelated'

test_expect_success 'symbols, new names and declarations' '
  tt symbol store.db foo_start >out &&
  test_grep "$rename	rename	none	same-commit	.*	foo_start	foo_begin	void foo_start(struct foo \*f)	void foo_begin(struct foo \*f)" out &&
  tt symbol store.db "struct foo.count" >out && test_grep "$member	member	.*	struct foo.count	users" out &&
  tt symbol store.db "struct foo_ops.probe" >out && test_grep "$callback	signature" out &&
  tt symbol store.db nothing_like_it >out && test_line_count = 0 out
'

test_expect_success 'links: of another author later, and of the same series' '
  is followup rename none follow-up &&
  is series signature none series
'

test_expect_success 'siblings share a group' '
  tt symbol store.db foo_start | cut -f13 | sort -u >out && test_line_count = 1 out &&
  tt symbol store.db foo_start >out && test_line_count = 2 out
'

test_expect_success 'what a later commit corrects says so' '
  tt commit store.db $rename | cut -f11 | sort -u >out && test_grep "^$member$" out &&
  tt commit store.db $signature | cut -f11 >out && test_no_grep "[0-9a-f]" out
'

test_expect_success 'examples with their commit' '
  tt examples store.db foo_start >out &&
  test_grep "^$(echo $rename | cut -c1-12) drivers/a1/a1.c:" out &&
  test_grep "^$(echo $followup | cut -c1-12) drivers/a3/a3.c:" out &&
  test_grep "foo_begin(f);" out
'

test_expect_success 'every commit that changes a header and two sources has a row' '
  git -C repo log --format=%H --no-merges >all &&
  while read -r h; do
    n=$(git -C repo show --format= --name-only $h | grep -c "\.c$") &&
    if git -C repo show --format= --name-only $h | grep -q "\.h$" && [ "$n" -ge 2 ]; then
      tt commit store.db $h >row && [ -s row ] || { echo "$h has no row"; return 1; }
    fi || return 1
  done <all
'

test_expect_success 'the same store with one worker, and in increments' '
  tt dump store.db >whole && [ -s whole ] &&
  tt mine repo one.db --one-job >/dev/null && tt dump one.db >out && test_cmp whole out &&
  tt mine repo parts.db $rename >/dev/null &&
  tt mine repo parts.db $followup >/dev/null &&
  tt mine repo parts.db $removal >/dev/null &&
  tt mine repo parts.db >/dev/null && tt dump parts.db >out && test_cmp whole out
'

test_expect_success 'a second run walks nothing and changes nothing' '
  tt mine repo store.db >out && test_grep "^walked 0 " out &&
  tt dump store.db >out && test_cmp whole out
'

test_expect_success 'without examples, the same verdicts; not in one store with them' '
  tt mine repo fast.db --fast >out && test_grep "examples 0" out &&
  tt dump fast.db | cut -f1-4,7-12 >fast && grep -v "^[-+=] " whole | cut -f1-4,7-12 | grep "^[0-9a-f]\{40\}	" >want &&
  test_cmp want fast &&
  test_expect_code 128 tt mine repo fast.db && tt mine repo fast.db 2>err --fast >/dev/null
'

# kinds_h LIMIT SET_ARGS UNIT MEMBERS WHEN: another header for the kinds that the first history has not
kinds_h() {
  printf '#ifndef KIND_H\n#define KIND_H\n%s\n\n#define KIND_SET(%s) kind_write(%s)\n\nstatic inline void kind_wait(int n)\n{\n\tkind_%s(n);\n}\n\nstruct kind {\n%s};\n\n/**\n * kind_stop - %s\n */\nint kind_stop(struct kind *k);\n\n#endif\n' "$@" | put include/linux/kind.h
}
# kinds N SET_ARGS WAIT INITIALISER RESULT
kinds() {
  printf '#include <linux/kind.h>\n\nint kind%s(struct kind *k)\n{\n\tstruct kind x = { %s };\n\n\tKIND_SET(%s);\n\tkind_wait(%s);\n\treturn kind_stop(&x)%s;\n}\n' "$1" "$4" "$2" "$3" "$5" | put "drivers/k$1/k$1.c"
}
test_expect_success 'a second history: macros, behaviour, layout, conditions, noise' '
  rm -rf first && mv repo first && git init -q -b main repo && ab="\tint a;\n\tint b;\n" && ba="\tint b;\n\tint a;\n" &&
  ab=$(printf "$ab.") && ab=${ab%.} && ba=$(printf "$ba.") && ba=${ba%.} &&
  kinds_h "" "x" "x" msec "$ab" "stops it" && for i in 1 2 3; do kinds $i k 1 ".a = 1, .b = 2" ""; done && commit ann start &&
  kinds_h "" "x, y" "x, y" msec "$ab" "stops it" && for i in 1 2 3; do kinds $i "k, 1" 1 ".a = 1, .b = 2" ""; done && commit ann "kind: two arguments" && macro=$sha &&
  kinds_h "" "x, y" "x, y" usec "$ab" "stops it" && for i in 1 2 3; do kinds $i "k, 1" 1000 ".a = 1, .b = 2" ""; done && commit ann "kind: wait in microseconds" && semantic=$sha &&
  kinds_h "" "x, y" "x, y" usec "$ba" "stops it" && for i in 1 2 3; do kinds $i "k, 1" 1000 ".b = 2, .a = 1" ""; done && commit ann "kind: b first" && layout=$sha &&
  kinds_h "" "x, y" "x, y" usec "$ba" "stops it, and waits" && for i in 1 2 3; do kinds $i "k, 2" 1000 ".b = 2, .a = 1" ""; done && commit ann "kind: documented" && documented=$sha &&
  sed -i "s/^int kind_stop.*/#if 1\n&\n#endif/" repo/include/linux/kind.h && for i in 1 2 3; do kinds $i "k, 3" 1000 ".b = 2, .a = 1" ""; done && commit ann "kind: a condition" && condition=$sha &&
  sed -i "s/^#define KIND_H/&\n#include <linux\/types.h>/" repo/include/linux/kind.h && for i in $(seq 101); do kinds $i "k, 4" 1000 ".b = 2, .a = 1" ""; done && commit ann "new ones" &&
  sed -i "s/types.h>/&\n#include <linux\/more.h>/" repo/include/linux/kind.h && for i in 1 2 3; do kinds $i "k, 5" 1000 ".b = 2, .a = 1" ""; done && commit ann "kind: includes more" && include=$sha &&
  sed -i "s/more.h>/&\n#include <linux\/noise.h>/" repo/include/linux/kind.h && sed -i "s/1000/1001/" repo/drivers/k*/k*.c && commit ann "kind: noise" && treewide=$sha &&
  { cat repo/include/linux/kind.h && yes "/* much */" | head -n 220000; } >big.h && mv big.h repo/include/linux/kind.h && sed -i "s/1001/1002/" repo/drivers/k1/k1.c repo/drivers/k2/k2.c && commit ann "kind: large" && unreadable=$sha &&
  git -C repo checkout -q -b side HEAD~ && kinds 5 "k, 6" 1 ".b = 2" "" && kinds 6 "k, 6" 1 ".b = 2" "" && sed -i "s/^#define KIND_SET/int side;\n\n&/" repo/include/linux/kind.h && commit ann side &&
  git -C repo checkout -q main && git -C repo merge -q -X ours --no-edit side && merge=$(git -C repo rev-parse HEAD) &&
  rm -f store.db && tt mine repo store.db >figures && kport mine repo --first-parent -o fp.db >out
'
for kind in macro semantic layout; do
  test_expect_success "class $kind" "is $kind $kind none"
done
test_expect_success 'what sources had declared themselves and leave to the header; members and types under another name' '
  rm -rf second && mv repo second && git init -q -b main repo &&
  printf "struct inner {\n\tint x;\n};\n\nstruct outer {\n\tint speed_limit;\n\tstruct inner in;\n};\n\ntypedef struct odd_struct odd;\n" | put include/linux/o.h &&
  user() { printf "#include <linux/o.h>\n%s\n\nint o%s(struct outer *o, %s *p)\n{\n\tshared(o);\n\treturn o->%s + %s;\n}\n" "$2" "$1" "$3" "$4" "$5" | put "drivers/o$1/o$1.c"; } &&
  own="#define O_MAX 7

extern void shared(struct outer *o);" && user 1 "$own" odd speed_limit O_MAX && user 2 "$own" odd speed_limit O_MAX && printf "#include <linux/o.h>\nvoid shared(struct outer *o) { }\n" | put lib/o.c &&
  commit ann start && own="#define O_MAX 7" &&
  printf "\nvoid shared(struct outer *o);\n" >>repo/include/linux/o.h && user 1 "$own" odd speed_limit O_MAX && user 2 "$own" odd speed_limit O_MAX && commit ann "o: a prototype for shared()" && prototype=$sha &&
  printf "\n#define O_MAX 7\n" >>repo/include/linux/o.h && user 1 "" odd speed_limit O_MAX && user 2 "" odd speed_limit O_MAX && commit ann "o: one O_MAX" && define=$sha &&
  sed -i "/speed_limit/d; s/^\tint x;/&\n\tint speed_limit;/" repo/include/linux/o.h && user 1 "" odd in.speed_limit O_MAX && user 2 "" odd in.speed_limit O_MAX && commit ann "o: move speed_limit" && moved=$sha &&
  sed -i "s/^typedef .*/struct odd {\n\tint a;\n};/" repo/include/linux/o.h && user 1 "" "struct odd" in.speed_limit O_MAX && user 2 "" "struct odd" in.speed_limit O_MAX && commit ann "o: no typedef" && typedef=$sha &&
  printf "\nint alone(void);\n" >>repo/include/linux/o.h && printf "int alone(void) { return 1; }\n" >>repo/lib/o.c && user 1 "/* */" "struct odd" in.speed_limit "O_MAX - 1" && commit ann "o: new, not used" && alone=$sha &&
  printf "void shared(struct outer *o);\n" | put include/linux/shared.h && sed -i "/^void shared/d" repo/include/linux/o.h &&
  for i in 1 2; do sed -i "s/o.h>/&\n#include <linux\/shared.h>/" repo/drivers/o$i/o$i.c || return 1; done && commit ann "o: shared() has a header" && reinclude=$sha &&
  printf "\nextern struct outer o_all;\n" >>repo/include/linux/o.h && printf "\nstruct outer o_all = { };\n" >>repo/lib/o.c &&
  printf "\nint all(void)\n{\n\treturn o_all.in.x;\n}\n" >>repo/drivers/o1/o1.c && commit ann "o: o_all" &&
  sed -i "/o_all/d" repo/include/linux/o.h && sed -i "s/^struct outer o_all/static &/" repo/lib/o.c && printf "\nint all(void)\n{\n\treturn o_all.in.x;\n}\n" >>repo/lib/o.c &&
  sed -i "/^int all/,\$d" repo/drivers/o1/o1.c && commit ann "o: o_all is lib/o.c alone" && variable=$sha &&
  rm -f store.db && tt mine repo store.db >figures &&
  is prototype adoption none && test_grep "moves from the sources into the header; 2 of 2" row &&
  is define adoption none && test_grep "O_MAX. moves from the sources" row &&
  is moved member none && test_grep "now in .struct inner.; 2 of 2" row &&
  is typedef removal none && test_grep "odd. is removed, now .struct odd." row &&
  is alone none unrelated &&
  is reinclude header-move none && is variable removal none && test_grep "o_all. is removed; 1 of 2 users" row &&
  rm -rf repo && mv second repo && tt mine repo store2.db >figures && mv store2.db store.db
'
test_expect_success 'filter treewide' 'is treewide none treewide'
test_expect_success 'filter unreadable' 'is unreadable none unreadable'
test_expect_success 'filter merge: of a walk by first parents' '
  tt commit fp.db $merge >row && test_grep "	none	merge	" row && tt commit store.db $merge >row && test_line_count = 0 row
'
test_expect_success 'documentation alone is no change of code, and the reason says so' '
  is documented none comments && test_grep "the headers differ in comments only" row
'
test_expect_success 'conditions and includes alone: the reason says so' '
  is condition none unrelated && test_grep "the headers differ in conditions (#if)" row &&
  is include none unrelated && test_grep "the headers differ in what they include" row
'

test_expect_success 'bad input' '
  test_expect_code 128 tt mine nowhere x.db 2>err && test_path_is_missing x.db &&
  test_expect_code 128 tt mine repo x.db no-such-tag 2>err && test_grep "no-such-tag" err &&
  test_expect_code 1 tt symbol absent.db foo 2>err && test_grep "kport mine" err &&
  tt commit store.db "; DROP" >out && test_line_count = 0 out &&
  tt commit store.db 0 >out && test_line_count = 0 out
'

test_done
