#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport nightly: what is new is run, and compared with the last good night'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 && fake_kernel k2 2 || exit 1

night() { kport nightly --drivers list --out state --gates apply,compile,link,honest --to "$TRASH/k2" "$@"; }
change_of() { test_json n.json ".units[$1].change" "$2"; }

test_expect_success 'drivers: one that can be ported, one that cannot' '
  widget_driver good && sed -i "s/widget_poke(w); //" good/widget.c && widget_driver bad &&
  sed -i "s/return widget_register/no_such_function(); return widget_register/" bad/widget.c &&
  printf "# comment\nok   good %s\n\nnever bad %s   # why\n" "$TRASH/k1" "$TRASH/k1" >list
'

test_expect_success 'the first night: what fails is a new failure' '
  test_expect_code 1 night --json >n.json && change_of 0 "first time" && change_of 1 "new failure" &&
  test_json n.json ".units[0].outcome" ported && test_json n.json ".units[1].outcome" not &&
  d=state/$(python3 -c "import json; print(json.load(open(\"n.json\"))[\"units\"][0][\"dir\"])") &&
  test_path_is_file "$d/report.html" && test_path_is_file "$d/result.json" && ls state/nights/*/index.html
'

test_expect_success 'what has not changed is not run again; a failure that is known does not count' '
  test_expect_code 1 night >out && test_grep " 0 run now; 1 new failures" out && test_grep "no earlier good night" out &&
  printf "never *-fake upstream is at it\n" >known && night --known known >out && test_grep "0 new failures.* 1 known" out &&
  night --known known --json >n.json && change_of 0 "as before" && change_of 1 "known failure" &&
  test_json n.json ".units[0].carried" true && night --again --known known >out && test_grep " 2 run now" out
'

test_expect_success 'a new kernel: only that one is run, and compared with the kernel below' '
  fake_kernel k3 2 && echo 6.3.0-fake >k3/include/config/kernel.release &&
  night --known known --to "$TRASH/k3" --json >n.json && test_json n.json ".units#" 4 &&
  change_of 1 "as before" && test_json n.json ".units[1].kernel" 6.3.0-fake && test_json n.json ".units[1].before_kernel" 6.2.0-fake &&
  test_json n.json ".units[1].carried" false && test_json n.json ".units[0].carried" true
'

test_expect_success 'a failure stays new until it is mended, whatever nights go by' '
  cp good/widget.c keep.c && cp bad/widget.c good/widget.c &&
  for i in 1 2; do test_expect_code 1 night --known known --json >n.json && change_of 0 "new failure" || return 1; done &&
  cp keep.c good/widget.c && night --known known --json >n.json && change_of 0 "as before" &&
  cp keep.c bad/widget.c && night --known known --json >n.json && change_of 1 "known failure passes" &&
  night --json >n.json && change_of 1 "as before"
'

test_expect_success 'fixed, and still failing: against a good night in which it failed' '
  sqlite3 state/nightly.db "UPDATE results SET outcome = \"not\" WHERE driver = \"never\" AND night = (SELECT max(id) FROM nights)" &&
  sed -i "1i // changed" bad/widget.c && night --json >n.json && change_of 1 fixed && test_json n.json ".units[1].before" not
'

test_expect_success 'both answers to the same inputs: flaky, no regression' '
  sqlite3 state/nightly.db "INSERT INTO results SELECT night, driver, kernel, version, 9, key, \"not\", words, dir, seconds
    FROM results WHERE driver = \"ok\" AND night = (SELECT min(id) FROM nights) AND outcome = \"ported\"" &&
  night --json >n.json && change_of 0 flaky
'

test_expect_success 'page and JUnit' '
  n=$(ls -d state/nights/* | tail -n 1) && test_grep "default-src .none." "$n/index.html" && test_grep "last good night" "$n/index.html" &&
  python3 -c "
import sys, xml.etree.ElementTree as e
t = e.parse(sys.argv[1]).getroot()
assert t.get(\"tests\") == \"2\" and len(t.findall(\"testcase\")) == 2
" "$n/junit.xml"
'

test_expect_success 'killed without warning: the same night goes on, finished results stay' '
  rm -rf state && for i in 1 2 3 4 5; do echo "d$i good $TRASH/k1"; done >list &&
  { night >out 2>&1 & pid=$!; } &&
  for _ in $(seq 300); do n=$(sqlite3 state/nightly.db "SELECT count(*) FROM results" 2>/dev/null); [ "${n:-0}" -ge 2 ] && break; sleep 0.1; done &&
  { pkill -9 -P $pid; kill -9 $pid; wait $pid; true; } 2>/dev/null && sleep 0.3 &&
  id=$(sqlite3 state/nightly.db "SELECT id FROM nights") && before=$(sqlite3 state/nightly.db "SELECT count(*) FROM results") &&
  night --json >n.json && test_json n.json .night "$id" && test_json n.json ".units#" 5 &&
  test "$(sqlite3 state/nightly.db "SELECT count(*), max(try) FROM results")" = "5|1" && test "$before" -ge 2
'

test_expect_success 'two at once: the second one is told' '
  { night --again >out 2>&1 & pid=$!; } && sleep 0.5 && test_expect_code 128 night 2>err &&
  test_line_count = 1 err && test_grep "in use by process" err && wait $pid
'

test_expect_success 'old nights go, what kept nights refer to stays' '
  sed -i "1i // changed again" good/widget.c && for i in 1 2 3; do night --keep 1 >out || return 1; done &&
  test "$(sqlite3 state/nightly.db "SELECT count(*) FROM nights")" = 1 &&
  d=$(sqlite3 state/nightly.db "SELECT dir FROM results LIMIT 1") && test_path_is_file "state/$d/report.html" &&
  ls state/nights >left && test_line_count = 2 left
'

test_expect_success 'a directory of build trees is watched' '
  mkdir -p mods/6.2.0-fake mods/junk && ln -s "$TRASH/k2" mods/6.2.0-fake/build && head -n 1 list >one &&
  kport nightly --drivers one --out state2 --gates apply,compile --builds mods >out && test_grep "1 kernels, 1 results, 1 run" out &&
  mkdir mods/6.3.0-fake && ln -s "$TRASH/k3" mods/6.3.0-fake/build &&
  kport nightly --drivers one --out state2 --gates apply,compile --builds mods >out && test_grep "2 kernels, 2 results, 1 run" out
'

test_expect_success 'the newest tag of a repository is watched' '
  cp -r "$FIXTURES/fakelinux" linux && git -C linux init -q && git -C linux config user.name t && git -C linux config user.email t@localhost &&
  git -C linux add -A && git -C linux commit -qm one && git -C linux tag v9.1 && touch symvers &&
  mkdir drv && printf "#include <linux/module.h>\nint x;\n" >drv/x.c && echo "obj-m := x.o" >drv/Kbuild && echo "x drv $TRASH/k1" >one &&
  tags() { kport nightly --drivers one --out state3 --gates apply --linux linux --kconfig linux/fake.config --symvers symvers "$@"; } &&
  tags >out && test_grep "1 kernels, 1 results, 1 run now" out && test_path_is_dir state3/kernels/v9.1 &&
  kport kernel show v9.1 >out && tags >out && test_grep "1 results, 0 run now" out &&
  sed -i "s/^SUBLEVEL.*/SUBLEVEL = 7/" linux/Makefile && git -C linux commit -qam two && git -C linux tag v9.2 &&
  tags >out && test_grep "1 results, 1 run now" out && test_path_is_dir state3/kernels/v9.2 &&
  test_expect_code 128 tags --tags "x*" 2>err && test_grep "has no tag .x" err
'

test_expect_success 'wrong input: one line each' '
  bad() { printf "$1" >l && test_expect_code 128 kport nightly --drivers l --out s4 2>err && test_line_count = 1 err && test_grep "$2" err; } &&
  bad "a b\n" "l:1: a line is NAME INPUT" && bad "../x good $TRASH/k1\n" "is no name" && bad "a nowhere $TRASH/k1\n" "there is no .nowhere" &&
  bad "a good $TRASH/k1\na good $TRASH/k1\n" "l:2: the name .a. was there" && bad "a good nokernel\n" "nokernel" && bad "#\n" "names no driver" &&
  test_expect_code 129 kport nightly --out s4 2>err && test_expect_code 129 night --tags x 2>err && test_expect_code 129 night --tries 0 2>err &&
  test_expect_code 129 night --gates junk 2>err && test_expect_code 129 night --linux linux 2>err
'
test_done
