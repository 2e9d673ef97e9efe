#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport port: real drivers from 6.1 to 6.12, proven in a machine'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"

export KPORT_CACHE_HOME=$caller_cache
for k in 6.1 6.12; do
  kport kernel show --json $k >kernel-$k.json 2>/dev/null || test_skip_all "no kernel $k; try 'kport kernel add $k'"
done
source=$(test_json kernel-6.1.json .source_dir)
case $source in "" | null | /*) ;; *) source=$(test_json kernel-6.1.json .dir)/$source ;; esac
test_lazy_prereq SOURCE '[ -d "$source/drivers" ]' "kernel 6.1 has no source; try 'kport kernel add 6.1 --with-source'"
test_lazy_prereq PACKAGE 'test-tool apt bookworm v4l2loopback-dkms 0.12.7-2 "$TRASH" >deb 2>apt.err' 'no Debian mirror'


# The behaviour before needs the old kernel's image, which not everybody has.
behaviour=PASS
case $(test_json kernel-6.1.json .image) in "" | null) behaviour=SKIP ;; esac

all_pass() {
  local gate
  for gate in apply compile link nodiag layout boot load unload probe exercise honest; do
    test_json "$1" ".gates.$gate.verdict" PASS || return 1
  done
  test_json "$1" .gates.behaviour.verdict "$behaviour"
}
port() { kport port "$@" --from 6.1 --to 6.12 --json; }

test_expect_success PACKAGE 'v4l2loopback-dkms passes every gate, its device node seen' '
  port "$(cat deb)" --out port >out.json &&
  all_pass out.json &&
  test_json out.json .outcome ported &&
  test_json out.json ".patches#" 1 &&
  test_grep video0 out.json &&
  kport audit verify port/audit.jsonl
'

test_expect_success PACKAGE 'its series applies to the package and gives the ported tree' '
  git init -q repo && dpkg-deb -x "$(cat deb)" unpacked &&
  cp -r unpacked/usr/src/v4l2loopback-*/. repo/ &&
  git -C repo add . && git -C repo -c user.name=t -c user.email=t@localhost commit -qm old &&
  git -C repo -c user.name=t -c user.email=t@localhost am -q "$PWD"/port/series/*.patch &&
  test_cmp port/tree/v4l2loopback.c repo/v4l2loopback.c
'

test_expect_success SOURCE 'an in-tree driver whose callback lost its return value' '
  port "$source/drivers/acpi/ac.c" --no-boot --out ac >out.json &&
  test_json out.json .driver.kind in-tree &&
  test_json out.json .gates.honest.verdict PASS &&
  test_grep "^static void acpi_ac_remove" ac/tree/drivers/acpi/ac.c
'

test_done
