#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='builds of drivers in all their shapes, against a fake kernel'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1

test_expect_success 'a Kbuild directory builds for the kernel it was made for' '
  widget_driver drv &&
  test-tool kbuild drv k1 >out.json &&
  test_json out.json .succeeded true &&
  test_json out.json ".modules[0]" widget &&
  test_json out.json ".units#" 1 &&
  test_path_is_missing drv/widget.ko
'

test_expect_success 'and breaks on the next, with classified diagnostics' '
  test_expect_code 1 test-tool kbuild drv k2 >out.json &&
  test_json out.json .succeeded false &&
  test_json out.json ".units[0].diags[0].kind" implicit-function &&
  test_json out.json ".units[0].diags[0].symbol" widget_poke &&
  test_json out.json ".units[0].diags[1].kind" incompatible-pointer &&
  test_json out.json ".units[0].diags[1].value" my_remove &&
  test_json out.json ".units[0].diags[1].target" ops.remove &&
  test_json out.json ".units[0].diags[1].loc.line" 5
'

test_expect_success 'a check of one unit says what the build said' '
  test_expect_code 1 test-tool kbuild --recheck 3 drv k2 >out.json &&
  test_json out.json .recheck_different 0
'

test_expect_success 'a name with spaces, CRLF lines and bytes outside UTF-8' '
  mkdir "my driver" && widget_source | sed "s/\$/\r/" >"my driver/widget.c" &&
  printf "/* \344\r\n */\n" >>"my driver/widget.c" && echo "obj-m := widget.o" >"my driver/Makefile" &&
  test-tool kbuild --keep kept "my driver" k1 >out.json &&
  test_json out.json .succeeded true &&
  test_cmp "my driver/widget.c" kept/tree/widget.c
'

test_expect_success 'a diagnostic that quotes bytes outside UTF-8 is not lost' '
  mkdir bytes && { widget_source; printf "int x = gone_\344(\"\344\", 1);\n"; } >bytes/widget.c &&
  echo "obj-m := widget.o" >bytes/Makefile &&
  test_expect_code 1 test-tool kbuild bytes k1 >out.json &&
  test_json out.json ".units[0].diags[0].level" error
'

test_expect_success 'the wrapper sets what obj-m needs' '
  mkdir wrapped && widget_source >wrapped/widget.c &&
  printf "%s\n" "obj-\$(CONFIG_MY_WIDGET) += widget.o" "KERNELDIR ?= /nowhere" "all: app modules" "app:" "	false" \
    "modules:" "	\$(MAKE) -C \$(KERNELDIR) M=\$(PWD) CONFIG_MY_WIDGET=m modules" >wrapped/Makefile &&
  test-tool kbuild wrapped k1 >out.json &&
  test_json out.json ".modules[0]" widget
'

test_expect_success 'a Makefile that builds for the running kernel builds for ours' '
  mkdir running && widget_source >running/widget.c &&
  printf "%s\n" "ifneq (\$(KERNELRELEASE),)" "obj-\$(W) := widget.o" "else" "K := /lib/modules/\$(shell uname -r)/build" \
    "default:" "	make -C \$(K) M=\$(CURDIR) W=m modules" "endif" >running/Makefile &&
  test-tool kbuild running k1 >out.json &&
  test_json out.json ".modules[0]" widget
'

test_expect_success 'the Makefile lies one directory down' '
  mkdir -p deep/src && widget_driver deep/src && echo text >deep/README &&
  test-tool kbuild deep k1 >out.json &&
  test_json out.json ".modules[0]" widget
'

test_expect_success 'a probe that fails is no fault of the build' '
  mkdir probing && widget_source >probing/widget.c &&
  printf "%s\n" "obj-m := widget.o" \
    "probe := \$(shell cd \$(src) && echo \"int x = gone();\" >conftest.c && \$(CC) -D__KERNEL__ -c conftest.c -o conftest.o 2>/dev/null; rm -f conftest.c)" \
    >probing/Kbuild &&
  test-tool kbuild probing k1 >out.json &&
  test_json out.json .succeeded true &&
  test_json out.json ".units#" 2 &&
  test_json out.json ".units[0].probe" true
'

