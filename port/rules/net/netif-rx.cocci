// SPDX-License-Identifier: GPL-2.0-only
/// netif_rx() may be called in any context; netif_rx_ni() and
/// netif_rx_any_context() are gone.
//
// Title: use netif_rx() in place of netif_rx_ni()
// Replaces: netif_rx_ni, netif_rx_any_context
// Needs: netif_rx
// Since: 5.18
// Commit: 2655926aea9b
// Confidence: High
// Risk: safe

@@ expression S; @@
- netif_rx_ni(S)
+ netif_rx(S)

@@ expression S; @@
- netif_rx_any_context(S)
+ netif_rx(S)
