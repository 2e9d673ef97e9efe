#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='a kernel with sanitizers finds what the distribution'"'"'s kernel lets pass'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"

export KPORT_CACHE_HOME=$caller_cache
kernel=${KPORT_TEST_KERNEL:-6.12}
kport kernel show --json "$kernel-san" >kernel.json 2>/dev/null ||
  test_skip_all "no kernel $kernel-san; try 'kport kernel build $kernel' (ten minutes of CPU time)"

driver() {
  mkdir -p "$1" && cp "$FIXTURES/machine/faults/$1.c" "$1/" && echo "obj-m := $1.o" >"$1/Makefile"
}

test_expect_success 'a use after free, by KASAN; stock it passes' '
  driver kf_uaf && kport boot kf_uaf --kernel "$kernel" --json >stock.json &&
  test_json stock.json .gates.load.verdict PASS &&
  test_expect_code 1 kport boot kf_uaf --kernel "$kernel" --sanitize --json >san.json &&
  test_json san.json .gates.load.verdict FAIL &&
  test_json san.json ".gates.load.findings[0].text" "KASAN: slab-use-after-free in kf_init"
'

test_expect_success 'two locks in both orders, by lockdep' '
  driver kf_inversion && test_expect_code 1 kport boot kf_inversion --kernel "$kernel" --sanitize --json >san.json &&
  test_json san.json ".gates.load.findings[0].text" "possible deadlock in kf_init"
'

test_expect_success 'a driver without a fault passes there' '
  driver kf_platform && kport boot kf_platform --kernel "$kernel" --sanitize --json >san.json &&
  test_json san.json .gates.load.verdict PASS && test_json san.json .gates.probe.verdict PASS &&
  test_json san.json .gates.boot.data.from snapshot
'

test_done
