#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport ask: back ends against a scripted server on a real socket'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/model-server.sh"

command -v python3 >/dev/null || test_skip_all 'no python3'

ask() { kport ask --config agents.retry-pause=0.05 "$@"; }
openai() { ask --model openai:m --url "$URL" "$@"; }
anthropic() { ask --model anthropic:m --url "$URL" "$@"; }
one_line() {
  local want=$1
  shift
  # shellcheck disable=SC2283 # a comparison
  test_expect_code "$want" "$@" 2>err >out && test_line_count = 1 err && cat err
}

test_expect_success 'chat completions: a stream, its usage, what was sent' '
  model_start <<\EOS &&
[{"text": "hello, this is the answer of the model"}]
EOS
  openai --system "be brief" --json "who is there?" >out &&
  test_json out .text "hello, this is the answer of the model" &&
  test_json out .model scripted && test_json out .finish stop &&
  test_json out .tokens_in 10 && test_json out .tokens_out 5 && test_json out .attempts 1 &&
  test_json server/requests.jsonl .path /v1/chat/completions &&
  test_json server/requests.jsonl ".body.messages[0].content" "be brief" &&
  test_json server/requests.jsonl ".body.messages[1].content" "who is there?"
'

test_expect_success 'messages: a stream, its usage, what was sent' '
  model_start <<\EOS &&
[{"text": "hello again"}]
EOS
  anthropic --system "be brief" --json "who?" >out &&
  test_json out .text "hello again" && test_json out .finish end_turn &&
  test_json out .tokens_in 10 && test_json out .tokens_out 5 &&
  test_json server/requests.jsonl .path /v1/messages &&
  test_json server/requests.jsonl .version 2023-06-01 &&
  test_json server/requests.jsonl .body.system "be brief"
'

test_expect_success 'usage that is not reported is unknown; text is printed as it comes' '
  model_start <<\EOS &&
[{"text": "one", "usage": null}, {"text": "two", "stream": false}, {"text": "three", "stream": false, "usage": null}]
EOS
  openai q1 >out 2>err && test "$(cat out)" = one && test_grep "tokens in unknown, out unknown" err &&
  openai q2 >out 2>err && test "$(cat out)" = two && test_grep "tokens in 10, out 5" err &&
  anthropic --json q3 >out && test_json out .text three && test_json out .tokens_in unknown
'

test_expect_success 'overload and trouble are tried again' '
  model_start <<\EOS &&
[{"status": 429, "body": "{\"error\": {\"message\": \"slow down\"}}"}, {"status": 503, "body": "busy"},
 {"text": "cut here", "chunk": 2, "cut": 2}, {"text": "there"}]
EOS
  openai --json q >out && test_json out .text there && test_json out .attempts 4 && test "$(model_requests)" = 4
'

test_expect_success 'trouble inside of a stream is tried again, and a stream without its end is none' '
  model_start <<\EOS &&
[{"text": "a", "error": "overloaded_error"}, {"text": "b", "done": false}, {"text": "c"}]
EOS
  anthropic --json q >out && test_json out .text c && test_json out .attempts 3
'

test_expect_success 'Retry-After is waited for' '
  model_start <<\EOS &&
[{"status": 429, "headers": {"Retry-After": "2"}, "body": "{}"}, {"text": "ok"}]
EOS
  start=$(date +%s%N) && openai --json q >out && end=$(date +%s%N) &&
  test_json out .attempts 2 && test $(((end - start) / 1000000)) -ge 2000
'

test_expect_success 'one that is too long is not' '
  model_start <<\EOS &&
[{"status": 429, "headers": {"Retry-After": "4000"}, "body": "{}"}]
EOS
  one_line 2 openai q && test_grep "asks to wait for 4000 seconds" err && test "$(model_requests)" = 1
'

test_expect_success 'it gives up after its tries' '
  model_start <<\EOS &&
[{"status": 500, "body": "{\"error\": {\"message\": \"broken\"}}", "times": 0}]
EOS
  one_line 2 openai --config agents.retries=2 q && test_grep "answered 500: broken (after 3 tries)" err &&
  test "$(model_requests)" = 3
'

test_expect_success 'what another try cannot help is not tried again' '
  model_start <<\EOS &&
[{"status": 401, "body": "{\"error\": {\"message\": \"no such key\"}}"}, {"status": 404, "body": "<html>"},
 {"status": 400, "body": "{\"error\": {\"message\": \"bad\\u001b[31m\\nrequest\"}}"}]
EOS
  one_line 128 openai q && test_grep "answered 401: no such key; is the key right?" err &&
  one_line 128 openai q && test_grep "answered 404: <html>; are address and model right?" err &&
  one_line 128 openai q && test_grep -F "answered 400: bad?[31m request" err && test "$(model_requests)" = 3
