#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='saved machines: the same verdicts as fresh ones, and nothing stays behind whatever happens'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"

# The kernels of the caller, in a cache of ours: states are damaged here.
export KPORT_CACHE_HOME=$TRASH/cache
mkdir -p cache/machine && ln -s "$caller_cache/kernels" cache/kernels
cp -p "$caller_cache"/machine/*.vmlinux cache/machine/ 2>/dev/null
kernel=${KPORT_TEST_KERNEL:-6.12}
kport kernel show --json "$kernel" >kernel.json 2>/dev/null ||
  test_skip_all "no kernel $kernel; try 'kport kernel add $kernel --with-image'"
modules=$(test_json kernel.json .modules_dir)
[ -d "$modules" ] || test_skip_all "kernel $kernel has no image; try 'kport kernel add $kernel --with-image'"

test_lazy_prereq MOUNT 'unshare -m true' 'needs root, to mount a small disk'

# A module of the kernel itself, plain.
stock() {
  local file
  file=$(find "$modules" -name "$1.ko" -o -name "$1.ko.xz" | head -n 1)
  case $file in
    *.xz) xz -dc "$file" >"$1.ko" ;;
    *) cp "$file" . ;;
  esac
}

snapshot() {
  test-tool machine --from snapshot --kernel "$kernel" --seconds 60 "$@"
}

# verdicts FILE: one line
verdicts() {
  local gate
  for gate in boot load unload probe; do
    test_json "$1" ".$gate.verdict"
  done | tr '\n' ' '
}

# same NAME MODULE WANTED: fresh and from a saved state.
same() {
  snapshot "$1" "$2" >"$1.json" &&
    test-tool machine --kernel "$kernel" --backend qemu --seconds 60 "$1-fresh" "$2" >"$1-fresh.json" &&
    test_json "$1.json" .boot.data.from snapshot && test_json "$1-fresh.json" .boot.data.from fresh || return 1
  [ "$(verdicts "$1.json")" = "$3 " ] && [ "$(verdicts "$1-fresh.json")" = "$3 " ] && return 0
  cat "$1.json" "$1-fresh.json"
  return 1
}

emulators() {
  pgrep -f "qemu-system-x86_64.*guest=kport-.*$TRASH/" || :
}

states() {
  find cache/machine/states -name state | wc -l
}

# What can stay behind: emulators, files of the state directory, shared memory.
traces() {
  emulators | wc -l
  find "$HOME" cache -type f | sort
  find /dev/shm /tmp -maxdepth 1 -user "$(id -u)" -name '*qemu*'
}

test_expect_success 'the modules are built' '
  cp -r "$FIXTURES/machine/faults" drv &&
  sed -i "1i F := video edu oops warn" drv/Makefile &&
  test-tool kbuild --keep "$PWD/built" drv "$kernel" >build.json &&
  find built -name "kf_*.ko" -exec cp {} . \; &&
  test_path_is_file kf_video.ko && stock e1000 && stock nvme
'

test_expect_success 'a driver without a fault, fresh and from the state' '
  same video kf_video.ko "PASS PASS PASS PASS" && [ "$(states)" = 1 ]
'

test_expect_success 'interrupted and killed while the state is made: nothing is left, the next one makes it' '
  for signal in TERM KILL; do
    { test-tool machine --from snapshot --kernel "$kernel" int kf_edu.ko >int.json 2>&1 & pid=$!; } &&
    for i in $(seq 200); do [ -n "$(emulators)" ] && break; sleep 0.05; done &&
    [ -n "$(emulators)" ] && kill -$signal $pid &&
    { wait $pid; sleep 0.3; [ -z "$(emulators)" ]; } || return 1
  done &&
  [ "$(states)" = 1 ]
'

test_expect_success 'an oops, and a device that loses its addresses when it is saved' '
  same oops kf_oops.ko "PASS FAIL SKIP SKIP" && same edu kf_edu.ko "PASS PASS PASS PASS" && [ "$(states)" = 2 ] &&
  test_json oops.json ".load.findings[0].text" "BUG: kernel NULL pointer dereference in kf_read"
'

test_expect_success 'a warning, and what stays behind in the guest' '
  snapshot warn kf_warn.ko >warn.json &&
  [ "$(verdicts warn.json)" = "PASS FAIL FAIL SKIP " ]
'

test_expect_success 'the module of the kernel for a real device' '
  same e1000 e1000.ko "PASS PASS PASS PASS" &&
  test_json e1000.json .probe.reason >reason && test_grep "pci e1000 0000:" reason
'

test_expect_success 'each run has a nonce of its own, which the state does not know' '
  snapshot again kf_video.ko >again.json &&
  a=$(grep -o "kport:[0-9a-f]*:end" video/logs/console-1.log) && b=$(grep -o "kport:[0-9a-f]*:end" again/logs/console-1.log) &&
  [ -n "$a" ] && [ -n "$b" ] && [ "$a" != "$b" ] &&
  nonce=$(echo "$b" | cut -d: -f2) && ! grep -q "$nonce" cache/machine/states/*/state
