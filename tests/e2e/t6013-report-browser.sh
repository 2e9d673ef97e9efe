#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='the HTML report in a real browser: sorted, filtered, dark, nothing loaded'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"
. "$ROOT/tests/bench-trees.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
command -v chromium >/dev/null || test_skip_all 'no chromium here (apt-get install chromium)'

kernels=(--kernel "$TRASH/k1=$TRASH/s1" --kernel "$TRASH/k2=$TRASH/s2")
browse() { timeout 120 "$ROOT/tests/helper/browser.py" "$@"; }
# The drivers of the table of cases that are shown, in the order in which they stand.
shown='[...[...document.querySelectorAll("table.sort")].at(-1).tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[1].textContent.split("/").at(-1)).join(" ")'
head='[...document.querySelectorAll("table.sort")].at(-1).tHead.rows[0].cells[1]'
type() { printf '(() => { const q = [...document.querySelectorAll("input")].at(-1); q.value = "%s"; q.dispatchEvent(new Event("input")) })()' "$1"; }

test_expect_success 'pages of a run of two cases' '
  bench_trees && kport bench validate -c cases.jsonl "${kernels[@]}" --out v.jsonl >out && test_line_count = 2 v.jsonl &&
  kport bench run -c v.jsonl "${kernels[@]}" --gold --baselines --out gold >out &&
  kport bench report gold --format html --out pages >out
'

test_expect_success 'sorted up, down and by the keyboard; filtered' '
  browse pages/index.html "$head.click()" "$shown" "$head.click()" "$shown" \
    "$head.dispatchEvent(new KeyboardEvent(\"keydown\", { key: \"Enter\" }))" "$shown" \
    "$(type cb.c)" "$shown" "[...document.querySelectorAll(\"output\")].at(-1).textContent" "$(type "-cb.c")" "$shown" "$(type nothing)" "$shown" >out &&
  printf "%s\n" null "\"cb.c cc.c\"" null "\"cc.c cb.c\"" true "\"cb.c cc.c\"" null "\"cb.c\"" "\"1 of 2\"" null "\"cc.c\"" null "\"\"" >want &&
  test_cmp want out
'

test_expect_success 'dark and light; no wider than a phone' '
  colours="getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color" &&
  browse pages/index.html --dark --shot dark.png "$colours" >dark && browse pages/index.html --width 400 "$colours" "document.documentElement.scrollWidth <= 400" >light &&
  test_grep "rgb(20, 23, 26)" dark && test_grep "rgb(255, 255, 255)" light && test_grep "^true" light && test -s dark.png
'

test_expect_success 'the page of a case: gates and patch; every link leads to a page' '
  page=$(ls pages/cases/*.html | head -n 1) &&
  browse "$page" "document.querySelectorAll(\".u .a\").length > 0 && document.querySelectorAll(\".u .d\").length > 0" \
    "[...document.querySelectorAll(\"h2\")].map(h => h.textContent).includes(\"Gates\")" >out && test_no_grep false out &&
  browse pages/index.html "[...document.links].map(l => l.href).join(\" \")" >links &&
  for l in $(tr -d "\"" <links); do test_path_is_file "${l#file://}" || return 1; done
'

test_expect_success 'the helper does see errors and requests' '
  echo "<script>console.error(1); fetch(\"http://127.0.0.1:9/x\").catch(() => 0)</script>" >bad.html && test_expect_code 1 browse bad.html 1 2>err >out &&
  test_grep "^console" err && test_grep "^request: http" err
'
test_done
