#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport mine cases and kport mine status'
. "$(dirname "$0")/../test-lib.sh"

tree() {
  mkdir -p "$1/include/linux" "$1/drivers/net" "$1/drivers/many" "$1/arch/x86/include/asm" &&
  printf "VERSION = 6\nPATCHLEVEL = %s\nSUBLEVEL = 3\n" "$2" >"$1/Makefile" &&
  printf "obj-\$(CONFIG_ONE) += one.o same.o \\\\\n\tcall.o\nobj-\$(CONFIG_TWO) += two.o\nobj-\$(CONFIG_OWN) += own.o\nobj-y += built.o\n" \
    >"$1/drivers/net/Makefile" &&
  printf "two-y := one.o\ntwo-objs += two-core.o\n" >>"$1/drivers/net/Makefile" &&
  printf "int x;\n" >"$1/drivers/net/two.c" && printf "#include \"own.h\"\n" >"$1/drivers/net/own.c" && : >"$1/drivers/net/own.h"
}

test_expect_success 'set up two trees' '
  tree old 1 && tree new 2 &&
  printf "struct t { int (*open)(int a); int kept; };\nint old_name(int x);\nint with(int a);\n" >old/include/linux/a.h &&
  printf "struct t { int (*open)(int a, int b); int kept; };\nint with(int a, int b);\n" >new/include/linux/a.h &&
  printf "#include <linux/a.h>\nint f(void) { return old_name(1); }\n" >old/drivers/net/one.c &&
  printf "#include <linux/a.h>\nint f(void) { return 1; }\n" >new/drivers/net/one.c &&
  printf "int f(void) { return old_name(1); }\n" >old/drivers/net/same.c && cp old/drivers/net/same.c new/drivers/net/ &&
  printf "int o(int a);\nstruct t t = { .open = o, };\n" >old/drivers/net/call.c &&
  printf "int o(int a, int b);\nstruct t t = { .open = o, };\n" >new/drivers/net/call.c &&
  echo "int y; /* old_name(1) */" >old/drivers/net/own.c
'

test_expect_success 'drivers of one file that follow a change' '
  kport mine cases --trees old new --out cases.jsonl >out &&
  test_grep "^2 candidate cases from" out &&
  test_line_count = 2 cases.jsonl &&
  head -n 1 cases.jsonl >call.json && tail -n 1 cases.jsonl >one.json &&
  test_json one.json .driver.path drivers/net/one.c &&
  test_json one.json .symbols[0].name old_name &&
  test_json one.json .symbols[0].taxonomy removal &&
  test_json one.json .driver.sha256 "$(sha256sum <old/drivers/net/one.c | cut -d" " -f1)" &&
  test_json one.json .gold.sha256 "$(sha256sum <new/drivers/net/one.c | cut -d" " -f1)" &&
  test_json one.json .build.config CONFIG_ONE &&
  test_json one.json .from.version 6.1.3 &&
  test_json one.json .expect.stub.honest FAIL &&
  test_json call.json .symbols[0].name "struct t.open" &&
  test_no_grep "return" cases.jsonl
'

test_expect_success 'the id is that of the content' '
  kport mine cases --trees old new --out again.jsonl >out &&
  test_cmp cases.jsonl again.jsonl &&
  python3 -c "
