#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport port: from a driver to a series, on fake kernels'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1
git config --global user.name tester && git config --global user.email tester@localhost || exit 1

# one_line CODE COMMAND...: fails with that code and one line on stderr
one_line() {
  local want=$1
  shift
  # shellcheck disable=SC2283 # a comparison
  test_expect_code "$want" "$@" 2>err >out && test_line_count = 1 err && cat err
}

# Only what the callback's type demands: int -> void.
callback_driver() {
  widget_driver "$1" && sed -i 's/widget_poke(w); //' "$1/widget.c"
}
port() { kport port "$@" --from k1 --to k2 --no-boot --gates apply,compile,link,layout,honest; }

test_expect_success 'a callback that must return void is carried over' '
  callback_driver cb &&
  port cb --json >out.json &&
  test_json out.json .outcome ported &&
  test_json out.json .resolved true &&
  test_json out.json ".patches#" 1 &&
  test_json out.json ".patches[0].risk" safe &&
  test_json out.json .gates.compile.verdict PASS &&
  test_json out.json .gates.honest.verdict PASS &&
  test_json out.json .gates.layout.verdict PASS &&
  grep "static void my_remove(struct widget \*w)" port-cb/tree/widget.c &&
  test_no_grep "return 0; }.*remove" port-cb/tree/widget.c
'

test_expect_success 'a source that the Makefile copies before it compiles the copy is repaired itself' '
  callback_driver cp && mkdir cp/gen && mv cp/widget.c cp/widget-main.c &&
  printf "obj-m := widget.o\nwidget-y := gen/copy.o\n\$(obj)/gen/copy.c: \$(src)/widget-main.c\n\tcp \$< \$@\n" >cp/Kbuild && touch cp/gen/keep &&
  port cp --json >out.json && test_json out.json .outcome ported && test_json out.json ".breakages[0].path" widget-main.c &&
  grep "static void my_remove(struct widget \*w)" port-cp/tree/widget-main.c && test_path_is_missing port-cp/tree/gen/copy.c
'

test_expect_success 'the driver itself is not touched and the work directory is gone' '
  callback_driver same && test_cmp same/widget.c cb/widget.c &&
  test_path_is_missing port-cb/work
'

