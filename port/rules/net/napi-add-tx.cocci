// SPDX-License-Identifier: GPL-2.0-only
/// netif_tx_napi_add() was renamed to netif_napi_add_tx() and lost its weight;
/// netif_napi_add_tx_weight() keeps it.
//
// Title: use netif_napi_add_tx() in place of netif_tx_napi_add()
// Replaces: netif_tx_napi_add
// Needs: netif_napi_add_tx/3, netif_napi_add_tx_weight/4
// Since: 6.0
// Confidence: High
// Risk: safe

@@ expression D, N, P, W; @@
(
- netif_tx_napi_add(D, N, P, NAPI_POLL_WEIGHT)
+ netif_napi_add_tx(D, N, P)
|
- netif_tx_napi_add(D, N, P, 64)
+ netif_napi_add_tx(D, N, P)
|
- netif_tx_napi_add(D, N, P, W)
+ netif_napi_add_tx_weight(D, N, P, W)
)
