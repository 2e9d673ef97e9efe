// SPDX-License-Identifier: GPL-2.0-only
/// net_dim() takes the sample by pointer.
//
// Title: pass the sample of net_dim() by pointer
// Replaces: net_dim~struct dim_sample end_sample
// Needs: net_dim~struct dim_sample *
// Since: 6.13
// Confidence: High
// Risk: safe

@@ expression D; struct dim_sample S; @@
- net_dim(D, S)
+ net_dim(D, &S)
