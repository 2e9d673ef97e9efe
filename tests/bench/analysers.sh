#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# analysers.sh KPORT OUT FROM TO [N]: what "--analyse" costs and how often it cries wolf: the first N (20) drivers of
# tests/data/layout-untouched.tsv, unchanged, on both kernels, with it and without. CPU seconds of everything that ran; findings that
# each analyser has in all, and those that count as new (none should). Records in OUT stay and are not made again.
set -u
kport=$1 out=$2 from=$3 to=$4 most=${5:-20}
data=$(cd "$(dirname "$0")/../data" && pwd)
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
source_dir=$("$kport" kernel show "$from" --json | python3 -c "import json,sys; print(json.load(sys.stdin)['source_dir'] or '')")
[ -d "$source_dir" ] || { echo "analysers: kernel '$from' with its source is needed"; exit 2; }

# check NAME DRIVER OPTIONS...: one run, kept with its CPU seconds
check() {
  local name=$1 driver=$2
  shift 2
  [ -s "$out/$name.json" ] && return
  TIMEFORMAT='%U %S'
  { time "$kport" check "$source_dir/$driver" --from "$from" --kernel "$to" --gates compile,nodiag --json "$@" \
    >"$out/$name.new" 2>"$out/$name.err"; } 2>"$out/$name.cpu"
  mv "$out/$name.new" "$out/$name.json"
}

n=0
while read -r driver && [ $n -lt "$most" ]; do
  case $driver in ''|\#*) continue ;; esac
  id=$(basename "$driver" .c)
  check "plain-$id" "$driver"
  check "with-$id" "$driver" --analyse
  n=$((n + 1)) names+=("$id")
done <"$data/layout-untouched.tsv"

python3 - "$out" "${names[@]}" <<'END'
import json, sys
out, rows, alarms, left = sys.argv[1], [], 0, 0
print("%-20s %8s %8s %6s %6s %5s  %s" % ("driver", "CPU s", "with", "gcc", "clang", "new", "first new, or what could not be analysed"))
for name in sys.argv[2:]:
    cpu = [sum(map(float, open("%s/%s-%s.cpu" % (out, k, name)).read().split())) for k in ("plain", "with")]
    g = json.load(open("%s/with-%s.json" % (out, name)))["gates"]["nodiag"]
    d = g.get("data") or {}
    new = [f for f in g["findings"] if "analyzer" in f["tool"]]
    told = d.get("analyser_findings") or {}
    text = "%s %s:%s %s" % (new[0]["rule"], new[0]["file"], new[0]["line"], new[0]["text"]) if new else ", ".join(d.get("not_analysed", []))
    print("%-20s %8.1f %8.1f %6s %6s %5d  %.90s" % (name, *cpu, told.get("gcc", "-"), told.get("clang", "-"), len(new), text))
    rows.append((cpu[1] - cpu[0], told.get("gcc", 0), told.get("clang", 0)))
    alarms += bool(new)
    left += bool(d.get("not_analysed"))
more = sorted(r[0] for r in rows)
print("\n%d drivers: %d with a new finding, %d with a file that an analyser could not read; %d findings of gcc and %d of clang in all; "
      "%.1f CPU s more at the median, %.1f at most" % (len(rows), alarms, left, sum(r[1] for r in rows), sum(r[2] for r in rows),
      more[len(more) // 2], more[-1]))
END
