#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # used by the tests
test_description='real boots by libvirt: modules with planted faults must be judged right, and nothing may stay behind'
backend=libvirt
# shellcheck source=tests/machine-tests.sh
. "$(dirname "$0")/../machine-tests.sh"
