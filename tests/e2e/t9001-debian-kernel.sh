#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport kernel add VERSION: real packages of Debian, interrupted, resumed, moved, built with'
. "$(dirname "$0")/../test-lib.sh"

kernels=$XDG_CACHE_HOME/kport/kernels
work=$kernels/.work/6.1
# What must not change: everything that apt and dpkg keep for the system.
system_state() { find /etc/apt /var/lib/apt /var/lib/dpkg /var/cache/apt -printf '%p %s %T@\n' 2>/dev/null | sort; }

command -v apt-get >/dev/null || test_skip_all 'apt is not installed'
system_state >before
kport kernel add 6.1 >first.out 2>first.err
code=$?
if [ "$code" = 2 ] && grep -q 'cannot be reached\|names no Debian mirror' first.err; then
  test_skip_all "no Debian mirror: $(head -n 1 first.err)"
fi

test_lazy_prereq NONET 'unshare -n true' 'network namespaces are not allowed here'
test_lazy_prereq PYTHON 'command -v python3' 'python3 is not installed'

# A driver with what real ones use: a misc device, file operations, memory, parameters.
driver() {
  rm -rf drv && mkdir drv && echo 'obj-m := tmisc.o' >drv/Makefile && cat >drv/tmisc.c <<\C
// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

static unsigned int size = 64;
module_param(size, uint, 0444);
static DEFINE_MUTEX(lock);
static char *buf;

static ssize_t tmisc_read(struct file *f, char __user *to, size_t len, loff_t *pos)
{
	ssize_t n;

	mutex_lock(&lock);
	n = simple_read_from_buffer(to, len, pos, buf, size);
	mutex_unlock(&lock);
	return n;
}

static const struct file_operations tmisc_fops = { .owner = THIS_MODULE, .read = tmisc_read };
static struct miscdevice tmisc = { .minor = MISC_DYNAMIC_MINOR, .name = "tmisc", .fops = &tmisc_fops };

static int __init tmisc_init(void)
{
	int ret;

	buf = kzalloc(size, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	ret = misc_register(&tmisc);
	if (ret)
		kfree(buf);
	return ret;
}

static void __exit tmisc_exit(void)
{
	misc_deregister(&tmisc);
	kfree(buf);
}

module_init(tmisc_init);
module_exit(tmisc_exit);
MODULE_DESCRIPTION("test of a build tree");
MODULE_LICENSE("GPL");
C
}
# build_with KERNEL: builds and links the driver, and checks for which release it is
build_with() {
  kport kernel show --json "$1" >show.json && driver &&
  make -C "$(test_json show.json .build_dir)" M="$PWD/drv" CC="$(test_json show.json .cc)" modules &&
  modinfo drv/tmisc.ko >info && test_grep "^vermagic: *$(test_json show.json .release) " info
}

test_expect_success 'the newest 6.1 of the suite' '
  test "$code" = 0 &&
  test_grep "^kernel .6.1. is 6\.1\." first.out &&
  kport kernel show --json 6.1 >show.json &&
  test_json show.json .origin debian:bookworm &&
  build_with 6.1 &&
  find "$work" -type f ! -name .lock >left && test_line_count = 0 left
'

test_expect_success 'nothing of the system was changed' '
  system_state >after && test_cmp before after
'

test_expect_success NONET 'what is there needs no network' '
  unshare -n kport kernel add 6.1 && unshare -n kport kernel list
'

test_expect_success NONET 'no network: one line, exit code 2, no record' '
  test_expect_code 2 unshare -n kport kernel add 6.1 --with-image 2>err &&
  test_grep -c "^kport: " err && test_grep "cannot be reached" err &&
  kport kernel show --json 6.1 >show.json && ! test_json show.json .image
'

test_expect_success 'kill -9 while downloading, then while unpacking; the next run goes on' '
  cp -r "$kernels/6.1" kept && kport kernel remove 6.1 &&
  for stage in "debs/*.deb" "unpack-*/usr"; do
    { kport kernel add 6.1 & pid=$!; } &&
    for i in $(seq 300); do
      ls -d "$work"/$stage >/dev/null 2>&1 && break
      kill -0 $pid 2>/dev/null || break
      sleep 0.05
    done &&
    { kill -9 $pid; wait $pid; test_path_is_missing "$kernels/6.1/kernel.json"; } || return 1
  done &&
  kport kernel add 6.1 && build_with 6.1 &&
  diff <(cd kept && find . -type f | sort) <(cd "$kernels/6.1" && find . -type f | sort) &&
  rm -rf kept
'

test_expect_success 'Ctrl-C: exit code 130, nothing half-made' '
  kport kernel remove 6.1 &&
  { kport kernel add 6.1 2>err & pid=$!; } &&
  for i in $(seq 300); do ls -d "$work"/debs/* >/dev/null 2>&1 && break; sleep 0.05; done &&
  kill -INT $pid && { wait $pid; test $? = 130; } &&
  test_path_is_missing "$kernels/6.1"
'

test_expect_success 'two runs at once: one waits for the other' '
  { kport kernel add 6.1 >a.out & pid=$!; } &&
  kport kernel add 6.1 >b.out &&
  wait $pid && test_cmp a.out b.out
'

test_expect_success 'image and modules complete the record; headers are not fetched again' '
  stat -c %i "$kernels/6.1/build" >before &&
  kport kernel add 6.1 --with-image --json >out.json &&
  stat -c %i "$kernels/6.1/build" >after && test_cmp before after &&
  file=$(test_json out.json .image) && test "$(dd if="$file" bs=1 skip=514 count=4 2>/dev/null)" = HdrS &&
  test_path_is_file "$(test_json out.json .modules_dir)/modules.dep"
'

test_expect_success 'the record works where the cache is moved to' '
  mv "$XDG_CACHE_HOME/kport" moved && mkdir -p "$XDG_CACHE_HOME" &&
  test_when_finished "mv moved \"$XDG_CACHE_HOME/kport\"" &&
  KPORT_CACHE_HOME=$PWD/moved build_with 6.1 &&
  ! grep -r --include=Makefile --include=.kernelvariables "$XDG_CACHE_HOME" moved/kernels/6.1/build/usr/src
'

test_expect_success 'a cache that cannot be made is one line' '
  KPORT_CACHE_HOME=/dev/full/x test_must_fail kport kernel add 6.1 2>err && test_line_count = 1 err
'
test_lazy_prereq TMPFS 'mkdir -p tiny && mount -t tmpfs -o size=30m none tiny && umount tiny' 'mounting is not allowed here'
test_expect_success TMPFS 'a full disk is one line, and nothing half-made' '
  mount -t tmpfs -o size=30m none tiny && test_when_finished "umount tiny" &&
  KPORT_CACHE_HOME=$PWD/tiny test_expect_code 2 kport kernel add 6.1 2>err &&
  test_grep -i "no space left\|are free there" err &&
  test_path_is_missing tiny/kernels/6.1
'

test_expect_success PYTHON 'a suite that the mirror does not have is told' '
  mkdir www && { python3 -m http.server --bind 127.0.0.1 --directory www 18423 >/dev/null 2>&1 & pid=$!; } &&
  test_when_finished "kill $pid; wait $pid; true" && sleep 1 &&
  mkdir -p "$XDG_CONFIG_HOME/kport" && test_when_finished "rm -r \"$XDG_CONFIG_HOME/kport\"" &&
  printf "[kernel]\n\tmirror = http://127.0.0.1:18423/debian\n" >"$XDG_CONFIG_HOME/kport/kport.conf" &&
  test_expect_code 1 kport kernel add 5.10 2>err &&
  test_grep "has no suite .bullseye." err && test_grep "kernel.mirror" err
'

test_expect_success 'a version that no suite has' '
  test_expect_code 1 kport kernel add 6.1.9999 2>err &&
  test_grep "has a kernel .6.1.9999." err
'

for v in 5.10 6.12 7.2 7.3; do
  test_expect_success "$v builds and links a driver with this machine's compiler" "
    kport kernel add $v && build_with $v
  "
done

test_expect_success 'host tools of a newer C library run in the moved record, too' '
  mv "$XDG_CACHE_HOME/kport" moved && mkdir -p "$XDG_CACHE_HOME" &&
  test_when_finished "mv moved \"$XDG_CACHE_HOME/kport\"" &&
  KPORT_CACHE_HOME=$PWD/moved build_with 7.2
'

test_done
