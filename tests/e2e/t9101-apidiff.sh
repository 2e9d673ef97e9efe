#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport explain on real kernels: the API changes that out-of-tree drivers had to follow'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"

# The kernels of the caller, so that none is downloaded twice.
export KPORT_CACHE_HOME=$caller_cache

# $FIXTURES/api-changes/A-B.tsv lists changes between two kernels by hand: symbol, member, the kinds that are
# right, and the new name. Of each list at least 90 % must be found as a change of that symbol, and 80 % with the
# right kind and new name. KPORT_KERNEL_6_1=DIR (6_12, 7_2) names a build tree to use in place of Debian's packages.

command -v python3 >/dev/null || test_skip_all 'python3 is not installed'

# Word for a kernel: the tree that the caller names, else what "kernel add" makes.
kernel() {
  local var=KPORT_KERNEL_${1//./_}
  if [ -n "${!var}" ]; then
    echo "${!var}"
    return
  fi
  kport kernel show "$1" >show.out 2>&1 || kport kernel add "$1" >add.out 2>&1 || return
  echo "$1"
}

# Answers to all rows of a list, scored; the misses go to the file "misses".
cat >score.py <<'PY'
import json, subprocess, sys

rows, old, new = sys.argv[1:]
n = found = right = 0
for line in open(rows):
    if line.startswith("#"):
        continue
    release, symbol, member, kinds, to = line.rstrip("\n").split("\t")
    word = symbol if member == "-" else f"{symbol}.{member}"
    run = subprocess.run(["kport", "explain", word, "--from", old, "--to", new, "--json"],
                         capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    answer = json.loads(run.stdout) if run.returncode == 0 else {"changes": []}
    changes = answer["changes"]
    # The older kernel does not have it: no change of this pair.
    if answer.get("from") and not answer["from"].get("symbol") and not answer["from"].get("present") and not changes:
        continue
    if member != "-":
        changes = [c for c in changes if c.get("member") == member]
    n += 1
    found += bool(changes)
    ok = [c for c in changes if c["kind"] in kinds.split(",") and
          (to == "-" or c["kind"] in ("removed", "member-removed") or c.get("to") == to)]
    right += bool(ok)
    if not ok:
        print(release, word, kinds, to, "got",
              [(c["kind"], c.get("to")) for c in changes], file=sys.stderr)
print(f"{n} rows, {found} found, {right} right")
sys.exit(0 if found >= 0.9 * n and right >= 0.8 * n else 1)
PY

# 6.1 -> 7.2 has the rows of both steps; what changed twice may be either kind. What 6.1 had not yet is left out
# by the score itself.
awk -F'\t' '!/^#/ { k = $2 FS $3; if (k in kind) { kind[k] = kind[k] "," $4; if (to[k] != $5) to[k] = "-" }
  else { kind[k] = $4; to[k] = $5; rel[k] = $1; order[++n] = k } }
  END { for (i = 1; i <= n; i++) print rel[order[i]] FS order[i] FS kind[order[i]] FS to[order[i]] }' OFS='\t' \
  "$FIXTURES/api-changes/6.1-6.12.tsv" "$FIXTURES/api-changes/6.12-7.2.tsv" >6.1-7.2.tsv

score() {
  local rows=$FIXTURES/api-changes/$1.tsv
  [ -f "$rows" ] || rows=$1.tsv
  python3 "$TRASH/score.py" "$rows" "$2" "$3" >"score-$1" 2>"misses-$1"
}

for pair in 5.10-6.1 6.1-6.12 6.12-7.2 6.1-7.2; do
  prereq=P${pair//[.-]/}
  if old=$(kernel "${pair%-*}") && new=$(kernel "${pair#*-}"); then
    test_lazy_prereq "$prereq" true ''
  else
    test_lazy_prereq "$prereq" false "no kernels for $pair: $(tail -n 1 add.out)"
  fi
  test_expect_success "$prereq" "changes $pair are found and rightly named" '
    score "$pair" "$old" "$new" &&
    test_grep "rows" "score-$pair"
  '
  [ ! -s "score-$pair" ] || echo "# $pair: $(cat "score-$pair")"
done

test_expect_success P61612 'an answer of a made index takes little time' '
  old=$(kernel 6.1) && new=$(kernel 6.12) &&
  kport explain class_create --from "$old" --to "$new" >out &&
  test_grep "other number of arguments" out &&
  python3 -c "
import resource, subprocess, sys
for i in range(5):
    subprocess.run([\"kport\", \"explain\", \"class_create\", \"--from\", sys.argv[1], \"--to\", sys.argv[2]],
                   stdout=subprocess.DEVNULL, check=True)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
each = (u.ru_utime + u.ru_stime) / 5
print(\"%.0f ms\" % (each * 1000))
sys.exit(each > 0.2)" "$old" "$new" >time.out
'
test_done
