#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='sandbox: what a hostile program can reach, and how it ends'
. "$(dirname "$0")/../test-lib.sh"

test_lazy_prereq SANDBOX 'test-tool sandbox -- true' 'no sandbox here'
test_lazy_prereq ROOT 'test "$(id -u)" = 0' 'not root'

# inside SCRIPT...: in the sandbox with the directory rw writable
inside() {
  mkdir -p "$TRASH/rw" && test-tool sandbox --rw "$TRASH/rw" "${@:1:$#-1}" -- bash -c "${!#}"
}

test_expect_success SANDBOX 'the named directory is writable, nothing else is' '
  echo secret >outside &&
  inside "echo here >made; : >/usr/x; : >/etc/x; : >/x; : >/dev/x; : >/proc/x; : >../outside2; true" >out 2>&1 &&
  test_path_is_file rw/made &&
  test_path_is_missing outside2 &&
  test_path_is_missing /usr/x &&
  test_path_is_missing /x &&
  test_grep "/dev/x: Read-only" out
'

# Opened, not written: what the kernel runs at the next crash of a program is named there.
test_expect_success SANDBOX 'the settings of the kernel cannot be written, by root either' '
  inside "for f in \$(find /proc/sys /proc/sysrq-trigger -type f); do { : >>\$f; } 2>/dev/null && echo \$f; done; true" >out &&
  test_line_count = 0 out
'

test_expect_success SANDBOX 'nothing of the user can be read' '
  inside "cat ../outside /etc/passwd /etc/shadow; ls /root /home /var; env; true" >out 2>&1 &&
  test_no_grep secret out &&
  test_no_grep "root:" out &&
  test_no_grep "$HOME" out
'

test_expect_success SANDBOX 'links and .. lead nowhere' '
  mkdir -p rw && ln -sf "$TRASH/outside" rw/link &&
  inside "cat link ./../../../../../../..$TRASH/outside; echo x >link; true" >out 2>&1 &&
  test_no_grep secret out &&
  echo secret >want && test_cmp want outside
'

test_expect_success SANDBOX 'no network but its own loopback' '
  inside "cat /proc/net/dev | sed 1,2d | cut -d: -f1; exec 3<>/dev/tcp/192.0.2.1/80; true" >out 2>err &&
  test_line_count = 1 out &&
  test_grep "lo" out &&
  test_grep "Address family not supported" err
'

test_expect_success SANDBOX 'secrets of the environment stay outside' '
  API_TOKEN=hunter2 inside "env" >out 2>&1 &&
  test_no_grep hunter2 out
'

test_expect_success SANDBOX 'a loop ends with its children, whatever they ignore' '
  ! inside --wall 1 "setsid sleep 98765 & trap \"\" TERM HUP INT; (trap \"\" TERM; sleep 98765) & while :; do :; done" 2>err &&
  test_grep "timeout after 1" err &&
  sleep 0.2 &&
  ! grep -sl 9876[5] /proc/[0-9]*/cmdline | grep -v "/$$/"
'

# No endless bomb: should the bound be missing, it would take the machine with it.
flood='for i in $(seq 400); do sleep 30 & done; wait'

test_expect_success SANDBOX 'a fork bomb is ended' '
  ! inside --wall 20 --processes 60 "$flood" 2>err &&
  test_grep "more than 60 processes" err
'

# A bwrap too far below the watcher to be seen by it: what remains is the kernel's own count.
blind_watcher() {
  mkdir -p blind && cat >blind/bwrap <<EOF && chmod 755 blind blind/bwrap
#!/bin/sh
d=\${DEPTH:-0}
test \$d -ge 6 && exec $(command -v bwrap) "\$@"
DEPTH=\$((d + 1)) "\$0" "\$@"
exit \$?
EOF
}
# How bash ends when it gives up forking is its own affair.
short_flood='for i in $(seq 400); do sleep 0.5 & done; wait'

group=/sys/fs/cgroup/pids$(sed -n 's/^[0-9]*:pids://p' /proc/self/cgroup)
test_lazy_prereq GROUPS 'test -w "$group/cgroup.procs" || grep pids /sys/fs/cgroup/cgroup.controllers' \
  'no pids control group that root could use'

test_expect_success SANDBOX,ROOT,GROUPS 'a control group bounds what root starts' '
  blind_watcher &&
  { PATH=$PWD/blind:$PATH inside --wall 30 --processes 60 "$short_flood" 2>err || true; } &&
  test_grep "fork: .*Resource temporarily unavailable" err &&
  test_no_grep "more than" err
'

# While bwrap sets up, /proc inside is that of the whole machine.
test_expect_success SANDBOX 'the processes of the machine are not its own' '
  mkdir -p slow && printf "#!/bin/sh\nsleep 1\nexec %s \"\$@\"\n" "$(command -v bwrap)" >slow/bwrap && chmod +x slow/bwrap &&
  n=$(ls -d /proc/[0-9]* | wc -l) && test "$n" -gt 4 &&
  PATH=$PWD/slow:$PATH inside --processes 4 "echo here" >out &&
  test_grep here out
'

test_expect_success SANDBOX 'a writer that does not stop is ended' '
  test_when_finished "rm -rf rw" &&
  ! inside --wall 60 --write-mib 20 \
    "i=0; while :; do head -c 3000000 /dev/zero >f\$i; i=\$((i + 1)); done" 2>err &&
  test_grep "wrote more than 20 MiB" err
'

test_expect_success SANDBOX 'output is cut off' '
  ! inside --wall 60 "yes | head -c 300000000" >out 2>err &&
  test_grep "output" err &&
  test "$(stat -c %s out)" -le 67108864
'

# as_user DIR ARG...: the sandbox as an ordinary user, DIR/rw writable.
as_user() {
  (cd "$1/rw" && setpriv --reuid=65534 --regid=65534 --clear-groups "$1/test-tool" sandbox --rw "$1/rw" "${@:2}")
}
user_dir() {
  dir=$(mktemp -d /tmp/kport-user.XXXXXX) && test_when_finished "rm -rf $dir" &&
  cp "$BUILD/test-tool" "$dir/" && chmod 755 "$dir" && mkdir "$dir/rw" && chown 65534 "$dir/rw"
}

test_expect_success SANDBOX,ROOT 'an ordinary user gets the same' '
  user_dir &&
  as_user "$dir" -- bash -c ": >made; : >/usr/x; true" 2>/dev/null &&
  test_path_is_file "$dir/rw/made" &&
  ! as_user "$dir" --wall 20 --processes 60 -- bash -c "$flood" 2>err &&
  test_grep "more than 60 processes" err
'

test_expect_success SANDBOX,ROOT 'a resource limit bounds what an ordinary user starts' '
  user_dir && blind_watcher && cp -r blind "$dir/" &&
  { PATH=$dir/blind:$PATH as_user "$dir" --wall 30 --processes 60 -- bash -c "$short_flood" 2>err || true; } &&
  test_grep "fork: .*Resource temporarily unavailable" err &&
  test_no_grep "more than" err
'

test_done
