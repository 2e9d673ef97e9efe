#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport index: an index that goes to another machine and answers there'
. "$(dirname "$0")/../test-lib.sh"

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
  kport kernel add --tree "$1" --name "$1" >add.out
}

test_expect_success 'export what is known of two kernels' '
  small_kernel old 9 &&
  small_kernel new 10 &&
  kport index export pair.kpi --pair old:new >out 2>err &&
  test_grep "pair.kpi: old -> new" out &&
  test_grep "no examples" err &&
  test_grep "no layouts" err &&
  kport explain frob_ops.remove --from old --to new >want
'

# From here on a machine that has neither kernel.
test_expect_success 'nothing is known elsewhere' '
  mkdir elsewhere away && mv old new away/ && export KPORT_CACHE_HOME="$PWD/elsewhere" &&
  test_expect_code 1 kport explain frob_ops.remove --from old --to new 2>err &&
  test_grep "no kernel .old. is known" err &&
  kport index list >out &&
  test_grep "nothing was imported" out
'

test_expect_success 'import, and the same answer' '
  export KPORT_CACHE_HOME="$PWD/elsewhere" &&
  kport index import pair.kpi >out &&
  test_grep "^imported: old -> new" out &&
  kport index import pair.kpi >out &&
  test_grep "^there already: old -> new" out &&
  kport index list --json >list.json &&
  test_json list.json [0].from old &&
  test_json list.json [0].to new &&
  kport explain frob_ops.remove --from old --to new >got &&
  test_cmp want got &&
  test_expect_code 1 kport explain no_such_thing --from old --to new 2>err &&
  test_grep "no_such_thing" err &&
  test_expect_code 1 kport explain frob_ops.remove --from old --to newer 2>err
'

test_expect_success 'impact answers from it too' '
  export KPORT_CACHE_HOME="$PWD/elsewhere" &&
  mkdir drv && echo "obj-m := drv.o" >drv/Makefile &&
  printf "#include <linux/frob.h>\nint f(struct frob *f) { return del_frob(f); }\n" >drv/drv.c &&
  test_expect_code 1 kport impact drv --from old --to new >out &&
  test_grep "del_frob: renamed to frob_delete" out
'

test_expect_success 'an altered file, a cut one, none at all' '
  export KPORT_CACHE_HOME="$PWD/third" &&
  size=$(stat -c %s pair.kpi) &&
  cp pair.kpi bad.kpi && printf X | dd of=bad.kpi bs=1 seek=$((size / 2)) conv=notrunc status=none &&
  test_expect_code 128 kport index import bad.kpi 2>err &&
  test_grep "altered" err &&
  head -c $((size - 1)) pair.kpi >cut.kpi &&
  test_expect_code 128 kport index import cut.kpi 2>err &&
  test_grep "cut off" err &&
  echo text >text.kpi &&
  test_expect_code 128 kport index import text.kpi 2>err &&
  test_grep "no index that kport exported" err &&
  test_expect_code 128 kport index import none.kpi 2>err &&
  mkfifo fifo.kpi &&
  test_expect_code 128 timeout 10 kport index import fifo.kpi 2>err &&
  test_grep "no regular file" err &&
  kport index list >out &&
  test_grep "nothing was imported" out &&
  find third -name ".import-*" >left && test_line_count = 0 left
'

test_expect_success 'wrong usage' '
  test_expect_code 129 kport index 2>err &&
  test_grep "^kport index: say what to do" err &&
  test_expect_code 129 kport index export x.kpi 2>err &&
  test_expect_code 129 kport index export x.kpi --pair old 2>err &&
  test_expect_code 129 kport index export --pair old:new 2>err &&
  test_expect_code 129 kport index import 2>err &&
  test_expect_code 1 kport index export x.kpi --pair old:7.9 2>err &&
  test_path_is_missing x.kpi &&
  kport index -h >out && test_grep "pair OLD:NEW" out
'
test_done
