#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine-restores.sh TEST-TOOL OUT KERNEL N: one module tested from a saved machine, N times in a row, by processes of one state
# directory; then nothing may be left: no emulator, no file in the state directory or /tmp that was not there after the first run, no
# shared memory. Every verdict must be that of the first run. The machine's free memory is told and not judged: what else runs moves
# it. OUT/restores keeps count, so that slices add up: N more each time.
set -u
tool=$(realpath "$1") kernel=$3 n=$4
mkdir -p "$2" && out=$(realpath "$2") || exit 2
here=$(dirname "$(realpath "$0")")
export KPORT_STATE_HOME=$out/state
mkdir -p "$KPORT_STATE_HOME"

# shellcheck source=tests/bench/machine-driver.sh
. "$here/machine-driver.sh"
machine_driver "$tool" "$out" "$kernel" || exit 2

run() {
  "$tool" machine --from snapshot --kernel "$kernel" --seconds 120 "$out/run" "$out/kf_video.ko" >"$out/last.json" 2>"$out/last.err"
  machine_verdicts "$tool" "$out/last.json"
  rm -rf "$out/run"
}

# What could stay behind: ours alone, other people's machines run beside it.
left() {
  pgrep -f "qemu-system-x86_64.*$out/" | sed 's/.*/process/'
  find "$KPORT_STATE_HOME" /dev/shm -mindepth 1 ! -name '*.db' ! -name '*.db-wal' ! -name '*.db-shm' ! -path '*/dev/shm/*kport*' | sort
  find /tmp -maxdepth 1 \( -name 'kt.*' -o -name 'kport*' -o -name 'tmp-machine-*' \) | sort
  find "${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}/machine" -name 'tmp*' 2>/dev/null
}

first=$(run)
[[ $first == "PASS PASS PASS PASS "*" snapshot " ]] || { echo "machine-restores: the first run says: $first"; exit 1; }
left >"$out/before"
kib() { awk -v what="$1:" '$1 == what { print $2 }' /proc/meminfo; }
disk_kib() { du -sk "$KPORT_STATE_HOME" | cut -f1; }
memory=$(kib MemAvailable) shared=$(kib Shmem) disk=$(disk_kib) other=0 began=$SECONDS
for ((i = 0; i < n; i++)); do
  said=$(run)
  [ "$said" = "$first" ] || { other=$((other + 1)) && echo "run $i: $said"; }
  echo "$said" >>"$out/restores"
done
left >"$out/after"
echo "$n restores in $((SECONDS - began)) s, $(wc -l <"$out/restores") in all; $other with another verdict; $(comm -13 "$out/before" "$out/after" | wc -l) things left;" \
  "memory available $(((memory - $(kib MemAvailable)) / 1024)) MiB less, shared $(($(kib Shmem) - shared)) KiB more, state directory $(($(disk_kib) - disk)) KiB more"
comm -13 "$out/before" "$out/after"
[ $other = 0 ] && [ -z "$(comm -13 "$out/before" "$out/after")" ]