test_expect_success 'the series applies with git am and gives the ported tree' '
  git init -q repo && cp cb/* repo/ && git -C repo add . && git -C repo commit -qm old &&
  git -C repo am -q "$PWD"/port-cb/series/*.patch &&
  test_cmp port-cb/tree/widget.c repo/widget.c &&
  git -C repo log -1 --format=%B >message &&
  test_grep "cb: return void from widget_ops.remove" message &&
  test_grep "^Kport-risk: safe" message &&
  test_no_grep "Signed-off-by" message
'

test_expect_success 'report, record and audit trail are there' '
  test_grep "<!doctype html>" port-cb/report.html &&
  test_no_grep "href=\|src=" port-cb/report.html &&
  test_json port-cb/result.json .schema_version 1 &&
  test_json port-cb/result.json .audit_head "$(tail -n 1 port-cb/audit.jsonl | head -c -1 | sha256sum | cut -d" " -f1)" &&
  kport audit verify port-cb/audit.jsonl
'

test_expect_success 'running it again in the same directory gives the same bytes' '
  cp port-cb/series/*.patch first.patch &&
  port cb &&
  test_cmp first.patch port-cb/series/*.patch &&
  kport audit verify port-cb/audit.jsonl
'

test_expect_success 'the summary names verdict, patches and paths' '
  port cb >out &&
  test_grep "^ported: 1 edit of the safe kinds; not run: nodiag boot load unload probe exercise behaviour$" out &&
  test_grep "^  compile  PASS" out &&
  test_grep "safe    0001-return-void-from-widget_ops.remove.patch" out &&
  test_grep "report  $PWD/port-cb/report.html" out
'

test_expect_success 'CRLF and bytes that are no UTF-8 survive outside the edit' '
  callback_driver crlf && printf "/* caf\351 */\n" >>crlf/widget.c && sed -i "s/\$/\r/" crlf/widget.c &&
  port crlf &&
  sed "s/static int my_remove\(.*\) return 0; }/static void my_remove\1}/" crlf/widget.c >want.c &&
  tr -d " " <want.c >want && tr -d " " <port-crlf/tree/widget.c >got &&
  test_cmp want got &&
  git init -q repo2 && git -C repo2 config core.autocrlf false && cp crlf/* repo2/ && git -C repo2 add . &&
  git -C repo2 commit -qm old &&
  git -C repo2 am -q --keep-cr "$PWD"/port-crlf/series/*.patch &&
  test_cmp port-crlf/tree/widget.c repo2/widget.c
'

test_expect_success 'a path with spaces' '
  callback_driver "a driver" &&
  port "a driver" --out "out of it" &&
  grep "static void my_remove" "out of it/tree/widget.c"
'

test_expect_success 'what cannot be repaired is left, with what is' '
  widget_driver gone &&
  test_expect_code 1 port gone --json >out.json &&
  test_json out.json .outcome "not ported" &&
  test_json out.json ".left#" 1 &&
  test_json out.json ".left[0].symbol" widget_poke &&
  test_json out.json ".patches#" 1 &&
  test_expect_code 1 port gone >out &&
  test_grep "^not ported: 1 of 2 breakages" out &&
  test_grep "widget.c:4: implicit declaration of function .widget_poke." out
'

test_expect_success 'the findings as SARIF, beside the answer' '
  test_expect_code 1 port gone --sarif f.sarif --json >out.json && test_json out.json .outcome "not ported" &&
  test_json f.sarif .version 2.1.0 && test_json f.sarif ".runs[0].results[0].ruleId" >rule && test_grep "^compile/" rule &&
  test_json f.sarif ".runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri" widget.c &&
  one_line 128 port gone --sarif nowhere/at/f.sarif
'

test_expect_success '--explain says what was tried' '
  test_expect_code 1 port gone --explain >out &&
  test_grep "return void from widget_ops.remove \[safe, callback, [0-9.]*\]: taken" out &&
  test_grep "because: In 6.2.0-fake widget_ops.remove" out &&
  test_grep "no candidate" out
'

test_expect_success 'sites are told by the paths of the driver' '
  test_json out.json ".left[0].loc.file" widget.c && test_json out.json ".breakages[0].loc.file" widget.c
'

# Several units with two causes each, so that there is something to ask at once.
many_units() {
  callback_driver "$1" &&
  for i in a b c d; do
    sed "s/my_/my_$i/g; /module_/d; /MODULE_/d" "$1/widget.c" >"$1/w$i.c" || return 1
  done &&
  printf "obj-m := widget.o wa.o wb.o wc.o wd.o\n" >"$1/Kbuild"
}

test_expect_success 'one compiler or several at once: the same bytes' '
  many_units many &&
  for j in 1 2 5; do
    rm -rf "${XDG_CACHE_HOME:-$HOME/.cache}/kport/oracle" &&
    { port many --jobs $j --out many-$j >many-$j.log || test $? = 1; } || return 1
  done &&
  test_cmp many-1/port.patch many-2/port.patch && test_cmp many-1/port.patch many-5/port.patch &&
  diff -r many-1/series many-2/series && diff -r many-1/series many-5/series &&
  one_line 129 port many --jobs=-1
'

test_expect_success 'a driver that builds on the target needs nothing' '
  callback_driver fine && sed -i "s/static int my_remove/static void my_remove/; /my_remove(/s/return 0; //" fine/widget.c &&
  kport port fine --to k2 --no-boot --gates compile,link --json >out.json &&
  test_json out.json .outcome "nothing to port" &&
  test_json out.json ".patches#" 0
'

test_expect_success 'a driver that does not build on its own kernel is refused' '
  callback_driver broken && echo "int x = y;" >>broken/widget.c &&
  one_line 128 port broken &&
  test_grep "does not build on its own kernel 6.1.0-fake: widget.c:8: .y. undeclared" err
'

test_expect_success 'wrong input: one line each, and nothing left behind' '
  mkdir empty &&
  one_line 128 port empty && test_path_is_missing port-empty/work &&
  one_line 128 port nowhere &&
  one_line 129 kport port &&
  one_line 129 kport port cb --from k1 &&
  one_line 129 kport port cb --to k2 --gates nosuch &&
  one_line 128 kport port cb --from k1 --to 9.99 && test_grep "9.99" err &&
  mkdir other && echo mine >other/file &&
  one_line 128 port cb --out other && test_grep "holds other files" err &&
  echo mine >want && test_cmp want other/file &&
  one_line 128 port cb --out cb/widget.c && test_grep "is no directory" err
'

test_expect_success 'an unreadable file' '
  callback_driver unread && ln -s /nonexistent/file.c unread/link.c &&
  one_line 128 port unread && test_grep "link.c" err
'

test_expect_success 'a Makefile that never ends is the driver'"'"'s fault' '
  callback_driver forever && printf "obj-m := widget.o\nx := \$(shell while :; do :; done)\n" >forever/Kbuild &&
  one_line 128 kport port forever --from k1 --to k2 --no-boot --build-timeout 3 &&
  test_grep "did not end within 3 s" err
'

test_expect_success 'two runs in one directory' '
  callback_driver two && printf "obj-m := widget.o\nx := \$(shell sleep 5)\n" >two/Kbuild &&
  { kport port two --from k1 --to k2 --no-boot >first 2>&1 & pid=$!; } &&
  sleep 2 &&
  one_line 128 port two && test_grep "in use by process $pid" err &&
  wait $pid
'

test_expect_success 'interrupted: says so, leaves no process, and goes on' '
  { kport port two --from k1 --to k2 --no-boot >first 2>err & pid=$!; } &&
  sleep 2 && kill -INT $pid &&
  test_expect_code 130 wait $pid && test_line_count = 1 err &&
  ! pgrep -f "sleep 5$" &&
  callback_driver two && port two
'

test_expect_success 'killed: the next run goes on' '
  printf "obj-m := widget.o\nx := \$(shell sleep 5)\n" >two/Kbuild &&
  { kport port two --from k1 --to k2 --no-boot >first 2>err & pid=$!; } &&
  sleep 2 && kill -KILL $pid &&
  test_expect_code 137 wait $pid 2>/dev/null &&
  callback_driver two && port two &&
  kport audit verify port-two/audit.jsonl
'

test_expect_success 'nothing is left of locks' '
  find port-* -name "*.lock" >left && test_line_count = 0 left
'

test_expect_success 'a driver in a directory that says nothing is called like the one around it' '
  mkdir -p mine/tree && cp two/* mine/tree/ && kport port mine/tree --from k1 --to k2 --no-boot --out vague --json >out.json &&
  test_json out.json .driver.name mine
'

test_lazy_prereq TMPFS '[ "$(id -u)" = 0 ] && mkdir -p probe && mount -t tmpfs -o size=64k none probe && umount probe' 'cannot mount a tmpfs'
test_expect_success TMPFS 'a full disk' '
  mkdir small && mount -t tmpfs -o size=96k none small &&
  test_when_finished "umount small" &&
  one_line 2 port cb --out small/out && test_grep "space\|full" err
'

test_done
