// SPDX-License-Identifier: GPL-2.0-only
/// The result of an allocation is used before it is tested.
//# Flags like __GFP_NOFAIL are not looked at.
//
// Confidence: Moderate
// Comments: Only uses on a straight way from the allocation are reported
// Options: --no-includes
// Keywords: kmalloc kzalloc kcalloc

virtual report

@r depends on report exists@
expression x, E;
identifier f;
position p;
@@

x@p = \(kmalloc\|kzalloc\|kcalloc\|kmalloc_array\|kvmalloc\|kvzalloc\|vmalloc\|vzalloc\|kmemdup\|devm_kzalloc\|devm_kmalloc\|devm_kcalloc\|alloc_workqueue\|alloc_etherdev\|netdev_alloc_skb\|dev_alloc_skb\|usb_alloc_urb\|input_allocate_device\)(...);
... when != x
    when != x = E
x->f

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "result of an allocation is used without a test")

@d depends on report exists@
type T;
identifier x, f;
expression E;
position p;
@@

T x@p = \(kmalloc\|kzalloc\|kcalloc\|kmalloc_array\|kvmalloc\|kvzalloc\|vmalloc\|vzalloc\|kmemdup\|devm_kzalloc\|devm_kmalloc\|devm_kcalloc\|alloc_workqueue\|alloc_etherdev\|netdev_alloc_skb\|dev_alloc_skb\|usb_alloc_urb\|input_allocate_device\)(...);
... when != x
    when != x = E
x->f

@script:python depends on report@
p << d.p;
@@
coccilib.report.print_report(p[0], "result of an allocation is used without a test")
