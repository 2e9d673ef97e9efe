#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='cautions: same declaration, other behaviour; each changes in.c to out.c or reports out.txt, and leaves clean.c alone'
. "$(dirname "$0")/../test-lib.sh"

test_lazy_prereq SPATCH 'command -v spatch' 'coccinelle (spatch) is not installed'

export KPORT_CACHE_HOME="$TRASH/cache"
cautions=$ROOT/port/cautions

test_expect_success 'all cautions are read' '
  test-tool rule "$cautions" >list && test -s list
'

test_expect_success 'every caution has its three files, every directory its caution, and each says what starts it' '
  while read -r caution; do
    name=$(basename "$caution")
    for f in in.c clean.c; do
      test_path_is_file "$FIXTURES/cautions/$name/$f" || return 1
    done
    test -f "$FIXTURES/cautions/$name/out.c" || test_path_is_file "$FIXTURES/cautions/$name/out.txt" || return 1
    test_grep "^// Uses: " "$cautions/$caution.cocci" && test_grep "^// Before: " "$cautions/$caution.cocci" && test_grep "^// Needs: " "$cautions/$caution.cocci" || return 1
  done <list &&
  sed "s,.*/,," list | LC_ALL=C sort >names &&
  ls "$FIXTURES/cautions" | LC_ALL=C sort >dirs &&
  test_cmp names dirs
'

while read -r caution <&3; do
  name=$(basename "$caution")
  test_expect_success SPATCH "$caution" '
    mkdir -p in clean &&
    cp "$FIXTURES/cautions/$name/in.c" in/x.c &&
    cp "$FIXTURES/cautions/$name/clean.c" clean/x.c &&
    out="$FIXTURES/cautions/$name/out.c" && clean="$FIXTURES/cautions/$name/clean.c" &&
    if [ ! -f "$out" ]; then out="$FIXTURES/cautions/$name/out.txt" clean=/dev/null; fi &&
    test-tool rule "$cautions" "$name" in x.c >out && test_cmp "$out" out &&
    test-tool rule "$cautions" "$name" clean x.c >out && test_cmp "$clean" out
  '
done 3<list

test_done
