#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='machines as an ordinary user: every command, without systemd, /dev/kvm, XDG_RUNTIME_DIR or /usr/sbin on PATH'

# shellcheck source=tests/machine-kernel.sh
. "$(dirname "$0")/../machine-kernel.sh"
machine_modules
record=$(test_json kernel.json .dir)
# Root becomes somebody who owns nothing; everybody else stays who he is.
id=$(id -u) become=()
if [ "$id" = 0 ]; then
  command -v setpriv >/dev/null || test_skip_all "root without setpriv cannot become somebody else"
  id=65534 become=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi

# The program as it is installed, in a place that everybody reaches, and a home with a cache of its own.
dir=$(mktemp -d /tmp/kt.XXXX) || exit 1
test_outside+=("$dir" /tmp/kport-65534)
install_for_all() {
  local f cache=$dir/home/.cache/kport
  mkdir -p "$dir/bin" "$dir/libexec/kport" "$cache/kernels/$kernel" &&
    cp "$BUILD/kport" "$dir/bin/" && cp "$BUILD"/libexec/kport-* "$dir/libexec/kport/" || return 1
  (cd "$ROOT" && find deps.txt checks harness -name '*.tsv' -o -name '*.config' -o -name '*.cocci' -o -name deps.txt) >files &&
    while read -r f; do install -D -m 644 "$ROOT/$f" "$dir/share/kport/$f" || return 1; done <files
  for f in kernel.json build image libs; do
    [ ! -e "$record/$f" ] || cp -al "$record/$f" "$cache/kernels/$kernel/" 2>/dev/null ||
      cp -r "$record/$f" "$cache/kernels/$kernel/" || return 1
  done
  # The files are the caller's own, by hard links: directories alone change hands.
  cp -r drv "$dir/home/" && chmod 755 "$dir" && find "$dir/home" -type d -exec chown "$id" {} +
}

user() {
  "${become[@]}" env -i -C "$dir/home" PATH=/usr/local/bin:/usr/bin:/bin HOME="$dir/home" LC_ALL=C "$dir/bin/kport" "$@"
}

processes() { pgrep -u "$id" -f "qemu-system-x86_64.*guest=kport-.*$dir/" || :; }

# gates FILE: the machine's gates in a line
gates() {
  local gate
  for gate in boot load unload probe; do test_json "$1" ".gates.$gate.verdict"; done | tr '\n' ' '
}

# passes OPTION...: kport boot, into boot.json
passes() {
  user boot drv --kernel "$kernel" --json "$@" >boot.json
  [ "$(gates boot.json)" = "PASS PASS PASS PASS " ] || { cat boot.json; return 1; }
}

# signalled BACKEND SIGNAL: a run gets the signal when its emulator runs.
signalled() {
  local i shell
  user boot drv --kernel "$kernel" --fresh --config machine.backend="$1" >/dev/null 2>&1 &
  shell=$!
  for i in $(seq 600); do [ -n "$(processes)" ] && break; sleep 0.1; done
  [ -n "$(processes)" ] && pkill "-$2" -u "$id" -f "^$dir/bin/kport boot" || return 1
  wait "$shell"
  sleep 0.5
}

# What lies in the cache of runs that did not clean up.
left_over() { find "$dir/home/.cache/kport" -maxdepth 1 -name "check-*"; }

test_expect_success 'installed where everybody reaches it' '
  mkdir drv && cp "$FIXTURES/machine/faults/kf_edu.c" drv/ && echo "obj-m := kf_edu.o" >drv/Makefile && install_for_all
'

test_expect_success 'kport doctor finds the tools that are not on PATH; kernels and devices are listed' '
  { user doctor --json >doctor.json; test $? -le 2; } && ! grep -A3 "\"name\": *\"depmod\"" doctor.json | grep bad &&
  user kernel list --json >out.json && test_json out.json "[0].name" "$kernel" &&
  user devices --kernel "$kernel" >out && test_grep "^edu " out &&
  user devices --kernel "$kernel" --driver drv --json >out.json && test_json out.json "[0].device" edu
'

test_expect_success 'kport boot: from a saved machine, and once more from the same' '
  passes && passes && test_json boot.json .gates.boot.data.from snapshot &&
  [ "$(find "$dir/home/.cache/kport/machine/states" -name state | wc -l)" = 1 ]
'

test_expect_success 'kport boot, afresh by libvirt and by QEMU alone' '
  passes --fresh && passes --fresh --config machine.backend=qemu &&
  user devices --stats >stats && test_grep fresh stats && test_grep snapshot stats
'

test_expect_success 'kport check with the gates of the machine' '
  user check drv --kernel "$kernel" --gates compile,link,boot,load,unload,probe,exercise --boot-from snapshot --json >check.json &&
  [ "$(gates check.json)" = "PASS PASS PASS PASS " ]
'

test_expect_success 'interrupted: nothing is left' '
  signalled libvirt TERM && [ -z "$(processes)" ] && [ -z "$(left_over)" ]
'

test_expect_success 'killed: the next run ends the emulator, one of a later day takes the directory' '
  signalled qemu KILL && [ -z "$(processes)" ] &&
  signalled libvirt KILL && [ -n "$(processes)" ] && passes && [ -z "$(processes)" ] &&
  left_over >left && test_line_count = 2 left &&
  xargs touch -d "2 days ago" <left && passes && [ -z "$(left_over)" ]
'

test_expect_success 'nothing is left: no process, no file of a machine, no shared memory' '
  [ -z "$(processes)" ] && [ -z "$(find /dev/shm -user "$id")" ] &&
  [ -z "$(find "$dir/home" /tmp -maxdepth 4 -user "$id" \( -name "tmp-machine-*" -o -name "kvm-probe-*" -o -type s \) 2>/dev/null)" ]
'

test_done
