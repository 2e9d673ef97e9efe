#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='command line: help, wrong usage, exit codes, colors, configuration'
. "$(dirname "$0")/../test-lib.sh"

test_expect_success 'without a command: usage on stderr, exit 129' '
  test_expect_code 129 kport >out 2>err &&
  test_line_count = 0 out &&
  test_grep "^usage: kport COMMAND" err
'

test_expect_success 'help goes to stdout' '
  kport help >out 2>err &&
  test_line_count = 0 err &&
  test_grep "^    audit " out &&
  test_grep "^    version " out &&
  kport -h >short &&
  kport --help >long &&
  test_cmp out short &&
  test_cmp out long
'

test_expect_success 'the commands are sorted' '
  sed -n "s/^    \([a-z-]*\) .*/\1/p" out >names &&
  LC_ALL=C sort names >sorted &&
  test_cmp sorted names
'

test_expect_success 'help is the same as -h of the command, for every command' '
  while read -r name
  do
    kport "$name" -h >a </dev/null &&
    kport help "$name" >b </dev/null &&
    test_cmp a b &&
    test_grep "^usage: kport $name" a &&
    test_grep -F -e "--json" a || return 1
  done <names
'

test_expect_success 'help as JSON' '
  kport help --json >out.json &&
  test_json out.json ".[0].name" "$(head -n 1 names)" &&
  test_json out.json "#" "$(wc -l <names)"
'

test_expect_success 'version' '
  kport version >out &&
  test_grep "^kport [0-9]" out &&
  kport --version >out2 &&
  test_cmp out out2 &&
  kport version --json >v.json &&
  test_json v.json .version "$(cut -d" " -f2 out)"
'

test_expect_success 'unknown command: one line with a suggestion' '
  test_expect_code 129 kport versoin >out 2>err &&
  test_line_count = 0 out &&
  test_line_count = 1 err &&
  test_grep "unknown command .versoin.; did you mean .version.?" err
'

test_expect_success 'unknown command far from any: no wild guess' '
  test_expect_code 129 kport qqqqqqqqq 2>err &&
  test_line_count = 1 err &&
  test_no_grep "did you mean" err
'

test_expect_success 'help for an unknown command' '
  test_expect_code 129 kport help audti 2>err &&
  test_grep "did you mean .audit.?" err
'

test_expect_success 'unknown option: one line, prefixed with the command' '
  test_expect_code 129 kport version --jsn >out 2>err &&
  test_line_count = 0 out &&
  test_line_count = 1 err &&
  test_grep "^kport version: unknown option .--jsn.; did you mean .--json.?" err &&
  test_expect_code 129 kport version -Z 2>err &&
  test_grep "^kport version: unknown option .-Z." err
'

test_expect_success 'common options may stand before the command' '
  kport version >out && kport --json version >out.json && test_json out.json .version "$(cut -d" " -f2 out)" &&
  kport -q --color never version >got && test_cmp out got &&
  test_expect_code 129 kport --jsn version 2>err && test_line_count = 1 err && test_grep "did you mean .--json." err &&
  test_expect_code 129 kport -q 2>err && test_grep "^usage: kport COMMAND" err &&
  test_expect_code 129 kport -q versoin 2>err && test_grep "did you mean .version." err
