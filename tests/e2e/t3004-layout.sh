#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='gate layout: structures that others read, over two fake kernels and ports with planted faults'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1

# A structure of the kernel in which a member moved, one is narrower, one unsigned, two changed places.
gadget_header() {
  cat <<END
#ifndef GADGET_H
#define GADGET_H
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64;
typedef u8 __u8; typedef u16 __u16; typedef u32 __u32; typedef u64 __u64; typedef u16 __le16; typedef u32 __le32;
typedef u16 __be16;
#define __packed __attribute__((packed))
#define __user
#define __iomem
#define _IOC(d,t,n,s) (((d) << 30) | ((s) << 16) | ((t) << 8) | (n))
#define _IOW(t,n,x) _IOC(1U,t,n,sizeof(x))
#define _IOWR(t,n,x) _IOC(3U,t,n,sizeof(x))
unsigned long copy_to_user(void __user *to, const void *from, unsigned long n);
unsigned long copy_from_user(void *to, const void __user *from, unsigned long n);
void *memcpy(void *d, const void *s, unsigned long n);
void *memset(void *d, int c, unsigned long n);
struct gadget {
$1
};
struct gadget_id { $2 };
int gadget_add(struct gadget *g, const struct gadget_id *id);
#endif
END
}
gadget_header 'u32 flags; u32 speed; int level; u32 low; u32 high; void *priv;' 'u16 vendor; u16 product;' \
  >k1/include/linux/gadget.h
gadget_header 'void *owner; u32 flags; u16 speed; u16 spare; u32 level; u32 low; u32 high; void *priv;' 'u16 product; u16 vendor;' \
  >k2/include/linux/gadget.h
for k in k1 k2; do
  printf '0x0000000%d\t%s\tvmlinux\tEXPORT_SYMBOL\t\n' 4 gadget_add 5 copy_to_user 6 copy_from_user 7 memcpy 8 memset >>$k/Module.symvers || exit 1
done

base_driver() {
  mkdir -p "$1" && cat >"$1/foo.h" <<'END' && cat >"$1/foo.c" <<'END2' && echo 'obj-m := foo.o' >"$1/Kbuild"
struct foo_args {
	__u32 addr;
	__u16 len;
	__u16 flags;
	__u64 data;
};
#define FOO_SET _IOW('f', 1, struct foo_args)
struct foo_only { __u32 a; __u16 b; };
#define FOO_ONLY _IOW('f', 2, struct foo_only)
struct foo_msg {
	__le16 cmd;
	u8 seq;
	__le32 len;
} __packed;
struct foo_regs { u32 ctrl; u32 status; };
struct foo_own { int count; void *mem; struct gadget g; };
END
#include <linux/module.h>
#include <linux/gadget.h>
#include "foo.h"
static struct foo_own own;
static struct foo_regs __iomem *regs;
static long foo_ioctl(unsigned cmd, void __user *arg)
{
	struct foo_args a;

	switch (cmd) {
	case FOO_ONLY:
		return 1;
	case FOO_SET:
		if (copy_from_user(&a, arg, sizeof(a)))
			return -14;
		own.g.flags = a.len;
		return copy_to_user(arg, &a, sizeof(a)) ? -14 : 0;
	}
	return regs->ctrl;
}
int foo_send(const u8 *buf);
int foo_send(const u8 *buf)
{
	const struct foo_msg *m = (const struct foo_msg *)buf;

	own.count += m->len + m->seq;
	own.g.low = 3;
	return own.g.high;
}
long foo_call(unsigned cmd, void *arg);
long foo_call(unsigned cmd, void *arg) { return foo_ioctl(cmd, arg); }
int init_module(void);
int init_module(void) { return gadget_add(&own.g, 0); }
MODULE_LICENSE("GPL");
END2
}
base_driver old || exit 1

# check_port DIR: DIR is a port of "old"
check_port() {
  kport check "$1" --before old --from k1 --kernel k2 --gates compile,layout --json >"$1.json"
}

