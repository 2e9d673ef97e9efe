#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport bench run and score, on fake kernels'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"
. "$ROOT/tests/bench-trees.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'

kernels=(--kernel "$TRASH/k1=$TRASH/s1" --kernel "$TRASH/k2=$TRASH/s2")
run() { kport bench run -c v.jsonl "${kernels[@]}" "$@"; }
resolved() { kport bench score "$1" --json >score.json && test_json score.json '.runs[0].resolved.hits' "$2"; }

test_expect_success 'cases' '
  bench_trees && kport bench validate -c cases.jsonl "${kernels[@]}" --out v.jsonl >out && test_line_count = 2 v.jsonl
'

test_expect_success 'gold is resolved, no-op is not, the engine is' '
  run --gold --out gold >out && test_grep "2 resolved, 0 infra" out && resolved gold 2 &&
  test_json score.json ".runs[0].similar.delta.mean" 1.0 && test_json score.json ".runs[0].similar.exact.hits" 2 &&
  test_json score.json ".runs[0].equivalence.same_tokens.hits" 2 &&
  run --solver noop --out noop >out && resolved noop 0 && test_json score.json ".runs[0].similar.delta.mean" 0.0 &&
  run --out engine >out && resolved engine 2 && test_json score.json ".runs[0].gates.honest.all.hits" 2
'

test_expect_success 'runs are compared on the cases of both' '
  kport bench score noop engine --json >score.json && test_json score.json ".against_first[0].only_second" 2 &&
  test_json score.json ".against_first[0].mcnemar_p" 0.5
'

