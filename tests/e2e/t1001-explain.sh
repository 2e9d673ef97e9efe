#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport explain and kport impact on two small kernels'
. "$(dirname "$0")/../test-lib.sh"

# A header with what an attribute macro fills in, members that change places, and a documented function.
extra() {
  local const=const order="int a; long b;" does="Wait for a moment" owner=""
  [ "$1" = new ] || { const="" order="long b; int a;" does="Wait for an hour" owner="struct module *owner, "; }
  cat <<-H
	#define EXTRA_ATTR(_name) struct extra_attribute extra_attr_##_name = __EXTRA(_name)
	#define __EXTRA(_name) { .attr = { .mode = 0444 }, .show = _name##_show, }
	struct extra_attribute {
		int attr;
		int (*show)($const struct frob *f, char *buf);
		int (*store)($const struct frob *f, char *buf);
	};
	struct extra_order { $order };
	/**
	 * extra_wait() - $does.
	 */
	void extra_wait(int x);
	struct class *class_create(${owner}const char *name);
	H
}

# Kernel NAME: the tree in miniature with the headers of fixtures/apidiff/NAME.
small_kernel() {
  cp -r "$FIXTURES/fakelinux" "$1.src" &&
  cp -r "$FIXTURES/apidiff/$1/include/linux" "$FIXTURES/apidiff/$1/include/asm-generic" "$1.src/include/" &&
  sed -i "s/^PATCHLEVEL = 9/PATCHLEVEL = $2/" "$1.src/Makefile" &&
  mkdir "$1" &&
  cp "$1.src/fake.config" "$1/.config" &&
  cp "$FIXTURES/apidiff/$1/Module.symvers" "$1/" &&
  make -s -C "$1.src" O="$PWD/$1" modules_prepare &&
  cp -r "$FIXTURES/apidiff/$1/arch" "$1/" &&
  extra "$1" >"$1.src/include/linux/extra.h" &&
  kport kernel add --tree "$1" --name "$1" >add.out
}

test_expect_success 'set up two kernels' '
  small_kernel old 9 &&
  small_kernel new 10
'

test_expect_success 'a function that became an inline and went away' '
  kport explain del_frob --from old --to new >out &&
  test_grep "static inline int del_frob(struct frob \*f)" out &&
  test_grep "not declared" out &&
  test_grep "renamed to frob_delete" out
'

test_expect_success 'a structure, one member, and a plain name' '
  kport explain "struct frob_ops" --from old --to new >out &&
  test_grep "member probe other parameters: lost parameter 2" out &&
  test_grep "member slave_alloc renamed to sdev_alloc" out &&
  kport explain frob_ops.remove --from old --to new >out &&
  test_grep "other return type" out &&
  test_no_grep "probe" out &&
  kport explain "frob_ops->remove" --from old --to new >out2 &&
  test_grep "other return type" out2
'

test_expect_success 'headers' '
  kport explain linux/away.h --from old --to new >out &&
  test_grep "header is gone, see linux/frob_types.h" out &&
  kport explain "<linux/frob.h>" --from old --to new >out &&
  test_grep "no longer includes linux/helper.h" out
'

test_expect_success 'JSON has both declarations and the evidence' '
  kport explain frob_register --from old --to new --json >out.json &&
  test_json out.json .name frob_register &&
  test_json out.json .from.symbol.params "void *owner, struct frob *f, int flags" &&
  test_json out.json .changes[0].kind signature &&
  test_json out.json .changes[0].breaks true
'

test_expect_success 'no change is an answer too' '
  kport explain frob_same --from old --to new >out &&
  test_grep "no change in the headers" out
'

test_expect_success 'an unknown name, a missing kernel, wrong usage' '
  test_expect_code 1 kport explain no_such_thing --from old --to new 2>err &&
  test_grep "no_such_thing" err &&
  test_expect_code 1 kport explain frob --from old --to 9.9 2>err &&
  test_grep "9.9" err &&
  test_expect_code 129 kport explain --from old --to new 2>err &&
  test_expect_code 129 kport explain frob --from old 2>err
'

test_expect_success 'the rule that follows a change is named, where there is one' '
  kport explain class_create --from old --to new >out && test_grep "^  rule class/class-create: .* (kport port applies it)" out &&
  kport explain class_create --from old --to new --json >out.json && test_json out.json ".rules#" 1 &&
  kport explain del_frob --from old --to new --json >out.json && test_json out.json ".rules#" 0
'

test_expect_success 'the index is made once and survives damage' '
  find "$XDG_CACHE_HOME/kport/index" -name "*.db" >dbs &&
  test_line_count = 3 dbs &&
  for f in $(cat dbs); do echo garbage >"$f" || return 1; done &&
  kport explain del_frob --from old --to new >out &&
  test_grep "renamed to frob_delete" out