test_expect_success 'symbols that are not exported' '
  widget_driver undef && echo "void gone(void); void use(void) { gone(); }" >>undef/widget.c &&
  test_expect_code 1 test-tool kbuild undef k1 >out.json &&
  test_json out.json ".modpost[0].kind" undefined-symbol &&
  test_json out.json ".modpost[0].symbol" gone &&
  test_json out.json ".missing#" 0
'

test_expect_success 'a Makefile that cannot work explains itself' '
  mkdir broken && echo "obj-m := nothere.o" >broken/Kbuild &&
  test_expect_code 1 test-tool kbuild broken k1 >out.json &&
  test_json out.json ".units#" 0 &&
  test_grep "No rule to make target" out.json
'

test_expect_success 'links inside are kept, links outside are refused' '
  widget_driver linked && mv linked/widget.c linked/real.c && ln -s real.c linked/widget.c &&
  test-tool kbuild --keep kept2 linked k1 >out.json &&
  test "$(readlink kept2/tree/widget.c)" = real.c &&
  ln -s /etc/passwd linked/passwd.h &&
  test_expect_code 128 test-tool kbuild linked k1 2>err &&
  test_line_count = 1 err &&
  test_grep "passwd.h" err
'

test_expect_success 'inputs that are no drivers' '
  mkdir none && test_expect_code 128 test-tool kbuild none k1 2>err &&
  test_grep "no Makefile or Kbuild" err &&
  echo "int x;" >none.c && test_expect_code 128 test-tool kbuild none.c k1 2>err &&
  test_grep "is not a driver" err &&
  test_expect_code 1 test-tool kbuild absent k1 2>err &&
  test_grep "there is no driver" err
'

in_tree() {
  mkdir -p src/{scripts,include/linux,drivers/widget,drivers/common} && : >src/Kconfig && : >src/Makefile &&
  : >src/include/linux/kernel.h &&
  { echo "#include \"part.h\""; echo "#include \"shared.h\""; widget_source; echo "int z = PART + SHARED + FLAG;"; } \
    >src/drivers/widget/widget.c &&
  echo "#include \"../common/deep.h\"" >src/drivers/widget/part.h && echo "#define PART DEEP" >>src/drivers/widget/part.h &&
  echo "#define DEEP 1" >src/drivers/common/deep.h && echo "#define SHARED 2" >src/drivers/common/shared.h &&
  echo "#define UNUSED 2" >src/drivers/common/unused.h &&
  printf "%s\n" "obj-\$(CONFIG_WIDGET) += widget.o other.o" "ccflags-y := -I\$(srctree)/drivers/common -DFLAG=3" \
    >src/drivers/widget/Makefile &&
  echo "int other;" >src/drivers/widget/other.c
}

test_expect_success 'a file of a kernel source comes with its private headers' '
  in_tree &&
  test-tool kbuild --keep kept3 src/drivers/widget/widget.c k1 >out.json &&
  test_json out.json .kind in-tree &&
  test_json out.json ".modules[0]" widget &&
  test_path_is_file kept3/tree/drivers/common/deep.h &&
  test_path_is_missing kept3/tree/drivers/common/unused.h &&
  test_path_is_missing kept3/tree/drivers/widget/other.c
'

test_expect_success 'a directory of a kernel source' '
  test-tool kbuild --keep kept4 src/drivers/widget k1 >out.json &&
  test_json out.json ".modules#" 2 &&
  test_path_is_file kept4/tree/drivers/common/shared.h
'

test_expect_success 'options of another machine, and those that are no modules, are left out and named' '
  printf "%s\n" "obj-\$(CONFIG_WIDGET) += widget.o" "obj-\$(CONFIG_WIDGET_PPC) += ppc.o" "obj-\$(CONFIG_WIDGET_CORE) += core.o" \
    "ccflags-y := -I\$(srctree)/drivers/common -DFLAG=3" >src/drivers/widget/Makefile &&
  printf "%s\n" "config WIDGET" "	tristate" "	depends on X86_64" "config WIDGET_PPC" "	tristate" \
    "	depends on WIDGET && PPC64" "config WIDGET_CORE" "	bool" >src/drivers/widget/Kconfig &&
  test-tool kbuild src/drivers/widget k1 >out.json &&
  test_json out.json ".modules#" 1 &&
  test_json out.json ".skipped[0]" "CONFIG_WIDGET_PPC: needs PPC64" &&
  test_json out.json ".skipped[1]" "CONFIG_WIDGET_CORE: cannot be a module"
'

test_done
