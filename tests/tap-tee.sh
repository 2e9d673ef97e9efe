#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tap-tee.sh TEST: runs one test program for prove and keeps a copy of its TAP in $KPORT_TAP_DIR, from which
# run-tests.sh counts. A program that fails without a failed test in its output is written down as one.
test=$1
log=$KPORT_TAP_DIR/$(basename "$test" .sh).tap
case $test in
  *.sh) set -- bash "$test" ;;
  *) set -- "$test" ;;
esac
CMOCKA_MESSAGE_OUTPUT=TAP "$@" </dev/null | tee "$log"
code=${PIPESTATUS[0]}
if [ "$code" != 0 ] && ! grep -q '^not ok' "$log"; then
  echo "not ok - $(basename "$test") ended with status $code" >>"$log"
elif ! grep -q '^1\.\.[0-9]' "$log"; then
  echo "not ok - $(basename "$test") printed no plan" >>"$log"
fi
exit "$code"