# fault NAME SED-PROGRAM RULE LINE-REGEX [FILE]: the fault in a port is found by that rule
fault() {
  rm -rf "$1" && cp -r old "$1" && sed -i "$2" "$1/foo.h" "$1/foo.c" && ! diff -r old "$1" >/dev/null || return 1
  test_expect_code 1 check_port "$1" || return 1
  test_json "$1.json" .gates.compile.verdict PASS && test_json "$1.json" .gates.layout.verdict FAIL &&
    test_json "$1.json" ".gates.layout.findings[0].rule" "$3" &&
    test_grep "$4" "$1.json"
}

# both NAME SED-PROGRAM RULE REGEX [EXIT-CODE VERDICT]: in the driver before and after alike
both() {
  rm -rf old-"$1" && cp -r old old-"$1" && sed -i "$2" old-"$1"/foo.h old-"$1"/foo.c && ! diff -r old old-"$1" >/dev/null || return 1
  test_expect_code "${5:-1}" kport check old-"$1" --from k1 --kernel k2 --gates compile,layout --json >"$1.json" || return 1
  test_json "$1.json" .gates.layout.verdict "${6:-FAIL}" && test_grep "$4" "$1.json" || return 1
  if [ -n "$3" ]; then test_json "$1.json" ".gates.layout.findings[0].rule" "$3"; fi
}

test_expect_success 'an untouched driver passes: members that only moved are harmless' '
  cp -r old same && check_port same &&
  test_json same.json .gates.layout.verdict PASS &&
  test_grep "struct foo_msg: hardware (__packed)" same.json &&
  test_grep "struct foo_only: user space (ioctl FOO_ONLY)" same.json &&
  test_json same.json ".gates.layout.data.review" "[]"
'

test_expect_success 'a driver alone is not testable' '
  kport check old --kernel k1 --gates compile,layout --json >alone.json &&
  test_json alone.json .gates.layout.verdict SKIP &&
  test_grep "no driver before" alone.json
'

test_expect_success 'a structure that only an ioctl number names' '
  fault only "s/__u32 a; __u16 b;/__u16 a; __u16 b;/" user-abi "ioctl FOO_ONLY.*narrowed from 4 to 2 bytes"
'
test_expect_success 'reordered' '
  fault order "/__u16 len;/d; s/__u16 flags;/&\n\t__u16 len;/" user-abi "ioctl FOO_SET.*changed places, from" &&
  test_json order.json ".gates.layout.findings[0].file" foo.h && test_json order.json ".gates.layout.findings[0].line" 1
'
test_expect_success 'options of the driver do not hide a structure' '
  for o in -fdebug-types-section -femit-struct-debug-baseonly; do
    printf "obj-m := foo.o\nccflags-y += %s\n" $o >old/Kbuild &&
    fault hidden "/__u16 len;/d; s/__u16 flags;/&\n\t__u16 len;/" user-abi "ioctl FOO_SET.*changed places, from" || { echo "$o" && echo "obj-m := foo.o" >old/Kbuild && return 1; }
  done &&
  echo "obj-m := foo.o" >old/Kbuild
'
test_expect_success 'an object that is a pipe is none' '
  rm -rf pipe && cp -r old pipe &&
  printf "obj-m := foo.o\n\$(shell (cd \$(src) && while [ ! -s foo.ko ]; do sleep 0.002; done; mv foo.o q; mkfifo foo.o) >/dev/null 2>&1 &)\n" >pipe/Kbuild &&
  { timeout 100 kport check pipe --before old --from k1 --kernel k2 --gates compile,layout --json >pipe.json; test $? -lt 2; } &&
  test_json pipe.json .gates.layout.verdict >got && test_grep "SKIP\|PASS" got
'
test_expect_success 'renamed' '
  fault name "s/__u16 flags;/__u16 mode;/" user-abi "flags.* is now called .mode."
