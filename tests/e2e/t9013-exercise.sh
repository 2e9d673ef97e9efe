#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='what appears is used: stock drivers work, a silent probe does not pass, the driver before is compared with'

# shellcheck source=tests/machine-kernel.sh
. "$(dirname "$0")/../machine-kernel.sh"
machine_modules

# A module of the kernel itself, plain.
stock() {
  local file
  file=$(find "$modules" -name "$1.ko" -o -name "$1.ko.xz" | head -n 1)
  case $file in
    *.xz) xz -dc "$file" >"$1.ko" ;;
    *) cp "$file" . ;;
  esac
}

machine() {
  test-tool machine --from snapshot --kernel "$kernel" --seconds 60 "$@"
}

# verdicts FILE BOOT LOAD UNLOAD PROBE EXERCISE BEHAVIOUR
verdicts() {
  local gate got=''
  for gate in boot load unload probe exercise behaviour; do
    got="$got $(test_json "$1" ".$gate.verdict")"
  done
  [ "$got" = " ${*:2}" ] && return 0
  echo "$1:$got instead of ${*:2}" && cat "$1"
  return 1
}

test_expect_success 'the modules are there' '
  cp -r "$FIXTURES/machine/faults" drv && sed -i "1i F := silent platform nodata" drv/Makefile &&
  test-tool kbuild --keep "$PWD/built" drv "$kernel" >build.json &&
  find built -name "kf_*.ko" -exec cp {} . \; && test_path_is_file kf_silent.ko &&
  stock e100 && stock virtio-rng
'

test_expect_success 'a network card: packets come back, also after it was let go of and bound again' '
  machine net e100.ko >net.json && verdicts net.json PASS PASS PASS PASS PASS SKIP &&
  test_json net.json .exercise.reason >reason &&
  test_grep "net .eth0.: up, carrier, echo of 56 and 1400 bytes, .* down; unbound and bound again; slept and woke" reason &&
  test_json net.json .unload.reason "everything that appeared is gone; loaded and unloaded again"
'

test_expect_success 'the same driver before and after: nothing differs' '
  machine --old-kernel "$kernel" --old-ko virtio-rng.ko rng virtio-rng.ko >rng.json &&
  verdicts rng.json PASS PASS PASS PASS PASS PASS &&
  test_json rng.json .exercise.reason >reason && test_grep "rng .virtio_rng.0.: 64 bytes read" reason
'

test_expect_success 'a probe that says yes and does nothing: to be looked at alone, a failure against the driver before' '
  machine silent kf_silent.ko >silent.json && verdicts silent.json PASS PASS PASS PASS UNKNOWN SKIP &&
  test_json silent.json .exercise.reason >reason && test_grep "bound, but no net that can be used appears" reason &&
  machine --old-kernel "$kernel" --old-ko e100.ko against kf_silent.ko >against.json &&
  verdicts against.json PASS PASS PASS FAIL FAIL FAIL &&
  test_json against.json .exercise.reason >reason && test_grep "net .eth0. worked on $kernel and is not there" reason
'

test_expect_success 'a limit that is far too short is no fault of the driver' '
  machine --seconds 0.1 short e100.ko >short.json &&
  test_json short.json .exercise.verdict INFRA && test_json short.json .load.verdict INFRA &&
  ! grep -q "\"verdict\": *\"FAIL\"" short.json
'

# What there is to use of the idle device is for the kernel: each has another one.
test_expect_success 'stand-ins: a USB device with the numbers of the driver, an input device, a chip, a keyboard, an idle platform device' '
  stock usbsevseg && stock joydev && stock lm75 && stock hid-cherry &&
  machine chip lm75.ko >chip.json && verdicts chip.json PASS PASS PASS PASS PASS SKIP &&
  test_json chip.json .probe.reason >reason && test_grep "with a stand-in (i2c lm75 0x48)" reason &&
  machine keys hid-cherry.ko >keys.json && verdicts keys.json PASS PASS PASS PASS PASS SKIP &&
  test_json keys.json .probe.reason >reason && test_grep "with a stand-in (hid 3 46a " reason &&
  machine usb usbsevseg.ko >usb.json && verdicts usb.json PASS PASS PASS PASS SKIP SKIP &&
  test_json usb.json .probe.reason >reason && test_grep "with a stand-in (usb 0fc5 1227 SourceSink)" reason &&
  machine joy joydev.ko >joy.json && verdicts joy.json PASS PASS PASS PASS PASS SKIP &&
  test_json joy.json ".probe.data.devices[0]" input/js0 &&
  machine plat kf_platform.ko >plat.json && used=$(test_json plat.json .exercise.verdict) && [[ $used == PASS || $used == SKIP ]] &&
  verdicts plat.json PASS PASS PASS PASS "$used" SKIP &&
  test_json plat.json .probe.reason >reason && test_grep "platform kf-platform .*with a stand-in" reason
'

test_expect_success 'what goes wrong with a bare stand-in counts only where the driver before did well with it' '
  machine nodata kf_nodata.ko >nodata.json && verdicts nodata.json PASS PASS PASS SKIP SKIP SKIP &&
  test_json nodata.json .probe.reason >reason &&
  test_grep "a stand-in (platform) is nothing that it stands: BUG: kernel NULL pointer" reason &&
  mkdir old new && cp kf_platform.ko old/kf_x.ko && cp kf_nodata.ko new/kf_x.ko &&
  machine --old-kernel "$kernel" --old-ko old/kf_x.ko worse new/kf_x.ko >worse.json &&
  test_json worse.json .load.verdict FAIL && test_json worse.json .load.reason >reason && test_grep "NULL pointer" reason
'

test_expect_success 'kport devices says the same of a driver as a boot does' '
  mkdir -p plat-src && cp "$FIXTURES/machine/faults/kf_platform.c" plat-src/ && echo "obj-m := kf_platform.o" >plat-src/Makefile &&
  kport devices --driver plat-src --kernel "$kernel" --json >out.json &&
  test_json out.json "[0].testable" true && test_json out.json "[0].stand_in" platform
'

test_done