'

test_expect_success 'a device that cannot be saved is tested fresh, and the record says why' '
  snapshot nvme nvme.ko >nvme.json &&
  test_json nvme.json .boot.data.from fresh && test_json nvme.json .boot.verdict PASS &&
  test_json nvme.json .probe.verdict PASS &&
  test_json nvme.json .boot.data.fresh_because >reason && test_grep nvme reason
'

test_expect_success 'damaged in the middle, cut off: made again, with the same answer' '
  for f in cache/machine/states/*/state; do
    printf damage | dd of=$f bs=1 seek=30000000 conv=notrunc || return 1
  done &&
  snapshot damaged kf_video.ko >damaged.json &&
  [ "$(verdicts damaged.json)" = "PASS PASS PASS PASS " ] && test_json damaged.json .boot.data.from snapshot &&
  truncate -s 1000000 cache/machine/states/*/state &&
  snapshot cut kf_video.ko >cut.json && [ "$(verdicts cut.json)" = "PASS PASS PASS PASS " ]
'

test_expect_success 'six in a row leave nothing behind' '
  traces >before &&
  for i in 1 2 3 4 5 6; do
    snapshot loop kf_video.ko >loop.json && [ "$(verdicts loop.json)" = "PASS PASS PASS PASS " ] || return 1
  done &&
  traces >after && test_cmp before after
'

test_expect_success 'the counts' '
  kport devices --stats --json >stats.json &&
  grep -q "\"from\": *\"snapshot\"" stats.json && grep -q "\"from\": *\"fresh\"" stats.json &&
  [ "$(grep -c "\"disagree\": *0" stats.json)" = "$(grep -c "\"disagree\"" stats.json)" ]
'

test_expect_success 'states above the limit go, the longest unused first' '
  [ "$(states)" -ge 2 ] &&
  snapshot --config machine.states-mib=1 edu2 kf_edu.ko >edu2.json && [ "$(verdicts edu2.json)" = "PASS PASS PASS PASS " ] &&
  [ "$(states)" = 1 ]
'

test_expect_success MOUNT 'a full disk is told, and is no fault of the driver' '
  mkdir full && unshare -m sh -c "
    mount -t tmpfs -o size=200m none full && mkdir full/machine && ln -s $caller_cache/kernels full/kernels &&
    KPORT_CACHE_HOME=$PWD/full test-tool machine --from snapshot --kernel $kernel --seconds 60 nospace kf_video.ko >nospace.json &&
    [ -z \"\$(find full -name state)\" ]" &&
  [ "$(verdicts nospace.json)" = "INFRA INFRA INFRA INFRA " ] &&
  test_json nospace.json .boot.reason >reason && test_grep "no room for a saved machine in" reason
'

test_done
