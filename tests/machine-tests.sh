# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same tests for every back end that runs machines. The caller sets $backend and test_description and sources this.

: "${backend:=auto}"
# shellcheck source=tests/machine-kernel.sh
. "$(dirname "$0")/../machine-kernel.sh"
image=$(test_json kernel.json .image)
case $image in
  ""|null) test_skip_all "kernel $kernel has no image; try 'kport kernel add $kernel --with-image'" ;;
esac
[ -f "$image" ] || image=$(test_json kernel.json .dir)/$image

test_lazy_prereq ROOT '[ "$(id -u)" = 0 ] && command -v setpriv' 'needs root, to become somebody else'

# A state directory of this test alone: below a long path all of a user's machines live in one place of /tmp.
KPORT_STATE_HOME=$(mktemp -d /tmp/kt.XXXX) || exit 1
export KPORT_STATE_HOME
test_outside+=("$KPORT_STATE_HOME")

# Our own emulators.
emulators() {
  pgrep -f "qemu-system-x86_64.*guest=kport-.*$KPORT_STATE_HOME/" || :
}

# verdicts FILE BOOT LOAD UNLOAD PROBE
verdicts() {
  local got
  got="$(test_json "$1" .boot.verdict) $(test_json "$1" .load.verdict)"
  got="$got $(test_json "$1" .unload.verdict) $(test_json "$1" .probe.verdict)"
  [ "$got" = "${*:2}" ] && return 0
  echo "$1: $got instead of ${*:2}" && cat "$1"
  return 1
}

machine() {
  test-tool machine --backend "$backend" --kernel "$kernel" --seconds 60 "$@"
}

# test_count N: so many lines.
test_count() {
  [ "$(wc -l)" = "$1" ]
}

# Waits until the console of a run shows a text.
await() {
  local i
  for i in $(seq 600); do
    grep -q "$2" "$1/logs/console-1.log" 2>/dev/null && return 0
    sleep 0.1
  done
  echo "never came: $2" && return 1
}

# background DIR MODULE FILE: a run whose process is $pid; returns when the module is being loaded.
background() {
  test-tool machine --backend "$backend" --kernel "$kernel" --seconds 60 "$1" "$2" >"$3" 2>&1 &
  pid=$!
  await "$1" load-begin
}

# ends_with_code N: the run in the background ends with that code.
ends_with_code() {
  local code
  wait "$pid" 2>/dev/null
  code=$?
  [ "$code" = "$1" ] && return 0
  echo "code $code instead of $1" && return 1
}

# As a user with nothing but a home: our program and its one helper are copied, for ours may be out of reach.
ordinary_user() {
  setpriv --reuid 65534 --regid 65534 --clear-groups env -i -C "$1/home" PATH=/usr/bin:/bin HOME="$1/home" \
    KPORT_LIBEXEC_DIR="$1" KPORT_DATA_DIR="$1" \
    "$1/test-tool" machine --backend "$backend" --image "$1/vmlinuz" --seconds 60 run "$1/kf_noexit.ko"
}

test_expect_success 'the modules are built' '
  cp -r "$FIXTURES/machine/faults" drv &&
  sed -i "1i F := video nodev edu oops warn fake hang noexit" drv/Makefile &&
  test-tool kbuild --keep "$PWD/built" drv "$kernel" >build.json &&
  test_json build.json .succeeded true &&
  find built -name "kf_*.ko" -exec cp {} . \; &&
  test_path_is_file kf_video.ko && test_path_is_file kf_hang.ko
'

# Our own child dies with us; libvirt's does not.
survivors=0
[ "$backend" = qemu ] || survivors=1

test_expect_success "a process that is killed leaves $survivors emulators behind" '
  background killed kf_hang.ko /dev/null &&
  kill -9 $pid &&
  ends_with_code 137 &&
  sleep 0.5 &&
  [ "$(emulators | wc -l)" = $survivors ] &&
  test-tool machine --leftovers x | test_count $survivors
'

test_expect_success 'the next one ends it; a driver without a fault passes, one without hardware is no failure' '
  machine good kf_video.ko kf_nodev.ko >good.json &&
  [ -z "$(emulators)" ] &&
  verdicts good.json PASS PASS PASS PASS &&
  test_json good.json .boot.data.backend >backend &&
  test_grep -i "^$backend " backend &&
  test_json good.json ".probe.data.devices[0]" video0 &&
  test_json good.json .load.reason >reason &&
  test_grep "no device for .kf_nodev. here: init returned -ENODEV" reason &&
  test_grep "kport:[0-9a-f]\{32\}:dep videodev 0" good/logs/console-1.log &&
  test_path_is_missing good/tmp-machine-*
