#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='the walk of a history: the same files as git log, ranges, increments, kill -9, bad input'
. "$(dirname "$0")/../test-lib.sh"

# walk DIR ARGS...: the walk over repository DIR into the store DIR.db; its files in "got", figures in "figures".
walk() {
  test-tool history "$1" "$1.db" "${@:2}" >walked 2>figures
}
# files: "COMMIT MODES IDS PATH" of what walk printed, or of git log --raw --format=%H
files() {
  sed 's/^\(:[^\t]*\) [A-Z]\t/\1\t/' |
    awk '/^[0-9a-f]{40}/ { c = substr($0, 1, 40); next } /^:/ { print c, substr($0, 2) }' | sort
}
# same DIR GIT-LOG-ARGS...: what was walked is what git log says
same() {
  files <walked >got &&
    git -C "$1" -c core.quotepath=false log --no-renames --raw --no-abbrev --format=%H "${@:2}" | files >want &&
    test_cmp want got
}
# commits in the walk's order
order() {
  sed -n 's/^\([0-9a-f]\{40\}\) .*/\1/p' walked
}
# linear DIR N: N commits in files of nested directories, by fast-import; every 50th has a tag
linear() {
  git init -q --bare "$1" &&
    awk -v n="$2" 'BEGIN {
      for (i = 1; i <= n; i++) {
        print "commit refs/heads/main\nmark :" i
        print "author A" i % 7 " <a" i % 7 "@example.com> " 1600000000 + i * 60 " +0000"
        print "committer C <c@example.com> " 1600000000 + i * 60 " +0000"
        print "data <<E\nchange " i "\nE"
        print "M 644 inline " (i % 3 ? "drivers/d" i % 11 "/f" i % 5 ".c" : "include/linux/h" i % 9 ".h")
        print "data <<E\nint f(void) { return " i "; }\nE"
        if (i % 50 == 0) print "reset refs/tags/v1." i / 50 "\nfrom :" i "\n"
      }
    }' | git -C "$1" fast-import --quiet && git -C "$1" symbolic-ref HEAD refs/heads/main
}

test_expect_success 'set up a history with everything that trees can do' '
  git init -q -b main h && cd h &&
  c() { git add -A && git commit -q --allow-empty -m "$1"; } &&
  mkdir -p a/b/c include && echo 1 >a/b/c/f && echo 1 >include/x.h && echo 1 >a.c && echo 1 >a-b && c one && git tag v1.0-rc1 &&
  echo 2 >a/b/c/f && chmod +x a.c && c two && git tag -a -m "1.0" v1.0 &&
  git mv a/b a/d && c "renamed directory" &&
  rm a.c && mkdir a.c && echo 1 >a.c/g && rm -r a && echo file >a && c "files become directories" &&
  rm a && mkdir -p a/deep && ln -s ../x a/link && echo 1 >a/deep/z && c "and back" &&
  git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && git commit -q -m submodule &&
  git tag odd &&
  c empty &&
  git checkout -q -b side HEAD~3 && echo 3 >include/x.h && c side1 && echo 4 >"sp ace" && c side2 &&
  git checkout -q -b other main~2 && echo 9 >other && c other1 &&
  git checkout -q --orphan root2 && git rm -qrf . && echo 1 >unrelated && c root2 &&
  git checkout -q main && git merge -q --no-edit side && git tag v1.1-rc1 &&
  git merge -q --no-edit --allow-unrelated-histories root2 &&
  echo x >last && c last && git checkout -q -b o1 && echo 1 >o1 && c o1 && git checkout -q -b o2 main && echo 1 >o2 && c o2 &&
  git checkout -q main && git merge -q --no-ff --no-edit o1 o2 && git tag v1.1 &&
  printf "b\\303\\344d \\377\\n" >"$TRASH/msg" && git -c i18n.commitEncoding=latin1 commit -q --allow-empty -F "$TRASH/msg" &&
  test $(git log -1 --format=%p v1.1 | wc -w) = 3
'

test_expect_success 'the same files as git log' '
  walk h && same h --no-merges &&
  test_grep "merges 3 broken 0 missing 0 oversize 0 shallow 0" figures &&
  test_line_count = $(git -C h rev-list --count --no-merges HEAD) <(order)
