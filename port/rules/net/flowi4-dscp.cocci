// SPDX-License-Identifier: GPL-2.0-only
/// The type of service of an IPv4 flow is a dscp_t: flowi4_tos became
/// flowi4_dscp.
//
// Title: use flowi4_dscp in place of flowi4_tos
// Replaces: flowi4_tos
// Needs: flowi4_dscp, inet_dsfield_to_dscp, inet_dscp_to_dsfield
// Include: net/inet_dscp.h
// Since: 6.18
// Confidence: Moderate
// Risk: review

@@ expression F, T; @@
(
- F.flowi4_tos = T
+ F.flowi4_dscp = inet_dsfield_to_dscp(T)
|
- F->flowi4_tos = T
+ F->flowi4_dscp = inet_dsfield_to_dscp(T)
|
- F.flowi4_tos
+ inet_dscp_to_dsfield(F.flowi4_dscp)
|
- F->flowi4_tos
+ inet_dscp_to_dsfield(F->flowi4_dscp)
)
