// SPDX-License-Identifier: GPL-2.0-only
/// A structure is used behind the call that freed it.
//# The address alone may be used.
//
// Confidence: Moderate
// Comments: None
// Options: --no-includes
// Keywords: kfree use after free

virtual report

@r depends on report@
expression x, E;
identifier f;
iterator it;
statement S;
position p;
@@

\(kfree\|kvfree\|vfree\|kfree_skb\|usb_free_urb\|put_disk\|iio_device_free\|i2c_mux_del_adapters\)(x);
... when != x = E
    when != it(x, ...) S
    when != &x
x@p->f

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "used after it was freed")
