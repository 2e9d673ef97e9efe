# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced after test-lib.sh. llama.cpp's server of Debian's newest suite, with the libc that it was built for, in a
# directory of the cache that is its root; the model is one of random weights (tests/helper/tiny-gguf.py).
#
#	llama_get CACHE || test_skip_all "$llama_why"	# downloaded once, by the machine's own apt
#	llama_start OPTION...				# sets $URL; its output is in llama/log
#	llama_stop; llama_kill	# politely; as a crash does

# llama_get CACHE: CACHE/llama/root holds the program. 1: $llama_why says why not.
llama_get() {
  llama_root=$1/llama/root
  [ ! -x "$llama_root/usr/bin/llama-server" ] || return 0
  local new=$1/llama/new.$$ todo=llama.cpp-tools seen=' ' name deb list
  mkdir -p "$new/root" "$new/debs" || return 1
  while [ -n "$todo" ]; do
    read -r name todo <<<"$todo"
    # What its maintainer scripts and other programs need is of no use here.
    case " debconf debconf-2.0 wget curl $seen" in *" $name "*) continue ;; esac
    seen="$seen$name "
    if ! deb=$(KPORT_CACHE_HOME=$1 test-tool apt sid "$name" - "$new/debs" 2>"$new/err") || ! dpkg-deb -x "$deb" "$new/root"; then
      llama_why="no $name for llama.cpp: $(tail -n 1 "$new/err")"
      rm -rf "$new"
      return 1
    fi
    list=$(dpkg-deb -f "$deb" Depends Pre-Depends | sed -n 's/^[A-Za-z-]*: //p' | tr ',' '\n' | sed 's/[|(:].*//; s/ //g')
    todo="$(echo "$list" | tr '\n' ' ')$todo"
  done
  for name in lib lib64 bin sbin; do ln -s "usr/$name" "$new/root/$name"; done
  mkdir -p "$new/root/proc" "$new/root/dev" "$new/root/tmp" "$new/root/run/m"
  rm -rf "$new/debs" "$llama_root"
  mv "$new/root" "$llama_root"
  rm -rf "$new"
  [ -x "$llama_root/usr/bin/llama-server" ] || { llama_why='its package holds no llama-server any more'; return 1; }
}

_llama_pid=
_llama_end() {
  [ -z "$_llama_pid" ] || { kill "$1" "$_llama_pid" && wait "$_llama_pid"; } 2>/dev/null
  _llama_pid=
  return 0
}
llama_stop() { _llama_end -TERM; }
llama_kill() { _llama_end -KILL; }

llama_start() {
  local port
  llama_stop
  mkdir -p "$TRASH/llama"
  [ -f "$TRASH/llama/model.gguf" ] || python3 "$ROOT/tests/helper/tiny-gguf.py" "$TRASH/llama/model.gguf" || return 1
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  bwrap --die-with-parent --unshare-pid --unshare-ipc --unshare-uts --ro-bind "$llama_root" / --dev /dev --proc /proc \
    --tmpfs /tmp --ro-bind "$TRASH/llama" /run/m --clearenv --setenv HOME /tmp \
    /usr/bin/llama-server --offline --model /run/m/model.gguf --host 127.0.0.1 --port "$port" --threads 1 "$@" \
    >"$TRASH/llama/log" 2>&1 3>&- 4>&- 5>&- &
  _llama_pid=$!
  URL=http://127.0.0.1:$port/v1
  for _ in $(seq 600); do
    ! python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "http://127.0.0.1:$port/health" 2>/dev/null || return 0
    kill -0 "$_llama_pid" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$TRASH/llama/log" >&2
  return 1
}

# How many of its places are at work.
llama_busy() {
  python3 -c 'import json, sys, urllib.request
print(sum(s["is_processing"] for s in json.load(urllib.request.urlopen(sys.argv[1]))))' "${URL%/v1}/slots"
}

# llama_until COUNT: waits until so many are at work
llama_until() {
  for _ in $(seq 200); do
    [ "$(llama_busy)" != "$1" ] || return 0
    sleep 0.05
  done
  return 1
}

_llama_at_exit() {
  llama_stop
  _at_exit
}
trap '(exit $?); _llama_at_exit' EXIT
unset OPENAI_API_KEY ANTHROPIC_API_KEY http_proxy https_proxy HTTPS_PROXY ALL_PROXY all_proxy no_proxy NO_PROXY
