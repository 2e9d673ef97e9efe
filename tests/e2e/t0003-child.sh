#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='child processes: signals to kport, and its sudden death'
. "$(dirname "$0")/../test-lib.sh"

# Starts "test-tool child" on a script that writes its pids to the file "pids" and sleeps; waits until they are there.
start_sleeper() {
  rm -f pids
  # a job of a shell without job control ignores SIGINT; test-tool sets its own handler
  test-tool child --timeout 30 "$@" sh -c 'sleep 1000 & echo $$ $! >pids.new; mv pids.new pids; wait' >out 2>err &
  tool=$!
  for _ in $(seq 500); do
    [ -s pids ] && break
    sleep 0.02
  done
  read -r leader grandchild <pids
}

# Ends within 10 s, or is a zombie that init has not collected.
test_process_ends() {
  for _ in $(seq 500); do
    kill -0 "$1" 2>/dev/null || return 0
    grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null && return 0
    sleep 0.02
  done
  echo "process $1 is alive"
  return 1
}

for sig in INT TERM; do
  test_expect_success "SIG$sig ends the whole group and is told" '
    start_sleeper &&
    kill -$sig "$tool" &&
    test_expect_code 130 wait "$tool" &&
    test_grep interrupted out &&
    test_process_ends "$leader" &&
    test_process_ends "$grandchild"
  '
done

test_expect_success 'a pool that is interrupted ends its children and starts no more' '
  start_sleeper --jobs 2 &&
  kill -TERM "$tool" &&
  test_expect_code 130 wait "$tool" &&
  test_grep "^0 exited, 2 interrupted, 2 not started" out &&
  test_process_ends "$leader" &&
  test_process_ends "$grandchild"
'

test_expect_success 'a pool that is left alone runs all' '
  test-tool child --jobs 3 true >out &&
  test_grep "^6 exited, 0 interrupted, 0 not started" out
'

test_expect_success 'a second signal ends kport at once, and its children' '
  { test-tool child --timeout 30 sh -c "trap \"\" TERM; echo \$\$ >pid2.new; mv pid2.new pid2; while :; do sleep 1; done" \
    >out 2>err & tool=$!; } &&
  while ! [ -s pid2 ]; do sleep 0.02; done &&
  kill -TERM "$tool" && { kill -TERM "$tool"; true; } &&
  test_expect_code 130 wait "$tool" &&
  test_process_ends "$(cat pid2)"
'

test_expect_success 'kill -9 of kport takes its child along' '
  start_sleeper &&
  kill -KILL "$tool" &&
  { wait "$tool"; true; } &&
  test_process_ends "$leader" &&
  { kill "$grandchild"; true; }
'

test_expect_success 'a timeout is told' '
  test-tool child --timeout 0.2 sleep 1000 >out &&
  test_grep "^timeout after 0.[2-9] s" out
'

test_expect_success 'an exit code is told' '
  test-tool child sh -c "echo hello; exit 7" >out &&
  printf "hello\nexit code 7\n" >expect &&
  test_cmp expect out
'

test_expect_success 'a start failure is infrastructure' '
  test_expect_code 2 test-tool child no-such-program-anywhere >out 2>err &&
  test_grep "not found on PATH" err
'

test_expect_success 'a flood is cut off' '
  test-tool child --cap 1000 yes >out &&
  test_grep "too much output" out &&
  test_line_count = 501 out
'

test_done