'
test_expect_success 'parents come before children' '
  order | awk "{ print \$1, NR }" >pos &&
  git -C h log --no-merges --format="%H %P" HEAD >parents &&
  awk "NR == FNR { pos[\$1] = \$2; next } { for (i = 2; i <= NF; i++) if (pos[\$i] > pos[\$1]) exit 1 }" pos parents
'
test_expect_success 'the first release that holds a commit' '
  release() { awk -v c="$(git -C h rev-parse "$1^{commit}")" "\$1 == c { print \$2 }" walked; } &&
  test "$(release v1.0-rc1)" = v1.0 && test "$(release v1.0)" = v1.0 &&
  test "$(release side)" = v1.1 && test "$(release odd)" = v1.1 && test "$(release o2)" = v1.1 &&
  test "$(release HEAD)" = -
'
test_expect_success 'messages are text' 'iconv -f UTF-8 -t UTF-8 walked >/dev/null'
test_expect_success 'first parents: merges are changes' '
  test-tool history --first-parent h fp.db >walked 2>figures && same h --first-parent -m &&
  test_expect_code 128 test-tool history h fp.db 2>err && test_grep "by first parents only" err
'
test_expect_success 'packed or loose, one worker or four, work tree or .git' '
  rm -f h.db && walk h --all && cp walked loose &&
  cp -r h p && git -C p gc -q && git -C p prune-packed &&
  for jobs in 1 4; do rm -f p.db && walk p --all --jobs $jobs && test_cmp loose walked || return 1; done &&
  test-tool history --all p/.git dot.db >walked 2>figures && test_cmp loose walked
' 
test_expect_success 'everything: also branches that are not merged' '
  rm -f h.db && walk h --all && same h --all --no-merges
'
test_expect_success 'objects of another repository' '
  git clone -q --shared --bare p shared.git && walk shared.git --all && test_cmp loose walked
'
test_expect_success 'ranges' '
  for range in v1.0..v1.1 v1.0-rc1..side main~1 odd; do
    rm -f h.db && walk h $range && same h --no-merges $range || return 1
  done
'
test_expect_success 'narrow first, then wider: every commit once' '
  rm -f h.db && walk h v1.0..v1.1-rc1 && order >all &&
  walk h v1.0-rc1..v1.0 && order >>all &&
  walk h main && order >>all && walk h --all && order >>all &&
  sort all >got && git -C h rev-list --all --no-merges | sort >want && test_cmp want got &&
  walk h main && test_line_count = 0 walked
'
test_expect_success 'a newer tag costs its own commits' '
  linear big 3000 &&
  walk big v1.20 && test_grep "^commits 1000 known 0" figures &&
  walk big v1.21 && same big v1.20..v1.21 && test_grep "^commits 50 known 1000" figures &&
  walk big v1.21 && test_grep "^commits 0 known 1050" figures &&
  walk big v1.10 && test_grep "^commits 0 known 1050" figures &&
  test "$(sqlite3 big.db "SELECT count(*), sum(commits), length(tips) FROM walked_range")" = "1|1050|20" &&
  test "$(sqlite3 big.db "SELECT count(*) FROM walked_part")" = 0
'
test_expect_success 'a release that is tagged later' '
  linear late 120 && walk late && test "$(order | tail -n 20)" = "$(git -C late rev-list --reverse v1.2..main)" &&
  test $(grep -c "^[0-9a-f]* - " walked) = 20 &&
  git clone -q late grown && (cd grown && git commit -q --allow-empty -m more && git push -q "$TRASH/late" HEAD:main) && walk late &&
  git -C late tag v1.3-rc1 main~6 && walk late && test_grep "^commits 0 known 121" figures &&
  sed -n "s/^released \([0-9a-f]*\) v1.3$/\1/p" walked | sort >got && git -C late rev-list v1.2..main~6 | sort >want && test_cmp want got &&
  walk late && test_line_count = 0 walked &&
  git -C late tag v1.3 main && walk late && test_line_count = 6 walked && walk late && test_line_count = 0 walked
'
test_expect_success 'interrupted and killed anywhere: the same store in the end' '
  test-tool history big whole.db >whole 2>figures && sqlite3 whole.db .dump >want &&
  for ms in 05 08 11 14 17 20 25 30; do
    { test-tool history big killed.db >/dev/null 2>&1 & pid=$!; } &&
    sleep 0.$ms && { kill -9 $pid || :; } && { wait $pid || :; } || return 1
  done &&
  test-tool history big killed.db >/dev/null 2>figures && sqlite3 killed.db .dump >got && test_cmp want got