'
test_expect_success 'what an error quotes is harmless and bounded' '
  test_expect_code 129 kport "$(printf "a\033[31mb\rc\302\233d")" 2>err &&
  test_grep "unknown command .a?\[31mb?c?d." err &&
  test_expect_code 129 kport "$(head -c 100000 /dev/zero | tr "\0" x)" 2>err &&
  test_line_count = 1 err && test "$(wc -c <err)" -lt 1200 && test_grep "xxx\.\.\." err
'

test_expect_success 'unexpected operand' '
  test_expect_code 129 kport version extra 2>err &&
  test_grep "^kport version: unexpected operand .extra." err
'

test_expect_success 'an option without its value' '
  test_expect_code 129 kport version --color 2>err &&
  test_grep "option .--color. needs a value (WHEN)" err
'

test_expect_success 'a wrong word for --color' '
  test_expect_code 129 kport version --color=sometimes 2>err &&
  test_grep "auto, always or never" err
'

test_expect_success 'colors: only when asked for, off a terminal' '
  test_expect_code 128 kport audit verify nofile 2>err &&
  test_no_grep "$(printf "\033")" err &&
  test_expect_code 128 kport audit verify nofile --color=always 2>err &&
  test_grep "$(printf "\033")" err &&
  test_expect_code 128 kport audit verify nofile --color=never 2>err &&
  test_no_grep "$(printf "\033")" err
'

# The program alone is not enough: a chroot without devpts has no terminals.
test_lazy_prereq PTY 'script -qec true /dev/null' 'no script program, or no pseudo-terminals (/dev/pts is not mounted)'

# As a user at a terminal runs it.
on_tty() {
  TERM=xterm script -qec "$1" /dev/null >tty.out 2>&1 </dev/null
}

test_expect_success PTY 'colors on a terminal, unless NO_COLOR is set' '
  { on_tty "kport audit verify nofile"; true; } &&
  test_grep "$(printf "\033")" tty.out &&
  { on_tty "NO_COLOR=1 kport audit verify nofile"; true; } &&
  test_grep "nofile" tty.out &&
  test_no_grep "$(printf "\033")" tty.out &&
  { on_tty "NO_COLOR= kport audit verify nofile"; true; } &&
  test_grep "$(printf "\033")" tty.out
'

esc=$(printf '\033')

test_expect_success PTY 'progress on a terminal: a bar that is drawn over and gone at the end' '
  on_tty "test-tool progress 0.6 log" &&
  tr "\r" "\n" <tty.out >lines &&
  test_grep "^unpacking \[##*\.\.*\]  *[0-9]*% [0-9]*/30 file-[0-9]*$esc\[K" lines &&
  test_grep "^$esc\[Kin between" lines &&
  test_grep "^$esc\[Kfinished" lines
'

test_expect_success PTY 'progress does not wrap in a narrow terminal' '
  on_tty "stty cols 30; test-tool progress 0.4" &&
  tr "\r" "\n" <tty.out | sed -n "s/^\(unpacking.*\)$esc\[K.*/\1/p" >bars &&
  test -s bars &&
  awk "length > 29 { exit 1 }" bars
'

test_expect_success 'progress off a terminal: short work says nothing, long work is told' '
  test-tool progress 0.3 2>err &&
  echo finished >expect &&
  test_cmp expect err &&
  test-tool progress 5.3 2>err &&
  test_grep "^unpacking [0-9]*/265 file-[0-9]*\$" err &&
  test_grep "^unpacking 265/265 done in [0-9]* s" err &&
  test_no_grep "$esc" err
'

test_expect_success 'an answer that cannot be written is not a success' '
  test_expect_code 2 kport version >/dev/full 2>err &&
  test_grep "cannot write to standard output: No space left" err &&
  test_expect_code 2 kport help >/dev/full 2>err &&
  test_grep "cannot write" err
'

test_expect_success 'closed standard files do no harm' '
  test_expect_code 129 kport nosuch <&- >&- 2>&- &&
  kport version <&- 2>&- >out &&
  test_grep "^kport" out
'

test_expect_success 'a broken kport.conf names file and line' '
  test_when_finished "rm -f kport.conf" &&
  printf "[port]\n\ttimeout = 5\n[bro ken\n" >kport.conf &&
  test_expect_code 128 kport audit verify nofile 2>err &&
  test_line_count = 1 err &&
  test_grep "kport.conf:3" err
'

test_expect_success 'help works beside a broken kport.conf' '
  test_when_finished "rm -f kport.conf" &&
  echo "[bro ken" >kport.conf &&
  kport help >out &&
  kport version
'

test_expect_success 'a wrong --config' '
  test_expect_code 129 kport version --config novalue 2>err &&
  test_grep "section.name=value" err
'

test_expect_success 'counts begin at 1' '
  for c in "port x --jobs" "port x --samples" "port x --boot-runs" "port x --max-checks" "mine --jobs" "bench run --jobs" "bench validate --jobs" \
    "bench score --jobs" "bench run --attempts" "nightly --jobs" "kernel build --jobs" "check x --boot-runs" "learn --top" "ask x --max-tokens"; do
    for n in 0 -1; do
      # shellcheck disable=SC2086 # words
      test_expect_code 129 kport $c $n >out 2>err && test_line_count = 0 out && test_line_count = 1 err &&
      test_grep "needs a whole number of at least 1, not .$n" err || return 1
    done
  done
'

test_expect_success 'an answer that cannot be written is no success' '
  test_expect_code 2 kport version >&- 2>err && test_grep "cannot write" err && test_line_count = 1 err &&
  test_expect_code 2 kport help --json >&- 2>err && test_grep "cannot write" err &&
  test_expect_code 2 kport version >/dev/full 2>err && test_grep "cannot write" err &&
  test_expect_code 2 kport version <&- >&- 2>err && test_grep "cannot write" err &&
  kport version 2>&- >out && test_line_count = 1 out && kport version <&- >out && test_line_count = 1 out
'

test_expect_success 'with --json an error is what it is without: a line on stderr, nothing on stdout' '
  for c in "port nowhere --from 1 --to 2" "check nowhere --kernel 1" "explain x --from 1 --to 2" "kernel show nowhere" "mine nowhere" \
    "audit verify nowhere" "versoin" "port --nonsense"; do
    # shellcheck disable=SC2086 # words
    { kport $c --json >out 2>err; rc=$?; } ; test $rc -ge 1 && test_line_count = 0 out && test_line_count = 1 err && test_grep "^kport" err || return 1
  done
'

test_done
