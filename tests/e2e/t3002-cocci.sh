#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='semantic checks: each reports exactly the lines that its example marks'
. "$(dirname "$0")/../test-lib.sh"

command -v spatch >/dev/null || test_skip_all 'coccinelle is not installed'

test_expect_success 'each check has an example and each example a check' '
  (cd "$ROOT/checks/cocci" && ls -- *.cocci) | sed "s/\.cocci\$//" >checks &&
  (cd "$FIXTURES/cocci" && ls -- *.c) | sed "s/\.c\$//" >examples &&
  test_cmp checks examples
'

for check in "$ROOT"/checks/cocci/*.cocci; do
  name=$(basename "$check" .cocci)
  example=$FIXTURES/cocci/$name.c

  test_expect_success "$name finds what is marked as bad and nothing else" '
    grep -n "/\* bad \*/" "$example" | cut -d: -f1 >want && test -s want &&
    spatch --very-quiet -D report --no-includes --sp-file "$check" "$example" >report 2>err &&
    sed -n "s/^[^:]*:\([0-9]*\):[0-9]*-[0-9]*: ..*/\1/p" report | sort -n -u >have &&
    test_cmp want have
  '

  test_expect_success "$name has the kernel format header" '
    head -1 "$check" >first && test_grep "SPDX-License-Identifier: GPL-2.0-only" first &&
    test_grep "^/// [A-Z].*\.$" "$check" &&
    test_grep "^// Confidence: \(High\|Moderate\|Low\)$" "$check" &&
    test_grep "^virtual report$" "$check"
  '
done

test_done