'
test_expect_success 'a part that was begun, then another range' '
  sqlite3 whole.db "DELETE FROM walked_range; DELETE FROM walked_part WHERE 0" &&
  git -C big rev-list --reverse v1.3 >ids &&
  sqlite3 whole.db "INSERT INTO walked_part (ids) VALUES (x'"'"'$(head -n 70 ids | tr -d "\n")'"'"'); DELETE FROM seen" &&
  test-tool history big whole.db v1.1 >walked 2>figures && test_grep "^commits 0 known 70" figures &&
  test "$(sqlite3 whole.db "SELECT sum(commits) FROM walked_range")" = 50 &&
  test "$(sqlite3 whole.db "SELECT length(ids) FROM walked_part")" = 400 &&
  test-tool history big whole.db v1.3 >walked 2>figures && test_grep "^commits 80 known 70" figures &&
  test "$(sqlite3 whole.db "SELECT sum(commits) FROM walked_range; SELECT count(*) FROM walked_part" | tr "\n" " ")" = "150 0 "
'

test_expect_success 'a clone that is cut off' '
  git clone -q --bare --depth 3 "file://$TRASH/big" shallow.git && walk shallow.git &&
  test_grep "^commits 2 .* shallow 1$" figures && same shallow.git HEAD~2..HEAD
'
test_expect_success 'nothing there' '
  test_expect_code 128 walk none && test_grep "no such directory" figures &&
  mkdir plain && test_expect_code 128 walk plain && test_grep "is no git repository" figures &&
  git init -q none-yet && test_expect_code 1 walk none-yet && test_grep "has no commits" figures &&
  test_expect_code 1 walk none-yet --all && test_grep "no commits" figures
'
walk_range() { test-tool history h other.db "$1" >walked 2>figures; }
test_expect_success 'no such range' '
  test_expect_code 128 walk_range v9.9 && test_grep "no revision .v9.9. in .h." figures &&
  test_expect_code 128 walk_range v1.0..v9.9 && test_grep "no revision .v9.9." figures &&
  test_expect_code 128 walk_range v1.0...v1.1 && test_grep "A..B" figures &&
  test_expect_code 128 walk_range HEAD:include && test_grep "is no commit" figures &&
  test_expect_code 1 walk_range v1.1..v1.0 && test_grep "no commits in" figures &&
  test_expect_code 1 walk_range v1.0..v1.0 && test_grep "no commits in" figures
'

# object TYPE: from stdin, unchecked
object() { git -C bad hash-object -w --literally -t "$1" --stdin; }
entry() {
  local i
  printf '%s %s\0' "$1" "$2"
  for ((i = 0; i < 40; i += 2)); do printf '%b' "\\x${3:i:2}"; done
}
# commit TREE PARENT...
commit() {
  { echo "tree $1" && printf 'parent %s\n' "${@:2}" | grep ' .' ; printf "author A <a> 1 +0000\ncommitter A <a> 2 +0000\n\nm\n"; } | object commit
}
bad_walk() { rm -f bad.db; walk bad "$1"; }

test_expect_success 'broken commits and trees are counted' '
  git init -q bad && blob=$(echo text | object blob) &&
  good=$({ entry 100644 a $blob && entry 40000 d $(entry 100644 f $blob | object tree); } | object tree) && empty=$(object tree </dev/null) &&
  first=$(commit $empty "") && ok=$(commit $good $first) &&
  bad_walk $ok && test_grep "^commits 2 .* broken 0" figures && test_line_count = 4 walked &&
  for name in .. . "" a/b; do
    bad=$(commit $(entry 100644 "$name" $blob | object tree) $ok) &&
    bad_walk $bad && test_grep "^commits 2 .* broken 1" figures || return 1
  done &&
  bad=$(commit $({ entry 100644 z $blob && entry 100644 y $blob; } | object tree) $ok) &&
  bad_walk $bad && test_grep "^commits 2 .* broken 1" figures &&
  bad=$(commit $(printf "100644 cut\0abc" | object tree) $ok) &&
  bad_walk $(commit $good $bad) && test_grep "^commits 2 .* broken 2" figures &&
  bad=$(commit $blob $ok) && bad_walk $bad && test_grep "^commits 2 .* broken 1" figures &&
  bad=$(printf "tree x\nparent $ok\n\nm\n" | object commit) &&
  bad_walk $(commit $good $bad) && test_grep "^commits 0 .* broken 2" figures &&
  bad=$(commit 1234567890123456789012345678901234567890 $ok) && bad_walk $bad && test_grep "^commits 2 .* missing 1" figures &&
  bad=$(commit $good 1234567890123456789012345678901234567890) && bad_walk $bad && test_grep "^commits 0 .* missing 2" figures
