#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='audit trail: kport audit verify'
. "$(dirname "$0")/../test-lib.sh"

test_expect_success 'wrong usage' '
  test_expect_code 129 kport audit 2>err &&
  test_line_count = 1 err &&
  test_expect_code 129 kport audit check x 2>err &&
  test_expect_code 129 kport audit verify 2>err &&
  test_grep "name the file" err
'

test_expect_success 'a trail with a child, a verdict and a secret' '
  API_TOKEN=hunter2hunter2 test-tool audit trail.jsonl start child:true add:value verdict \
    secret:hunter2hunter2 &&
  test_line_count = 5 trail.jsonl &&
  kport audit verify trail.jsonl >out &&
  test_grep "^trail.jsonl: 5 lines, the chain is whole" out
'

test_expect_success 'secrets do not reach the file' '
  test_no_grep hunter2 trail.jsonl &&
  test_grep redacted trail.jsonl
'

test_expect_success 'as JSON' '
  kport audit verify --json trail.jsonl >out.json &&
  test_json out.json ".[0].ok" true &&
  test_json out.json ".[0].lines" 5
'

test_expect_success 'a changed byte is found, at its line' '
  sed "3s/value/valve/" trail.jsonl >bad.jsonl &&
  test_expect_code 1 kport audit verify bad.jsonl >out 2>err &&
  test_line_count = 0 err &&
  test_grep "^bad.jsonl: line 3: " out &&
  test_expect_code 1 kport audit verify --json bad.jsonl >out.json &&
  test_json out.json ".[0].ok" false
'

test_expect_success 'a removed line is found' '
  sed 2d trail.jsonl >bad.jsonl &&
  test_expect_code 1 kport audit verify bad.jsonl >out &&
  test_grep "line 2: " out &&
  sed 1d trail.jsonl >bad.jsonl &&
  test_expect_code 1 kport audit verify bad.jsonl >out &&
  test_grep "line 1: " out
'

test_expect_success 'swapped, doubled and added lines are found' '
  { sed -n 1p trail.jsonl && sed -n 3p trail.jsonl && sed -n 2p trail.jsonl &&
    sed -n "4,5p" trail.jsonl; } >bad.jsonl &&
  test_expect_code 1 kport audit verify bad.jsonl &&
  sed "2p" trail.jsonl >bad.jsonl &&
  test_expect_code 1 kport audit verify bad.jsonl >out &&
  test_grep "line 3: " out &&
  { cat trail.jsonl && echo "{\"event\":\"x\"}"; } >bad.jsonl &&
  test_expect_code 1 kport audit verify bad.jsonl >out &&
  test_grep "line 6: " out
'

test_expect_success 'a torn last line is found' '
  head -c -20 trail.jsonl >torn.jsonl &&
  test_expect_code 1 kport audit verify torn.jsonl >out &&
  test_grep "line 5: incomplete" out
'

test_expect_success 'a resumed run cuts the torn line, notes it and goes on' '
  test-tool audit torn.jsonl resumed &&
  kport audit verify torn.jsonl >out &&
  test_grep "torn.jsonl: 6 lines" out &&
  sed -n 5p torn.jsonl >line &&
  test_json line .event torn-line &&
  test_json line .seq 4
'

test_expect_success 'a damaged trail is not gone on with' '
  sed "2s/child/chill/" trail.jsonl >bad.jsonl &&
  cp bad.jsonl before &&
  test_must_fail test-tool audit bad.jsonl more 2>err &&
  test_grep "damaged: line 2" err &&
  test_cmp before bad.jsonl
'

test_expect_success 'a writer killed at any time leaves a trail that can be resumed' '
  for i in 1 2 3 4 5
  do
    { timeout -s KILL 0.0$i test-tool audit killed.jsonl many:100000; true; } &&
    test-tool audit killed.jsonl again &&
    kport audit verify killed.jsonl || return 1
  done
'

test_expect_success 'one writer at a time' '
  mkfifo go &&
  { test-tool audit busy.jsonl start hold:go & pid=$!; } &&
  while ! [ -s busy.jsonl ]; do sleep 0.02; done &&
  test_must_fail test-tool audit busy.jsonl other 2>err &&
  test_grep "being written by another process" err &&
  echo >go &&
  wait "$pid" &&
  kport audit verify busy.jsonl >out &&
  test_grep "busy.jsonl: 1 lines" out
'

test_expect_success 'several files: each gets its answer, the worst one is the exit code' '
  test_expect_code 1 kport audit verify trail.jsonl bad.jsonl >out &&
  test_line_count = 2 out &&
  test_expect_code 128 kport audit verify nofile trail.jsonl >out 2>err &&
  test_grep "nofile" err &&
  test_grep "trail.jsonl: 5" out
'

test_expect_success 'rubbish is refused without a crash' '
  head -c 100000 /dev/urandom >rubbish &&
  test_expect_code 1 kport audit verify rubbish >out &&
  : >empty &&
  test_expect_code 1 kport audit verify empty >out &&
  test_grep "empty: line 1: missing" out &&
  printf "\n" >newline &&
  test_expect_code 1 kport audit verify newline &&
  test_expect_code 128 kport audit verify .
'

test_expect_success 'lines that are missing at the end, which the record beside the trail tells' '
  mkdir run && cp trail.jsonl run/ &&
  printf "{\"audit_head\": \"%s\"}\n" "$(tail -n 1 trail.jsonl | head -c -1 | sha256sum | cut -d" " -f1)" >run/result.json &&
  kport audit verify run/trail.jsonl &&
  sed -i "\$d" run/trail.jsonl &&
  test_expect_code 1 kport audit verify run/trail.jsonl >out &&
  test_grep "lines are missing; .run/result.json. names" out
'

test_done
