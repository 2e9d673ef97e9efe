#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='DKMS packages: dkms.conf in the sandbox, patches, .deb files'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1

# dkms DIR LINE...: the widget driver as a package with these lines added to dkms.conf
dkms() {
  local dir=$1
  shift
  widget_driver "$dir" && printf '%s\n' 'PACKAGE_NAME="widget"' 'PACKAGE_VERSION="1.2"' \
    'BUILT_MODULE_NAME[0]="$PACKAGE_NAME"' 'DEST_MODULE_LOCATION[0]=/extra' AUTOINSTALL=yes "$@" >"$dir/dkms.conf"
}

test_expect_success 'a package without MAKE' '
  dkms plain &&
  test-tool kbuild plain k1 >out.json &&
  test_json out.json .kind dkms &&
  test_json out.json .name widget &&
  test_json out.json .version 1.2 &&
  test_json out.json ".modules[0]" widget
'

test_expect_success 'MAKE with the directories of DKMS; diagnostics name our files' '
  dkms make "MAKE[0]=\"make -C \${kernel_source_dir} M=\${dkms_tree}/\${PACKAGE_NAME}/\${PACKAGE_VERSION}/build\"" &&
  test-tool kbuild make k1 >out.json &&
  test_json out.json ".modules[0]" widget &&
  test_expect_code 1 test-tool kbuild --keep kept make k2 >out.json &&
  test_json out.json ".units[0].source" "$TRASH/kept/tree/widget.c" &&
  test_json out.json ".missing[0]" widget
'

test_expect_success 'MAKE_MATCH chooses by kernel' '
  dkms match "MAKE[0]=\"false\"" "MAKE[1]=\"make -C \$kernel_source_dir M=\$PWD\"" "MAKE_MATCH[1]=\"^6\\.1\"" &&
  test-tool kbuild match k1 >out.json &&
  test_expect_code 1 test-tool kbuild match k2 >out.json &&
  test_json out.json .make_command false
'

test_expect_success 'patches are chosen by kernel and applied in order' '
  dkms patched "PATCH[0]=two.patch" "PATCH_MATCH[0]=\"^6\\.2\"" "PATCH[1]=never.patch" "PATCH_MATCH[1]=\"^5\\.\"" &&
  mkdir -p patched/patches a b && cp patched/widget.c a/ && cp patched/widget.c b/ &&
  sed -i -e "s/^static int my_remove(.*/static void my_remove(struct widget *w) { }/" b/widget.c &&
  { diff -u a/widget.c b/widget.c >patched/patches/two.patch || true; } && echo nonsense >patched/patches/never.patch &&
  test-tool kbuild patched k1 >out.json &&
  test_json out.json ".patches#" 0 &&
  test-tool kbuild patched k2 >out.json &&
  test_json out.json ".patches[0]" two.patch
'

test_expect_success 'a patch that does not apply, or lies outside' '
  dkms badpatch "PATCH[0]=x.patch" && mkdir badpatch/patches && cp patched/patches/never.patch badpatch/patches/x.patch &&
  test_must_fail test-tool kbuild badpatch k1 2>err &&
  test_grep "x.patch.* does not apply" err &&
  dkms evil "PATCH[0]=../../x.patch" &&
  test_must_fail test-tool kbuild evil k1 2>err &&
  test_grep "outside" err
'

test_expect_success 'PRE_BUILD' '
  dkms pre "PRE_BUILD=\"prepare.sh \$kernelver\"" && rm pre/widget.c && widget_source >pre/widget.in &&
  printf "%s\n" "#!/bin/sh" "[ \"\$1\" = \"\$kernelver\" ] && cp widget.in widget.c" >pre/prepare.sh && chmod +x pre/prepare.sh &&
  test-tool kbuild pre k1 >out.json &&
  test_json out.json ".modules[0]" widget
'

