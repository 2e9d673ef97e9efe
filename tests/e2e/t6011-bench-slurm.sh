#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport bench run --engine slurm, on a Slurm of one node, with fake kernels'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"
. "$ROOT/tests/bench-trees.sh"
. "$ROOT/tests/slurm-node.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
why=$(slurm_here) || test_skip_all "$why"
trap 'slurm_stop; _at_exit' EXIT

kernels=(--kernel "$TRASH/k1=$TRASH/s1" --kernel "$TRASH/k2=$TRASH/s2")
run() { kport bench run -c v.jsonl "${kernels[@]}" "$@"; }
# Answers after SECONDS, the first attempt at once.
slow() { run --engine slurm --agent "test \$KPORT_ATTEMPT = 1 || sleep $1" --attempts 3 --out "$2"; }
results() { find "$1/results" -name '*.json' 2>/dev/null | wc -l; }
# Until the run in DIR has at least N results.
until_results() { for _ in $(seq 600); do [ "$(results "$1")" -lt "$2" ] || return 0; sleep 0.1; done; return 1; }
# Everything of a run but what it cost: the records and the scores.
essence() {
  kport bench score "$1" --json >"$1.score" && python3 - "$1" <<'EOT'
import glob, json, sys
def shown(v):
    v.pop("cost", None); v.pop("run", None); v.pop("dir", None)
    return json.dumps(v, sort_keys=True)
for f in sorted(glob.glob(sys.argv[1] + "/results/*.json")):
    print(f.split("/")[-1], shown(json.load(open(f))))
s = json.load(open(sys.argv[1] + ".score"))
for r in s["runs"]:
    print(shown(r))
EOT
}

test_expect_success 'a node, cases' '
  slurm_start && bench_trees && kport bench validate -c cases.jsonl "${kernels[@]}" --out v.jsonl >out && test_line_count = 2 v.jsonl
'

test_expect_success 'the same bytes as a local run, but for seconds' '
  run --out local >out && rm -rf "$XDG_CACHE_HOME/kport/bench-grades" &&
  run --engine slurm --out queued >out && test_grep "^2 results: 0 were there, 2 made now, 2 resolved" out &&
  test_path_is_file queued/slurm/jobs && essence local >local.txt && essence queued >queued.txt && test_line_count = 3 local.txt &&
  test_cmp local.txt queued.txt &&
  diff -r local/patches queued/patches && cmp local/run.json queued/run.json &&
  run --engine slurm --out queued >out && test_grep "2 were there, 0 made now" out && test_line_count = 1 queued/slurm/jobs
'

test_expect_success 'what the queue began is ended here, and the other way round' '
  rm queued/results/"$(ls queued/results | head -n 1)" && run --out queued >out && test_grep "1 were there, 1 made now" out &&
  essence queued >queued.txt && test_cmp local.txt queued.txt
'

test_expect_success 'the coordinator is killed: the queue goes on, the same command waits for it' '
  { slow 2 killed >out 2>&1 & pid=$!; } && until_results killed 1 &&
  { pkill -9 -P $pid; kill -9 $pid; wait $pid; true; } 2>/dev/null && first=$(ls killed/results | head -n 1) && sum=$(sha256sum <killed/results/$first) &&
  slow 2 killed >out && test_grep "^6 results: .* 0 infra" out && test "$(results killed)" = 6 &&
  test_line_count = 1 killed/slurm/jobs && test "$sum" = "$(sha256sum <killed/results/$first)"
'

test_expect_success 'a worker is killed: its case alone is missing, and made by the next' '
  { slow 3 worker >out 2>err & pid=$!; } && until_results worker 2 &&
  victim= && for _ in $(seq 100); do victim=$(pgrep -f "bench work $TRASH/worker .* [23] --quiet" | head -n 1); test -z "$victim" || break; sleep 0.1; done &&
  kill -9 $victim && { code=0; wait $pid || code=$?; } && test $code = 2 && test "$(results worker)" = 5 &&
  slow 3 worker >out && test_grep "^6 results: 5 were there, 1 made now" out && test "$(results worker)" = 6
'

test_expect_success 'slurmd is killed and comes back: nothing is lost' '
  { slow 2 daemon >out 2>err & pid=$!; } && until_results daemon 1 && slurm_kill slurmd &&
  first=$(ls daemon/results | head -n 1) && sum=$(sha256sum <daemon/results/$first) && slurmd_start &&
  { wait $pid || true; } && { slow 2 daemon >out || true; } && test_grep "^6 results: .* 0 infra" out && test "$(results daemon)" = 6 &&
  test "$sum" = "$(sha256sum <daemon/results/$first)"
'

test_expect_success 'a Slurm that is away is the fault of the machine, and what is finished stays' '
  slurm_stop && test_expect_code 2 run --engine slurm --out away --solver noop 2>err && test_grep "sbatch" err &&
  run --out away --solver noop >out && test_grep "^2 results" out &&
  test_expect_code 129 run --engine cluster --out other 2>err && test_grep "local or slurm" err
'
test_done
