#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-unit.sh BINARY...: runs cmocka binaries. One alone shows each of its tests.
if [ $# = 1 ]; then
  CMOCKA_MESSAGE_OUTPUT=TAP "$1"
  code=$?
  echo "unit: $(basename "$1") ended with status $code"
  exit "$code"
fi
exec "$(dirname "$0")/run-tests.sh" unit "$@"
