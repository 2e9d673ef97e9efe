// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/timer.h>

#define FOO_CTRL 0x00
#define FOO_MAGIC 'f'
#define FOO_RESET _IO(FOO_MAGIC, 1)
#define FOO_GET _IOR(FOO_MAGIC, 2, int)

struct foo {
	void *regs;
	struct timer_list timer;
	struct mutex lock;
	int irq, level;
};

static int poll_ms = 100;
module_param(poll_ms, int, 0644);

static void foo_poll(struct timer_list *t)
{
	struct foo *foo = timer_container_of(foo, t, timer);

	foo->level = readl(foo->regs + FOO_CTRL);
	mod_timer(&foo->timer, poll_ms);
}

static irqreturn_t foo_isr(int irq, void *data)
{
	struct foo *foo = data;

	writel(0, foo->regs + FOO_CTRL);
	return IRQ_HANDLED;
}

static int foo_write_level(struct foo *foo, int level)
{
	if (level < 0)
		return -EINVAL;
	mutex_lock(&foo->lock);
	foo->level = level;
	writel(level, foo->regs + FOO_CTRL);
	mutex_unlock(&foo->lock);
	return 0;
}

static long foo_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct foo *foo = file->private_data;

	switch (cmd) {
	case FOO_RESET:
		return foo_write_level(foo, 0);
	case FOO_GET:
		return put_user(foo->level, (int __user *)arg);
	}
	return -ENOTTY;
}

static const struct file_operations foo_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = foo_ioctl,
};

static struct miscdevice foo_misc = { .minor = 1, .name = "foo", .fops = &foo_fops };

static int foo_probe(struct platform_device *pdev)
{
	struct foo *foo;
	int ret;

	foo = kzalloc(sizeof(*foo), GFP_KERNEL);
	if (!foo)
		return -ENOMEM;
	foo->regs = ioremap(0x1000, 0x100);
	if (!foo->regs) {
		ret = -ENOMEM;
		goto err_free;
	}
	foo->irq = platform_get_irq(pdev, 0);
	if (foo->irq < 0) {
		ret = foo->irq;
		goto err_unmap;
	}
	ret = request_irq(foo->irq, foo_isr, 0, "foo", foo);
	if (ret)
		goto err_unmap;
	timer_setup(&foo->timer, foo_poll, 0);
	ret = misc_register(&foo_misc);
	if (ret)
		goto err_irq;
	platform_set_drvdata(pdev, foo);
	return 0;

err_irq:
	free_irq(foo->irq, foo);
err_unmap:
	iounmap(foo->regs);
err_free:
	kfree(foo);
	return ret;
}

static void foo_remove(struct platform_device *pdev)
{
	struct foo *foo = platform_get_drvdata(pdev);

	misc_deregister(&foo_misc);
	timer_delete_sync(&foo->timer);
	free_irq(foo->irq, foo);
	iounmap(foo->regs);
	kfree(foo);
}

static const struct of_device_id foo_of_match[] = {
	{ .compatible = "vendor,foo", .data = (void *)1 },
	{ .compatible = "vendor,foo2" },
	{ }
};
MODULE_DEVICE_TABLE(of, foo_of_match);

static struct platform_driver foo_driver = {
	.probe = foo_probe,
	.remove = foo_remove,
	.driver = {
		.name = "foo",
		.of_match_table = foo_of_match,
	},
};
module_platform_driver(foo_driver);

MODULE_FIRMWARE("foo.bin");
MODULE_LICENSE("GPL");
