// SPDX-License-Identifier: GPL-2.0-only
/// The result of a registration is thrown away.
//# A cast to void counts as thrown away too.
//
// Confidence: High
// Comments: None
// Options: --no-includes
// Keywords: register result

virtual report

@r depends on report@
identifier f = {misc_register, register_netdev, register_chrdev_region, cdev_add, device_register,
		platform_driver_register, pci_register_driver, usb_register, i2c_add_driver,
		request_irq, request_threaded_irq, register_blkdev, input_register_device,
		device_create_file, sysfs_create_group, clk_prepare_enable, pci_enable_device,
		regulator_enable, device_add, device_add_disk, add_disk};
position p;
@@

f@p(...);

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "result of a registration is thrown away")

@c depends on report@
identifier f = {misc_register, register_netdev, register_chrdev_region, cdev_add, device_register,
		platform_driver_register, pci_register_driver, usb_register, i2c_add_driver,
		request_irq, request_threaded_irq, register_blkdev, input_register_device,
		device_create_file, sysfs_create_group, clk_prepare_enable, pci_enable_device,
		regulator_enable, device_add, device_add_disk, add_disk};
position p;
@@

 (void)f@p(...)

@script:python depends on report@
p << c.p;
@@
coccilib.report.print_report(p[0], "result of a registration is thrown away")