'

test_expect_success 'a slow drip ends at the limit' '
  model_start <<\EOS &&
[{"text": "0123456789012345678901234567890123456789", "chunk": 1, "drip": 0.5, "times": 0}]
EOS
  start=$(date +%s) && one_line 2 openai --timeout 1.5 --config agents.retries=0 q && end=$(date +%s) &&
  test_grep -i "time" err && test $((end - start)) -le 6
'

test_expect_success 'silence ends at its limit, and no connection at its own' '
  model_start <<\EOS &&
[{"text": "x", "delay": 20, "times": 0}]
EOS
  start=$(date +%s) && one_line 2 openai --config agents.idle-timeout=1 --config agents.retries=0 q &&
  one_line 2 ask --model openai:m --url http://127.0.0.1:9/v1 --config agents.retries=1 q && end=$(date +%s) &&
  test_grep "after 2 tries" err && test $((end - start)) -le 10
'

test_expect_success 'an answer of 200 MB is cut off early' '
  model_start <<\EOS &&
[{"mib": 200, "times": 0}]
EOS
  one_line 128 openai q && test_grep "longer than 1048576 bytes" err && test "$(model_requests)" = 1
'

test_expect_success 'bytes that are no UTF-8 do no harm, what is no JSON is refused' '
  model_start <<\EOS &&
[{"stream": false, "body": "{\"choices\": [{\"message\": {\"content\": \"caf\u00e9\"}}]}"},
 {"body": "{\"choi"}, {"body": "data: {\"choices\": [\n\n", "type": "text/event-stream"}, {"body": "[]"}]
EOS
  openai --json q >out && test_json out .text "caf�" &&
  one_line 128 openai q && test_grep "no JSON" err &&
  one_line 128 openai q && test_grep "event that is no JSON" err &&
  one_line 128 openai q && test_grep "no choices" err
'

test_expect_success 'a server that keeps the connection open behind the end' '
  model_start <<\EOS &&
[{"text": "x", "hang": true}, {"text": "y", "hang": true}]
EOS
  start=$(date +%s) && openai q && anthropic q && end=$(date +%s) && test $((end - start)) -le 10
'

test_expect_success 'exchanges are recorded and answered from the record, with the server gone' '
  model_start <<\EOS &&
[{"text": "first"}, {"text": "second"}]
EOS
  openai --exchanges rec.jsonl --json q >a && openai --exchanges rec.jsonl --json q >b &&
  test_json b .replayed true && test_json b .text first && test "$(model_requests)" = 1 &&
  openai --exchanges rec.jsonl --sample 1 --json q >c && test_json c .text second &&
  test_line_count = 2 rec.jsonl && test "$(stat -c %a rec.jsonl)" = 600 &&
  model_stop &&
  ask --model replay --exchanges rec.jsonl q >r1 && ask --model replay --exchanges rec.jsonl q >r2 && test_cmp r1 r2 &&
  test "$(cat r1)" = first &&
  one_line 128 ask --model replay --exchanges rec.jsonl other && test_grep "has no answer to this question" err
'

test_expect_success 'an answer with zero bytes is used as the record has it' '
  model_start <<\EOS &&
[{"text": "before\u0000after"}, {"text": "streamed\u0000\u0000"}]
EOS
  openai --exchanges zero.jsonl --json q >first && ask --model replay --exchanges zero.jsonl --json q >second &&
  test_json first .text "before�after" && test_json second .text "before�after" &&
  openai --exchanges zero.jsonl r >first && test_grep "^streamed��$" first &&
  ask --model replay --exchanges zero.jsonl r >second && test_cmp first second
'

test_expect_success 'a torn last line is no exchange and is cut off' '
  model_start <<\EOS &&
[{"text": "again"}]
EOS
  printf "{\"request_hash\": \"abc" >>rec.jsonl &&
  ask --model replay --exchanges rec.jsonl q >r3 && test_cmp r1 r3 &&
  openai --exchanges rec.jsonl new >out && test_line_count = 3 rec.jsonl && head -n 1 rec.jsonl >first && test_json first .reply.text first &&
  echo "{}" >bad.jsonl && one_line 128 ask --model replay --exchanges bad.jsonl q && test_grep "line 1 is no exchange" err
'

test_expect_success 'killed behind an exchange, it is not paid again' '
  model_start <<\EOS &&
