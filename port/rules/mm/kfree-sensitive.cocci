// SPDX-License-Identifier: GPL-2.0-only
/// kzfree() was renamed to kfree_sensitive().
//
// Title: use kfree_sensitive() in place of kzfree()
// Replaces: kzfree
// Needs: kfree_sensitive
// Include: linux/slab.h
// Since: 5.9
// Commit: 453431a54934
// Confidence: High
// Risk: safe

@@ expression P; @@
- kzfree(P)
+ kfree_sensitive(P)
