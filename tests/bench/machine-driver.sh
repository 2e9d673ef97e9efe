# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What benches of machines share: a driver without a fault, built once, and the verdicts of a run in a line.

# machine_driver TEST-TOOL OUT KERNEL: OUT/kf_video.ko
machine_driver() {
  local fixtures
  fixtures=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../fixtures/machine/faults
  [ -f "$2/kf_video.ko" ] || {
    rm -rf "$2/drv" && cp -r "$fixtures" "$2/drv" && sed -i '1i F := video' "$2/drv/Makefile" &&
      "$1" kbuild --keep "$2/built" "$2/drv" "$3" >"$2/build.json" && find "$2/built" -name kf_video.ko -exec cp {} "$2/" \;
  }
  [ -f "$2/kf_video.ko" ] || { echo "bench: the module is not built"; return 1; }
}

# machine_verdicts TEST-TOOL RECORD: boot, load, unload, probe, exercise, and how the machine was started
machine_verdicts() {
  local gate
  for gate in boot load unload probe exercise; do "$1" json "$2" ".$gate.verdict"; done 2>/dev/null | tr '\n' ' '
  "$1" json "$2" .boot.data.from 2>/dev/null | tr '\n' ' '
}