[{"text": "paid once"}, {"text": "never comes", "delay": 60, "times": 0}]
EOS
  openai --exchanges kill.jsonl one &&
  { kport ask --model openai:m --url "$URL" --exchanges kill.jsonl two & pid=$!; } &&
  for i in $(seq 100); do test "$(model_requests)" = 2 && break; sleep 0.05; done &&
  kill -9 $pid && { wait $pid || true; } &&
  openai --exchanges kill.jsonl --json one >out && test_json out .replayed true && test_json out .text "paid once" &&
  test "$(model_requests)" = 2
'

key=sk-test-0123456789abcdef
test_expect_success 'a key from the environment goes into the header and nowhere else' '
  sha=$(printf "Bearer %s" $key | sha256sum | cut -d" " -f1) &&
  model_start <<EOS &&
[{"text": "you said $key?"}, {"status": 400, "body": "{\"error\": {\"message\": \"wrong: $key\"}}"}]
EOS
  OPENAI_API_KEY=$key openai --exchanges key.jsonl --verbose "my key is $key" >out 2>err &&
  test_json server/requests.jsonl .keys.authorization $sha &&
  test_no_grep $key key.jsonl && test_no_grep $key err && test_no_grep "$key" server/requests.jsonl &&
  test_grep -F "[redacted]" key.jsonl &&
  OPENAI_API_KEY=$key test_expect_code 128 openai other 2>err && test_no_grep $key err && test_grep redacted err
'

test_expect_success 'a key from a file that only its owner reads' '
  model_start <<\EOS &&
[{"text": "x"}, {"text": "y"}]
EOS
  echo $key >keyfile && chmod 644 keyfile &&
  one_line 128 anthropic --config agents.key-file=keyfile q && test_grep "can be read by others" err &&
  chmod 600 keyfile && anthropic --config agents.key-file=keyfile q &&
  test_json server/requests.jsonl ".keys.x-api-key" "$(printf %s $key | sha256sum | cut -d" " -f1)" &&
  ln -s keyfile link && one_line 128 anthropic --config agents.key-file=link q &&
  printf "a\nb\n" >two && chmod 600 two && one_line 128 anthropic --config agents.key-file=two q &&
  test_grep "not one line" err
'

test_expect_success 'while it waits, its memory cannot be read and it leaves no core' '
  model_start <<\EOS &&
[{"text": "x", "delay": 5, "times": 0}]
EOS
  { OPENAI_API_KEY=$key kport ask --model openai:m --url "$URL" q >/dev/null 2>&1 & pid=$!; } &&
  for i in $(seq 100); do test "$(model_requests)" = 1 && break; sleep 0.05; done &&
  grep "Max core file size *0 *0" /proc/$pid/limits &&
  { ! tr "\0" "\n" </proc/$pid/environ | grep -q $key; } &&
  kill $pid && { wait $pid || true; }
'

test_expect_success 'a key is not sent in the clear, and wrong addresses are told' '
  OPENAI_API_KEY=$key one_line 128 ask --model openai:m --url http://example.com/v1 q && test_grep "in the clear: use https" err &&
  OPENAI_API_KEY=$key one_line 128 ask --model openai:m --url http://127.example.com/v1 q && test_grep "in the clear: use https" err &&
  OPENAI_API_KEY=$key one_line 128 ask --model openai:m --url http://127.0.0.1:1/v1 --config agents.proxy=http://192.0.2.1:1 q &&
  test_grep "in the clear through a proxy" err &&
  one_line 128 ask --model openai:m --url http:// q && test_grep "no http or https address" err &&
  one_line 128 ask --model openai:m --url ftp://127.0.0.1/v1 q && test_grep "no http or https address" err &&
  one_line 128 ask --model openai:m q && test_grep "OPENAI_API_KEY" err &&
  one_line 128 ask --model nobody:m q && test_grep "neither openai:NAME" err &&
  one_line 129 ask q && one_line 129 ask --model openai:m
'

# A server that takes no connection: its queue is full. unready CMD...
unready() {
  python3 - "$@" <<\EOP
import socket, subprocess, sys
with socket.socket() as s:
    s.bind(('127.0.0.1', 0))
    s.listen(0)
    held = []
    for _ in range(8):
        c = socket.socket()
        c.setblocking(False)
        c.connect_ex(s.getsockname())
        held.append(c)
    sys.exit(subprocess.run([a.replace('@', str(s.getsockname()[1])) for a in sys.argv[1:]]).returncode)
EOP
}

test_expect_success 'a connection that never comes about ends at its own limit' '
  start=$(date +%s) && one_line 2 unready kport ask --model openai:m --url http://127.0.0.1:@/v1 --config agents.connect-timeout=1 \
    --config agents.retries=0 q && end=$(date +%s) && test_grep -i "time" err && test $((end - start)) -le 8
'

