// SPDX-License-Identifier: GPL-2.0-only
/// The private part of a network device is used behind free_netdev().
//# netdev_priv() memory goes with the device.
//
// Confidence: High
// Comments: None
// Options: --no-includes
// Keywords: free_netdev netdev_priv

virtual report

@r depends on report@
local idexpression dev;
identifier priv, f;
type T;
expression E;
position p;
@@

(
T priv = netdev_priv(dev);
|
priv = netdev_priv(dev);
)
... when any
\(free_netdev\|free_candev\|free_ieee80211_hw\)(dev);
... when != priv = E
priv@p->f

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "private data used after the network device was freed")
