#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='what a mined history adds: commits in explain, cases, status, export and import'
. "$(dirname "$0")/../test-lib.sh"

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

# A history of a header and three drivers: renamed in v6.10, other parameters in v6.11.
history() {
  git init -q -b master repo && cd repo &&
  git config user.email dev@example.org && git config user.name dev &&
  mkdir -p include/linux drivers/x drivers/y &&
  printf "VERSION = 6\nPATCHLEVEL = 9\n" >Makefile &&
  printf "struct frob;\nint frob_register(void *owner, struct frob *f, int flags);\nint del_frob(struct frob *f);\n" \
    >include/linux/frob.h &&
  for d in x/one y/two y/three; do
    printf "#include <linux/frob.h>\nint %s(struct frob *f)\n{\n\tif (f)\n\t\tdel_frob(f);\n\treturn frob_register(0, f, 1);\n}\n" \
      "${d#*/}" >"drivers/$d.c" || return
  done &&
  printf "obj-\$(CONFIG_ONE) += one.o\n" >drivers/x/Makefile &&
  printf "obj-\$(CONFIG_TWO) += two.o three.o\nthree-objs := three.o\n" >drivers/y/Makefile &&
  git add -A && git commit -qm "start" && git tag v6.9 &&
  sed -i s/del_frob/frob_delete/ include/linux/frob.h drivers/*/*.c &&
  git commit -qam "frob: rename del_frob() to frob_delete()" && git tag v6.10 &&
  sed -i "s/void \*owner, //" include/linux/frob.h && sed -i "s/frob_register(0, /frob_register(/" drivers/*/*.c &&
  git commit -qam "frob: drop the owner of frob_register()" && git tag v6.11 &&
  cd ..
}

test_expect_success 'set up two kernels and a mined history' '
  small_kernel old 9 && small_kernel new 10 &&
  (history) &&
  kport mine repo >out &&
  kport mine status >status && test_grep "^history of $TRASH/repo, last HEAD at .* up to $(git -C repo rev-parse --short=12 HEAD): 3 commits, 2 co-changes" status
'

test_expect_success 'explain names the commit, its release and what followed' '
  rename=$(git -C repo rev-parse v6.10) &&
  kport explain del_frob --from old --to new >out &&
  test_grep "v6.10 .*rename: frob: rename del_frob() to frob_delete()" out &&
  test_grep "$(echo $rename | cut -c1-12)" out &&
  test_grep "same-commit, 3 files follow" out &&
  test_grep "drivers/.*(commit $(echo $rename | cut -c1-12))" out &&
  test_grep "^    + .*frob_delete(f)" out &&
  kport explain del_frob --from old --to new --json >out.json &&
  test_json out.json .commits[0].commit "$rename" &&
  test_json out.json .commits[0].class rename &&
  test_json out.json .commits[0].to frob_delete &&
  test_json out.json .examples[0].commit "$rename"
'

test_expect_success 'a commit of a later release is counted, not shown' '
  kport explain frob_register --from old --to new >out &&
  test_no_grep "drop the owner" out &&
  test_grep "1 commit of other releases" out
'

test_expect_success 'without kernels the histories answer alone' '
  kport explain del_frob >out && test_grep "^  was  *int del_frob(struct frob \*f)" out && test_grep "^  became  *int frob_delete" out &&
  test_grep "v6.10 .*rename: frob: rename del_frob() to frob_delete()" out && test_grep "^    + .*frob_delete(f)" out &&
  kport explain frob_register --json >out.json && test_json out.json .commits[0].release v6.11 &&
  test_expect_code 1 kport explain no_such 2>err && test_grep "no commit of the 1 mined histories changed .no_such." err && test_line_count = 1 err &&
  test_expect_code 129 kport explain del_frob --from old 2>err && test_grep "or neither" err &&
  test_expect_code 129 kport explain del_frob --examples -1 2>err && test_grep "from 0 to 1000" err &&
  KPORT_CACHE_HOME="$PWD/none" test_expect_code 129 kport explain del_frob 2>err && test_grep "kport mine REPO" err
'
test_expect_success 'kernels in the wrong order are told' '
  kport explain del_frob --from new --to old >out 2>err && test_grep "new. is newer than .old." err &&
  mkdir drv && echo "obj-m := drv.o" >drv/Makefile && echo "int x;" >drv/drv.c &&
  kport impact drv --from new --to old >out 2>err && test_grep "new. is newer than .old." err
'
test_expect_success 'names of what is exported' '
  for name in "" a/b "a b" -x .x "$(printf "a\033b")" "$(printf "%0200d" 1)"; do
    test_expect_code 129 kport index export x.kpi --history repo --name "$name" 2>err && test_line_count = 1 err || return 1
  done &&
  mkdir -p u-boot && git clone -q --bare repo u-boot/repo && kport mine u-boot/repo >out &&
  kport index export x.kpi --history u-boot/repo >out && test_grep "history of u-boot" out && rm x.kpi &&
  test_expect_code 128 kport index export none/x.kpi --history repo 2>err && test_path_is_missing none
'

test_expect_success 'cases of the history' '
  kport mine cases repo --out cases.jsonl >out &&
  test_grep "^4 candidate cases" out &&
  grep "del_frob" cases.jsonl | head -n 1 >case.json &&
  test_json case.json .track history &&
  test_json case.json .driver.path drivers/x/one.c &&
  test_json case.json .from.commit "$(git -C repo rev-parse v6.9)" &&
  test_json case.json .driver.sha256 "$(git -C repo show v6.9:drivers/x/one.c | sha256sum | cut -d" " -f1)" &&
  test_no_grep "three.c" cases.jsonl
'

test_expect_success 'export, import elsewhere, the same commits' '
  kport index export history.kpi --history repo --name repo >out &&
  test_grep "history of repo" out &&
  kport index export pair.kpi --pair old:new >out 2>err &&
  kport explain del_frob --from old --to new >want &&
  mkdir away elsewhere && mv old new repo away/ && export KPORT_CACHE_HOME="$PWD/elsewhere" &&
  kport index import history.kpi >out && kport index import pair.kpi >out &&
  kport explain del_frob --from old --to new >got &&
  test_cmp want got &&
  kport mine status --all >out && test_grep "^imported: history of repo" out &&
  kport explain del_frob >got && test_grep "rename del_frob() to frob_delete()" got &&
  sqlite3 elsewhere/index/shared/history-*/history.db .dump >dump && test_no_grep "$TRASH" dump && test_grep "rename del_frob" dump &&
  test_expect_code 1 kport index export x.kpi --history away/repo 2>err &&
  test_grep "was not mined" err && test_path_is_missing x.kpi &&
  test_expect_code 129 kport index export x.kpi --history repo --pair old:new 2>err
'
test_done
