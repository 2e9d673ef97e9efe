#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='gates compile to honest on real kernels: a port by hand, tricks, symbols that cannot be had'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"
# The kernels of the caller, so that none is downloaded twice.
export KPORT_CACHE_HOME=$caller_cache

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
for tool in sparse spatch; do
  command -v $tool >/dev/null || test_skip_all "$tool is not installed"
done
for k in 6.1 6.12; do
  kport kernel show $k >show.out 2>&1 || kport kernel add $k >add.out 2>&1 ||
    test_skip_all "kernel $k is not there and cannot be added: $(tail -n 1 add.out)"
done
test_lazy_prereq K72 'kport kernel show 7.2' 'kernel 7.2 is not there'

driver() {
  mkdir -p "$1" && echo 'obj-m := tgate.o' >"$1/Makefile" && cat >"$1/tgate.c"
}

# Written for 6.1: no_llseek, a remove that returns int, a function without a prototype.
driver old <<'END'
// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/uaccess.h>

struct tgate {
	struct timer_list timer;
	struct mutex lock;
	char *buf;
};

static struct tgate *the_gate;

int tgate_level(int x)
{
	return x + 1;
}

static void tgate_tick(struct timer_list *t)
{
	struct tgate *g = from_timer(g, t, timer);

	mod_timer(&g->timer, jiffies + tgate_level(HZ));
}

static ssize_t tgate_read(struct file *f, char __user *to, size_t len, loff_t *pos)
{
	ssize_t n;

	mutex_lock(&the_gate->lock);
	n = simple_read_from_buffer(to, len, pos, the_gate->buf, 16);
	mutex_unlock(&the_gate->lock);
	return n;
}

static const struct file_operations tgate_fops = {
	.owner = THIS_MODULE,
	.read = tgate_read,
	.llseek = no_llseek,
};

static struct miscdevice tgate_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "tgate", .fops = &tgate_fops };

static int tgate_probe(struct platform_device *pdev)
{
	struct tgate *g = kzalloc(sizeof(*g), GFP_KERNEL);
	int ret;

	if (!g)
		return -ENOMEM;
	g->buf = kzalloc(16, GFP_KERNEL);
	if (!g->buf) {
		kfree(g);
		return -ENOMEM;
	}
	mutex_init(&g->lock);
	timer_setup(&g->timer, tgate_tick, 0);
	the_gate = g;
	ret = misc_register(&tgate_misc);
	if (ret) {
		kfree(g->buf);
		kfree(g);
		return ret;
	}
	platform_set_drvdata(pdev, g);
	return 0;
}

static int tgate_remove(struct platform_device *pdev)
{
	struct tgate *g = platform_get_drvdata(pdev);

	misc_deregister(&tgate_misc);
	del_timer_sync(&g->timer);
	kfree(g->buf);
	kfree(g);
	return 0;
}

static struct platform_driver tgate_driver = {
	.probe = tgate_probe,
	.remove = tgate_remove,
	.driver = { .name = "tgate" },
};
module_platform_driver(tgate_driver);

MODULE_DESCRIPTION("gates");
MODULE_LICENSE("GPL");
END

port() {
  rm -rf new && cp -r old new &&
  sed -i -e 's/static int tgate_remove/static void tgate_remove/' -e '/kfree(g);/{n;s/^\treturn 0;$//}' \
    -e '/no_llseek/d' -e 's/del_timer_sync/timer_delete_sync/' new/tgate.c
}
trick() { port && sed -i -e "$1" new/tgate.c; }
gate() { test_json out.json ".$1.verdict" "$2"; }
all=apply,compile,link,nodiag,honest
# shellcheck disable=SC2086 # a list of words
judge() { test_expect_code "$1" test-tool gates $all 6.1 6.12 old new >out.json; }

test_expect_success 'a port by hand passes; a warning that only 6.12 switched on is not its fault' '
  port && judge 0 && gate apply PASS && gate compile PASS && gate link PASS && gate nodiag PASS && gate honest PASS &&
  test_json out.json ".honest.data.review[0].rule" member
'

test_expect_success 'without the baseline that warning counts' '
  test_expect_code 1 kport check new --kernel 6.12 --gates compile,nodiag --json >check.json &&
  test_json check.json ".gates.nodiag.findings[0].rule" -Wmissing-prototypes
'

test_expect_success 'the timer that is no longer deleted' '
  trick "/timer_delete_sync/d" && judge 1 && gate compile PASS && gate honest FAIL &&
  test_json out.json ".honest.findings[0].rule" call
'

test_expect_success 'a callback cast to the wrong type' '
  port && cp old/tgate.c new/ && sed -i -e "/no_llseek/d" -e "s/= tgate_remove/= (void *)tgate_remove/" new/tgate.c &&
  judge 1 && gate compile PASS && gate honest FAIL && test_json out.json ".honest.findings[0].rule" cast
'

test_expect_success 'a user pointer used directly is new to sparse' '
  trick "s/n = simple_read_from_buffer.*/n = to[0];/" && judge 1 && gate compile PASS && gate nodiag FAIL &&
  grep -q "\"tool\": \"sparse\"" out.json
'

test_expect_success 'memory that is used behind kfree is new to Coccinelle' '
  trick "s/^\tkfree(g->buf);\$/\tkfree(g);\n&/" && judge 1 && gate compile PASS && gate nodiag FAIL &&
  grep -q "\"rule\": \"use-after-free\"" out.json && grep -q "\"rule\": \"double-free\"" out.json
'

test_expect_success 'a GPL-only symbol for another licence' '
  trick "s/MODULE_LICENSE(\"GPL\")/MODULE_LICENSE(\"Proprietary\")/" && judge 1 && gate link FAIL &&
  test_json out.json ".link.findings[0].rule" gpl-only && gate honest FAIL
'

test_expect_success 'a namespace that is not imported' '
  driver ns <<-\END &&
	#include <linux/dma-buf.h>
	#include <linux/module.h>
	static int __init ns_init(void) { return IS_ERR(dma_buf_get(1)); }
	module_init(ns_init);
	MODULE_LICENSE("GPL");
	END
  test_expect_code 1 kport check ns --kernel 6.12 --gates compile,link --json >out.json &&
  test_json out.json ".gates.link.findings[0].rule" namespace &&
  sed -i "s/^MODULE_LICENSE.*/&\nMODULE_IMPORT_NS(DMA_BUF);/" ns/tgate.c &&
  kport check ns --kernel 6.12 --gates compile,link >out
'

test_expect_success K72 'sparse reads the headers of 7.2' '
  driver user <<-\END &&
	#include <linux/module.h>
	static int __init user_init(void) { char __user *p = NULL; return *p; }
	module_init(user_init);
	MODULE_DESCRIPTION("x");
	MODULE_LICENSE("GPL");
	END
  test_expect_code 1 kport check user --kernel 7.2 --gates compile,nodiag --json >out.json &&
  test_json out.json ".gates.nodiag.data.sparse" true &&
  test_json out.json ".gates.nodiag.findings[0].tool" sparse
'

test_done
