#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description="llama.cpp's server with a model of random weights: the back ends and the whole loop against a real server"

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"
. "$ROOT/tests/llama-server.sh"

command -v python3 >/dev/null || test_skip_all 'no python3'
test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
llama_get "$caller_cache" || test_skip_all "$llama_why"

ask() { kport ask --config agents.retry-pause=0.05 --model openai:random --url "$URL" "$@"; }
# ends CODE COMMAND...: with one line on standard error
ends() {
  local want=$1
  shift
  # shellcheck disable=SC2283 # a comparison
  test_expect_code "$want" "$@" 2>err >out && test_line_count = 1 err && cat err
}

test_expect_success 'a stream, usage as the server counts it, an answer that is cut at its length' '
  llama_start --ctx-size 65536 --parallel 2 &&
  ask --max-tokens 40 --json "say something" >out && test_json out .tokens_out 40 && test_json out .finish length &&
  test "$(test_json out .tokens_in)" -gt 13 && test_json out .attempts 1 && test_json out .model /run/m/model.gguf
'

test_expect_success 'a grammar binds the answer, which ends by itself' '
  for i in 1 2 3; do
    ask --max-tokens 300 --sample $i --grammar "root ::= \"GIVE UP: \" [a-z]{3,9} \"\\n\"" --json "say something" >out &&
    test_json out .finish stop && test_json out .text >text && test_grep -x "GIVE UP: [a-z]\{3,9\}" text || return 1
  done
'

test_expect_success 'the same server speaks the other protocol as well' '
  kport ask --model anthropic:random --url "$URL" --max-tokens 30 --json "say something" >out && test_json out .tokens_out 30 &&
  test_json out .finish max_tokens
'

test_expect_success 'a question that is longer than its window is refused with its words, and not tried again' '
  head -c 200000 /dev/zero | tr "\0" x >long && ends 128 ask - <long && test_grep "answered 400" err
'

test_expect_success 'what was answered is recorded and replayed with the server gone' '
  ask --exchanges rec.jsonl --max-tokens 60 q >a && llama_stop && ask --exchanges rec.jsonl --max-tokens 60 q >b &&
  kport ask --model replay --exchanges rec.jsonl --max-tokens 60 q >c && test_cmp a b && test_cmp a c
'

test_expect_success 'an answer that does not end: the time limit ends it, and the server is let go' '
  llama_start --ctx-size 65536 --parallel 1 --ignore-eos && start=$(date +%s) &&
  ends 2 ask --max-tokens 60000 --timeout 1 --config agents.retries=0 q && end=$(date +%s) &&
  test $((end - start)) -le 20 && llama_until 0
'

test_expect_success 'a client that is killed in the middle of a stream leaves nothing behind and can ask again' '
  { kport ask --model openai:random --url "$URL" --max-tokens 60000 --exchanges killed.jsonl q >part 2>/dev/null & pid=$!; } &&
  llama_until 1 && kill -9 $pid && { wait $pid || true; } && llama_until 0 && test ! -s killed.jsonl &&
  ask --exchanges killed.jsonl --max-tokens 20 --json q >out && test_json out .tokens_out 20 && test_line_count = 1 killed.jsonl
'

test_expect_success 'more clients than places: each waits for its turn' '
  for i in 1 2 3 4 5 6; do ask --max-tokens 400 --sample $i --json q >many.$i & done && wait $(jobs -p | grep -vx "$_llama_pid") &&
  for i in 1 2 3 4 5 6; do test_json many.$i .tokens_out 400 || return 1; done
'

test_expect_success 'one that waits longer than it may gives up after its tries' '
  { kport ask --model openai:random --url "$URL" --max-tokens 60000 hog >/dev/null 2>&1 & pid=$!; } && llama_until 1 &&
  ends 2 ask --timeout 0.3 --config agents.retries=1 q && test_grep "after 2 tries" err &&
  kill -9 $pid && { wait $pid || true; } && llama_until 0
'

test_expect_success 'a server that dies in the middle of a stream is told, and nothing of the answer is kept' '
  { kport ask --config agents.retry-pause=0.05 --config agents.retries=1 --model openai:random --url "$URL" \
      --max-tokens 60000 --exchanges died.jsonl q >/dev/null 2>died.err & pid=$!; } &&
  llama_until 1 && llama_kill && { wait $pid; test $? = 2; } && test_grep "after 2 tries" died.err && test ! -s died.jsonl
'

test_expect_success 'one that comes back is asked again' '
  llama_start --ctx-size 65536 --parallel 1 && ask --max-tokens 10 --json q >out && test_json out .tokens_out 10
'

# The whole loop, on a driver of which the engine leaves one function.
fake_kernel k1 1 && fake_kernel k2 2 || exit 1
mkdir drv && echo 'obj-m := widget.o' >drv/Kbuild && cat >drv/widget.c <<\EOC
#include <linux/module.h>
#include <linux/widget.h>

static int my_remove(struct widget *w)
{
	widget_poke(w);
	return 0;
}

static const struct widget_ops ops = {
	.name = "my",
	.remove = my_remove,
};

int init_module(void)
{
	return widget_register(&ops);
}
MODULE_LICENSE("GPL");
EOC
sed -i 's/widget_poke/widget_nudge/g' k1/include/linux/widget.h k1/Module.symvers drv/widget.c

test_expect_success 'the whole loop ends as not ported, with the engine'"'"'s work kept and every exchange in the record' '
  test_expect_code 1 kport port drv --from k1 --to k2 --no-boot --gates apply,compile,link,honest --generator hybrid \
    --model openai:random --model-url "$URL" --max-tokens 500 --samples 2 --budget rounds=2 --json >out.json &&
  test_json out.json .outcome "not ported" && test "$(test_json out.json .model.exchanges)" -ge 2 &&
  test "$(test_json out.json .model.tokens_in)" -gt 1000 && test_json out.json .model.exchanges_without_usage 0 &&
  test "$(wc -l <port-drv/exchanges.jsonl)" = "$(test_json out.json .model.exchanges)" &&
  test_grep "^static void my_remove" port-drv/tree/widget.c && test_grep "widget_nudge(w);" port-drv/tree/widget.c &&
  kport audit verify port-drv/audit.jsonl
'

test_expect_success 'and its replay takes the same way' '
  llama_stop && test_expect_code 1 kport port drv --from k1 --to k2 --no-boot --gates apply,compile,link,honest --generator replay \
    --exchanges port-drv/exchanges.jsonl --max-tokens 500 --budget rounds=2 --out again --json >again.json &&
  test_cmp port-drv/port.patch again/port.patch && test_json again.json .model.exchanges "$(test_json out.json .model.exchanges)"
'

test_done