# certificate NAME HOST: an authority NAME.ca and, signed by it, NAME.crt and NAME.key for HOST
certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1.ca.key" -out "$1.ca" -days 2 -subj "/CN=authority of $1" >/dev/null 2>&1 &&
  openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$1" >/dev/null 2>&1 &&
  printf "subjectAltName=%s\n" "$2" >"$1.ext" &&
  openssl x509 -req -in "$1.csr" -CA "$1.ca" -CAkey "$1.ca.key" -CAcreateserial -days 2 -extfile "$1.ext" -out "$1.crt" >/dev/null 2>&1
}
test_lazy_prereq OPENSSL 'command -v openssl' 'no openssl'

test_expect_success OPENSSL 'an authority of the user is believed, and nobody else' '
  certificate house IP:127.0.0.1 && certificate other IP:127.0.0.1 && certificate elsewhere DNS:model.example &&
  MODEL_CERT=house model_start <<\EOS &&
[{"text": "in private", "times": 0}]
EOS
  one_line 2 openai --config agents.retries=0 q && test_grep "agents.ca-file" err && test "$(model_requests)" = 0 &&
  one_line 2 openai --config agents.retries=0 --config agents.ca-file=other.ca q && test_grep "agents.ca-file" err &&
  one_line 2 openai --config agents.retries=0 --config agents.ca-file=none.ca q && test "$(model_requests)" = 0 &&
  OPENAI_API_KEY=$key openai --config agents.ca-file=house.ca --json q >out && test_json out .text "in private" &&
  test_json server/requests.jsonl .keys.authorization "$(printf "Bearer %s" $key | sha256sum | cut -d" " -f1)" &&
  MODEL_CERT=elsewhere model_start <<\EOS &&
[{"text": "not for 127.0.0.1", "times": 0}]
EOS
  one_line 2 openai --config agents.retries=0 --config agents.ca-file=elsewhere.ca q && test "$(model_requests)" = 0
'

test_expect_success OPENSSL 'a proxy carries TLS and reads none of it' '
  mkdir -p proxy && echo "[]" >proxy/script.json && { python3 "$ROOT/tests/helper/model-server.py" proxy/script.json proxy 3>&- 4>&- 5>&- & pid=$!; } &&
  for i in $(seq 200); do test -f proxy/port && break; sleep 0.05; done &&
  MODEL_CERT=house model_start <<\EOS &&
[{"text": "tunnelled"}]
EOS
  { OPENAI_API_KEY=$key openai --config agents.ca-file=house.ca --config agents.proxy=http://127.0.0.1:$(cat proxy/port) --json q >out; rc=$?; kill $pid; test $rc = 0; } &&
  test_json out .text tunnelled && test "https://$(cat proxy/connects)/v1" = "$URL" && test_path_is_missing proxy/requests.jsonl
'

test_expect_success 'the proxy of the environment does not see a key' '
  model_start <<\EOS &&
[{"text": "straight"}]
EOS
  OPENAI_API_KEY=$key http_proxy=http://127.0.0.1:1 ask --model openai:m --url "$URL" --json q >out && test_json out .text straight
'

test_expect_success 'a proxy is used, and money is counted from the table of prices' '
  model_start <<\EOS &&
[{"text": "through", "usage": [1000000, 500000]}]
EOS
  printf "# model in out currency\nopenai:* 2 4 EUR\n" >prices &&
  ask --model openai:m --url http://127.0.0.2:1/v1 --config agents.proxy="${URL%/v1}" --config agents.prices=prices --json q >out &&
  test_json out .text through && test_json out .cost 4.0 && test_json out .currency EUR
'

test_expect_success '--dump-prompt sends nothing' '
  model_start <<\EOS &&
[{"text": "x"}]
EOS
  openai --dump-prompt --grammar "root ::= [a-z]" q >out && test_json out .model m && test_json out ".messages[0].content" q &&
  test_json out .grammar "root ::= [a-z]" && test "$(model_requests)" = 0
'

test_expect_success 'kport doctor says whether the model answers' '
  model_start <<\EOS &&
[]
EOS
  doctor() { kport doctor --json "$@" >out || test $? = 1; } &&
  model_line() { python3 -c "import json; [print(c[\"status\"], c.get(\"version\"), c.get(\"detail\")) for c in json.load(open(\"out\"))[\"checks\"] if c[\"name\"] == \"model\"]"; } &&
  doctor && model_line >line && test_grep "^ok None none is set" line &&
  doctor --config agents.model=openai:m --config agents.url="$URL" && model_line >line && test_grep "^ok openai:m None" line &&
  model_stop && doctor --config agents.model=openai:m --config agents.url="$URL" && model_line >line && test_grep "^note openai:m .*onnect" line
'

test_done
