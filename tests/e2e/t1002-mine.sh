#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport mine: examples of two source trees, killed, mined again, bad input'
. "$(dirname "$0")/../test-lib.sh"

# Two trees with 300 files that differ in one call.
test_expect_success 'set up two trees' '
  mkdir -p old/drivers new/drivers &&
  printf "VERSION = 6\nPATCHLEVEL = 1\n" >old/Makefile &&
  printf "VERSION = 6\nPATCHLEVEL = 2\n" >new/Makefile &&
  for i in $(seq 300); do
    printf "int f%d(struct t *t)\n{\n\tdel_timer(t);\n\treturn %d;\n}\n" $i $i >old/drivers/f$i.c &&
    sed "s/del_timer/timer_delete/" old/drivers/f$i.c >new/drivers/f$i.c || return 1
  done
'

test_expect_success 'mined into the cache, once' '
  kport mine --trees old new >out &&
  test_grep "^300 examples from 300 changed of 300 files" out &&
  index=$(sed -n "s/^index *//p" out) &&
  test_path_is_file "$index" &&
  kport mine --trees old new --json >out.json &&
  test_json out.json .examples 300 &&
  test_json out.json .reused 0
'

test_expect_success 'only what changed is mined again' '
  echo "int more(void) { return del_timer(0); }" >>old/drivers/f7.c &&
  kport mine --trees old new --again --json >out.json &&
  test_json out.json .reused 299 &&
  test_json out.json .changed 300
'

test_expect_success 'a killed run leaves no index, and the next one ends the work' '
  { kport mine --trees old new --out killed.db >/dev/null 2>&1 & pid=$!; } &&
  sleep 0.02 && { kill -9 $pid || :; } && { wait $pid || :; } &&
  kport mine --trees old new --out killed.db >out &&
  test_grep "from 300 changed" out &&
  test_path_is_missing killed.db.part
'

test_expect_success 'two at once do not disturb each other' '
  { kport mine --trees old new --out both.db >out1 2>&1 & one=$!; } &&
  { kport mine --trees old new --out both.db >out2 2>&1 & two=$!; } &&
  wait $one && wait $two &&
  test_grep "300 changed" out1 && test_grep "300 changed" out2
'

test_expect_success 'the directory of --out holds the index and nothing else' '
  mkdir only && kport mine --trees old new --out only/x.db >out && test "$(ls -A only)" = x.db &&
  test_expect_code 128 kport mine --trees old new --out none/x.db 2>err && test_path_is_missing none &&
  test_expect_code 2 kport mine --trees old new --out /proc/x.db 2>err && test_line_count = 1 err
'

test_expect_success 'bad input' '
  mkdir empty &&
  test_expect_code 128 kport mine --trees old empty 2>err &&
  test_grep "empty" err &&
  test_expect_code 128 kport mine --trees old none 2>err &&
  test_grep "none" err &&
  test_expect_code 129 kport mine --trees old 2>err &&
  test_expect_code 128 kport mine old new 2>err
'
test_done
