#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine-faults.sh TEST-TOOL OUT KERNEL: the faults of tests/data/machine/faults.tsv planted in the kernel's own drivers, each
# judged alone and against the distribution's module as the driver before. None may pass; "none" must.
# FAULTS_ONLY="module fault": these words only.
set -u
tool=$(realpath "$1") kernel=$3
mkdir -p "$2"
out=$(realpath "$2")
mkdir -p "$out/ko/$kernel"
here=$(dirname "$(realpath "$0")")
cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
source=$cache/kernels/$kernel/source/linux

value() { "$tool" json "$1" "$2" 2>/dev/null; }

# stock MODULE: the plain module of the distribution
stock() {
  local file
  [ -f "$out/ko/$kernel/$1.ko" ] && return 0
  file=$(find "$cache/kernels/$kernel/image/" -name "$1.ko" -o -name "$1.ko.xz" | head -n 1)
  case $file in
    *.xz) xz -dc "$file" ;;
    *) cat "$file" ;;
  esac >"$out/ko/$kernel/$1.ko"
}

# build SOURCE MODULE FAULT EXPRESSION: fault-KERNEL-MODULE-FAULT/MODULE.ko
build() {
  local dir=$out/fault-$kernel-$2-$3
  [ -f "$dir/$2.ko" ] && return 0
  rm -rf "$dir" && mkdir -p "$dir/src" && cp "$source/$1" "$dir/src/" && perl -0pi -e "$4" "$dir/src/$(basename "$1")" || return 1
  if [ "$3" != none ] && cmp -s "$source/$1" "$dir/src/$(basename "$1")"; then
    echo "$2 $3: the expression changes nothing" && return 1
  fi
  echo "obj-m := $2.o" >"$dir/src/Makefile"
  "$tool" kbuild --keep "$dir/built" "$dir/src" "$kernel" >"$dir/build.json" 2>"$dir/build.err"
  find "$dir/built" -name "$2.ko" -exec cp {} "$dir/" \;
  [ -f "$dir/$2.ko" ]
}

# verdicts RECORD
verdicts() {
  local gate
  for gate in boot load unload probe exercise behaviour; do value "$1" ".$gate.verdict"; done | tr '\n' ' '
}

# is_bad VERDICTS: something but PASS and SKIP
is_bad() { [[ " $1 " == *" FAIL "* || " $1 " == *" UNKNOWN "* ]]; }

printf '%-12s %-16s %-38s %-38s\n' module fault 'alone (boot to behaviour)' 'against the module before'
planted=0 found=0 wrong=0 alone=0
while IFS=$'\t' read -r file module fault expression; do
  case $file in ""|\#*) continue ;; esac
  [ -z "${FAULTS_ONLY:-}" ] || [[ " $FAULTS_ONLY " == *" $module $fault "* ]] || continue
  stock "$module"
  if ! build "$file" "$module" "$fault" "$expression"; then
    echo "$module $fault: is not built" && wrong=$((wrong + 1)) && continue
  fi
  dir=$out/fault-$kernel-$module-$fault
  for how in alone against; do
    old=()
    [ $how = alone ] || old=(--old-kernel "$kernel" --old-ko "$out/ko/$kernel/$module.ko")
    [ -s "$dir/$how.json" ] || "$tool" machine --from snapshot --kernel "$kernel" --seconds 120 "${old[@]}" "$dir/run-$how" "$dir/$module.ko" \
      >"$dir/$how.json" 2>"$dir/$how.err"
  done
  a=$(verdicts "$dir/alone.json") b=$(verdicts "$dir/against.json")
  printf '%-12s %-16s %-38s %-38s\n' "$module" "$fault" "$a" "$b"
  if [ "$fault" = none ]; then
    if is_bad "$b" || [[ $b == *INFRA* ]]; then wrong=$((wrong + 1)); fi
  else
    planted=$((planted + 1))
    if [[ " $b" == *" FAIL "* ]]; then found=$((found + 1)); else wrong=$((wrong + 1)); fi
    if is_bad "$a"; then alone=$((alone + 1)); fi
  fi
done <"$here/../data/machine/faults.tsv"
echo
echo "$kernel: $found of $planted planted faults are FAIL against the driver before; alone, $alone are FAIL or UNKNOWN, the others SKIP; $wrong wrong"
[ $wrong = 0 ]
