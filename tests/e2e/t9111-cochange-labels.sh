#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='classes of real commits against those read by hand (KPORT_HISTORY_LINUX, _UBOOT, _DRM name repositories)'
. "$(dirname "$0")/../test-lib.sh"

test_lazy_prereq LINUX '[ -d "$KPORT_HISTORY_LINUX" ]' 'KPORT_HISTORY_LINUX names no repository'
test_lazy_prereq UBOOT '[ -d "$KPORT_HISTORY_UBOOT" ]' 'KPORT_HISTORY_UBOOT names no repository'
test_lazy_prereq DRM '[ -d "$KPORT_HISTORY_DRM" ]' 'KPORT_HISTORY_DRM names no repository'

# The script fails below a precision of 0.9 with the class.
labels() { "$ROOT/tests/bench/cochange-labels.sh" "$BUILD/test-tool" "$ROOT/tests/data/cochange/$1.tsv" "$2"; }

test_expect_success LINUX 'Linux 2.6' 'labels linux-2.6 "$KPORT_HISTORY_LINUX"'
test_expect_success UBOOT 'U-Boot' 'labels u-boot "$KPORT_HISTORY_UBOOT"'
test_expect_success DRM 'DRM' 'labels drm "$KPORT_HISTORY_DRM"'

test_done
