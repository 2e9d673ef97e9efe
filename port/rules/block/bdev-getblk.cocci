// SPDX-License-Identifier: GPL-2.0-only
/// __getblk_gfp() was replaced by bdev_getblk() with the same arguments.
//
// Title: use bdev_getblk() in place of __getblk_gfp()
// Replaces: __getblk_gfp
// Needs: bdev_getblk/4
// Since: 6.7
// Confidence: High
// Risk: safe

@@ expression B, N, S, G; @@
- __getblk_gfp(B, N, S, G)
+ bdev_getblk(B, N, S, G)
