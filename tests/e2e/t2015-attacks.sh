#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='attacks by drivers: what they reach, what is seen of it from outside'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
test_lazy_prereq ROOT 'test "$(id -u)" = 0' 'not root'
test_lazy_prereq FILTER 'test-tool sandbox -- grep "^Seccomp:.*2" /proc/self/status' 'this kernel has no seccomp filters'

# ---- what must stay as it is --------------------------------------------------

fake_kernel k1 1 && fake_kernel k2 2 || exit 1
host=$(mktemp -d /tmp/kport-attacks.XXXXXX) || exit 1
sockets=$(mktemp -d /tmp/kport-sockets.XXXXXX) || exit 1
trap 'rm -rf "$host" "$sockets"; _at_exit' EXIT
mkdir -p outside "$HOME/.ssh" "$XDG_CACHE_HOME/kport/canary" neighbour
secret=kport-canary-8d1f
for f in outside/file "$HOME/.ssh/id" "$XDG_CACHE_HOME/kport/canary/file" neighbour/widget.c "$host/file"; do
  echo "$secret" >"$f" || exit 1
done

# Contents, modes, owners and times of everything that an attack could want.
look_around() {
  find k1 k2 outside neighbour "$HOME/.ssh" "$XDG_CACHE_HOME/kport/canary" "$host" -printf '%p %y %m %u %s %T@ %l\n' | sort
  find k1 k2 outside neighbour "$HOME/.ssh" "$XDG_CACHE_HOME/kport/canary" "$host" -type f -exec sha256sum {} + | sort
  cat /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname
}
look_around >before
untouched() { look_around >after && test_cmp before after; }

# /tmp inside is a private one, and so are the directories above a tree that lies in the /tmp outside.
# An attack that gets through is to show here, not to do harm: files of the machine are opened for writing and given
# back the modes they have, signals go to everybody only where few are.

# ---- attacks -------------------------------------------------------------------

# attack NAME: a driver whose Kbuild file runs the script on stdin while it is read, in the driver's directory.
attack() {
  widget_driver "$1" && printf 'obj-m := widget.o\nx := $(shell bash $(src)/attack.sh)\n' >"$1/Kbuild" &&
  { printf 'cd "${0%%/*}" || exit\nexec >said 2>&1\nhost=%s trash=%s home=%s\n' "$host" "$TRASH" "$HOME" && cat; } >"$1/attack.sh"
}
# build NAME [OPTION...]: the copy is left in kept/NAME/tree
build() {
  mkdir -p kept && test-tool kbuild --keep "kept/$1" --wall 20 "${@:2}" "$1" k1 >"$1.json"
}
said() { test_grep "$2" "kept/$1/tree/said"; }
# A driver that harms nobody and compiles is built, whatever it tried.
harmless() {
  build "$@" && test_json "$1.json" .succeeded true && test_json "$1.json" ".modules#" 1 && untouched &&
  ! grep -rl "$secret" "kept/$1" "$1.json"
}
blamed() {
  test_expect_code 1 build "$1" "${@:3}" && test_json "$1.json" .blame "$2" && untouched
}
none_left() { sleep 0.1 && ! grep -sl "$1" /proc/[0-9]*/cmdline | grep -v "/$$/"; }
check() { kport check "$1" --kernel k1 --no-boot --gates "${2:-compile,link}" "${@:3}"; }
port() { kport port "$@" --from k1 --to k2 --no-boot --gates apply,compile,link,honest; }
# Ported by one edit, for attacks on what kport does behind a build.
portable() { sed -i 's/widget_poke(w); //' "$1/widget.c"; }

# ---- system calls ---------------------------------------------------------------

calls() {
  attack calls <"$FIXTURES/attacks/calls.sh" && cp "$FIXTURES/attacks/calls.c" calls/calls-c
}
answers() {
  sed '/^i386/s/ no door$/ refused/; /^i386/s/ E.*/ refused/' "$1"
}
test_expect_success FILTER 'system calls that no build needs' '
  calls && harmless calls &&
  answers "$FIXTURES/attacks/calls.expect" >want && answers kept/calls/tree/said >got && test_cmp want got &&
  test -z "$(find kept/calls -perm /6000 -o -type b -o -type c)"
'