'

test_lazy_prereq KVM_NODE ': <>/dev/kvm' '/dev/kvm cannot be opened'
test_expect_success KVM_NODE 'whether KVM runs a kernel is found out once' '
  test_path_is_file "$KPORT_STATE_HOME/kvm.json" && test_json "$KPORT_STATE_HOME/kvm.json" .usable
'

test_expect_success 'a driver of an emulated device is bound to it' '
  machine edu kf_edu.ko >edu.json &&
  verdicts edu.json PASS PASS PASS PASS &&
  test_json edu.json ".probe.data.bound#" 1 &&
  test_json edu.json .probe.reason >reason &&
  test_grep "bound (bus, driver, device): .pci kf_edu 0000:" reason
'

test_expect_success 'two machines at once: an oops, and a failure that prints markers of success' '
  background oops kf_oops.ko oops.json &&
  machine fake kf_fake.ko >fake.json &&
  ends_with_code 0 &&
  verdicts oops.json PASS FAIL SKIP SKIP &&
  test_json oops.json ".load.findings[0].text" "BUG: kernel NULL pointer dereference in kf_read" &&
  verdicts fake.json PASS FAIL SKIP SKIP &&
  test_json fake.json .load.reason >reason &&
  test_grep "kf_fake. does not load: init returned -EIO" reason
'

test_expect_success 'a warning and a leaked device number' '
  machine warn kf_warn.ko >warn.json &&
  verdicts warn.json PASS FAIL FAIL SKIP &&
  test_json warn.json ".load.findings[0].text" "WARNING in kf_start" &&
  test_json warn.json .unload.reason >reason &&
  test_grep "still there after unloading: number [0-9]* kf_left" reason
'

test_expect_success 'what the driver before did too is not held against it' '
  machine --old-kernel "$kernel" --old-ko kf_warn.ko known kf_warn.ko >known.json &&
  verdicts known.json PASS PASS PASS SKIP &&
  test_json known.json .boot.data.baseline true &&
  test_json known.json .load.reason "known before: WARNING in kf_start"
'

test_expect_success 'a deadlock in init, and where it stands' '
  machine hang kf_hang.ko >hang.json &&
  verdicts hang.json PASS FAIL SKIP SKIP &&
  test_json hang.json .load.reason >reason &&
  test_grep "hangs: .*kf_start.*kf_init" reason
'

test_expect_success 'an interrupted run leaves nothing' '
  background int kf_hang.ko int.json &&
  kill -TERM $pid &&
  ends_with_code 130 &&
  [ -z "$(emulators)" ] &&
  test_json int.json .load.verdict INFRA
'

test_expect_success 'without an emulator it is an infrastructure fault, never a pass' '
  mkdir -p nothing &&
  tool=$(command -v test-tool) &&
  PATH=$PWD/nothing "$tool" machine --backend "$backend" --kernel "$kernel" none kf_noexit.ko >none.json &&
  verdicts none.json INFRA INFRA INFRA INFRA
'

test_expect_success 'so is an image that is none' '
  echo "no kernel" >image.bad &&
  test-tool machine --backend "$backend" --image "$PWD/image.bad" --seconds 20 bad kf_noexit.ko >bad.json &&
  verdicts bad.json INFRA INFRA INFRA INFRA
'

test_expect_success ROOT 'an ordinary user can do it' '
  dir=$(mktemp -d) && chmod 755 "$dir" && mkdir -p "$dir/home" "$dir/checks" "$dir/harness" &&
  test_when_finished "rm -rf $dir /tmp/kport-65534" &&
  cp "$image" "$dir/vmlinuz" && cp kf_noexit.ko "$BUILD/test-tool" "$BUILD/libexec/kport-init" "$dir" &&
  cp "$ROOT"/checks/*.tsv "$dir/checks" && cp "$ROOT/harness/devices.tsv" "$dir/harness" &&
  chown -R 65534:65534 "$dir/home" && chmod -R a+rX "$dir" &&
  ordinary_user "$dir" >user.json &&
  verdicts user.json PASS PASS SKIP SKIP &&
  test_json user.json .unload.reason >reason &&
  test_grep "no exit function" reason
'

test_done
