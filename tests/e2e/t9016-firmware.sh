#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='firmware that the driver asks for and its user gives is there in the machine'

# shellcheck source=tests/machine-kernel.sh
. "$(dirname "$0")/../machine-kernel.sh"
machine_modules

# one FILE VERDICT PATTERN: load's, and what its reason or probe's says
load_is() {
  test_json "$1" .gates.load.verdict "$2" && { test_json "$1" .gates.load.reason; test_json "$1" .gates.probe.reason; } >reason &&
    test_grep "$3" reason
}

# boot CODE OPTION...
boot() {
  local code=$1
  shift
  test_expect_code "$code" kport boot drv --kernel "$kernel" --json "$@" >out.json
}

mkdir drv fw fw/kport none
cp "$FIXTURES/machine/faults/kf_firmware.c" drv/ && echo "obj-m := kf_firmware.o" >drv/Makefile
echo "kport one" >fw/kport/first.bin

test_expect_success 'nobody gave any: not the fault of the driver, and no pass; the name is told' '
  boot 0 && load_is out.json SKIP "asks for firmware that was not given: .kport/first.bin.; give it with --firmware" &&
  boot 0 --firmware none && load_is out.json SKIP "kport/first.bin"
'

test_expect_success 'one of two is there: the other is told' '
  boot 0 --firmware fw && load_is out.json SKIP "not given: .kport/later-1.bin.;"
'

test_expect_success 'what the module does not tell is put in when it asks, by option and by configuration, fresh as well' '
  echo "kport two" >fw/kport/later-1.bin &&
  boot 0 --firmware fw && load_is out.json PASS "registered .kf_firmware." && test_json out.json ".gates.probe.data.firmware#" 2 &&
  boot 0 --config machine.firmware="$PWD/fw" --fresh && load_is out.json PASS "registered .kf_firmware."
'

test_expect_success 'packed files are for the kernel to unpack' '
  cp -r fw packed && xz --check=crc32 packed/kport/*.bin &&
  boot 0 --firmware packed && load_is out.json PASS "registered .kf_firmware."
'

test_expect_success 'other content than the driver takes is its failure' '
  cp -r fw wrong && echo other >wrong/kport/later-1.bin &&
  boot 1 --firmware wrong && load_is out.json FAIL "init returned -EINVAL"
'

test_expect_success 'a port that asks for a file which the driver before did without is a failure' '
  cp -r drv before && sed -i "s/ret = kf_fetch(.kport.first.bin.);/ret = 0;/; s/if (!ret)/if (0)/" before/kf_firmware.c &&
  test_expect_code 1 kport check drv --kernel "$kernel" --from "$kernel" --before before --gates compile,link,boot,load,unload,probe \
    --boot-from snapshot --json >out.json &&
  load_is out.json FAIL "it loads on $kernel"
'

test_expect_success 'wrong usage' '
  test_expect_code 129 kport boot drv --kernel "$kernel" --firmware nowhere 2>err && test_grep "is no directory of firmware" err &&
  test_expect_code 129 kport port drv --to "$kernel" --firmware nowhere 2>err && test_grep "is no directory of firmware" err
'

test_done
