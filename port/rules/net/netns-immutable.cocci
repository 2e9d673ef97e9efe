// SPDX-License-Identifier: GPL-2.0-only
/// NETIF_F_NETNS_LOCAL is no feature bit any more but a property of the device,
/// net_device.netns_immutable.
//
// Title: set net_device.netns_immutable in place of NETIF_F_NETNS_LOCAL
// Replaces: NETIF_F_NETNS_LOCAL, struct net_device.netns_local
// Needs: struct net_device.netns_immutable
// Since: 6.15
// Confidence: High
// Risk: safe

@@ expression D, A, B; @@
(
- D->features |= NETIF_F_NETNS_LOCAL;
+ D->netns_immutable = true;
|
- D->features |= A | NETIF_F_NETNS_LOCAL;
+ D->features |= A;
+ D->netns_immutable = true;
|
- D->features |= NETIF_F_NETNS_LOCAL | B;
+ D->features |= B;
+ D->netns_immutable = true;
)

@@ struct net_device *D; @@
- D->netns_local
+ D->netns_immutable