test_expect_success 'no privilege, and no way to get one' '
  attack rights <<-\END &&
	grep -E "^(Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs)" /proc/self/status
	cp /bin/sh mine && chmod u+s mine; mknod dev c 1 1; mknod disk b 8 0
	for c in "su -c id" "mount -t tmpfs none /tmp" "unshare -r id" "nsenter -t 1 -a id" "chroot . id"; do
	  $c && echo "$c got through"
	done
	chown 0:0 said && chown 12345 said && echo "chown got through"
	true
	END
  harmless rights &&
  test "$(grep -c "^Cap.*0000000000000000$" kept/rights/tree/said)" = 4 && said rights "NoNewPrivs:.*1" &&
  test_no_grep "got through" kept/rights/tree/said &&
  test -z "$(find kept/rights -perm /6000 -o -type b -o -type c)"
'

# ---- network ---------------------------------------------------------------------

# What reaches it is written to heard; the sockets are of four kinds.
listener() {
  cat >listen.py <<-\END
	import selectors, socket, sys
	s = selectors.DefaultSelector()
	out = open("heard", "a", buffering=1)
	def add(family, kind, at):
	    k = socket.socket(family, kind); k.bind(at)
	    if kind == socket.SOCK_STREAM: k.listen()
	    s.register(k, selectors.EVENT_READ, kind); return k
	tcp = add(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
	udp = add(socket.AF_INET, socket.SOCK_DGRAM, tcp.getsockname())
	add(socket.AF_UNIX, socket.SOCK_STREAM, sys.argv[1]); add(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + sys.argv[1])
	print(tcp.getsockname()[1], flush=True)
	while True:
	    for key, _ in s.select():
	        if key.data == socket.SOCK_STREAM: key.fileobj.accept()[0].close()
	        else: key.fileobj.recv(100)
	        print("heard", file=out)
	END
  mkfifo port && { python3 listen.py "$sockets/s" >port & listening=$!; } && read -r number <port
}
cat >call.py <<'END'
import socket, sys
port, path = int(sys.argv[1]), sys.argv[2]
for family, kind, at in ((socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)), (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
                         (socket.AF_UNIX, socket.SOCK_STREAM, path), (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + path)):
    try:
        k = socket.socket(family, kind)
        k.connect(at)
        if kind == socket.SOCK_DGRAM: k.send(b"x")
        print("reached", at)
    except OSError as e:
        print(e)
END
test_expect_success 'network: tcp, udp, sockets of the host, abstract sockets, names' '
  listener && test_when_finished "kill $listening" &&
  python3 call.py "$number" "$sockets/s" >said && test "$(grep -c reached said)" = 4 &&
  sleep 0.2 && test_line_count = 4 heard &&
  attack net <<-END && cp call.py net/ &&
	python3 call.py $number $sockets/s
	echo x >/dev/tcp/127.0.0.1/$number; echo x >/dev/udp/127.0.0.1/$number
	getent hosts kernel.org; ls /run/dbus /run/systemd /var/run; true
	END
  harmless net && test_no_grep reached kept/net/tree/said && sleep 0.2 && test_line_count = 4 heard
'

# ---- files elsewhere -----------------------------------------------------------------

test_expect_success 'writing and reading elsewhere, straight and by ..' '
  attack write <<-\END &&
	for d in "$home/.ssh" "$home" "$home/.cache/kport/canary" "$trash/outside" "$trash/k1" "$trash/k1/include" "$trash/neighbour" \
	  "$trash" "$host" "$PWD/.." "$PWD/../.." "$PWD/../../../../../../../$trash/outside" /usr /usr/lib /etc / /dev /proc /sys /root; do
	  cat "$d"/id "$d"/file "$d"/widget.c
	  echo x >"$d/planted"; mkdir "$d/planted.d"; echo x >>"$d/file"; rm -f "$d/file"; mv "$d/file" .; chmod 777 "$d/file"
	  chmod --reference="$d" "$d" && echo "changed $d"; touch -r "$d" "$d" && echo "touched $d"
	done 2>/dev/null
	find / -xdev -name "planted*" | grep -v "^/tmp/"
	true
	END
  harmless write && test_no_grep "planted" kept/write/tree/said &&
  ! grep "changed\|touched" kept/write/tree/said | grep -v " /tmp/" &&
  test -z "$(find "$TRASH" "$host" /usr /etc /root -xdev -maxdepth 2 -name "planted*" ! -path "$TRASH/kept/*")"
'

test_expect_success 'links, symbolic and hard, to files and directories elsewhere' '
  attack links <<-\END &&
	ln -s "$trash/outside" dir; ln -s "$home/.ssh/id" id; ln -s /proc/1/root root; ln -s ../../../neighbour near
	cat dir/file id near/widget.c "root$trash/outside/file"; echo x >dir/new; echo x >>id; echo x >near/widget.c
	ln "$trash/k1/Makefile" hard && echo x >>hard; ln /usr/bin/env hard2; ln "$trash/outside/file" hard3
	ln -s . loop; ln -s self self; ln -s /dev/zero zero.c; ln -s "$trash/outside/file" leak.c; ln -s "$trash/outside" sub.ko
	true
	END
  harmless links && test_path_is_missing kept/links/tree/hard && test_path_is_missing kept/links/tree/hard3
'

test_expect_success 'the neighbours of a driver are not there' '
  attack near <<-\END &&
	ls -a .. ../.. ../../..; cat ../../../neighbour/widget.c 2>/dev/null
	true
	END
  harmless near && test_no_grep neighbour kept/near/tree/said
'

# The directory of the driver is named by make variables.
test_expect_success 'obj-m, O=, M= and $(src) that lead elsewhere' '
  widget_driver roam &&
  for line in "obj-m := ../../../neighbour/widget.o" "obj-m := $TRASH/outside/widget.o" "src := $TRASH/outside" \
    "override obj := $TRASH/outside" "x := \$(shell \$(MAKE) -C $TRASH/k1 O=$TRASH/outside M=$TRASH/neighbour modules)" \
    "x := \$(shell \$(MAKE) -C $TRASH/k1 M=$host modules; touch \$(srctree)/planted)"; do
    printf "obj-m := widget.o\n%s\n" "$line" >roam/Kbuild && rm -rf kept/roam &&
    case $(build roam >/dev/null 2>&1; echo $?) in 0 | 1) ;; *) return 1 ;; esac && untouched || return 1
  done
'

test_expect_success 'a compiler that reads or writes what it is told' '
  widget_driver asm && echo "int bad(void) { return missing; }" >>asm/widget.c &&
  for line in "#include \"$TRASH/outside/file\"" "asm(\".incbin \\\"$HOME/.ssh/id\\\"\");" "#line 1 \"$TRASH/outside/file\"" \
    "#line 1 \"/dev/zero\""; do
    rm -rf kept/asm && { echo "$line" && cat asm/widget.c; } >asm/x && cp asm/widget.c asm.c && mv asm/x asm/widget.c &&
    test_expect_code 1 build asm --raw --wall 3 && untouched && { ! grep -rl "$secret" asm.json kept/asm; } && cp asm.c asm/widget.c || return 1
  done
'

test_expect_success 'sources that become links while they are built: kport does not read what they name' '
  attack leak <<-\END && sed -i "s/return 0; }$/return missing; }/" leak/widget.c &&
	{ cat widget.c; echo "#line 1 \"$PWD/other.c\""; echo "int f(void) { return absent; }"; } >w && mv w widget.c
	ln -s "$trash/outside/file" other.c
	true
	END
  test_expect_code 1 build leak --raw && untouched && ! grep -l "$secret" leak.json
'

test_expect_success 'a directory that becomes a link: kport writes no edit through it' '
  mkdir -p outside/sub && portable_source() { widget_source | sed "s/widget_poke(w); //"; } &&
  mkdir -p swapped/sub && portable_source >swapped/sub/widget.c && portable_source >outside/sub/widget.c &&
  look_around >before &&
  printf "obj-m := sub/widget.o\nx := \$(shell cd \$(src) && rm -rf sub && ln -s $TRASH/outside/sub sub)\n" >swapped/Kbuild &&
  { port swapped >out 2>&1; test $? -le 128; } && cat out && untouched &&
  printf "obj-m := sub/widget.o\nx := \$(shell cd \$(src) && mv sub old && ln -s old sub && ln -s $TRASH/outside/sub later)\n" >swapped/Kbuild &&
  rm -rf port-swapped && { port swapped >out 2>&1; test $? -le 128; } && cat out && untouched
'

# ---- /proc and devices ---------------------------------------------------------------

test_expect_success '/proc: the machine, kport itself, other processes' '
  attack proc <<-\END &&
	for f in sysrq-trigger self/exe 1/exe 1/mem self/oom_score_adj self/uid_map $(cd /proc && find sys irq bus fs pressure -type f); do
	  { : >>/proc/$f; } 2>/dev/null && echo "wrote $f"
	done
	cat /proc/1/environ /proc/[0-9]*/environ | tr "\0" "\n"
	ls /proc/1/root/home /proc/1/root"$trash"/outside /proc/1/cwd/../../../neighbour
	cat /proc/1/root"$trash"/outside/file /proc/keys /proc/kcore 2>/dev/null | head -c 10000
	cat /proc/[0-9]*/cmdline | tr "\0" " "
	true
	END
  KPORT_TOKEN=$secret harmless proc && test_no_grep "^wrote" kept/proc/tree/said && test_no_grep "kbuild --keep" kept/proc/tree/said
'

test_expect_success 'devices: nothing but the harmless ones' '
  attack dev <<-\END &&
	for f in /dev/*; do [ ! -L $f ] && { [ -c $f ] || [ -b $f ]; } && echo ${f#/dev/}; done | tr "\n" " "
	ls /sys; head -c 10 /dev/mem /dev/kmsg /dev/sda /dev/vda /dev/kvm; echo x >/dev/tty && echo "a terminal"
	true
	END
  harmless dev && said dev "^full null random tty urandom zero " && test_no_grep "a terminal" kept/dev/tree/said
'

# ---- too much of something -----------------------------------------------------------------

test_expect_success 'a flood of processes' '
  attack flood <<-\END &&
	for i in $(seq 700); do sleep 86421 & done; wait
	END
  blamed flood "it had more than 512 processes at once" && none_left 8642[1]
'

test_expect_success 'a flood of threads' '
  attack threads <<-\END &&
	exec python3 -c "
	import threading, time
	for i in range(700):
	    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
	time.sleep(86422)"
	END
  { build threads; :; } && untouched && none_left 8642[2] &&
  case $(test_json threads.json .blame) in "it had more than 512"*) ;; *) said threads "can.t start new thread" ;; esac
'

test_expect_success 'memory, huge files, sparse files' '
  attack huge <<-\END &&
	python3 -c "bytearray(20 << 30)"
	truncate -s 3G big.c; truncate -s 8000000T huge; fallocate -l 3G wide
	truncate -s 2000M other.c; truncate -s 2000M sparse.ko; truncate -s 2000M "$KPORT_CAPTURE_DIR/0.rec"
	true
	END
  { build huge; :; } && { ! test_json huge.json .blame; } && said huge MemoryError && untouched &&
  test -z "$(find kept/huge -size +2049M)" && test "$(du -sm kept/huge | cut -f1)" -lt 100
'

test_expect_success 'more files than a build makes' '
  attack many <<-\END &&
	exec python3 -c "
	import os
	open(\"0\", \"w\").close()
	for i in range(1, 40000): os.link(\"0\", str(i))"
	END
  test_expect_code 1 test-tool sandbox --rw "$PWD/many" --files 30000 -- bash ./attack.sh 2>err && test_grep "it made more than 30000 files" err &&
  rm -rf many && untouched
'

test_expect_success 'directories deeper than a path can name are removed again' '
  attack deep <<-\END &&
	exec python3 -c "
	import os
	for i in range(30000): os.mkdir(\"d\"); os.chdir(\"d\")
	"
	END
  { check deep >out 2>&1; cat out; } && untouched &&
  test -z "$(find "$XDG_CACHE_HOME/kport" -name "check-*")" &&
  test_expect_code 1 build deep && test_json deep.json .blame "it nested directories deeper than 200" && untouched
'

# ---- processes that do not want to end, and signals --------------------------------------------

test_expect_success 'children that leave their group and ignore signals' '
  attack stay <<-\END &&
	trap "" TERM HUP INT QUIT
	setsid sleep 86423 & (setsid bash -c "trap \"\" TERM; sleep 86423 & disown; exit" &) & nohup sleep 86423 &
	true
	END
  harmless stay && none_left 8642[3]
'

test_expect_success 'signals to everybody: only its own are hit' '
  { sleep 86424 & other=$!; } && test_when_finished "kill $other" &&
  attack kill <<-END &&
	kill -9 $other; kill -STOP $other \$\$ \$PPID; kill -9 \$PPID
	test \$(ls -d /proc/[0-9]* | wc -l) -lt 12 && kill -KILL -1
	END
  { build kill --wall 3; test $? -le 1; } && untouched && kill -0 $other && test "$(ps -o state= -p $other)" = S
'

test_expect_success 'a build that stops itself, or never ends' '
  attack stop <<-\END &&
	kill -STOP $$ $PPID; sleep 86425
	END
  blamed stop "it did not end within 2 s" --wall 2 && none_left 8642[5] &&
  attack spin <<-\END &&
	trap "" TERM XCPU; while :; do :; done
	END
  blamed spin "it did not end within 2 s" --wall 2
'

# ---- what reaches the terminal -------------------------------------------------------------

# on_terminal COMMAND...: its output on a terminal goes to the file screen
cat >terminal.py <<'END'
import os, pty, sys
with open("screen", "wb") as f:
    def read(fd):
        data = os.read(fd, 65536)
        f.write(data)
        return data
    code = pty.spawn(sys.argv[1:], read)
sys.exit(os.waitstatus_to_exitcode(code))
END
on_terminal() { python3 terminal.py "$@" >/dev/null; }
# Colours and the line of progress are ours.
foreign_escapes() { sed 's/\x1b\[[0-9;]*m//g; s/\x1b\[K//g' screen | grep -aP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]'; }
bad='\033]0;owned\007\033[2J\033P1\033\\\\\302\233 31m'

test_expect_success 'escape sequences in what it prints' '
  widget_driver esc && printf "obj-m := widget.o\n\$(info $bad)\n\$(error $bad)\n" >esc/Kbuild &&
  test_expect_code 1 on_terminal kport check esc --kernel k1 --no-boot --gates compile && test_grep -a owned screen &&
  { ! foreign_escapes; } &&
  widget_driver esc2 && printf "#error $bad\n" >>esc2/widget.c &&
  test_expect_code 1 on_terminal kport check esc2 --kernel k1 --no-boot --gates compile && test_grep -a owned screen &&
  { ! foreign_escapes; } &&
  { on_terminal kport port esc2 --from k1 --to k2 --no-boot; test $? -le 128; } && { ! foreign_escapes; }
'

test_expect_success 'a line that does not end' '
  attack line <<-\END &&
	head -c 30000000 /dev/zero | tr "\0" x >&3
	END
  sed -i "s/^exec >said 2>&1/exec 3>\&2 >said 2>\&1/" line/attack.sh &&
  harmless line
'

# ---- names and kinds of files ---------------------------------------------------------------------

odd_files() {
  : >"$1/-o" && : >"$1/--help" && : >"$1/new
line.c" && : >"$1/\$(touch pwned)" && : >"$1/;touch pwned;.c" && : >"$1/$(printf 'bell\a\033[2J.c')"
}
test_expect_success 'names that are options, commands or several lines' '
  attack names </dev/null && portable names && odd_files names && harmless names &&
  check names compile,link >out 2>&1 && port names >out 2>&1 && test_path_is_missing pwned &&
  test -z "$(find . -name "*pwned*" -newer before ! -name "*touch*")"
'

test_expect_success 'pipes, sockets and loops in the place of files, made while it is built' '
  attack kinds <<-\END &&
	mkfifo other.c pipe.ko said.h; ln -s loop.ko loop.ko; ln -s /dev/zero zero.ko; mkdir dir.ko
	python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"socket.ko\")"
	mkfifo "$KPORT_CAPTURE_DIR/1.rec"; ln -s /dev/zero "$KPORT_CAPTURE_DIR/2.rec"
	true
	END
  harmless kinds &&
  attack pipe <<-\END &&
	rm widget.c; mkfifo widget.c
	END
  blamed pipe "it did not end within 2 s" --wall 2
'

# ---- what surrounds kport ------------------------------------------------------------------------

test_expect_success 'variables and programs of the caller do not reach a build' '
  attack env <<-\END && mkdir -p evil &&
	env
	END
  for p in gcc cc ld make bash sh; do printf "#!/bin/sh\ntouch $TRASH/evil/ran\nexec /usr/bin/$p \"\$@\"\n" >evil/$p && chmod +x evil/$p || return 1; done &&
  echo "\$(shell touch $TRASH/evil/ran)" >evil/evil.mk && echo "touch $TRASH/evil/ran" >evil/env &&
  (KPORT_TOKEN=$secret CC=$TRASH/evil/gcc KCFLAGS=-DBROKEN KBUILD_EXTMOD=/etc MAKEFLAGS="n" MAKEFILES=$TRASH/evil/evil.mk \
    BASH_ENV=$TRASH/evil/env ENV=$TRASH/evil/env CPATH=$TRASH/outside GCC_EXEC_PREFIX=/nowhere/ KERNELRELEASE=1 \
    PATH=$PATH:$TRASH/evil harmless env) && test_path_is_missing evil/ran &&
  test_no_grep "TOKEN\|BROKEN\|evil\|$HOME" kept/env/tree/said
'

# ---- builds that lie ---------------------------------------------------------------------------------

test_expect_success 'a module that was made elsewhere does not pass as built' '
  attack honest </dev/null && harmless honest &&
  mkdir fake && widget_source >fake/widget.c && echo "int f(void) { return absent; }" >>fake/widget.c && cp kept/honest/tree/widget.ko fake/blob &&
  printf "x := \$(shell cp \$(src)/blob \$(src)/widget.ko)\n" >fake/Kbuild && test_expect_code 128 check fake &&
  printf "obj-m := widget.o\n\$(obj)/widget.o: ; cp \$(obj)/blob \$@\nx := \$(shell cp \$(src)/blob \$(src)/widget.ko)\n" >fake/Kbuild &&
  test_expect_code 1 check fake compile,link --json >out.json && test "$(test_json out.json .gates.compile.verdict)" != PASS
'

test_expect_success 'nothing built, and exit code 0' '
  mkdir lazy && widget_source >lazy/widget.c && printf "override names :=\nobj-m := widget.o\nall modules:\n\t@true\n" >lazy/Makefile &&
  test_expect_code 1 check lazy compile,link --json >out.json && test_json out.json .ok false && test_json out.json .gates.compile.verdict FAIL
'

test_expect_success 'forged messages: neither a fault that is none nor the end of one that is' '
  attack forge <<-\END && sed -i "s/^exec >said 2>&1/exec 3>\&2 >said 2>\&1/" forge/attack.sh &&
	{ echo "widget.c:3:5: error: forged error"; echo "[{\"kind\": \"error\", \"message\": \"forged\", \"locations\": []}]"
	  echo "kport: PASS"; echo "gate compile PASS"; echo "{\"gates\": {\"compile\": {\"verdict\": \"PASS\"}}}"; } >&3
	true
	END
  harmless forge && test_json forge.json .errors "" &&
  echo "int f(void) { return absent; }" >>forge/widget.c && rm -rf kept/forge && test_expect_code 1 build forge && test_json forge.json .built false &&
  test_expect_code 1 check forge compile --json >out.json && test_json out.json .gates.compile.verdict FAIL
'

test_expect_success 'sources that change while they are built: not those of the caller, nor in the series' '
  attack edit <<-\END && portable edit && cp -r edit edit.was &&
	echo "int planted;" >>widget.c; echo "/* planted */" >>Kbuild
	true
	END
  rm edit.was/Kbuild && cp edit/Kbuild edit.was/ && { check edit >out 2>&1; :; } && diff -r edit edit.was &&
  { port edit >out 2>&1; test $? -le 128; } && diff -r edit edit.was &&
  { ! grep -rl "planted" port-edit/series port-edit/tree/widget.c; }
'

test_expect_success 'the records and tools of kport' '
  attack record <<-\END &&
	d=${KPORT_CAPTURE_DIR%/*}
	for f in "$d/shims/gcc" "$d/build.log" "$d/commands/../x" "$(readlink -f "$(command -v gcc)")"; do
	  { echo x >>"$f"; } 2>/dev/null && echo "wrote $f"
	done
	rm -rf "$KPORT_CAPTURE_DIR"; chmod 0 "$KPORT_CAPTURE_DIR"; mv "$KPORT_CAPTURE_DIR" .
	chmod 0 . && sleep 0.1 && chmod 755 .
	true
	END
  { build record; test $? -le 1; } && untouched && ! grep "^wrote" kept/record/tree/said | grep -v " /tmp/"
'

# ---- dkms.conf --------------------------------------------------------------------------------------------

dkms() {
  rm -rf "$1" "kept/$1" && widget_driver "$1" && mv "$1/Kbuild" "$1/Makefile" &&
  { printf 'PACKAGE_NAME=d\nPACKAGE_VERSION=1\nBUILT_MODULE_NAME[0]=widget\nDEST_MODULE_LOCATION[0]=/updates\n' && cat; } >"$1/dkms.conf"
}
test_expect_success 'dkms.conf: code in it, paths in it' '
  n=0 && while read -r line; do
    n=$((n + 1)) && echo "$line" | dkms "d$n" && { build "d$n" 2>err; code=$?; } && cat err &&
    case $code in 0 | 1 | 128) ;; *) return 1 ;; esac && untouched && test_path_is_missing kept/planted && test_path_is_missing planted || return 1
  done <<-END &&
	x=\$(cat $TRASH/outside/file >planted; echo x >$TRASH/outside/file; touch $host/planted /etc/planted)
	MAKE[0]="make; cat $TRASH/outside/file; echo x >$TRASH/outside/file"
	PRE_BUILD="../../../../outside/file"
	PACKAGE_NAME=../../../planted
	PACKAGE_VERSION=../../planted
	PATCH[0]=../../../outside/file
	BUILT_MODULE_LOCATION[0]=../../../outside
	BUILT_MODULE_NAME[0]=../../../outside/file
	test \$(ls -d /proc/[0-9]* | wc -l) -lt 12 && kill -9 -1; exit
	BUILT_MODULE_NAME[0]="\$(printf "\\033]0;x\\007")"
	END
  none_left 8642[7] && ! grep -rl "$secret" kept/d[0-9]*
'

# ---- as an ordinary user -----------------------------------------------------------------------------------

# user_tools: everything in a directory that this user can reach; sets dir
user_tools() {
  dir=$(mktemp -d /tmp/kport-user.XXXXXX) && test_when_finished "chmod -R u+rwx $dir; rm -rf $dir" && chmod 755 "$dir" &&
  mkdir "$dir/bin" "$dir/bin/libexec" && cp "$BUILD/test-tool" "$BUILD/kport" "$dir/bin/" && cp "$BUILD"/libexec/* "$dir/bin/libexec/" &&
  cp -r k1 "$dir/k1" && cp -r "$1" "$dir/$1" && mkdir "$dir/home" "$dir/work" && chown 65534 "$dir/home" "$dir/work"
}
as_user() {
  (cd "$dir/work" && env -i PATH="$dir/bin:/usr/bin:/bin:/usr/sbin:/sbin" HOME="$dir/home" KPORT_LIBEXEC_DIR="$dir/bin/libexec" setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
}
user_build() {
  as_user test-tool kbuild --keep "$dir/work/kept" --wall 20 "${@:2}" "$dir/$1" "$dir/k1" >"$1.json" 2>err
}

test_expect_success ROOT,FILTER 'as a user: system calls' '
  calls && user_tools calls && user_build calls && test_json calls.json .succeeded true &&
  answers "$FIXTURES/attacks/calls.expect" >want && answers "$dir/work/kept/tree/said" >got && test_cmp want got
'

test_expect_success ROOT 'as a user: floods, kill-resistant children, signals' '
  user_tools flood && test_expect_code 1 user_build flood && test_json flood.json .blame "it had more than 512 processes at once" &&
  user_tools stay && user_build stay && none_left 8642[3] &&
  user_tools kill && { user_build kill --wall 3; test $? -le 1; }
'

test_expect_success ROOT 'as a user: files elsewhere, /proc, devices' '
  user_tools write && user_build write && untouched && test_no_grep "planted" "$dir/work/kept/tree/said" &&
  user_tools proc && user_build proc && test_no_grep "^wrote" "$dir/work/kept/tree/said" &&
  user_tools rights && user_build rights && test_no_grep "got through" "$dir/work/kept/tree/said"
'

test_expect_success ROOT 'as a user: directories that are closed are removed all the same' '
  attack closed <<-\END && user_tools closed &&
	mkdir -p a/b/c && : >a/b/c/d && chmod 0 a/b/c a/b a; chmod 0 "$KPORT_CAPTURE_DIR"
	true
	END
  { as_user kport check "$dir/closed" --kernel "$dir/k1" --no-boot --gates compile >out 2>&1; code=$?; cat out; test $code -le 1; } &&
  test -z "$(find "$dir/work" -name a)"
'

test_expect_success 'nothing of all that is left' '
  untouched && none_left 8642[1-7]
'

test_done
