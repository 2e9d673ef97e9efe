#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='the gates over ports made by hand: an honest one, and tricks that compile'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
for tool in sparse spatch; do
  command -v $tool >/dev/null || test_skip_all "$tool is not installed"
done
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1
# What the driver needs more of the kernel.
for k in k1 k2; do
  cat >>$k/include/linux/kernel.h <<'END' &&
void *kzalloc(unsigned long n, int flags);
void kfree(const void *p);
void mutex_lock(void *l);
void mutex_unlock(void *l);
END
  printf '0x0000000%d\t%s\tvmlinux\tEXPORT_SYMBOL\t\n' 4 kzalloc 5 kfree 6 mutex_lock 7 mutex_unlock >>$k/Module.symvers || exit 1
done
all=apply,compile,link,nodiag,honest

mkdir -p old && cat >old/widget.c <<'END' && printf 'obj-m := foo.o\nfoo-y := widget.o more.o\n' >old/Kbuild || exit 1
#include <linux/module.h>
#include <linux/widget.h>
#include "foo.h"
static int lock;
static void *mem;
static int my_probe(struct widget *w)
{
	mem = kzalloc(64, 0);
	if (!mem)
		return -12;
	mutex_lock(&lock);
	more_start(mem);
	mutex_unlock(&lock);
	return 0;
}
static int my_remove(struct widget *w)
{
	kfree(mem);
	mem = (void *)0;
	return 0;
}
static const struct widget_ops ops = { .name = "my", .probe = my_probe, .remove = my_remove };
int init_module(void)
{
	return widget_register(&ops);
}
MODULE_LICENSE("GPL");
END
cat >old/foo.h <<'END' || exit 1
void more_start(void *mem);
int init_module(void);
END
cat >old/more.c <<'END' || exit 1
#include <linux/module.h>
#include "foo.h"
void more_start(void *mem)
{
	printk("start %p\n", mem);
}
END

# port: the honest port in new/; trick NAME SED-SCRIPT: that with a change in widget.c
port() {
  rm -rf new && cp -r old new &&
  sed -i -e 's/static int my_remove/static void my_remove/' -e '/mem = (void \*)0;/{n;d}' new/widget.c
}
trick() { port && sed -i -e "$1" new/widget.c; }
gate() { test_json out.json ".$1.verdict" "$2"; }
rule() { test_json out.json ".$1.findings[0].rule" "$2"; }
# shellcheck disable=SC2086 # a list of words
judge() { test_expect_code "$1" test-tool gates $all k1 k2 old new >out.json; }

test_expect_success 'the driver as it is does not compile' '
  cp -r old new && judge 1 && gate apply PASS && gate compile FAIL && gate link SKIP && gate honest PASS
'

test_expect_success 'an honest port passes everything' '
  port && judge 0 && gate apply PASS && gate compile PASS && gate link PASS && gate nodiag PASS && gate honest PASS &&
  test_json out.json ".nodiag.data.files#" 1 && test_json out.json ".nodiag.data.files[0]" widget.c
'

test_expect_success 'the callback left out' '
  trick "s/, .remove = my_remove//" && judge 1 && gate compile PASS && gate honest FAIL && rule honest member
'

test_expect_success 'the callback left out is also an unused function to gcc' '
  gate nodiag FAIL && rule nodiag -Wunused-function
'

test_expect_success 'the callback cast' '
  port && cp old/widget.c new/ && sed -i "s/= my_remove }/= (void *)my_remove }/" new/widget.c &&
  judge 1 && gate compile PASS && gate honest FAIL && rule honest cast
'

test_expect_success 'the callback emptied' '
  trick "/kfree(mem);/d; /mem = (void \*)0;/d" && judge 1 && gate compile PASS && gate honest FAIL
'

test_expect_success 'a lock kept, its unlock lost' '
  trick "/mutex_unlock/d" && judge 1 && gate compile PASS && gate honest FAIL && rule honest call
'

test_expect_success 'the test of an allocation lost' '
  trick "/if (!mem)/{N;d}" && judge 1 && gate compile PASS && gate honest FAIL && rule honest check
'

test_expect_success 'warnings switched off instead of a port' '
  rm -rf new && cp -r old new && echo "ccflags-y := -Wno-error=incompatible-pointer-types -Wno-incompatible-pointer-types" >>new/Kbuild &&
  judge 1 && gate compile FAIL && gate honest FAIL
'

test_expect_success 'an object left out of the build' '
  port && sed -i "s/ more.o//" new/Kbuild && sed -i "/more_start/d" new/widget.c &&
  judge 1 && gate compile FAIL && rule compile unit && gate honest FAIL
'

test_expect_success 'a stub for what the kernel no longer has' '
  port && sed -i "s/kfree(mem)/widget_poke((struct widget *)mem)/" new/widget.c && cp -r new n && sed -i "s/kfree(mem)/widget_poke((struct widget *)mem)/" old/widget.c &&
  test_when_finished "sed -i \"s/widget_poke((struct widget \*)mem)/kfree(mem)/\" old/widget.c; rm -rf n" &&
  sed -i "s/^static int lock;/static void widget_poke(struct widget *w) { }\n&/" new/widget.c &&
  judge 1 && gate compile PASS && gate honest FAIL && rule honest stub
'

test_expect_success 'gate apply alone' '
  port && test-tool gates apply k1 k2 old new >out.json && gate apply PASS
'

test_done
