# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced first by tests that run machines, after test_description: test-lib.sh, the caller's cache and $kernel with its record
# in kernel.json. The kernels are the caller's, who has downloaded them; the state stays ours.
#
#	machine_modules		# $modules: of the kernel's image, else all is skipped

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/test-lib.sh"

export KPORT_CACHE_HOME=$caller_cache
kernel=${KPORT_TEST_KERNEL:-6.12}
kport kernel show --json "$kernel" >kernel.json 2>/dev/null ||
  test_skip_all "no kernel $kernel; try 'kport kernel add $kernel --with-image'"

machine_modules() {
  modules=$(test_json kernel.json .modules_dir)
  [ -d "$modules" ] || test_skip_all "kernel $kernel has no image; try 'kport kernel add $kernel --with-image'"
}
