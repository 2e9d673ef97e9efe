#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine-matrix.sh TEST-TOOL OUT [KERNEL...]: the distribution's own modules of tests/data/machine/drivers.tsv on each kernel,
# from saved machines: every gate's verdict in a line, then what was not as it should be, then the figures. Records, one
# JSON file a run, stay in OUT; those that are there already are not run again.
# MATRIX_LIST=FILE: another list (kind "any": whatever is used). MATRIX_ONLY="a b": these modules only. MATRIX_FROM=fresh: boot each time.
set -u
tool=$(realpath "$1") out=$2
shift 2
[ $# -gt 0 ] || set -- 6.1 6.12 7.2
here=$(dirname "$(realpath "$0")")
cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
mkdir -p "$out"
out=$(realpath "$out")

# module KERNEL NAMES...: path of the plain module
module() {
  local kernel=$1 file name
  shift
  mkdir -p "$out/ko/$kernel"
  for name; do
    [ -f "$out/ko/$kernel/$name.ko" ] && echo "$out/ko/$kernel/$name.ko" && return 0
    file=$(find "$cache/kernels/$kernel/image/" -name "$name.ko" -o -name "$name.ko.xz" 2>/dev/null | head -n 1)
    case $file in
      "") continue ;;
      *.xz) xz -dc "$file" >"$out/ko/$kernel/$name.ko" ;;
      *) cp "$file" "$out/ko/$kernel/$name.ko" ;;
    esac
    echo "$out/ko/$kernel/$name.ko" && return 0
  done
  return 1
}

value() { "$tool" json "$1" "$2" 2>/dev/null; }

# run NAME KERNEL KO: its record
run() {
  local record=$out/$2-$1.json
  if [ ! -s "$record" ]; then
    "$tool" machine --from "${MATRIX_FROM:-snapshot}" --kernel "$2" --seconds 120 "$out/run-$2-$1" "$3" \
      >"$record.new" 2>"$out/$2-$1.err"
    mv -f "$record.new" "$record"
  fi
  echo "$record"
}

printf '%-16s %-6s %-7s %-7s %-7s %-7s %-8s %6s  %s\n' driver kernel boot load unload probe exercise seconds 'what was used'
total=0 good=0 missing=0 wrong=()
while IFS=$'\t' read -r name other kind _; do
  case $name in ""|\#*) continue ;; esac
  [ -z "${MATRIX_ONLY:-}" ] || [[ " $MATRIX_ONLY " == *" $name "* ]] || continue
  ok_everywhere=1
  for kernel; do
    ko=$(module "$kernel" "$name" "${other/#-/$name}") || { missing=$((missing + 1)); echo "$name $kernel: no such module"; continue; }
    record=$(run "$name" "$kernel" "$ko")
    row=()
    for gate in boot load unload probe exercise; do row+=("$(value "$record" ".$gate.verdict")"); done
    reason=$(value "$record" .exercise.reason)
    printf '%-16s %-6s %-7s %-7s %-7s %-7s %-8s %6.1f  %.110s\n' "$name" "$kernel" "${row[@]}" \
      "$(value "$record" .boot.data.seconds || echo 0)" "$reason"
    wanted="PASS PASS PASS PASS PASS"
    [ "$kind" != - ] || wanted="PASS PASS PASS PASS SKIP"
    total=$((total + 1))
    if [ "${row[*]}" = "$wanted" ] && { [[ $kind == - || $kind == any ]] || grep -q "^$kind '" <<<"$reason" || grep -q "; $kind '" <<<"$reason"; }; then
      good=$((good + 1))
    else
      ok_everywhere=0
      wrong+=("$name on $kernel: ${row[*]}")
      for gate in boot load unload probe exercise; do
        [ "$(value "$record" ".$gate.verdict")" = PASS ] || wrong+=("    $gate: $(value "$record" ".$gate.reason" | cut -c1-300)")
      done
    fi
  done
  [ $ok_everywhere = 1 ] && [ "$kind" != - ] && everywhere=$((${everywhere:-0} + 1))
done <"${MATRIX_LIST:-$here/../data/machine/drivers.tsv}"
echo
[ ${#wrong[@]} = 0 ] || { echo "not as it should be:"; printf '  %s\n' "${wrong[@]}"; echo; }
echo "$good of $total runs as they should be ($missing modules are not in the kernel); ${everywhere:-0} drivers bound and used on every kernel of: $*"
