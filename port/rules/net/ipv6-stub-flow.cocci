// SPDX-License-Identifier: GPL-2.0-only
/// The indirection ipv6_stub is gone; ip6_dst_lookup_flow() is called by name.
//
// Title: call ip6_dst_lookup_flow() directly
// Replaces: ipv6_stub
// Needs: ip6_dst_lookup_flow/4
// Include: net/ipv6.h
// Since: 7.1
// Confidence: Moderate
// Risk: review

@@ expression N, S, F, D; @@
- ipv6_stub->ipv6_dst_lookup_flow(N, S, F, D)
+ ip6_dst_lookup_flow(N, S, F, D)
