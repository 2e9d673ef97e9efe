#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport devices and kport boot without a machine: a QEMU of ours, wrong usage, counts'

# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"

# A QEMU that has but a few devices, and counts how often it is asked.
mkdir bin && cat >bin/qemu-few <<'END'
#!/bin/sh
echo x >>"$HOME/asked"
case $1 in
--version) echo "QEMU emulator version 9.9.1 (of ours)" ;;
-device) printf '%s\n' 'Network devices:' 'name "e1000", bus PCI, alias "e1000-82540em", desc "a name "rtl8139""' \
  'name "usb-kbd", bus usb-bus' 'name "qemu-xhci", bus PCI' ;;
*) exit 1 ;;
esac
END
chmod +x bin/qemu-few
few() {
  kport devices --config machine.qemu="$TRASH/bin/qemu-few" "$@"
}

# device FILE NAME: the index of a device in the list
device() {
  local i=0
  while test-tool json "$1" "[$i].device" >name 2>/dev/null; do
    [ "$(cat name)" = "$2" ] && echo "$i" && return 0
    i=$((i + 1))
  done
  return 1
}

test_expect_success 'what this QEMU lacks cannot be tested' '
  few --json >out.json && i=$(device out.json e1000) && test_json out.json "[$i].testable" true &&
  i=$(device out.json rtl8139) && test_json out.json "[$i].testable" false &&
  test_json out.json "[$i].why_not" "QEMU 9.9.1 has no device '"'rtl8139'"'" &&
  i=$(device out.json usb-kbd) && test_json out.json "[$i].testable" true &&
  i=$(device out.json usb-uas) && test_json out.json "[$i].testable" false
'

test_expect_success 'it is asked once, until it changes' '
  test_line_count = 2 "$HOME/asked" && few >out && test_line_count = 2 "$HOME/asked" &&
  test_grep "^3 of [0-9]* can be tested" out &&
  echo "# changed" >>bin/qemu-few && few >out && test_line_count = 4 "$HOME/asked"
'

test_expect_success 'without a QEMU, and with one that is none' '
  kport devices --config machine.qemu=no-such-emulator --json >out.json &&
  test_json out.json "[0].testable" false && test_json out.json "[0].why_not" >reason &&
  test_grep "install qemu-system-x86" reason &&
  kport devices --config machine.qemu=true >out && test_grep "is no QEMU" out
'

test_expect_success 'no machine was run yet' '
  kport devices --stats --json >out.json && test_json out.json "#" 0 && kport devices --stats >out && test_line_count = 1 out
'

test_expect_success 'wrong usage: one line, code 129' '
  for words in "devices --driver x" "devices --stats --kernel 6.1" "boot" "boot x" "boot --driver x y --kernel 6.1" \
      "boot x --kernel 6.1 --boot-runs -1" "check x --kernel 6.1 --boot-from ice" "port x --to 6.1 --boot-from ice"; do
    # shellcheck disable=SC2086
    test_expect_code 129 kport $words 2>err && test_line_count = 1 err || return 1
  done &&
  test_grep "machines start .fresh. or from a .snapshot., not .ice." err
'

test_expect_success 'a kernel that is not there: 128' '
  test_expect_code 128 kport boot x --kernel no-such-kernel 2>err && test_line_count = 1 err &&
  test_expect_code 128 kport devices --kernel no-such-kernel 2>err && test_line_count = 1 err
'

test_done
