// SPDX-License-Identifier: GPL-2.0-only
/// NETIF_F_NETNS_LOCAL is no feature bit any more but a property of the device,
/// net_device.netns_local.
//
// Title: set net_device.netns_local in place of NETIF_F_NETNS_LOCAL
// Replaces: NETIF_F_NETNS_LOCAL
// Needs: struct net_device.netns_local
// Since: 6.12
// Commit: 05c1280a2bcf
// Confidence: High
// Risk: safe

@@ expression D, A, B; @@
(
- D->features |= NETIF_F_NETNS_LOCAL;
+ D->netns_local = true;
|
- D->features |= A | NETIF_F_NETNS_LOCAL;
+ D->features |= A;
+ D->netns_local = true;
|
- D->features |= NETIF_F_NETNS_LOCAL | B;
+ D->features |= B;
+ D->netns_local = true;
)

@@ expression D; @@
- D->features & NETIF_F_NETNS_LOCAL
+ D->netns_local
