#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='real drivers on real kernels: what builds, what breaks and how'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"

# The kernels and package indexes of the caller.
export KPORT_CACHE_HOME=$caller_cache
for k in 6.1 6.12; do
  kport kernel show --json $k >kernel-$k.json 2>/dev/null || test_skip_all "no kernel $k; try 'kport kernel add $k'"
done
source=$(test_json kernel-6.1.json .source_dir)
case $source in "" | null | /*) ;; *) source=$(test_json kernel-6.1.json .dir)/$source ;; esac

test_lazy_prereq SOURCE '[ -d "$source/drivers" ]' "kernel 6.1 has no source; try 'kport kernel add 6.1 --source'"

# breaks NAME INPUT KINDS: builds on 6.1; on 6.12 exactly these errors
breaks() {
  test_expect_success "$4" "$1" "
    test-tool kbuild '$2' 6.1 >old.json &&
    test_json old.json .built true &&
    test_expect_code 1 test-tool kbuild --recheck 3 '$2' 6.12 >new.json &&
    test_json new.json .built false &&
    test_json new.json .recheck_different 0 &&
    test_json new.json .errors '$3'
  "
}

# package NAME VERSION KINDS: a DKMS package of bookworm
package() {
  local deb
  if ! deb=$(test-tool apt bookworm "$1" "$2" "$TRASH" 2>apt.err); then
    test_expect_success NEVER "$1 $2" 'true'
    return
  fi
  breaks "$1 $2" "$deb" "$3" ALWAYS
}

test_lazy_prereq ALWAYS true
test_lazy_prereq NEVER false 'the mirror has no such package any more'

package v4l2loopback-dkms 0.12.7-2 'implicit-function:1'
package vpoll-dkms 0.1-3 'incompatible-pointer:2 too-many-args:1'
package librem-ec-acpi-dkms 0.9.1-4 'incompatible-pointer:3 no-member:1 not-constant:1'

breaks 'a designator that is gone' "$source/drivers/hwmon/adm1026.c" 'incompatible-pointer:1 no-member:1' SOURCE
breaks 'private headers' "$source/drivers/comedi/drivers/cb_pcidda.c" 'implicit-function:1' SOURCE

test_done
