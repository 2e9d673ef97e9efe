#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport port: what other drivers did in a function is repeated whole or not at all'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'

# The gadget interface of both kernels.
gadget_header() {
  cat <<'EOF'
#ifndef FAKE_GADGET_H
#define FAKE_GADGET_H
struct gadget { int n; };
#define ENOMEM 12
#define IS_ERR(p) ((unsigned long)(p) > -4096UL)
#define PTR_ERR(p) ((long)(p))
int gadget_read(struct gadget *g);
EOF
  if test "$1" = 1; then
    echo 'struct gadget *gadget_init(int base, int flags);'
    echo 'void gadget_lock(struct gadget *g);'
    echo 'void gadget_unlock(struct gadget *g);'
  else
    echo 'struct gadget *gadget_alloc(int base, int flags);'
    echo 'void gadget_auto_lock(struct gadget *g);'
  fi
  echo '#endif'
}

# gadget_kernel NAME API: a kernel whose record names a source tree, NAME.src
gadget_kernel() {
  local record=$HOME/.cache/kport/kernels/$1 s
  fake_kernel "$1" "$2" && gadget_header "$2" >"$1/include/linux/gadget.h" &&
  for s in gadget_read gadget_init gadget_alloc gadget_lock gadget_unlock gadget_auto_lock; do
    printf '0x00000000\t%s\tvmlinux\tEXPORT_SYMBOL\t\n' "$s"
  done >>"$1/Module.symvers" &&
  mkdir -p "$1.src/drivers/g" "$1.src/scripts" "$1.src/include/linux" "$record" && touch "$1.src/Kconfig" "$1.src/include/linux/kernel.h" &&
  echo "obj-m += one.o two.o three.o" >"$1.src/drivers/g/Makefile" &&
  printf 'VERSION = 6\nPATCHLEVEL = %s\n' "$2" >"$1.src/Makefile" &&
  cat >"$record/kernel.json" <<EOF
{ "schema_version": 1, "name": "$1", "release": "6.$2.0-fake", "arch": "x86_64", "cc": "gcc", "origin": "test",
  "build_dir": "$PWD/$1", "common_dir": "$PWD/$1", "symvers": "$PWD/$1/Module.symvers",
  "source_dir": "$PWD/$1.src", "make_vars": [], "notes": [], "packages": [], "roots": ["$PWD/$1"],
  "modversions": false, "version_code": $((6 * 65536 + $2 * 256)) }
EOF
}

# driver FILE NAME new|old: allocates, locks, reads.
driver() {
  if test "$3" = old; then
    cat <<EOF
#include <linux/module.h>
#include <linux/gadget.h>
struct $2 { struct gadget *g; int id; };
static struct $2 the;
static int $2_read(struct $2 *p)
{
	int ret;

	gadget_lock(p->g);
	ret = gadget_read(p->g);
	if (ret)
		goto out;
	p->id++;
out:
	gadget_unlock(p->g);
	return ret;
}
int init_module(void)
{
	the.g = gadget_init(the.id + $4, 1);
	if (!the.g)
		return -ENOMEM;

	return $2_read(&the);
}
MODULE_LICENSE("GPL");
EOF
  else
    cat <<EOF
#include <linux/module.h>
#include <linux/gadget.h>
struct $2 { struct gadget *g; int id; };
static struct $2 the;
static int $2_read(struct $2 *p)
{
	int ret;

	gadget_auto_lock(p->g);
	ret = gadget_read(p->g);
	if (ret)
		return ret;
	p->id++;
	return ret;
}
int init_module(void)
{
	the.g = gadget_alloc(the.id + $4, 1);
	if (IS_ERR(the.g))
		return PTR_ERR(the.g);

	return $2_read(&the);
}
MODULE_LICENSE("GPL");
EOF
  fi >"$1"
}
in_trees() {
  driver "k1.src/drivers/g/$1.c" "$1" old "$2" && driver "k2.src/drivers/g/$1.c" "$1" new "$2"
}
port() { kport port "$@" --from k1 --to k2 --no-boot --gates apply,compile,link,honest; }

test_expect_success 'two kernels with the sources of three drivers' '
  gadget_kernel k1 1 && gadget_kernel k2 2 &&
  in_trees one 4 && in_trees two 5 && in_trees three 6 &&
  kport kernel show k1 --json >show.json
'

out_of_tree() {
  mkdir -p "$1" && driver "$1/mine.c" mine old 7 && echo 'obj-m := mine.o' >"$1/Kbuild"
}

test_expect_success 'call, check and error, lock, unlock and jumps are ported together' '
  out_of_tree drv &&
  port drv --json >out.json &&
  test_json out.json .gates.compile.verdict PASS &&
  test_json out.json .outcome "ported, review these edits" &&
  driver want.c mine new 7 &&
  test_cmp want.c port-drv/tree/mine.c
'

test_expect_success 'the series says what the group rests on' '
  cat port-drv/series/*.patch >series &&
  test_grep "drv: use gadget_auto_lock in place of gadget_lock" series &&
  test_grep "drv: use gadget_alloc in place of gadget_init" series &&
  tr "\n" " " <series >one && test_grep "3 drivers of the kernel made the same change" one &&
  test_grep "Kport-evidence: mined; group;" series
'

test_expect_success 'the same input gives the same bytes' '
  cat port-drv/series/*.patch >first && rm -rf port-drv &&
  port drv && cat port-drv/series/*.patch >second && test_cmp first second
'

test_expect_success 'a check that no other driver had: nothing of the group is applied' '
  out_of_tree half && sed -i "s/if (!the.g)/if (the.g == 0)/" half/mine.c &&
  test_expect_code 1 port half --json >out.json &&
  test_json out.json .outcome "not ported" &&
  test_json out.json ".left[0].symbol" gadget_init &&
  test_no_grep gadget_alloc port-half/tree/mine.c &&
  test_no_grep PTR_ERR port-half/tree/mine.c
'

test_expect_success '--without group leaves it out, and an unknown source is refused' '
  test_expect_code 1 port drv --without group,mined,rename --json >out.json &&
  test_json out.json .outcome "not ported" &&
  test_expect_code 129 port drv --without nosuch 2>err && test_grep "knows no .nosuch., but cautions rules mined group" err
'

test_expect_success 'the own newer version of a driver is never used' '
  rm k?.src/drivers/g/two.c k?.src/drivers/g/three.c &&
  for k in k1 k2; do touch "$k.src"; done &&
  test_expect_code 1 port k1.src/drivers/g/one.c --out own --json >out.json &&
  test_json out.json .outcome "not ported" &&
  port drv --out other --json >out.json &&
  cat other/series/*.patch >series && test_grep "drivers/g/one.c" series
'

test_done
