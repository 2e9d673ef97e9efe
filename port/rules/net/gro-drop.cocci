// SPDX-License-Identifier: GPL-2.0-only
/// napi_gro_receive() never reports a dropped packet any more: GRO_DROP is gone
/// and what was done for it can never run.
//
// Title: drop the test for GRO_DROP
// Replaces: GRO_DROP
// Since: 5.12
// Confidence: High
// Risk: review

@@ expression N, S; statement A; @@
(
- if (napi_gro_receive(N, S) == GRO_DROP) A
+ napi_gro_receive(N, S);
|
- if (napi_gro_receive(N, S) != GRO_DROP) A
+ napi_gro_receive(N, S);
+ A
)
