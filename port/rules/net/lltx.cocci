// SPDX-License-Identifier: GPL-2.0-only
/// NETIF_F_LLTX is no feature bit any more but a property of the device,
/// net_device.lltx.
//
// Title: set net_device.lltx in place of NETIF_F_LLTX
// Replaces: NETIF_F_LLTX
// Needs: struct net_device.lltx
// Since: 6.12
// Commit: 00d066a4d4ed
// Confidence: High
// Risk: safe

@@ expression D; @@
- D->features |= NETIF_F_LLTX;
+ D->lltx = true;

@@ expression D, A, B; @@
(
- D->features |= NETIF_F_LLTX | B;
+ D->features |= B;
+ D->lltx = true;
|
- D->features |= A | NETIF_F_LLTX;
+ D->features |= A;
+ D->lltx = true;
|
- D->features |= A | NETIF_F_LLTX | B;
+ D->features |= A | B;
+ D->lltx = true;
|
- D->features = A | NETIF_F_LLTX;
+ D->features = A;
+ D->lltx = true;
|
- D->features = NETIF_F_LLTX;
+ D->lltx = true;
)

@@ expression D; @@
- D->features & NETIF_F_LLTX
+ D->lltx