'
test_expect_success 'trees in trees without end' '
  t=$good && for i in $(seq 200); do t=$(entry 40000 d $t | object tree) || return 1; done &&
  bad_walk $(commit $t $ok) && test_grep "^commits 2 .* oversize 1" figures &&
  t=$good && for i in $(seq 20); do t=$({ for j in 0 1 2 3 4 5 6 7 8 9; do entry 40000 $j $t || return 1; done; } | object tree) || return 1; done &&
  bad_walk $(commit $t $ok) && test_grep "^commits 2 .* oversize 1" figures
'
# long TREE PARENT MIB: a commit with a message of that many MiB
long() {
  { echo "tree $1" && echo "parent $2" && printf "author A <a> 1 +0000\ncommitter A <a> 2 +0000\n\n" && yes | head -c $(($3 << 20)); } | object commit
}
test_expect_success 'a message of 50 MiB hides nothing of the history behind it' '
  big=$(long $good $ok 50) && bad_walk $(commit $good $big) && test_grep "^commits 4 .* broken 0 missing 0 oversize 0" figures &&
  test_grep "cut 0 long 1" figures &&
  git init -q packed && git -C bad rev-list --objects $big | cut -d" " -f1 | git -C bad pack-objects -q "$TRASH/packed/.git/objects/pack/pack" >out && git -C packed update-ref refs/heads/main $big &&
  walk packed main && test_grep "^commits 3 " figures && test_grep "cut 0 long 1" figures
'
test_expect_success 'one of 257 MiB does, and that is said' '
  bad_walk $(long $good $ok 257) && test_grep "^commits 0 .* oversize 1" figures && test_grep "cut 1" figures
'
test_expect_success 'a pack with damaged bytes' '
  cp -r p corrupt && pack=$(echo corrupt/.git/objects/pack/*.pack) && chmod u+w $pack && size=$(stat -c %s $pack) &&
  for at in 40 200 $((size / 3)) $((size / 2)) $((size - 60)); do
    cp p/.git/objects/pack/*.pack $pack &&
    printf "\377\377\377\377" | dd of=$pack bs=1 seek=$at conv=notrunc status=none && rm -f corrupt.db &&
    { walk corrupt --all || test_grep "no revision\\|is no commit\\|no commits" figures; } || return 1
  done &&
  for keep in 0 11 33 $((size / 2)); do
    head -c $keep p/.git/objects/pack/*.pack >$pack && rm -f corrupt.db && { walk corrupt || [ $? -le 128 ]; } || return 1
  done
'
test_expect_success 'what is damaged is named, and what helps' '
  cp p/.git/objects/pack/*.pack $pack && cp p/.git/objects/pack/*.idx ${pack%.pack}.idx && printf "\377\377" | dd of=$pack bs=1 conv=notrunc status=none &&
  rm -f corrupt.db && test_expect_code 128 kport mine corrupt -o corrupt.db 2>err &&
  test_grep "HEAD. is [0-9a-f]\{40\}, which cannot be read: the pack .*${pack##*/}. or its index is damaged; .git -C corrupt fsck" err &&
  test_expect_code 128 kport mine corrupt v9.9 -o corrupt.db 2>err && test_grep "no revision .v9.9. can be read.*fsck" err
'
test_expect_success 'a history that is cut is said, at once and in the status' '
  git -C bad update-ref refs/heads/main $(commit $good $(printf "tree x\nparent $ok\n\nm\n" | object commit)) &&
  git -C bad symbolic-ref HEAD refs/heads/main && kport mine bad >out 2>err && test_grep "history is cut off: 1 commits cannot be read.*fsck" err &&
  kport mine status >out && test_grep "history of $TRASH/bad, last HEAD at 20.* UTC, up to .* cut off at 1 commits that cannot be read" out &&
  kport mine shallow.git >out 2>err && test_grep "shallow.*--unshallow" err &&
  kport mine status >out && test_grep "history of $TRASH/shallow.git.* cut off at 1 commits where the clone ends" out &&
  kport mine status --json >out.json && test_grep "\"cut\": 1" out.json && test_grep "\"shallow\": 1" out.json
