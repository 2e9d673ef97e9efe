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

test_expect_success 'status tells what is there' '
  kport mine --trees old new >out &&
  kport mine status >out &&
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
