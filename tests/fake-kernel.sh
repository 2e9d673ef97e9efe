# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced after test-lib.sh. fake_kernel DIR API: a kernel build tree (fixtures/fakebuild) that builds modules in a
# fraction of a second, with version API (1 or 2) of its widget interface. widget_driver DIR: a driver for version 1.

fake_kernel() {
  rm -rf "$1" && cp -r "$FIXTURES/fakebuild" "$1" &&
  sed -i "s/define WIDGET_API 1/define WIDGET_API $2/" "$1/include/generated/autoconf.h" &&
  echo "6.$2.0-fake" >"$1/include/config/kernel.release"
}

widget_source() {
  cat <<'EOF'
#include <linux/module.h>
#include <linux/widget.h>
static int my_probe(struct widget *w) { return 0; }
static int my_remove(struct widget *w) { widget_poke(w); return 0; }
static const struct widget_ops ops = { .name = "my", .probe = my_probe, .remove = my_remove };
int init_module(void) { return widget_register(&ops); }
MODULE_LICENSE("GPL");
EOF
}

widget_driver() {
  mkdir -p "$1" && widget_source >"$1/widget.c" && echo 'obj-m := widget.o' >"$1/Kbuild"
}
