// SPDX-License-Identifier: GPL-2.0-only
/// netif_napi_add() lost its weight argument, since the default fits nearly all;
/// netif_napi_add_weight() is for the others.
//
// Title: drop the weight argument of netif_napi_add()
// Replaces: netif_napi_add/4
// Needs: netif_napi_add/3, netif_napi_add_weight/4
// Since: 6.1
// Commit: b48b89f9c189
// Confidence: High
// Risk: safe

@@ expression D, N, P, W; @@
(
- netif_napi_add(D, N, P, NAPI_POLL_WEIGHT)
+ netif_napi_add(D, N, P)
|
- netif_napi_add(D, N, P, 64)
+ netif_napi_add(D, N, P)
|
- netif_napi_add(D, N, P, W)
+ netif_napi_add_weight(D, N, P, W)
)
