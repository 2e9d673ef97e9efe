#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport kernel: records of trees, lists, removal, errors'
. "$(dirname "$0")/../test-lib.sh"

records=$XDG_CACHE_HOME/kport/kernels

# A prepared build tree "tree" next to its source "src".
test_expect_success 'set up a kernel in miniature' '
  cp -r "$FIXTURES/fakelinux" src &&
  mkdir tree &&
  cp src/fake.config tree/.config &&
  touch tree/Module.symvers &&
  make -s -C src O="$PWD/tree" modules_prepare
'

test_expect_success 'no kernels at first' '
  kport kernel list >out &&
  test_grep "no kernels yet" out &&
  kport kernel list --json >out.json &&
  test_json out.json "#" 0
'

test_expect_success 'a build tree is used in place' '
  kport kernel add --tree tree >out &&
  test_grep "6.9.3-fake" out &&
  kport kernel show --json 6.9.3-fake >show.json &&
  test_json show.json .release 6.9.3-fake &&
  test_json show.json .version 6.9.3 &&
  test_json show.json .arch x86_64 &&
  test_json show.json .build_dir "$PWD/tree" &&
  test_json show.json .common_dir "$PWD/src" &&
  test_json show.json .origin "build-tree:$PWD/tree" &&
  find "$records/6.9.3-fake" -type f >files &&
  test_line_count = 1 files
'

test_expect_success 'it is found by version, in a list, and as text' '
  kport kernel show 6.9.3 >out &&
  test_grep "^build tree  *$PWD/tree$" out &&
  kport kernel list >out &&
  test_grep "^6.9.3-fake .*build-tree:" out &&
  kport kernel list --json >list.json &&
  test_json list.json "#" 1 &&
  test_json list.json "[0].name" 6.9.3-fake
'

test_expect_success 'a name cannot be taken twice' '
  test_must_fail kport kernel add --tree tree 2>err &&
  test_line_count = 1 err &&
  test_grep "there is a kernel .6.9.3-fake. already" err &&
  kport kernel add --tree tree --name other &&
  kport kernel list --json >list.json &&
  test_json list.json "#" 2
'

test_expect_success 'image and modules are named with the tree' '
  mkdir -p mods && touch bzImage mods/modules.order &&
  kport kernel add --tree tree --name boots --image bzImage --modules mods --json >out.json &&
  test_json out.json .image "$PWD/bzImage" &&
  test_json out.json .modules_dir "$PWD/mods" &&
  test_must_fail kport kernel add --tree tree --name b2 --image none 2>err &&
  test_grep "no image .none." err &&
  test_must_fail kport kernel add --tree tree --name b2 --modules src 2>err &&
  test_grep "modules.order" err
'

test_expect_success 'remove' '
  kport kernel remove boots other &&
  test_path_is_missing "$records/boots" &&
  test_expect_code 1 kport kernel remove other 2>err &&
  test_grep "no kernel .other. is known" err &&
  test_path_is_dir tree &&
  kport kernel show 6.9.3-fake
'

test_expect_success 'a path names a tree without a record' '
  kport kernel show ./tree >out &&
  test_grep "6.9.3-fake" out &&
  mkdir -p mod/build && rmdir mod/build && ln -s ../tree mod/build &&
  kport kernel show mod/ >out &&
  test_grep "6.9.3-fake" out &&
  test_expect_code 1 kport kernel show ./nothing 2>err &&
  test_grep "no kernel tree" err
'

test_expect_success 'a source and a configuration are prepared outside of the source' '
  cp -r src src2 && (cd src2 && find . | sort) >before &&
  touch symvers &&
  kport kernel add --source src2 --kconfig src/fake.config --symvers symvers --name prep >out &&
  (cd src2 && find . | sort) >after &&
  test_cmp before after &&
  kport kernel show --json prep >show.json &&
  test_json show.json .source_dir "$PWD/src2" &&
  test_json show.json .common_dir "$PWD/src2" &&
  test_json show.json .build_dir "$records/prep/build" &&
  test_path_is_file "$records/prep/build/Module.symvers"
'

test_expect_success 'the cache can be moved' '
  mv "$XDG_CACHE_HOME/kport" elsewhere &&
  test_when_finished "mv elsewhere \"$XDG_CACHE_HOME/kport\"" &&
  KPORT_CACHE_HOME=$PWD/elsewhere kport kernel show --json prep >show.json &&
  test_json show.json .build_dir "$PWD/elsewhere/kernels/prep/build" &&
  mkdir m && cp "$FIXTURES/fakelinux/fake.config" m/ && echo "obj-m := x.o" >m/Makefile &&
  echo "#include <linux/module.h>" >m/x.c &&
  make -C elsewhere/kernels/prep/build M="$PWD/m" modules &&
  test_path_is_file m/x.ko
'

