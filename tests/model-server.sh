# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced after test-lib.sh. model_start reads a script (tests/helper/model-server.py) from standard input, starts the
# server and sets $URL; the requests are in server/requests.jsonl; model_stop ends it. It stands in for the remote model alone.
# With MODEL_CERT=NAME it serves over TLS by NAME.crt and NAME.key.

_model_pid=
model_stop() {
  [ -z "$_model_pid" ] || { kill "$_model_pid" && wait "$_model_pid"; } 2>/dev/null
  _model_pid=
  return 0
}

model_start() {
  model_stop
  rm -rf "$TRASH/server" && mkdir "$TRASH/server" && cat >"$TRASH/server/script.json" || return 1
  python3 "$ROOT/tests/helper/model-server.py" "$TRASH/server/script.json" "$TRASH/server" ${MODEL_CERT:+"$MODEL_CERT.crt" "$MODEL_CERT.key"} 3>&- 4>&- 5>&- &
  _model_pid=$!
  for _ in $(seq 200); do
    [ -f "$TRASH/server/port" ] && break
    sleep 0.05
  done
  URL=http${MODEL_CERT:+s}://127.0.0.1:$(cat "$TRASH/server/port")/v1
}

# How many requests the server has seen.
model_requests() {
  if [ -f "$TRASH/server/requests.jsonl" ]; then wc -l <"$TRASH/server/requests.jsonl"; else echo 0; fi
}

_model_at_exit() {
  model_stop
  _at_exit
}
trap '(exit $?); _model_at_exit' EXIT
unset OPENAI_API_KEY ANTHROPIC_API_KEY http_proxy https_proxy HTTPS_PROXY ALL_PROXY all_proxy no_proxy NO_PROXY
