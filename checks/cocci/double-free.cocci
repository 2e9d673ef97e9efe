// SPDX-License-Identifier: GPL-2.0-only
/// What was freed is freed again, or used, on the same way.
//# Macros that hide an assignment make false reports.
//
// Confidence: Moderate
// Comments: None
// Options: --no-includes
// Keywords: kfree kvfree free_netdev

virtual report

@r depends on report@
expression x, E;
iterator it;
statement S;
position p, q;
@@

\(kfree@q\|kvfree@q\|vfree@q\|kfree_skb@q\|dev_kfree_skb@q\|usb_free_urb@q\|destroy_workqueue@q\)(x);
... when != x = E
    when != it(x, ...) S
    when != &x
\(kfree@p\|kvfree@p\|vfree@p\|kfree_skb@p\|dev_kfree_skb@p\|usb_free_urb@p\|destroy_workqueue@p\)(x);

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "freed a second time on the same way")
