#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# layout-faults.sh KPORT OUT FROM TO [ID|DRIVER...]: gate "layout" over real drivers of FROM's source tree, and over the same
# drivers with the faults of tests/data/layout-faults.tsv planted. Prints one line each and a table; the exit code is 1 when
# fewer than 28 of 30 faults are found or an untouched driver fails. Results in OUT stay and are not made again.
kport=$1 out=$2 from=$3 to=$4
shift 4
data=$(cd "$(dirname "$0")/../data" && pwd)
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
show() { "$kport" kernel show "$1" --json | python3 -c "import json,sys; print(json.load(sys.stdin)['$2'] or '')"; }
source_dir=$(show "$from" source_dir)
to_build=$(show "$to" build_dir)
if [ ! -d "$source_dir" ] || [ ! -d "$to_build" ]; then
  echo "layout-faults: kernels '$from' (with its source) and '$to' are needed"
  exit 2
fi

wanted() { [ "$#" -lt 2 ] || { w=$1; shift; printf '%s\n' "$@" | grep -qxF -e "$w"; }; }

# check JSON ARGUMENTS...: one run, kept
check() {
  local json=$1
  shift
  [ -s "$json" ] || nice "$kport" check "$@" --gates compile,layout --json >"$json.tmp" 2>"$json.err" || [ $? = 1 ] || return 2
  [ -s "$json" ] || mv "$json.tmp" "$json"
}

# Tab-separated: compile's verdict, layout's, rules found, seconds, notes, first text.
answer() {
  python3 - "$1" <<'END'
import json, sys
try:
    g = json.load(open(sys.argv[1]))["gates"]
except (OSError, ValueError):
    print("-", "-", "-", 0, 0, "no answer", sep="\t")
    sys.exit()
l = g["layout"]
f = l["findings"]
text = f[0]["text"] if f else (l.get("reason") or "")
if g["compile"]["verdict"] != "PASS":
    text = g["compile"].get("reason") or ""
where = "%s:%s " % (f[0].get("file"), f[0].get("line")) if f else ""
print(g["compile"]["verdict"], l["verdict"], ",".join(sorted({x["rule"] for x in f})) or "-", "%.2f" % l["seconds"],
      len((l.get("data") or {}).get("review", [])), where + text[:150], sep="\t")
END
}

# The driver as kport takes it out of the kernel's tree: its sources only.
take_out() {
  local dir=$out/untouched/$1
  rm -rf "$2" && mkdir -p "$2" && cp -r "$dir/work/baseline/$3/." "$2" &&
    find "$2" -type f ! -name '*.[ch]' ! -name Kbuild -delete && find "$2" -name '*.mod.c' -delete
}

# A build tree of TO in which one header is another one. Links: the record itself is not touched.
planted_kernel() {
  local top=${to_build%/usr/src/*} dir=$out/kernel-$1
  [ -d "$dir" ] || { cp -al "$top/usr" "$dir.tmp" 2>/dev/null || cp -a "$top/usr" "$dir.tmp"; } || return 1
  [ -d "$dir" ] || mv "$dir.tmp" "$dir"
  local header
  header=$(find "$dir"/src/*-common -path "*/$2" | head -1)
  [ -n "$header" ] || return 1
  grep -q 'planted' "$header" || { sed -i "$3" "$header" && echo '/* planted */' >>"$header"; }
  ! cmp -s "$header" "$top/usr/${header#"$dir"/}" && echo "$dir/src/${to_build##*/}"
}

plant() {
  if [ "$file" = '*' ]; then sed -i "$program" "$1"/*.[ch]; else sed -i "$program" "$1/$file"; fi
}

alarms=0 untouched=0 judged=0
while IFS=$'\t' read -r driver; do
  case $driver in '' | '#'*) continue ;; esac
  id=$(basename "$driver" .c)
  wanted "$id" "$@" || continue
  check "$out/untouched-$id.json" "$source_dir/$driver" --from "$from" --kernel "$to" -o "$out/untouched/$id"
  IFS=$'\t' read -r compile layout rules seconds notes text < <(answer "$out/untouched-$id.json")
  untouched=$((untouched + 1))
  [ "$layout" = PASS ] && judged=$((judged + 1))
  [ "$layout" = FAIL ] && alarms=$((alarms + 1))
  printf 'untouched %-34s %-7s %-7s %ss %s notes  %s\n' "$driver" "$compile" "$layout" "$seconds" "$notes" "$text"
done <"$data/layout-untouched.tsv"

found=0 planted=0 unusable=0
while IFS=$'\t' read -r id driver where rule file program; do
  case $id in '' | '#'*) continue ;; esac
  wanted "$id" "$@" || continue
  name=$(basename "$driver" .c) dir=$(dirname "$driver") kernel=$to
  json=$out/fault-$id.json
  if [ ! -s "$json" ]; then
    [ -d "$out/untouched/$name/work/baseline" ] ||
      check "$out/untouched-$name.json" "$source_dir/$driver" --from "$from" --kernel "$to" -o "$out/untouched/$name"
    take_out "$name" "$out/before" "$dir" && take_out "$name" "$out/after" "$dir" || exit 2
    case $where in
    kernel) kernel=$(planted_kernel "$id" "$file" "$program") || { echo "layout-faults: '$id' cannot be planted"; exit 2; } ;;
    both) plant "$out/before" && plant "$out/after" ;;
    port) plant "$out/after" ;;
    esac
    take_out "$name" "$out/plain" "$dir" || exit 2
    if [ "$where" != kernel ] && diff -r "$out/after" "$out/plain" >/dev/null; then
      echo "layout-faults: '$id' cannot be planted: nothing of '$file' fits"
      exit 2
    fi
    check "$json" "$out/after" --before "$out/before" --from "$from" --kernel "$kernel"
  fi
  IFS=$'\t' read -r compile layout rules seconds notes text < <(answer "$json")
  planted=$((planted + 1))
  hit=missed
  [ "$compile" = PASS ] || { hit=unusable && unusable=$((unusable + 1)); }
  case ,$rules, in *",$rule,"*) [ "$layout" = FAIL ] && hit=found && found=$((found + 1)) ;; esac
  printf 'fault %-26s %-18s %-6s %-24s %-8s %ss  %s\n' "$id" "$name" "$where" "$rule" "$hit" "$seconds" "$text"
done <"$data/layout-faults.tsv"

echo
echo "untouched drivers: $untouched, judged $judged, alarms $alarms"
echo "planted faults: $planted, found $found by the rule that they are for, not built $unusable"
[ $# -gt 0 ] || { [ "$alarms" = 0 ] && [ "$judged" -ge 30 ] && [ "$planted" -ge 30 ] && [ $((found * 30)) -ge $((planted * 28)) ]; }
