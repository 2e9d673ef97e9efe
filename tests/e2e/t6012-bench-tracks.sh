#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport bench with packages (out-of-tree) and commits (history), on fake kernels'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"
. "$ROOT/tests/bench-trees.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'

kernels=(--kernel "$TRASH/k1=$TRASH/s1" --kernel "$TRASH/k2=$TRASH/s2")
debs=$XDG_CACHE_HOME/kport/packages

# deb VERSION SED: the widget driver in two files as a package, changed by SED
deb() {
  local dir=deb-$1/usr/src/widget-1
  mkdir -p "deb-$1/DEBIAN" "$debs" && widget_driver "$dir" && sed -i "$2" "$dir/widget.c" &&
  printf 'int widget_two(int a);\nint widget_two(int a) { return a + 1; }\n' >"$dir/two.c" &&
  printf 'obj-m := pair.o\npair-y := widget.o two.o\n' >"$dir/Kbuild" &&
  printf '%s\n' 'PACKAGE_NAME="pair"' 'PACKAGE_VERSION="1"' 'BUILT_MODULE_NAME[0]=pair' 'DEST_MODULE_LOCATION[0]=/extra' AUTOINSTALL=yes >"$dir/dkms.conf" &&
  printf '%s\n' 'Package: pair-dkms' "Version: $1" 'Architecture: all' 'Maintainer: nobody <nobody@example.com>' 'Description: test' >"deb-$1/DEBIAN/control" &&
  dpkg-deb --root-owner-group -b "deb-$1" "$debs/pair-dkms_$(printf %s "$1" | sed "s/:/%3a/")_all.deb" >/dev/null
}

test_expect_success 'two versions of a package are a candidate; no text of them is in it' '
  bench_trees && deb 1:1.0-1 "s/widget_poke(w); //" &&
  deb 1:2.0-1 "s/static int my_remove(\(.*\)) { widget_poke(w); return 0; }/static void my_remove(\1) { }/" &&
  printf "# a list\npair-dkms\t1:1.0-1\t1:2.0-1\t%s\t%s\n" "$TRASH/k1=$TRASH/s1" "$TRASH/k2=$TRASH/s2" >list &&
  kport bench packages --list list --out p.jsonl >out && test_grep "^1 candidates, 0 lines left out" out &&
  test_json p.jsonl .track out-of-tree && test_json p.jsonl .driver.version 1:1.0-1 && test_json p.jsonl .gold.version 1:2.0-1 &&
  test_json p.jsonl .driver.sha256 "$(sha256sum <"$debs/pair-dkms_1%3a1.0-1_all.deb" | cut -d" " -f1)" &&
  test_json p.jsonl .build.kind dkms && test_no_grep my_remove p.jsonl &&
  test_expect_code 129 kport bench packages --list list 2>err && echo "a b" >bad && test_expect_code 128 kport bench packages --list bad --out x 2>err &&
  test_grep "PACKAGE OLD NEW FROM TO" err
'

test_expect_success 'it is validated: all states' '
  kport bench validate -c p.jsonl "${kernels[@]}" --out v.jsonl >out && test_line_count = 1 v.jsonl &&
  test_json v.jsonl .validation.verdict validated && test_json v.jsonl .validation.states.before.compile FAIL &&
  test_json v.jsonl .validation.states.gold.honest PASS && test_json v.jsonl .validation.states.stub.honest FAIL &&
  test_json v.jsonl .validation.states.delete.honest FAIL
'

test_expect_success 'runs: gold all, no-op none, the engine, an agent; similar to gold' '
  run() { kport bench run -c v.jsonl "${kernels[@]}" --track out-of-tree --limit 20 "$@"; } &&
  run --gold --out gold >out && test_grep "1 resolved, 0 infra" out &&
  kport bench score gold --json >s.json && test_json s.json ".runs[0].similar.delta.mean" 1.0 &&
  test_json s.json ".runs[0].equivalence.same_tokens.hits" 1 &&
  run --solver noop --out noop >out && test_grep " 0 resolved, 0 infra" out &&
  run --solver sibling --out sibling >out && test_grep " 0 infra" out &&
  run --out engine >out && test_grep " 1 resolved, 0 infra" out &&
  run --agent "cd \$KPORT_DRIVER && sed -i \"s/static int my_remove(\\(.*\\)) { return 0; }/static void my_remove(\\1) { }/\" widget.c" \
    --out agent >out && test_grep " 1 resolved" out &&
  run --agent "printf %s\\\\n \"--- a/../x.c\" \"+++ b/../x.c\" >\$KPORT_PATCH" --out evil >out && test_grep " 0 resolved" out &&
  cat evil/results/* >all && test_grep "no part of the driver" all &&
  kport bench report engine --format html --out pages >out && test_path_is_file pages/index.html
'

test_expect_success 'a package that is not there is the fault of the machine' '
  mkdir -p "$XDG_CONFIG_HOME/kport" && printf "[kernel]\n\tmirror = http://127.0.0.1:9/debian\n" >"$XDG_CONFIG_HOME/kport/kport.conf" &&
  mv "$debs"/*2.0* . && test_expect_code 2 run --gold --out missing >out 2>err && test_grep "1 infra" out &&
  mv ./*2.0*.deb "$debs"/ && run --gold --out missing >out && test_grep "1 resolved, 0 infra" out
'

test_expect_success 'history: a commit and the state before it, each a work tree' '
  mkdir repo && touch s1/scripts/.keep s1/arch/x86/include/asm/.keep s2/scripts/.keep s2/arch/x86/include/asm/.keep && cp -r s1/. repo/ && (cd repo && git init -q && git add -A && git commit -qm "widget: first") &&
  rm -rf repo/drivers repo/include && cp -r s2/. repo/ && (cd repo && git add -A && git commit -qm "widget: make remove return void") &&
  git -C repo worktree add -q ../w2 HEAD && git -C repo worktree add -q ../w1 HEAD~1 &&
  kport mine repo >out && kport mine cases repo --out h.jsonl >out && kport bench list -c h.jsonl --track history >out && test_grep "history" out &&
  history=(--kernel "$TRASH/k1=$TRASH/w1" --kernel "$TRASH/k2=$TRASH/w2") &&
  kport bench validate -c h.jsonl "${history[@]}" --out hv.jsonl >out && test_grep ": [12] validated, 0 rejected" out &&
  kport bench run -c hv.jsonl --track history "${history[@]}" --gold --out hgold >out && test_grep " 0 infra" out && test_no_grep " 0 resolved" out &&
  test_expect_code 2 kport bench run -c hv.jsonl "${kernels[@]}" --gold --out hnone >out 2>err && cat hnone/results/* >all && test_grep "no kernel of commit" all
'
test_done
