#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='semantic patches: each changes in.c to out.c and leaves clean.c alone'
. "$(dirname "$0")/../test-lib.sh"

test_lazy_prereq SPATCH 'command -v spatch' 'coccinelle (spatch) is not installed'

export KPORT_CACHE_HOME="$TRASH/cache"
rules=$ROOT/port/rules

test_expect_success 'all rules are read' '
  test-tool rule "$rules" >list &&
  test -s list
'

test_expect_success 'every rule has its three files, every directory its rule' '
  while read -r rule; do
    for f in in out clean; do
      test_path_is_file "$FIXTURES/rules/$(basename "$rule")/$f.c" || return 1
    done
  done <list &&
  sed "s,.*/,," list | LC_ALL=C sort >names &&
  ls "$FIXTURES/rules" | LC_ALL=C sort >dirs &&
  test_cmp names dirs
'

test_expect_success 'no rule says the title of another' '
  sed -n "s,^// Title: ,,p" "$rules"/*/*.cocci | LC_ALL=C sort | uniq -d >twice &&
  test_line_count = 0 twice
'

while read -r rule <&3; do
  name=$(basename "$rule")
  test_expect_success SPATCH "$rule" '
    mkdir -p in clean &&
    cp "$FIXTURES/rules/$name/in.c" in/x.c &&
    cp "$FIXTURES/rules/$name/clean.c" clean/x.c &&
    test-tool rule "$rules" "$name" in x.c >out.c &&
    test_cmp "$FIXTURES/rules/$name/out.c" out.c &&
    test-tool rule "$rules" "$name" clean x.c >clean.c &&
    test_cmp "$FIXTURES/rules/$name/clean.c" clean.c
  '
done 3<list

test_expect_success SPATCH 'a function of the driver by the same name stops the rule' '
  mkdir own &&
  printf "static int del_timer(int x)\n{\n\treturn x;\n}\n" >own/a.h &&
  printf "#include \"a.h\"\nint f(void)\n{\n\treturn del_timer(1);\n}\n" >own/x.c &&
  test-tool rule "$rules" timer-delete own x.c >out.c &&
  test_cmp own/x.c out.c
'

test_expect_success SPATCH 'line ends stay CR LF' '
  mkdir crlf &&
  sed "s/\$/\r/" "$FIXTURES/rules/timer-delete/in.c" >crlf/x.c &&
  sed "s/\$/\r/" "$FIXTURES/rules/timer-delete/out.c" >want &&
  test-tool rule "$rules" timer-delete crlf x.c >out.c &&
  test_cmp want out.c
'

test_expect_success SPATCH 'a file that spatch cannot parse is left as it is' '
  mkdir bad &&
  printf "int f(void)\n{\n\tif ((( {{ del_timer(t);\n" >bad/x.c &&
  test-tool rule "$rules" timer-delete bad x.c >out.c &&
  test_cmp bad/x.c out.c
'

test_expect_success SPATCH 'the second time comes from the cache' '
  mkdir -p again &&
  cp "$FIXTURES/rules/timer-delete/in.c" again/x.c &&
  test-tool rule "$rules" timer-delete again x.c >one.c &&
  mkdir -p none &&
  for p in sh env bash; do ln -s "$(command -v $p)" none/ || return 1; done &&
  PATH="$TRASH/none" "$BUILD/test-tool" rule "$rules" timer-delete again x.c >two.c &&
  test_cmp one.c two.c
'

test_expect_success 'a rule with an unknown field is refused and named' '
  mkdir -p broken/a &&
  printf "// SPDX-License-Identifier: GPL-2.0-only\n/// x\n//\n// Title: t\n// Replaces: f\n// Colour: red\n// Confidence: High\n" >broken/a/b.cocci &&
  test_must_fail test-tool rule broken 2>err &&
  test_grep "a/b.*unknown field .Colour" err
'

test_done
