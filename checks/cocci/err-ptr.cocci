// SPDX-License-Identifier: GPL-2.0-only
/// A pointer that holds an error is tested for NULL, or the other way round.
//# Only functions with one convention.
//
// Confidence: High
// Comments: None
// Options: --no-includes
// Keywords: IS_ERR PTR_ERR NULL

virtual report

@n depends on report@
expression x, E;
position p;
statement S1, S2;
@@

x = \(devm_ioremap_resource\|devm_platform_ioremap_resource\|devm_clk_get\|clk_get\|devm_regulator_get\|regulator_get\|devm_gpiod_get\|gpiod_get\|devm_reset_control_get\|devm_regmap_init_i2c\|devm_regmap_init_mmio\|class_create\|device_create\|kthread_run\|kthread_create\|platform_device_register_simple\|devm_hwmon_device_register_with_info\|debugfs_create_dir\)(...)
... when != x = E
    when != IS_ERR(x)
    when != IS_ERR_OR_NULL(x)
if@p (\(x == NULL\|!x\)) S1 else S2

@script:python depends on report@
p << n.p;
@@
coccilib.report.print_report(p[0], "the function returns an error pointer, never NULL")

@r depends on report@
expression x, E;
position p;
statement S1, S2;
@@

x = \(kmalloc\|kzalloc\|kcalloc\|vmalloc\|vzalloc\|devm_kzalloc\|devm_kcalloc\|ioremap\|devm_ioremap\|alloc_workqueue\|alloc_etherdev\|usb_alloc_urb\|platform_get_resource\|platform_get_drvdata\|i2c_get_clientdata\|input_allocate_device\|devm_input_allocate_device\|kmemdup\|of_find_node_by_name\|of_get_child_by_name\|of_parse_phandle\)(...)
... when != x = E
    when != x == NULL
    when != !x
if@p (<+... IS_ERR(x) ...+>) S1 else S2

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "the function returns NULL, never an error pointer")
