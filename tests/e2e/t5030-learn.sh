#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport learn: rules from what the drivers of two small kernels did, as semantic patches'
. "$(dirname "$0")/../test-lib.sh"

test_lazy_prereq SPATCH 'command -v spatch' 'coccinelle (spatch) is not installed'

# Kernel NAME with sources: the tree in miniature with the headers of fixtures/apidiff/NAME.
small_kernel() {
  cp -r "$FIXTURES/fakelinux" "$1.src" &&
  cp -r "$FIXTURES/apidiff/$1/include/linux" "$FIXTURES/apidiff/$1/include/asm-generic" "$1.src/include/" &&
  sed -i "s/^PATCHLEVEL = 9/PATCHLEVEL = $2/" "$1.src/Makefile" &&
  mkdir -p "$1.src/drivers"
}

add_kernel() {
  kport kernel add --source "$1.src" --kconfig "$1.src/fake.config" --symvers "$FIXTURES/apidiff/$1/Module.symvers" --name "$1" >add.out
}

# old_driver N: one that uses all that changes
old_driver() {
  cat <<EOF
#include <linux/frob.h>
#include <linux/away.h>

struct d$1 {
	struct frob f;
};

static int d$1_probe(struct frob *frob, const void *id)
{
	frob->even_cows = $1;
	return frob_register(THIS_MODULE, frob, $1);
}

static int d$1_remove(struct frob *frob)
{
	del_frob(frob);
	return 0;
}

static const struct frob_ops d$1_ops = {
	.probe = d$1_probe,
	.remove = d$1_remove,
	.slave_alloc = 0,
};
EOF
}

new_driver() {
  old_driver "$1" | sed -e 's/del_frob/frob_delete/' -e 's/even_cows/skip_cows/' -e 's/THIS_MODULE, //' \
    -e 's/, const void \*id//' -e 's/^static int \(d[0-9]*_remove\)/static void \1/' -e '/return 0;/d' \
    -e 's/slave_alloc/sdev_alloc/' -e 's,linux/away.h,linux/frob_types.h,'
}

test_expect_success 'set up two kernels with eight drivers each' '
  small_kernel old 9 && small_kernel new 10 &&
  for i in 1 2 3 4 5 6 7 8; do
    old_driver $i >old.src/drivers/d$i.c && new_driver $i >new.src/drivers/d$i.c || return 1
  done &&
  add_kernel old && add_kernel new
'

test_expect_success 'a renamed function: learned, scored, exported' '
  kport learn --from old --to new --symbol del_frob --out rules >out &&
  test_grep "^del_frob: renamed to frob_delete" out &&
  test_grep "8 files answered it, 1 rules" out &&
  test_grep "8 files, precision 100.0 %, safe: del_frob => frob_delete" out &&
  test_grep "all changes: precision 100.0 %, recall 100.0 %" out &&
  test_path_is_file rules/del_frob.cocci &&
  test_grep "^// SPDX-License-Identifier: GPL-2.0-only" rules/del_frob.cocci &&
  test_grep "drivers/d1.c" rules/del_frob.cocci
'

test_expect_success SPATCH 'every exported rule is one for Coccinelle' '
  kport learn --from old --to new --out rules >out &&
  ls rules >list && test_grep "frob_ops-remove.cocci" list && test_grep "linux-away-h.cocci" list &&
  test_grep "frob-even_cows.cocci" list && test_grep "frob_register.cocci" list &&
  for f in rules/*.cocci; do
    spatch --parse-cocci -D patch $f >parse.out 2>&1 || { cat $f parse.out; return 1; }
  done
'

# All rules in order of their names, on a driver that was not there.
apply_rules() {
  for f in rules/*.cocci; do
    spatch --very-quiet --no-show-diff --in-place -D patch --sp-file "$f" "$1" || return 1
  done
}

test_expect_success SPATCH 'applied by spatch they make of another driver what the kernel would' '
  old_driver 9 >nine.c && new_driver 9 >want.c &&
  apply_rules nine.c &&
  sed "/^$/d" nine.c >got && sed "/^$/d" want.c >expect &&
  test_cmp expect got
'

test_expect_success SPATCH 'and leave a driver alone that was ported' '
  new_driver 9 >done.c && cp done.c want.c &&
  apply_rules done.c &&
  test_cmp want.c done.c
'

test_expect_success 'a rule that is wrong in one file is not safe' '
  for i in 11 12 13 14 15; do
    old_driver $i >old.src/drivers/d$i.c && new_driver $i >new.src/drivers/d$i.c || return 1
  done &&
  sed "s/frob_delete(frob)/frob_ready(frob)/" new.src/drivers/d8.c >x && mv x new.src/drivers/d8.c &&
  kport mine --trees old.src new.src --again >mine.out &&
  kport learn --from old --to new --symbol del_frob --out wrong >out &&
  test_grep "12 files, precision 92.3 %, review: del_frob => frob_delete" out &&
  test_grep "12 right.*1 wrong" out &&
  test_grep "^// Risk: review" wrong/del_frob.cocci &&
  test_grep "^// Confidence: Low" wrong/del_frob.cocci
'

test_expect_success 'what the newer kernel left alone counts against it' '
  old_driver 8 >new.src/drivers/d8.c &&
  kport mine --trees old.src new.src --again >mine.out &&
  kport learn --from old --to new --symbol del_frob >out &&
  test_grep "safety 0.0 %" out && test_grep "1 of 1 changed that were left alone" out &&
  test_grep "review: del_frob" out
'

test_expect_success 'nothing is learned from what is excluded' '
  kport learn --from old --to new --symbol del_frob --exclude drivers/d8.c >out &&
  test_grep "12 files, precision 100.0 %, safe: del_frob" out
'

test_expect_success 'JSON, scores alone, and twice the same' '
  kport learn --from old --to new --json >one.json &&
  kport learn --from old --to new --json >two.json &&
  test_cmp one.json two.json &&
  test_json one.json .from old &&
  kport learn --from old --to new --score >out &&
  test_line_count = 1 out && test_grep "^all changes: precision" out
'

test_expect_success 'bad input' '
  test_expect_code 129 kport learn --from old 2>err &&
  test_expect_code 129 kport learn --from old --to new --top 0 2>err &&
  test_expect_code 128 kport learn --from old --to new --symbol no_such_thing 2>err &&
  test_grep "none of the symbols changed" err &&
  test_expect_code 128 kport learn --from old --to none 2>err
'

test_done
