// SPDX-License-Identifier: GPL-2.0-only
/// blk_mq_alloc_disk() takes the limits of the queue; NULL stands for the
/// defaults, with which it started before.
//
// Title: pass default limits to blk_mq_alloc_disk()
// Replaces: blk_mq_alloc_disk/2
// Needs: blk_mq_alloc_disk/3, struct queue_limits
// Since: 6.9
// Commit: 27e32cd23fed
// Confidence: Moderate
// Risk: review

@@ expression S, D; @@
- blk_mq_alloc_disk(S, D)
+ blk_mq_alloc_disk(S, NULL, D)
