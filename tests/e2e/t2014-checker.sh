#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='checks from precompiled include blocks say what plain ones say'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1

# same DRIVER KERNEL FAST: five checks, FAST of them from the precompiled header, all like a plain one
same() {
  test-tool kbuild --recheck 5 "$1" "$2" >out.json
  test_json out.json .recheck_different 0 &&
  test_json out.json .recheck_fast "$3"
}

test_expect_success 'a driver that breaks' '
  widget_driver drv && same drv k2 3 && test_json out.json .succeeded false
'

test_expect_success 'a driver that builds' '
  same drv k1 3 && test_json out.json .succeeded true
'

test_expect_success 'private headers, macros, a warning behind the block' '
  widget_driver priv && mkdir priv/sub &&
  { echo "#define LOCAL 1"; echo "#include \"sub/a.h\""; widget_source
    echo "#include \"late.h\""; echo "static int unused(void) { return A + B + LATE; }"
    echo "char *s = __FILE__; int line = __LINE__ + gone;"; } >priv/widget.c &&
  echo "#include \"b.h\"" >priv/sub/a.h && echo "#define A LOCAL" >>priv/sub/a.h &&
  echo "#define B 2" >priv/sub/b.h && echo "#define LATE 3" >priv/late.h &&
  same priv k1 3 &&
  test_json out.json ".units[0].diags#" 2
'

test_expect_success 'a header that is missing' '
  widget_driver miss && sed -i "1i #include <linux/gone.h>" miss/widget.c &&
  same miss k1 0 &&
  test_json out.json ".units[0].diags[0].kind" missing-header
'

test_expect_success 'a block that warns' '
  widget_driver warn && echo "#warning careful" >warn/w.h && sed -i "1i #include \"w.h\"" warn/widget.c &&
  same warn k1 0 &&
  test_json out.json ".units[0].diags[0].level" warning
'

test_expect_success 'two sources' '
  widget_driver two && echo "wid-y := widget.o second.o" >two/Kbuild && echo "obj-m := wid.o" >>two/Kbuild &&
  { echo "#include <linux/widget.h>"; echo "int second(struct widget *w) { return w->x; }"; } >two/second.c &&
  same two k1 6
'

test_done
