#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # used by the tests
test_description='real boots by QEMU alone: the tests of t9010'
backend=qemu
# shellcheck source=tests/machine-tests.sh
. "$(dirname "$0")/../machine-tests.sh"
