#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='the test library itself: what fails is told, what is skipped is counted'
. "$(dirname "$0")/../test-lib.sh"

# run_script NAME: makes a test script of stdin and runs it; its answer is in the file "tap".
run_script() {
  {
    echo "test_description=inner"
    echo ". \"$ROOT/tests/test-lib.sh\""
    cat
  } >"$1.sh"
  # the inner trash directory is beside ours
  bash "$1.sh" >tap 2>tap.err
}

test_expect_success 'a failing test is told, with its output, and fails the file' '
  test_expect_code 1 run_script inner-fail <<-\EOF &&
	test_expect_success good true
	test_expect_success bad "echo some output && false"
	test_done
	EOF
  test_grep "^ok 1 - good" tap &&
  test_grep "^not ok 2 - bad" tap &&
  test_grep "^#   some output" tap &&
  test_grep "^1..2" tap
'

test_expect_success 'a broken &&-chain fails' '
  test_expect_code 1 run_script inner-chain <<-\EOF &&
	test_expect_success "broken chain" "
	  false
	  true
	"
	test_done
	EOF
  test_grep "^not ok 1" tap &&
  test_grep "broken &&-chain" tap
'

test_expect_success 'an early end is no success' '
  test_expect_code 1 run_script inner-exit <<-\EOF &&
	test_expect_success good true
	exit 0
	EOF
  test_grep "^not ok 2 - .*ended early" tap
'

test_expect_success 'no test at all is no success' '
  test_expect_code 1 run_script inner-none <<-\EOF
	test_done
	EOF
'

test_expect_success 'prerequisites: skipped with the reason, and counted' '
  run_script inner-skip <<-\EOF &&
	test_lazy_prereq YES true
	test_lazy_prereq NO false "no such device"
	test_expect_success YES one true
	test_expect_success NO two false
	test_expect_success YES,NO three false
	test_expect_success !NO four true
	test_have_prereq NO || test_expect_success five true
	test_done
	EOF
  test_grep "^ok 2 - two # SKIP no such device" tap &&
  test_grep "^# skipped 2: no such device" tap &&
  test_grep "^ok 5 - five" tap
'

test_expect_success 'an unknown prerequisite is no skip' '
  test_expect_code 1 run_script inner-unknown <<-\EOF
	test_expect_success TYPO one true
	test_done
	EOF
'

test_expect_success 'cleaning up happens, last first, and can fail the test' '
  test_expect_code 1 run_script inner-clean <<-\EOF &&
	test_expect_success one "
	  test_when_finished \"echo first >>log\" &&
	  test_when_finished \"echo second >>log\" &&
	  false
	"
	test_expect_success two "printf \"second\nfirst\n\" >expect && test_cmp expect log"
	test_expect_success three "test_when_finished false && true"
	test_done
	EOF
  test_grep "^not ok 1" tap &&
  test_grep "^ok 2" tap &&
  test_grep "^not ok 3" tap
'

test_expect_success 'the helpers fail when they should' '
  echo text >file &&
  ! test_cmp file /dev/null &&
  ! test_grep nothing file &&
  ! test_grep text nofile &&
  ! test_no_grep text file &&
  ! test_no_grep text nofile &&
  ! test_expect_code 3 true &&
  ! test_must_fail true &&
  ! test_must_fail no-such-program &&
  ! test_must_fail sh -c "kill -SEGV \$\$" &&
  ! test_must_fail sh -c "exit 99" &&
  ! test_line_count = 2 file &&
  ! test_path_is_file . &&
  ! test_path_is_missing file &&
  echo "{\"a\":[1,\"x\"]}" >doc &&
  test_json doc ".a[1]" x &&
  test_json doc ".a#" 2 &&
  ! test_json doc .a[1] y &&
  ! test_json doc .b x
'

test_expect_success 'the runner counts, and a program that dies is a failure' '
  mkdir runner && cd runner &&
  printf "#!/bin/bash\necho 1..2\necho ok 1\necho ok 2 \\# SKIP because\n" >good.sh &&
  printf "#!/bin/bash\necho 1..1\necho ok 1\nkill -9 \$\$\n" >dies.sh &&
  KPORT_BUILD=. "$ROOT/tests/run-tests.sh" inner "$PWD/good.sh" >out &&
  test_grep "^inner: 1 passed, 0 failed, 1 skipped$" out &&
  test_grep "1 because" out &&
  test_expect_code 1 env KPORT_BUILD=. "$ROOT/tests/run-tests.sh" inner "$PWD/good.sh" "$PWD/dies.sh" \
    >out 2>&1 &&
  test_grep "^inner: 2 passed, 1 failed, 1 skipped$" out &&
  test_expect_code 1 env KPORT_BUILD=. "$ROOT/tests/run-tests.sh" inner
'

test_expect_success 'the layer check finds a header from above' '
  mkdir -p layers/base layers/port &&
  printf "layers/base/x.o: base/x.c base/y.h port/z.h\n\nbase/y.h:\n" >layers/base/x.d &&
  printf "layers/port/p.o: port/p.c \\\\\n base/y.h checks/c.h\n" >layers/port/p.d &&
  test_expect_code 1 "$ROOT/tests/layer-check.sh" layers >out &&
  test_grep "^layer-check: base/x.c includes port/z.h" out &&
  test_line_count = 1 out &&
  sed -i "s, port/z.h,," layers/base/x.d &&
  "$ROOT/tests/layer-check.sh" layers >out &&
  test_grep "2 files" out &&
  test_expect_code 1 "$ROOT/tests/layer-check.sh" runner
'

rm -rf "$BUILD"/trash/inner-*
test_done
