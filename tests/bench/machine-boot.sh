#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine-boot.sh TEST-TOOL OUT KERNEL [N]: the gates of a machine (boot, load, use, unload, load again) on one driver that is built, N times
# from a saved machine and N times freshly booted: seconds of the whole process, median and worst, and its CPU seconds. The bars are
# for a quiet machine; where others run beside it, a median above the bar is a failure only if the CPU seconds are above it too, and
# is told. Exit code 1 when a bar is missed or a run does not pass.
set -u
tool=$(realpath "$1") kernel=$3 n=${4:-5}
mkdir -p "$2" && out=$(realpath "$2") || exit 2
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/bench/machine-driver.sh
. "$here/machine-driver.sh"
machine_driver "$tool" "$out" "$kernel" || exit 2
TIMEFORMAT='%R %U %S'

# once FROM: wall and CPU seconds of one run; nothing when it does not pass
once() {
  local t
  t=$({ time "$tool" machine --from "$1" --kernel "$kernel" --seconds 120 "$out/run" "$out/kf_video.ko" >"$out/last.json" 2>"$out/last.err"; } 2>&1)
  rm -rf "$out/run"
  [ "$(machine_verdicts "$tool" "$out/last.json")" = "PASS PASS PASS PASS UNKNOWN $1 " ] || return 1
  awk '{ print $1, $2 + $3 }' <<<"$t"
}

# series FROM BAR
series() {
  local i
  : >"$out/times"
  once "$1" >/dev/null || { echo "a machine ($1): the first run does not pass: $(cat "$out/last.err" "$out/last.json" | head -c 600)"; return 1; }
  for ((i = 0; i < n; i++)); do
    once "$1" >>"$out/times" || { echo "a machine ($1): run $i does not pass"; return 1; }
  done
  sort -n "$out/times" | awk -v from="$1" -v bar="$2" -v load="$(cut -d' ' -f1 /proc/loadavg)" -v accel="$("$tool" json "$out/last.json" .boot.data.accel)" '
    { wall[NR] = $1; cpu += $2 }
    END {
      median = wall[int((NR + 1) / 2)]; cpu /= NR
      said = median <= bar ? "met" : cpu <= bar ? "met but for the load" : "MISSED"
      printf "boot gate, %-20s %7.2f s wall %6.2f s CPU   bar %2d s %s (median of %d, worst %.2f s, %s, load %s)\n",
        from == "snapshot" ? "from a saved machine" : "freshly booted", median, cpu, bar, said, NR, wall[NR], accel, load
      exit said == "MISSED"
    }'
}

code=0
series snapshot 2 || code=1
series fresh 10 || code=1
exit $code
