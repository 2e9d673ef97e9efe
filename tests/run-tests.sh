#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-tests.sh LABEL TEST...: runs test programs (cmocka binaries and e2e scripts) under prove and closes with one line
# "LABEL: N passed, N failed, N skipped". JOBS (2) at once. The output of each is kept in $KPORT_BUILD/tap.
label=$1
shift
here=$(cd "$(dirname "$0")" && pwd) || exit 1
export KPORT_BUILD=${KPORT_BUILD:-build}
export KPORT_TAP_DIR=$PWD/$KPORT_BUILD/tap/$label
rm -rf "$KPORT_TAP_DIR"
mkdir -p "$KPORT_TAP_DIR" || exit 1
if [ $# = 0 ]; then
  echo "$label: no tests"
  exit 1
fi

# cmocka's libraries print their own remarks to stderr; prove shows what is not TAP
prove -j"${JOBS:-2}" --timer --exec "$here/tap-tee.sh" "$@"
code=$?

count() { cat "$KPORT_TAP_DIR"/*.tap | grep -cE "$1"; }
skipped=$(count '^(ok|not ok) .*# SKIP|^1\.\.0 # SKIP')
failed=$(cat "$KPORT_TAP_DIR"/*.tap | grep -E '^not ok' | grep -cv '# SKIP')
passed=$(cat "$KPORT_TAP_DIR"/*.tap | grep -E '^ok' | grep -cv '# SKIP')
if [ "$code" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
if [ "$skipped" != 0 ]; then
  echo "Skipped:"
  cat "$KPORT_TAP_DIR"/*.tap | sed -n 's/.*# SKIP *//p' | sort | uniq -c | sort -rn
fi
echo "$label: $passed passed, $failed failed, $skipped skipped"
[ "$code" = 0 ] && [ "$failed" = 0 ]