'
test_expect_success 'an index with damaged bytes' '
  cp p/.git/objects/pack/*.pack $pack && idx=${pack%.pack}.idx && chmod u+w $idx && size=$(stat -c %s $idx) &&
  for at in 2 9 600 1040 $((size - 100)) $((size - 300)); do
    cp p/.git/objects/pack/*.idx $idx && printf "\377\377\377\377" | dd of=$idx bs=1 seek=$at conv=notrunc status=none &&
    rm -f corrupt.db && { walk corrupt --all || [ $? -le 128 ]; } || return 1
  done &&
  head -c 1000 p/.git/objects/pack/*.idx >$idx && rm -f corrupt.db && { walk corrupt || [ $? -le 128 ]; }
'
test_expect_success 'kport mine: a summary, then only what is new' '
  mkdir mined && kport mine big v1.20 --out mined/h.db >out && test_grep "^1000 commits walked" out && test_grep "no Linux kernel" out &&
  kport mine big v1.22 --out mined/h.db --json >out.json && test_json out.json .walk.commits 100 && test_json out.json .walk.known 1000 &&
  test_json out.json .walk.kernel false && test_json out.json .index mined/h.db &&
  kport mine big v1.22 >out && test_grep "^1100 commits walked" out && test_path_is_file "$(sed -n "s/^index *//p" out)" &&
  kport mine h --all --no-examples --jobs 1 --out mined/all.db >out && test_grep "merges" out
'
test_expect_success 'a store of one repository is not mixed with another' '
  kport mine big v1.20 --out mined/one.db >out &&
  test_expect_code 128 kport mine h --all --out mined/one.db 2>err && test_grep "another repository" err && test_line_count = 1 err
'
test_expect_success 'kport mine: no such thing' '
  test_expect_code 128 kport mine none 2>err && test_grep "no such directory .none." err &&
  test_expect_code 128 kport mine plain 2>err && test_grep "no git repository" err &&
  test_expect_code 128 kport mine h v9.9 2>err && test_grep "no revision .v9.9." err &&
  test_expect_code 1 kport mine h v1.1..v1.0 2>err && test_grep "no commits" err &&
  test_line_count = 1 err && test_expect_code 1 kport mine none-yet 2>err &&
  for wrong in "" "h a b" "h --trees" "h v1.0 --all" "h --dir x" "h --jobs -1" "h --jobs 0" "--trees h h -j 0" "--trees h h --all"; do
    test_expect_code 129 kport mine $wrong 2>err && test_line_count = 1 err || return 1
  done
'
test_expect_success 'a store with damaged ids' '
  cp big.db damaged.db && sqlite3 damaged.db "UPDATE walked_range SET tips = x'"'"'0102'"'"'" &&
  test_expect_code 128 test-tool history big damaged.db 2>err && test_grep "damaged list" err
'
test_expect_success 'an --out that cannot be written' '
  test_expect_code 128 kport mine h --out nonexist/x.db 2>err && test_grep "no directory .nonexist." err && test_path_is_missing nonexist &&
  test_expect_code 2 kport mine h --out /proc/x.db 2>err && test_grep "cannot write ./proc/x.db." err && test_line_count = 1 err
'
test_expect_success 'the directory of --out holds the index and nothing else, and another may be written there meanwhile' '
  mkdir only && kport mine h --all --out only/a.db >out && test "$(ls -A only)" = a.db &&
  { flock -x only/b.db.lock sleep 2 & pid=$!; } && sleep 0.2 &&
  kport mine h --all --out only/c.db >out && test_expect_code 128 kport mine h --all --out only/b.db 2>err && test_grep "only/b.db. is in use" err &&
  wait $pid && kport mine h --all --out only/b.db >out && test "$(ls -A only | tr "\n" " ")" = "a.db b.db c.db "
'
test_expect_success 'an --out that is something else is left alone' '
  mkdir dir.out && mkfifo fifo.out && git init -q other.git &&
  for f in dir.out fifo.out; do
    test_expect_code 128 timeout 10 kport mine other.git -o $f 2>err || return 1
  done &&
  test_grep "no regular file" err &&
  test -p fifo.out
'

test_done
