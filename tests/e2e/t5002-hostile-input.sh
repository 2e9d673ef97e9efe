#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport port: hostile input, a machine that lacks things, interruptions'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1

driver() { widget_driver "$1" && sed -i 's/widget_poke(w); //' "$1/widget.c"; }
port() { kport port "$@" --from k1 --to k2 --no-boot --gates apply,compile,link,honest; }
# one_line CODE COMMAND...: fails with that code and one line on stderr
one_line() {
  local want=$1
  shift
  test_expect_code "$want" "$@" 2>err >out && test_line_count "=" 1 err && cat err
}

test_expect_success 'names that make, PATH and the shell would read otherwise' '
  for name in "co:lon" "do\$(touch PWN)llar" "quo'"'"'te\"s" "-dash"; do
    driver "./$name" && port "./$name" || return 1
  done &&
  test -z "$(find . -name "PWN*")" &&
  one_line 128 port co:lon --out "o:ut" && test_grep "PATH cannot name" err
'

test_expect_success 'what is no regular file' '
  driver fifo && mkfifo fifo/pipe && one_line 128 port fifo && test_grep "neither file" err &&
  driver outside && ln -s /etc/passwd outside/x.h && one_line 128 port outside && test_grep "leads outside" err
'

test_expect_success 'sources that the compiler dies of' '
  driver nest && { printf "int f(int x) { return "; head -c 60000 /dev/zero | tr "\0" "("; echo; } >>nest/widget.c &&
  one_line 128 port nest && test_no_grep "?:0" err &&
  driver big && head -c 17000000 /dev/zero | tr "\0" "\n" >>big/widget.c &&
  one_line 128 port big && test_grep "is larger than" err
'

test_expect_success 'a Makefile that replaces its own sources' '
  driver swap && printf "obj-m := widget.o\n\$(shell ln -sf /etc/passwd \$(src)/widget.c)\n" >swap/Kbuild &&
  one_line 128 port swap &&
  driver gone && printf "obj-m := widget.o\nx := \$(shell rm -rf \$(src)/*)\n" >gone/Kbuild &&
  one_line 128 port gone
'

test_expect_success 'a dkms.conf that promises a module that does not come' '
  driver dkms && mv dkms/Kbuild dkms/Makefile &&
  printf "PACKAGE_NAME=d\nPACKAGE_VERSION=1\nBUILT_MODULE_NAME[0]=widget\nDEST_MODULE_LOCATION[0]=/updates\n" >dkms/dkms.conf &&
  echo "BUILT_MODULE_NAME[1]=other" >>dkms/dkms.conf && echo "DEST_MODULE_LOCATION[1]=/updates" >>dkms/dkms.conf &&
  one_line 128 port dkms && test_grep "other" err
'

test_expect_success 'a build that hides its compiler, or makes modules that are none, does not pass' '
  driver hide && sed -i "s/static int my_remove/static void my_remove/; /my_remove(/s/return 0; //" hide/widget.c &&
  printf "obj-m := widget.o\nCC := /usr/bin/gcc\n" >hide/Kbuild &&
  test_expect_code 1 kport check hide --kernel k2 --gates compile,nodiag --json >out.json &&
  test_json out.json .gates.compile.verdict UNKNOWN && test_json out.json .gates.nodiag.verdict UNKNOWN &&
  driver none && printf "obj-m := widget.o\nx := \$(shell touch \$(src)/other.ko)\n" >none/Kbuild &&
  test_expect_code 1 port none --json >out.json && test_json out.json .gates.link.verdict FAIL
'

test_expect_success 'values of options that are none' '
  driver opt &&
  for args in "--out=" "--gates=" "--gates=," "--max-checks=-1" "--timeout=-1"; do
    one_line 129 kport port opt --from k1 --to k2 --no-boot "$args" || return 1
  done &&
  one_line 129 kport check opt --kernel k1 --no-boot --out= &&
  one_line 128 kport check opt --kernel nowhere &&
  one_line 128 kport check nowhere --kernel k1
'

test_expect_success 'impact: a driver that is not there' '
  one_line 128 kport impact nowhere --from k1 --to k2
'

test_expect_success 'a kernel with a release that is none' '
  cp -r k1 bad && printf "\\377\\001\n" >bad/include/config/kernel.release &&
  one_line 128 kport port swap --from k1 --to ./bad && test_grep "names no kernel release" err
'

test_expect_success 'a tool that is missing is the fault of the machine' '
  driver lack && mkdir bin && for f in /usr/bin/* /usr/sbin/*; do ln -sf "$f" bin/; done && rm bin/git &&
  PATH=$BUILD:$TRASH/bin test_expect_code 2 port lack >out && test_grep "gate apply is INFRA" out
'

test_expect_success 'interrupted or hung up at any moment: code 130 or the answer, nothing left' '
  driver when &&
  for sig in TERM HUP; do
    for after in 0.05 0.1 0.15 0.3 0.5; do
      rm -rf port-when && { kport port when --from k1 --to k2 --no-boot --gates compile >out 2>err & pid=$!; } &&
      sleep $after && { kill -$sig $pid || :; } && { wait $pid; code=$?; } &&
      case $code in 0 | 130) ;; $((128 + 1)) | $((128 + 15))) test_path_is_missing port-when ;; *) cat err; false ;; esac &&
      test_path_is_missing port-when/work || return 1
    done
  done
'

test_lazy_prereq TMPFS '[ "$(id -u)" = 0 ] && mkdir -p probe && mount -t tmpfs -o size=64k none probe && umount probe' 'cannot mount a tmpfs'
test_expect_success TMPFS 'a disk that fills up during the build is not the fault of the driver' '
  driver full && mkdir small && mount -t tmpfs -o size=32k none small && test_when_finished "umount small" &&
  one_line 2 port full --out small/out && test_grep "space" err
'

test_expect_success TMPFS 'a read-only output directory' '
  mkdir ro && mount -t tmpfs -o ro none ro && test_when_finished "umount ro" &&
  one_line 2 port full --out ro/out && test_grep "Read-only" err
'

test_done
