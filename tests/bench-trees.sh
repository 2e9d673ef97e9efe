# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced after test-lib.sh and fake-kernel.sh. bench_trees: fake kernels k1 and k2 and source trees s1 and s2 for them, in
# which the driver cb had to follow a change of struct widget_ops, and the manifest cases.jsonl of it.

bench_tree() {
  mkdir -p "$1/include/linux" "$1/drivers/misc" "$1/arch/x86/include/asm" "$1/scripts" &&
  cp "$FIXTURES/fakebuild/include/linux/kernel.h" "$1/include/linux/" &&
  printf 'VERSION = 6\nPATCHLEVEL = %s\nSUBLEVEL = 0\n' "$2" >"$1/Makefile" && : >"$1/Kconfig" &&
  printf 'obj-$(CONFIG_CB) += cb.o\nobj-$(CONFIG_CC) += cc.o\n' >"$1/drivers/misc/Makefile" &&
  unifdef_widget "$2" >"$1/include/linux/widget.h" &&
  widget_source | sed 's/widget_poke(w); //' >"$1/drivers/misc/cb.c" &&
  if [ "$2" = 2 ]; then
    sed -i 's/static int my_remove(\(.*\)) { return 0; }/static void my_remove(\1) { }/' "$1/drivers/misc/cb.c"
  fi &&
  sed 's/"my"/"cc"/' "$1/drivers/misc/cb.c" >"$1/drivers/misc/cc.c"
}

# widget.h as it reads with WIDGET_API 1 or 2, without the conditions.
unifdef_widget() {
  awk -v api="$1" '/^#if WIDGET_API == 1/ { on = 1; show = api == 1; next } on && /^#else/ { show = api != 1; next }
    on && /^#endif/ { on = 0; next } !on || show' "$FIXTURES/fakebuild/include/linux/widget.h"
}

bench_trees() {
  fake_kernel k1 1 && fake_kernel k2 2 && bench_tree s1 1 && bench_tree s2 2 &&
  kport mine cases --trees s1 s2 --out cases.jsonl >mine.out
}
