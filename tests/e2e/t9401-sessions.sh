#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='real drivers that the engine leaves: sessions whose replies were written by hand (no model, no score of one)'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/model-server.sh"
export KPORT_CACHE_HOME=$caller_cache

command -v python3 >/dev/null || test_skip_all 'no python3'

# has_kernel NAME: with source
has_kernel() {
  local source
  kport kernel show --json "$1" >kernel.json 2>/dev/null || return 1
  source=$(test_json kernel.json .source_dir)
  case $source in "" | null | /*) ;; *) source=$(test_json kernel.json .dir)/$source ;; esac
  [ -d "$source/drivers" ] && echo "$source"
}

# session FILE: data/sessions/NAME.txt as a script of the server; sets driver, from, to
session() {
  driver=$(sed -n 's/^driver: //p' "$1") from=$(sed -n 's/^from: //p' "$1") to=$(sed -n 's/^to: //p' "$1")
  python3 - "$1" >script.json <<\EOP
import json, sys
steps = []
for line in open(sys.argv[1], encoding='utf-8'):
    if line.startswith('=== '):
        steps.append({'match': line[4:].strip(), 'text': '', 'usage': None})
    elif steps:
        steps[-1]['text'] += line
# What was asked later in a dialogue also has what was said before: the last that fits comes first.
print(json.dumps(steps[::-1]))
EOP
}

for f in "$ROOT"/tests/data/sessions/*.txt; do
  name=$(basename "$f" .txt)
  session "$f" || exit 1
  test_lazy_prereq "K_${name//-/_}" "has_kernel $to && has_kernel $from" "kernel $from or $to with source is not here"
  test_expect_success "K_${name//-/_}" "$name: $from -> $to" '
    session "$f" && model_start <script.json && source=$(has_kernel "$from") && has_kernel "$to" &&
    kport port "$source/$driver" --from "$from" --to "$to" --gates apply,compile,link,honest --no-boot \
      --generator model --model openai:by-hand --model-url "$URL" --out "$name" --json >out.json &&
    test_json out.json .outcome "ported, review these edits" &&
    test_grep "^Assisted-by: kport:" "$name"/series/*.patch &&
    model_stop && kport port "$source/$driver" --from "$from" --to "$to" --gates apply,compile,link,honest --no-boot \
      --generator replay --exchanges "$name/exchanges.jsonl" --out "$name-again" >again.out &&
    diff -r "$name/series" "$name-again/series"
  '
done

test_done
