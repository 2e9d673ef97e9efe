#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport bench list, materialise and validate, on fake kernels'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"
. "$ROOT/tests/bench-trees.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'

kernels=(--kernel k1=s1 --kernel k2=s2)

# refuses TEXT: list says one line with it
refuses() {
  # shellcheck disable=SC2283 # a comparison
  test_expect_code 128 kport bench list -c bad.jsonl 2>err && test_line_count = 1 err && test_grep "$1" err
}

test_expect_success 'mined cases are read and chosen' '
  bench_trees &&
  kport bench list -c cases.jsonl >out && test_grep "^2 cases" out && test_grep "release .*6.1 -> 6.2 .*candidate" out &&
  kport bench list -c cases.jsonl --track history >out && test_grep "^0 cases" out &&
  kport bench list -c cases.jsonl --pair 6.1:6.2 --limit 1 --json >out.json && test_json out.json "#" 1 &&
  kport bench list -c cases.jsonl --split dev >out && n=$(tail -n 1 out) &&
  kport bench list -c cases.jsonl --split test >out && test "$n" != "$(tail -n 1 out)" &&
  kport bench list -c cases.jsonl --validated >out && test_grep "^0 cases" out
'

test_expect_success 'the schema is strict' '
  head -n 1 cases.jsonl >one.jsonl &&
  sed "s/\"boot\":null/\"boot\":null,\"x\":1/" one.jsonl >bad.jsonl && refuses "bad.jsonl:1: unknown key .x." &&
  sed "s/\"boot\":null/\"boot\":7/" one.jsonl >bad.jsonl && refuses "bad.jsonl:1: .boot. is neither" &&
  sed "s/\"schema_version\":1/\"schema_version\":2/" one.jsonl >bad.jsonl && refuses "schema_version. is not 1" &&
  sed "s|drivers/misc|../misc|g" one.jsonl >bad.jsonl && refuses "path. is no path below" &&
  sed "s|drivers/misc|drivers/mist|g" one.jsonl >bad.jsonl && refuses "id. is not that of the content" &&
  sed "s/\"boot\":null/\"boot\":null,\"boot\":null/" one.jsonl >bad.jsonl && refuses "bad.jsonl:1: no JSON: duplicate" &&
  cat one.jsonl one.jsonl >bad.jsonl && refuses "bad.jsonl:2: the case .* is there already" &&
  echo "{" >bad.jsonl && refuses "bad.jsonl:1: no JSON" &&
  { head -c 2000000 /dev/zero | tr "\0" a; echo; } >bad.jsonl && refuses "bad.jsonl:1: a line of more than" &&
  test_expect_code 128 kport bench list -c cases.jsonl --id 0123 2>err && test_grep "fits none" err &&
  test_expect_code 129 kport bench list -c cases.jsonl --split all 2>err &&
  test_expect_code 129 kport bench frob 2>err
'

test_expect_success 'a case as a directory, without the answer' '
  kport bench materialise -c cases.jsonl "${kernels[@]}" --out m >dirs && test_line_count = 2 dirs &&
  dir=$(grep "/cb$" dirs) && test_cmp s1/drivers/misc/cb.c "$dir/drivers/misc/cb.c" &&
  test_json "$dir/../task.json" .file drivers/misc/cb.c &&
  gold=$(sha256sum <s2/drivers/misc/cb.c | cut -d" " -f1) &&
  ! grep -rq "$gold\|gold\|siblings\|expect\|static void my_remove" m &&
  kport port "$dir" --from k1 --to k2 --no-boot --gates compile,link --out ported --quiet >out
'

test_expect_success 'files and kernels that are not those of the case' '
  test_expect_code 2 kport bench materialise -c cases.jsonl --out none 2>err && test_line_count = 1 err &&
  test_grep "kport kernel add" err &&
  cp -r s1 s3 && echo >>s3/drivers/misc/cb.c &&
  test_expect_code 2 kport bench materialise -c cases.jsonl --kernel k1=s3 --kernel k2=s2 --out other 2>err >out &&
  test_grep "is not the file that case" err
'

test_expect_success 'validate: the four states' '
  kport bench validate -c cases.jsonl "${kernels[@]}" --out v.jsonl >out &&
  test_grep "^2 cases: 2 validated, 0 rejected, 0 stay" out && test_line_count = 2 v.jsonl &&
  head -n 1 v.jsonl >v1.json && test_json v1.json .validation.states.before.compile FAIL &&
  test_json v1.json .validation.states.old.compile PASS && test_json v1.json .validation.states.gold.honest PASS &&
  test_json v1.json .validation.states.stub.honest FAIL && test_json v1.json .validation.states.delete.honest FAIL &&
  test_json v1.json .validation.states.empty.compile FAIL &&
  kport bench list -c v.jsonl --validated >out && test_grep "^2 cases" out
'

test_expect_success 'a second time nothing is built; the answer is the same' '
  cp v.jsonl before.jsonl && kport bench validate -c cases.jsonl --out v.jsonl >out && test_cmp before.jsonl v.jsonl
'

test_expect_success 'what is no case is rejected, what cannot be judged is not' '
  cp -r s2 s4 && sed -i "s/return widget_register/return 7 + widget_register/; s/static void my_remove/static int my_remove/; s/{ }/{ return 1; }/" s4/drivers/misc/cb.c &&
  kport mine cases --trees s1 s4 --out odd.jsonl >out && grep misc/cb.c odd.jsonl >odd1.jsonl &&
  kport bench validate -c odd1.jsonl --kernel k1=s1 --kernel k2=s4 --out o.jsonl --all >out &&
  test_grep "1 rejected" out && test_grep "gold: compile is FAIL" out &&
  test_expect_code 2 kport bench validate -c odd1.jsonl --kernel k1=s1 --out p.jsonl >out 2>err &&
  test_grep "1 stay candidates" out && test_path_is_missing p.jsonl.records/*.json
'
test_done