'

# ---- impact --------------------------------------------------------------------------

test_expect_success 'what an upgrade breaks in a driver' '
  mkdir drv && echo "obj-m := drv.o" >drv/Makefile &&
  cat >drv/drv.c <<-\C &&
	#include <linux/module.h>
	#include <linux/frob.h>
	#include <linux/away.h>
	#include "drv.h"

	static int drv_probe(struct frob *f, const void *id)
	{
		struct drv *d = to_drv(f);
		int frob_gone = 0;	/* a local of that name is ours */

		d->f->index = helper(1);
		f->flags = odd(frob_gone);
		frob_register(NULL, f, 0);
		return frob_same(1, 2), del_frob(f);
	}

	static int drv_remove(struct frob *f) { return moved_one(); }

	static struct frob_ops ops = {
		.probe = drv_probe,
		.remove = drv_remove,
		.link = { .speed = 1 },
	};
	MODULE_LICENSE("GPL");
	C
  printf "struct drv { struct frob *f; };\nstruct drv *to_drv(struct frob *f);\n" >drv/drv.h &&
  test_expect_code 1 kport impact drv --from old --to new >out &&
  test_grep "^drv.c:3: linux/away.h: header is gone, see linux/frob_types.h" out &&
  test_grep "^drv.c:11: struct frob.index: renamed to __index" out &&
  test_grep "^drv.c:11: helper: needs #include <linux/helper.h>" out &&
  test_grep "^drv.c:12: struct frob.flags: qualifiers changed" out &&
  test_grep "^drv.c:13: frob_register: other parameters: lost parameter 1" out &&
  test_grep "^drv.c:14: del_frob: renamed to frob_delete" out &&
  test_grep "^drv.c:20: struct frob_ops.probe: other parameters" out &&
  test_grep "^drv.c:21: struct frob_ops.remove: other return type" out &&
  test_no_grep "frob_gone" out &&
  test_no_grep "frob_same" out
'

test_expect_success 'the same as JSON' '
  test_expect_code 1 kport impact drv --from old --to new --json >out.json &&
  test_json out.json .impact[0].kind header &&
  test_json out.json .impact[0].line 3
'

test_expect_success 'licences, namespaces, assignments, macros, positions, documentation, remedies' '
  mkdir own && echo "obj-m := own.o" >own/Makefile &&
  cat >own/own.c <<-\C &&
	#include <linux/module.h>
	#include <linux/frob.h>
	#include <linux/extra.h>

	static int mode_show(struct frob *f, char *buf) { return 0; }
	static EXTRA_ATTR(mode);
	static struct extra_order order = { 1, 2 };
	static struct extra_order named = { .a = 1, .b = 2 };

	static int own_remove(struct frob *f) { return frob_gpl(f) + frob_ns(f); }
	void own_setup(struct frob_ops *ops)
	{
		ops->remove = own_remove;
		extra_wait(1);
	}
	MODULE_LICENSE("Proprietary");
	C
  test_expect_code 1 kport impact own --from old --to new >out &&
  test_grep "^own.c:6: struct extra_attribute.show, filled in by EXTRA_ATTR: qualifiers changed" out &&
  test_no_grep "extra_attribute.store" out &&
  test_grep "^look: own.c:7: struct extra_order: initialised by position: value 1 was of b, is of a now" out &&
  test_no_grep "own.c:8:" out &&
  test_grep "^own.c:10: frob_gpl: exported to GPL modules only, and the driver.s licence is not GPL" out &&
  test_grep "^own.c:10: frob_ns: exported in a namespace FROB; import the namespace FROB" out &&
  test_grep "^own.c:13: struct frob_ops.remove: other return type" out &&
  test_grep "^look: own.c:14: extra_wait: documented anew: .*hour.*moment" out &&
  test_expect_code 1 kport impact own --from old --to new --json >out.json &&
  test_json out.json ".impact[0].via" EXTRA_ATTR &&
  sed -i "s/Proprietary/Dual MIT\/GPL/; \$ a MODULE_IMPORT_NS(FROB);" own/own.c &&
  test_expect_code 1 kport impact own --from old --to new >out &&
  test_no_grep "frob_gpl" out && test_no_grep "frob_ns" out &&
  sed -i "/own_remove/d; /EXTRA_ATTR/d" own/own.c &&
  kport impact own --from old --to new >out &&
  test_grep "^look: own.c:.*extra_order" out
'

test_expect_success 'nothing breaks between equal kernels; bad input' '
  kport impact drv --from old --to old >out &&
  test_grep "nothing that the headers tell" out &&
  test_expect_code 129 kport impact --from old --to new 2>err &&
  test_must_fail kport impact ./nothing --from old --to new 2>err &&
  test_grep "nothing" err
'
test_done