import hashlib, json
for l in open(\"cases.jsonl\"):
    o = json.loads(l)
    i = {k: o[k] for k in (\"schema_version\", \"track\", \"from\", \"to\", \"driver\")}
    text = json.dumps(i, sort_keys=True, separators=(\",\", \":\"))
    assert hashlib.sha256(text.encode()).hexdigest() == o[\"id\"], text
" &&
  cp -r old moved && kport mine cases --trees moved new --out moved.jsonl >out &&
  test_cmp cases.jsonl moved.jsonl
'

test_expect_success 'one directory; bad input' '
  kport mine cases --trees old new --dir drivers/many --out none.jsonl >out &&
  test_grep "^0 candidate" out && test_line_count = 0 none.jsonl &&
  test_expect_code 128 kport mine cases --trees old new --dir ../x --out x.jsonl 2>err &&
  mkdir empty && test_expect_code 128 kport mine cases --trees old empty --out x.jsonl 2>err &&
  test_grep "no kernel source tree" err && test_path_is_missing x.jsonl &&
  test_expect_code 129 kport mine cases --trees old --out x.jsonl 2>err &&
  test_grep "^kport mine cases: " err &&
  test_expect_code 129 kport mine cases --trees old new 2>err &&
  test_expect_code 128 kport mine cases --trees old new --out none/x.jsonl 2>err && test_path_is_missing none &&
  kport mine -h >out && test_grep "kport mine cases REPO" out && test_grep "kport mine status" out &&
  kport -q mine status >out
'

# four drivers: one follows the signature, one a callback, one only mentions the names, one has a header of its own
test_expect_success 'of a history: only who follows, built alone, under its whole name' '
  git init -q -b main repo && (cd repo &&
    mkdir -p include/linux drivers/d &&
    printf "struct dev;\nstruct dev_ops {\n\tint (*open)(struct dev *d);\n};\nint dev_add(struct dev *d, int a);\n" >include/linux/dev.h &&
    printf "obj-\$(CONFIG_\$(PHASE_)CALL) += call.o\nobj-\$(CONFIG_OPS) += ops.o\nobj-\$(CONFIG_WORD) += word.o\nobj-\$(CONFIG_OWN) += own.o\n" >drivers/d/Makefile &&
    printf "#include <linux/dev.h>\nint call(struct dev *d)\n{\n\treturn dev_add(d, 1);\n}\n" >drivers/d/call.c &&
    printf "#include <linux/dev.h>\nstatic int ops_open(struct dev *d)\n{\n\treturn 0;\n}\nstruct dev_ops ops = { .open = ops_open };\n" >drivers/d/ops.c &&
    printf "/* dev_add() is elsewhere */\nint word(void)\n{\n\treturn 0;\n}\n" >drivers/d/word.c &&
    printf "#include \"own.h\"\n#include <linux/dev.h>\nint own(struct dev *d)\n{\n\treturn dev_add(d, 1);\n}\n" >drivers/d/own.c && : >drivers/d/own.h &&
    git add -A && git commit -qm start &&
    sed -i "s/struct dev \*d)/struct dev *d, int how)/; s/int a)/int a, int b)/" include/linux/dev.h &&
    sed -i "s/dev_add(d, 1)/dev_add(d, 1, 2)/; s/ops_open(struct dev \*d)/ops_open(struct dev *d, int how)/; s/return 0/return 1/" drivers/d/*.c &&
    git commit -qam "dev: more arguments") &&
  kport mine repo >out && kport mine cases repo --out h.jsonl >out &&
  test_grep "^2 candidate cases from 3 drivers that followed a change, 1 of them left out" out &&
  grep call.c h.jsonl >call.json && test_json call.json .build.config CONFIG_CALL && test_json call.json .symbols[0].name dev_add &&
  test_json call.json .symbols[0].kind signature && test_json call.json ".symbols#" 1 &&
  grep ops.c h.jsonl >ops.json && test_json ops.json .symbols[0].name "struct dev_ops.open" &&
  kport mine cases repo --out again.jsonl --json >out.json && test_cmp h.jsonl again.jsonl && test_json out.json .not_built_alone 1 &&
  test_expect_code 128 kport mine cases nowhere --out x.jsonl 2>err && test_grep "no git repository" err &&
  git clone -q repo other && test_expect_code 128 kport mine cases other --out x.jsonl 2>err && test_grep "was not mined; .kport mine other" err
'

test_expect_success 'status tells what is there' '
  kport mine --trees old new >out &&
  kport mine status >out && test_grep "^headers  *3 .*MiB  kernels" out && test_grep "^snapshots  *1 " out && test_grep -e "; --all lists each" out &&
  kport mine status --all >out && test_no_grep "lists each" out &&
  test_grep "^headers of 6.1.3: [0-9]* symbols" out &&
  test_grep "^difference 6.1.3 -> 6.2.3: [0-9]* changes" out &&
  test_grep "^snapshots 6.1-6.2: [0-9]* examples from" out &&
  kport mine status --json >out.json &&
  test_json out.json .snapshots[0].versions 6.1-6.2 &&
  test_json out.json .unusable 0 &&
  KPORT_CACHE_HOME="$PWD/nothing" kport mine status >out &&
  test_grep "^0.0 MiB in" out &&
  test_expect_code 129 kport mine status more 2>err
'
test_done
