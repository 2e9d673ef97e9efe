// SPDX-License-Identifier: GPL-2.0-only
/// prandom_u32_max() was renamed to get_random_u32_below().
//
// Title: use get_random_u32_below() in place of prandom_u32_max()
// Replaces: prandom_u32_max
// Needs: get_random_u32_below
// Include: linux/random.h
// Since: 6.2
// Confidence: High
// Risk: safe

@@ expression N; @@
- prandom_u32_max(N)
+ get_random_u32_below(N)
