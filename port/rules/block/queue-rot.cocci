// SPDX-License-Identifier: GPL-2.0-only
/// The test for a disk without seeks was turned round: blk_queue_rot() is true
/// for rotating ones.
//
// Title: use blk_queue_rot() in place of blk_queue_nonrot()
// Replaces: blk_queue_nonrot
// Needs: blk_queue_rot
// Since: 7.0
// Commit: 2719bd1ee1a1
// Confidence: High
// Risk: safe

@@ expression Q; @@
(
- !blk_queue_nonrot(Q)
+ blk_queue_rot(Q)
|
- blk_queue_nonrot(Q)
+ !blk_queue_rot(Q)
)