test_expect_success 'wrong configuration: the words of make, nothing left' '
  echo CONFIG_X=y >bad.config &&
  test_must_fail kport kernel add --source src --kconfig bad.config --symvers symvers --name bad 2>err &&
  test_line_count = 1 err &&
  test_grep "not for this kernel" err &&
  test_path_is_missing "$records/bad" &&
  find "$records/.work/bad" -type f ! -name .lock >left &&
  test_line_count = 0 left
'

test_expect_success 'without Module.symvers nothing can be linked' '
  mv tree/Module.symvers sv && test_when_finished "mv sv tree/Module.symvers" &&
  test_must_fail kport kernel add --tree tree --name x 2>err &&
  test_line_count = 1 err &&
  test_grep "no Module.symvers" err &&
  test_must_fail kport kernel add --source src --kconfig src/fake.config --name x 2>err &&
  test_grep "symvers FILE" err
'

test_expect_success 'trees that are none' '
  mkdir -p empty && echo text >plain &&
  for d in empty plain src nowhere; do
    test_must_fail kport kernel add --tree $d --name x 2>err &&
    test_line_count = 1 err &&
    test_path_is_missing "$records/x" || return 1
  done &&
  test_must_fail kport kernel add --tree src 2>err &&
  test_grep "kport kernel add --source" err &&
  test_must_fail kport kernel add --source empty --kconfig plain 2>err &&
  test_grep "not a kernel source tree" err
'

test_expect_success 'a tree that does not build a module is refused with the words of the compiler' '
  cp -r src broken && echo "#error headers are broken" >>broken/include/linux/module.h &&
  mkdir btree && cp src/fake.config btree/.config && touch btree/Module.symvers &&
  make -s -C broken O="$PWD/btree" modules_prepare &&
  test_expect_code 2 kport kernel add --tree btree --name x 2>err &&
  test_line_count = 1 err &&
  test_grep "headers are broken" err &&
  test_path_is_missing "$records/x"
'

test_expect_success 'usage' '
  for args in "" "6.1 6.2" "6.1 --tree x" "--source x" "--kconfig x 6.1" "--tree x --with-image" "--image x 6.1" "--name x 6.1"; do
    test_expect_code 129 kport kernel add $args 2>err &&
    test_line_count = 1 err || return 1
  done &&
  test_expect_code 129 kport kernel 2>err &&
  test_expect_code 129 kport kernel frob 2>err &&
  test_expect_code 129 kport kernel show 2>err &&
  test_expect_code 129 kport kernel remove 2>err &&
  test_expect_code 129 kport kernel list x 2>err
'

test_expect_success 'words that are no version, names that are no names' '
  for w in six 6 6. .6 "6.1;x" "../6.1" "6.1 " "6.1/x" "-6.1"; do
    test_must_fail kport kernel add -- "$w" 2>err &&
    test_line_count = 1 err || return 1
  done &&
  for n in . .. .hidden a/b "a b" ""; do
    test_must_fail kport kernel add --tree tree --name "$n" 2>err &&
    test_line_count = 1 err || return 1
  done &&
  find "$records/.work" -mindepth 1 -maxdepth 1 >work &&
  test_no_grep "six\|hidden" work
'

test_expect_success 'a kernel with sanitizers needs the source' '
  name=$(test_json list.json "[0].name") && test_expect_code 2 kport kernel build "$name" 2>err &&
  test_line_count = 1 err && test_grep "kport kernel add $name --with-source" err &&
  test_expect_code 1 kport kernel build no-such 2>err && test_line_count = 1 err &&
  test_expect_code 129 kport kernel build 2>err && test_line_count = 1 err &&
  test_expect_code 129 kport kernel build "$name" --jobs -1 2>err && test_path_is_missing "$records/.built"
'

test_expect_success 'a damaged record is told and can be removed' '
  mkdir -p "$records/hurt" && echo "{" >"$records/hurt/kernel.json" &&
  test_must_fail kport kernel show hurt 2>err &&
  test_line_count = 1 err &&
  kport kernel list --json >list.json &&
  test_json list.json "#" 2 &&
  kport kernel remove hurt &&
  test_path_is_missing "$records/hurt"
'

test_expect_success 'Kbuild works in no directory with a blank: said at once' '
  KPORT_CACHE_HOME="$PWD/a b" test_must_fail kport kernel add 6.1 2>err &&
  test_line_count = 1 err &&
  test_grep "blank or a colon" err
'

test_expect_success 'a second run waits for nobody with a lock of its own name' '
  mkdir -p "$records/.work/held" &&
  { flock --no-fork "$records/.work/held/.lock" sleep 30 & pid=$!; } &&
  test_when_finished "kill $pid; wait $pid; true" &&
  sleep 0.5 &&
  test_must_fail kport kernel add --tree tree --name held 2>err &&
  test_grep "in use" err &&
  test_line_count = 1 err
'

test_done
