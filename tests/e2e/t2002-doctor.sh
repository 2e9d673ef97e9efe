#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport doctor: what is missing and the command that installs it'
. "$(dirname "$0")/../test-lib.sh"

# A PATH with links to the real tools, from which tests take some away. KVM is not probed: there is no kernel.
# The system's own first: a version manager's shims need more than themselves.
real_path=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
tools=(gcc-12 gcc clang make ld python3 diff spatch sparse qemu-system-x86_64 git apt-get apt-config dpkg dpkg-deb tar xz depmod flex bison bc busybox bwrap curl patch)
make_bin() {
  rm -rf bin && mkdir bin && for t in "${tools[@]}"; do
    ! p=$(PATH=$real_path command -v "$t") || ln -s "$p" "bin/$t" || return 1
  done
}
doctor() { PATH=$PWD/bin "$BUILD/kport" doctor "$@"; }
# status_of NAME FILE.json: the status of one check
status_of() { python3 - "$1" "$2" <<'PY'
import json, sys
print([c["status"] for c in json.load(open(sys.argv[2]))["checks"] if c["name"] == sys.argv[1]][0])
PY
}
test_lazy_prereq PYTHON 'command -v python3' 'python3 is not installed'
test_lazy_prereq COMPLETE 'make_bin && doctor' 'this machine lacks parts itself: see kport doctor'

test_expect_success COMPLETE 'a complete machine: exit 0, every part with its purpose' '
  make_bin && doctor >out &&
  test_grep "^ok *gcc-12 .*builds modules" out &&
  test_grep "^ok *spatch *[0-9]" out &&
  test_grep "^ok *bwrap .*sandbox" out &&
  test_grep "^ok *libvirt *[0-9]" out &&
  test_grep "^note *kernels" out &&
  test_grep "kport kernel add 6.12" out &&
  test_grep "kport can work on this machine" out &&
  test_no_grep "apt-get install" out
'

test_expect_success PYTHON,COMPLETE 'JSON says the same' '
  make_bin && doctor --json >out.json &&
  test_json out.json .ok true &&
  test "$(status_of make out.json)" = ok &&
  test "$(status_of kernels out.json)" = note &&
  test "$(status_of disk out.json)" != bad
'

test_expect_success 'missing tools: exit 1, one command that installs all of them' '
  make_bin && rm -f bin/spatch bin/sparse bin/bwrap bin/busybox bin/gcc* &&
  test_expect_code 1 doctor >out &&
  test_grep "^bad *spatch" out &&
  test_grep "^bad *gcc-12" out &&
  grep "apt-get install" out >cmd &&
  test_line_count = 1 cmd &&
  for p in gcc-12 coccinelle sparse bubblewrap busybox-static; do test_grep -w -e "$p" cmd || return 1; done &&
  test_no_grep -w -e qemu-system-x86 cmd
'

test_expect_success PYTHON 'and in JSON' '
  make_bin && rm -f bin/spatch &&
  test_expect_code 1 doctor --json >out.json &&
  test_json out.json .ok false &&
  test "$(status_of spatch out.json)" = bad &&
  test_json out.json .install >cmd &&
  test_grep "coccinelle" cmd
'

test_expect_success 'a tool that is only for some commands is a note' '
  make_bin && rm -f bin/bison &&
  { doctor >out || test $? = 1; } &&
  test_grep "^note *bison" out &&
  test_grep "apt-get install.* bison" out
'

test_expect_success 'a tool that is broken is not ok' '
  make_bin && rm -f bin/sparse && printf "#!/bin/sh\nexit 3\n" >bin/sparse && chmod +x bin/sparse &&
  test_expect_code 1 doctor >out &&
  test_grep "^bad *sparse" out &&
  test_grep "does not run: exit code 3" out
'

test_expect_success 'a sandbox that does not work is not ok' '
  make_bin && rm -f bin/bwrap && printf "#!/bin/sh\necho no namespaces >&2\nexit 1\n" >bin/bwrap && chmod +x bin/bwrap &&
  test_expect_code 1 doctor >out &&
  test_grep "^bad *bwrap" out
'

test_expect_success 'a busybox that is not static is not ok' '
  make_bin && rm -f bin/busybox && ln -s "$(PATH=$real_path command -v ls)" bin/busybox &&
  test_expect_code 1 doctor >out &&
  test_grep "^bad *busybox" out &&
  test_grep "not the static one" out
'

test_expect_success 'damaged and incomplete kernels are told' '
  make_bin && mkdir -p "$XDG_CACHE_HOME/kport/kernels/hurt" &&
  test_when_finished "rm -rf \"$XDG_CACHE_HOME/kport/kernels\"" &&
  echo "{" >"$XDG_CACHE_HOME/kport/kernels/hurt/kernel.json" &&
  cp -r "$FIXTURES/fakelinux" src && mkdir tree && cp src/fake.config tree/.config && touch tree/Module.symvers &&
  make -s -C src O="$PWD/tree" modules_prepare && kport kernel add --tree tree --name gone && rm -rf tree &&
  test_expect_code 1 doctor >out &&
  test_grep "^bad *kernel hurt" out &&
  test_grep "kport kernel remove hurt" out &&
  test_grep "^bad *kernel gone" out
'

test_expect_success 'usage' '
  test_expect_code 129 kport doctor x 2>err &&
  test_line_count = 1 err
'

test_done