'
test_expect_success 'signed' '
  fault sgn "s/__u32 addr;/int addr;/" user-abi "addr.* is .int., was .__u32."
'
test_expect_success 'a packed message without its attribute' '
  fault unpacked "s/} __packed;/};/" device-layout "len.* moved from 3 to 4"
'
test_expect_success 'byte order' '
  fault be "s/__le16 cmd;/__be16 cmd;/" device-layout "big-endian, was little-endian"
'
test_expect_success 'registers' '
  fault regs "s/u32 ctrl; u32 status;/u32 id; u32 ctrl; u32 status;/" device-layout "__iomem"
'
test_expect_success 'the state of the driver is its own affair' '
  cp -r old state && sed -i "s/int count;/long count; int more;/" state/foo.h && check_port state &&
  test_json state.json .gates.layout.verdict PASS
'
test_expect_success 'another member that was there before' '
  fault swap "s/own.g.low = 3/own.g.high = 3/" other-member "uses .high. of struct gadget.*still there"
'
test_expect_success 'a value that a narrowed member cuts off' '
  both cut "s/own.g.low = 3;/own.g.speed = own.count;/" narrowed "cut off" &&
  test_json cut.json ".gates.layout.findings[0].function" foo_send
'
test_expect_success 'a value that fits is none' '
  both fit "s/own.g.low = 3;/own.g.speed = 100;/" "" PASS 0 PASS
'
test_expect_success 'less than 0 of what became unsigned' '
  both neg "s/own.g.low = 3;/if (own.g.level < 0) own.count++;/" sign "never less than 0"
'
test_expect_success 'an initialiser by position' '
  both pos "s/^static struct foo_own own;/&\nconst struct gadget_id ids[] = { { 0x1234, 1 } };/" by-position "is for .product. on 6.2.0-fake, was for .vendor."
'
test_expect_success 'a number that stands for an offset' '
  both off "s/own.g.low = 3;/*(u32 *)((char *)\&own.g + 12) = 3;/" fixed-offset "12 bytes into struct gadget"
'
test_expect_success 'a number that stands for a size' '
  both size "s/own.g.low = 3;/memset(\&own.g, 0, 32);/" fixed-size "memset() of 32 bytes"
'
test_expect_success 'a private copy that is none on the target' '
  both copy "s/^struct foo_regs/struct my_gadget { u32 flags; u32 speed; int level; };\n&/; s/own.g.low = 3;/((struct my_gadget *)\&own.g)->level = 1;/" private-copy "my_gadget is a copy of the kernel.s struct gadget on 6.1.0-fake"
'
test_expect_success 'a structure of the kernel handed to user space' '
  both give "s/copy_to_user(arg, &a, sizeof(a))/copy_to_user(arg, \&own.g, sizeof(own.g))/" kernel-structure-to-user "of the kernel goes to user space"
'
test_expect_success 'sizeof and memset over what changed are notes' '
  both note "s/own.g.low = 3;/memset(\&own.g, 0, sizeof(own.g));/" "" PASS 0 PASS &&
  test_json note.json ".gates.layout.data.review[0].rule" over-changed-structure
'
test_expect_success 'debug information with other paths is not testable' '
  cp -r old moved && echo "ccflags-y := -fdebug-prefix-map=\$(M)=/elsewhere -fdebug-prefix-map=\$(obj)=/elsewhere" >>moved/Kbuild &&
  check_port moved && test_json moved.json .gates.layout.verdict SKIP && test_grep "does not name its source" moved.json
'
test_expect_success 'a port that does not build is not judged' '
  cp -r old broken && echo "int x = y;" >>broken/foo.c && test_expect_code 1 check_port broken &&
  test_json broken.json .gates.layout.verdict SKIP
'
test_expect_success 'usage: --before needs --from' '
  test_expect_code 129 kport check old --before old --kernel k1
'
test_done
