#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh KPORT: what the main jobs cost here, each as wall and CPU seconds, with the target for 2 quiet cores (test-tool stands beside it). Kernels 6.1
# and 6.12 (with image) and Debian's v4l2loopback-dkms must be in the cache: "make demo" brings them.
set -eu
kport=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
"$here/bench-mine.sh" "$kport"
cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
deb=$(find "$cache/packages" -name 'v4l2loopback-dkms_*.deb' 2>/dev/null | sort | head -n 1)
if [ -z "$deb" ]; then
  echo "bench: no v4l2loopback-dkms in $cache/packages; run 'make demo' first" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%R %U %S'

# row NAME TARGET COMMAND...
row() {
  local name=$1 target=$2 t
  shift 2
  t=$({ time "$@" >out 2>err; } 2>&1) || { echo "$name: failed: $(head -n 1 err)"; return 0; }
  # shellcheck disable=SC2086 # three numbers
  set -- $t
  printf '%-46s %7.1f s wall %7.1f s CPU   target %s\n' "$name" "$1" "$(awk "BEGIN { print $2 + $3 }")" "$target"
}

echo "load $(cut -d' ' -f1 /proc/loadavg), $(nproc) processors"
mkdir cold && ln -s "$cache/kernels" cold/kernels
row 'index two kernels and compare them, cold' '35 s' env KPORT_CACHE_HOME="$work/cold" "$kport" explain del_timer --from 6.1 --to 6.12
row 'explain a symbol, warm' '0.05 s' env KPORT_CACHE_HOME="$work/cold" "$kport" explain del_timer --from 6.1 --to 6.12
row 'export what is known of two kernels' '10 s' "$kport" index export pair.kpi --pair 6.1:6.12
row 'import it on an empty machine' '10 s' env KPORT_CACHE_HOME="$work/other" "$kport" index import pair.kpi
row 'explain a symbol from the imported index' '0.05 s' env KPORT_CACHE_HOME="$work/other" "$kport" explain del_timer --from 6.1 --to 6.12
"$kport" port "$deb" --from 6.1 --to 6.12 --no-boot --out warm >/dev/null 2>&1 || true
row 'port v4l2loopback, warm, without boot' '15 s' "$kport" port "$deb" --from 6.1 --to 6.12 --no-boot --out warm
row 'port v4l2loopback, warm, with a fresh boot' '35 s' "$kport" port "$deb" --from 6.1 --to 6.12 --out boot
"$here/../tests/bench/machine-boot.sh" "$(dirname "$kport")/test-tool" "$work/machine" 6.12 || true
"$here/../tests/bench/throughput.py" "$kport" || true
