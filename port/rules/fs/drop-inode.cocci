// SPDX-License-Identifier: GPL-2.0-only
/// generic_delete_inode() and generic_drop_inode() were renamed to
/// inode_just_drop() and inode_generic_drop().
//
// Title: use inode_just_drop() in place of generic_delete_inode()
// Replaces: generic_delete_inode, generic_drop_inode
// Needs: inode_just_drop, inode_generic_drop
// Since: 6.18
// Confidence: High
// Risk: safe

@@ @@
(
- generic_delete_inode
+ inode_just_drop
|
- generic_drop_inode
+ inode_generic_drop
)