test_expect_success 'nothing is made twice; other settings are another run' '
  run --out engine >out && test_grep "2 were there, 0 made now" out &&
  rm engine/results/*.json && run --out engine >out && test_grep "0 were there, 2 made now" out &&
  test_expect_code 128 run --out engine --hints 2>err && test_line_count = 1 err && test_grep "other settings" err
'

test_expect_success 'an agent: workspace, task, no gold, no network, an answer by changed files or by patch' '
  cat >agent.sh <<\EOT &&
test -f "$KPORT_TASK" && test -d "$KPORT_KERNEL_TO/include" && ! test -e "$1/s2" && ! test -e "$1/v.jsonl" || exit 7
! (exec 3<>/dev/tcp/127.0.0.1/1) 2>/dev/null || exit 8
echo "{\"tokens_in\": 10, \"tokens_out\": 5, \"money\": 0.25, \"x\": 1}" >"$KPORT_COST"
sed -i "s/static int my_remove(\(.*\)) { return 0; }/static void my_remove(\1) { }/" "$KPORT_DRIVER"/drivers/misc/*.c
EOT
  run --agent "$(printf "set -- %s\n" "$TRASH"; cat agent.sh)" --out agent >out && resolved agent 2 &&
  test_json score.json ".runs[0].cost.tokens_in" 20.0 && test_json score.json ".runs[0].cost.money" 0.5 &&
  run --agent "cd /; printf %s\\\\n junk >\$KPORT_PATCH" --out junk >out && resolved junk 0 &&
  run --agent "ln -s /etc/passwd \$KPORT_PATCH; sleep 100" --timeout 1 --out slow >out && resolved slow 0 &&
  cat slow/results/*.json >all && test_grep "timeout" all && cat slow/patches/* >all && test_no_grep root all
'

test_expect_success 'several attempts' '
  run --agent "test \$KPORT_ATTEMPT = 1 || sed -i \"s/static int my_remove(\\(.*\\)) { return 0; }/static void my_remove(\\1) { }/\" \$KPORT_DRIVER/drivers/misc/*.c" \
    --attempts 2 --jobs 2 --out two >out && resolved two 2 &&
  test_json score.json ".runs[0].tries.pass_at.1" 0.5 && test_json score.json ".runs[0].tries.pass_at.2" 1.0 &&
  test_json score.json ".runs[0].tries.pass_all.2" 0.0 && test_json score.json ".runs[0].tries.flips.hits" 2
'

test_expect_success 'predictions: bad lines are named, the rest is graded' '
  python3 - <<\EOT &&
import json, glob, os
ids = [json.loads(l)["id"] for l in open("v.jsonl")]
gold = [open("gold/patches/%s.1.patch" % i).read() for i in ids]
with open("p.jsonl", "w") as f:
    w = lambda o: f.write(json.dumps(o) + "\n")
    w({"instance_id": ids[0], "model_name_or_path": "m", "model_patch": gold[0]})
    f.write("{nonsense\n")
    w({"case": ids[0], "patch": "again"})
    w({"case": "0" * 64, "patch": ""})
    w({"case": ids[1]})
    f.write("x" * 100000000 + "\n")
    w({"case": ids[1], "patch": "--- a/include/linux/widget.h\n+++ b/include/linux/widget.h\n@@ -1 +1 @@\n-a\n+b\n"})
EOT
  test_expect_code 1 kport bench score p.jsonl -c v.jsonl "${kernels[@]}" --out pred --json >score.json 2>err &&
  test_line_count = 5 err && test_grep "p.jsonl:2: no JSON" err && test_grep "p.jsonl:3: .*before" err &&
  test_grep "p.jsonl:4: the case is not known" err && test_grep "p.jsonl:6: a line of more than" err &&
  test_json score.json ".runs[0].resolved.hits" 1 && test_json score.json ".runs[0].refused" 1 &&
  cat pred/results/*.json >all && test_grep "widget.h., which is no part of the driver" all
'

test_expect_success 'baselines run with it are shown with it; those that were not are named' '
  run --solver rules --out withbase --baselines >out && test_grep "^baseline noop: 2 results" out &&
  test_grep "^baseline rules: 2 results" out && test_grep "^baseline sibling: 2 results" out &&
  kport bench score withbase --json >score.json && test_json score.json ".runs[1].baseline" noop &&
  test_json score.json ".runs[1].resolved.hits" 0 && test_json score.json ".runs[3].solver" sibling &&
  test_json score.json ".runs[3].resolved.hits" 2 &&
  kport bench score withbase >out && test_grep "^against withbase: only there" out
'

test_expect_success 'pages: nothing is loaded, no other script runs, markup of drivers is text' '
  run --agent "printf %s\\\\n \"--- a/<script>x</script>\" >\$KPORT_PATCH" --out evil >out &&
  kport bench report evil withbase --format html --out pages >out && test_grep "pages/index.html" out &&
  ls pages/cases >list && test_line_count = 2 list && cat pages/index.html pages/cases/*.html >all &&
  test_no_grep "<script>x" all && test_grep "&lt;script&gt;x" all && test_no_grep "https*:" all &&
  test_grep "default-src .none." all && test_grep "baseline sibling" all && test_grep "McNemar" all &&
  test_grep "kport bench run --baselines" all && test_grep "which is no part of the driver" all &&
  test_expect_code 129 kport bench report evil --format html 2>err && test_grep "out DIR" err &&
  test_expect_code 129 kport bench report evil gold 2>err && test_expect_code 128 kport bench report nowhere 2>err
'

test_expect_success 'an independent program computes the same' '
  for r in gold noop engine two pred junk; do
    kport bench score $r --json >score.json && "$ROOT/tests/helper/bench-score.py" $r s1 s2 score.json || return 1
  done
'

test_expect_success 'reports' '
  kport bench report pred >out && test_grep "^1 of 2 resolved, 0 infra" out &&
  kport bench report pred --format junit --out junit.xml && python3 -c "
import xml.etree.ElementTree as e
t = e.parse(\"junit.xml\").getroot()
assert (t.get(\"tests\"), t.get(\"failures\"), t.get(\"errors\")) == (\"2\", \"1\", \"0\") and len(t.findall(\".//failure\")) == 1
" &&
  kport bench report pred --format ktap >out && test_grep "^1..2" out && test_grep "^not ok . .* # refused" out
'

test_expect_success 'killed without warning: what is finished stays, the rest is made' '
  slow() { kport bench run -c v.jsonl "${kernels[@]}" --agent "test \$KPORT_ATTEMPT = 1 || sleep 2" --attempts 2 --out killed; } &&
  { slow >out 2>&1 & pid=$!; } &&
  for _ in $(seq 200); do ls killed/results/*.1.json >/dev/null 2>&1 && break; sleep 0.1; done &&
  { pkill -9 -P $pid; kill -9 $pid; wait $pid; true; } 2>/dev/null &&
  sum=$(cat killed/results/*.1.json | sha256sum) && slow >out && test_no_grep ": 0 were there" out &&
  test_grep "^4 results" out && ls killed/results >list && test_line_count = 4 list && test -n "$sum"
'
test_done
