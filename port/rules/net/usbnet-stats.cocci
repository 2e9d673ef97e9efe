// SPDX-License-Identifier: GPL-2.0-only
/// usbnet keeps its statistics where dev_get_tstats64() looks for them;
/// usbnet_get_stats64() is gone.
//
// Title: use dev_get_tstats64() in place of usbnet_get_stats64()
// Replaces: usbnet_get_stats64
// Needs: dev_get_tstats64
// Include: linux/netdevice.h
// Since: 5.12
// Confidence: High
// Risk: safe

@@ @@
- usbnet_get_stats64
+ dev_get_tstats64
