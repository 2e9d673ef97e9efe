// SPDX-License-Identifier: GPL-2.0-only
/// The default dentry operations of a super block are set by
/// set_default_d_op(), which also sets the flags that go with them; the member
/// is private.
//
// Title: use set_default_d_op() in place of s_d_op
// Replaces: struct super_block.s_d_op
// Needs: set_default_d_op
// Include: linux/dcache.h
// Since: 6.17
// Confidence: High
// Risk: safe

@@ expression S, D; @@
- S->s_d_op = D;
+ set_default_d_op(S, D);