test_expect_success 'BUILD_EXCLUSIVE' '
  dkms excl "BUILD_EXCLUSIVE_KERNEL=\"^5\\.\"" && test-tool kbuild excl k1 >out.json &&
  test_grep "BUILD_EXCLUSIVE_KERNEL" out.json &&
  dkms min "BUILD_EXCLUSIVE_KERNEL_MIN=6.2" && test-tool kbuild min k1 >out.json &&
  test_grep "BUILD_EXCLUSIVE_KERNEL_MIN" out.json &&
  dkms conf "BUILD_EXCLUSIVE_CONFIG=\"CONFIG_MODULES CONFIG_NOT_HERE\"" && test-tool kbuild conf k1 >out.json &&
  test_grep "CONFIG_NOT_HERE is not set" out.json &&
  dkms fits "BUILD_EXCLUSIVE_CONFIG=\"CONFIG_MODULES !CONFIG_NOT_HERE\"" "BUILD_EXCLUSIVE_KERNEL_MAX=6.9" \
    "BUILD_EXCLUSIVE_ARCH=\"x86_64|i386\"" && test-tool kbuild fits k1 >out.json &&
  test_no_grep exclusive out.json
'

test_expect_success 'several modules in their directories' '
  dkms several && rm several/Kbuild && mkdir several/sub && mv several/widget.c several/sub/ &&
  echo "obj-m := widget.o second.o" >several/sub/Kbuild && widget_source >several/sub/second.c &&
  printf "%s\n" "MAKE[0]=\"make -C \$kernel_source_dir M=\$PWD/sub\"" "BUILT_MODULE_LOCATION[0]=sub/" \
    "BUILT_MODULE_NAME[1]=second" "BUILT_MODULE_LOCATION[1]=./sub" >>several/dkms.conf &&
  test-tool kbuild several k1 >out.json &&
  test_json out.json ".modules#" 2 &&
  test_json out.json ".missing#" 0
'

test_expect_success 'a template that has no version yet' '
  dkms template && sed -i "s/1\\.2/#MODULE_VERSION#/" template/dkms.conf &&
  test-tool kbuild template k1 >out.json &&
  test_json out.json ".modules[0]" widget &&
  test_no_grep MODULE_VERSION out.json
'

test_expect_success 'a dkms.conf that is hostile or broken' '
  dkms endless "while :; do echo x; done" && test_must_fail test-tool kbuild endless k1 2>err &&
  test_line_count = 1 err &&
  dkms quits "exit 0" && test_must_fail test-tool kbuild quits k1 2>err &&
  test_grep "cannot be evaluated" err &&
  dkms writes "touch $TRASH/written \$PWD/written" && test-tool kbuild --keep kept3 writes k1 >out.json &&
  test_path_is_missing written && test_path_is_missing kept3/tree/written
'

test_expect_success 'a Debian package' '
  mkdir -p deb/DEBIAN deb/usr/src && dkms deb/usr/src/widget-1.2 &&
  printf "%s\n" "Package: widget-dkms" "Version: 1.2-1" "Architecture: all" "Maintainer: x <x@example.com>" \
    "Description: x" >deb/DEBIAN/control &&
  dpkg-deb --root-owner-group -b deb widget.deb &&
  test-tool kbuild --keep kept4 widget.deb k1 >out.json &&
  test_json out.json ".modules[0]" widget &&
  test_json out.json .version 1.2 &&
  test_path_is_missing kept4/tree.deb
'

test_expect_success 'a Debian package without a driver, and a broken one' '
  rm -rf deb/usr/src/widget-1.2 && dpkg-deb --root-owner-group -b deb empty.deb &&
  test_must_fail test-tool kbuild empty.deb k1 2>err &&
  test_grep "is not a DKMS package" err &&
  head -c 300 widget.deb >short.deb && test_must_fail test-tool kbuild short.deb k1 2>err &&
  test_line_count = 1 err
'

test_done
