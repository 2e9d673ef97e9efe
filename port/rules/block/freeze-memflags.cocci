// SPDX-License-Identifier: GPL-2.0-only
/// Freezing a request queue returns the allocation flags of the task, which unfreezing
/// puts back. Only where both stand in one function, once each.
//
// Title: hand the flags of blk_mq_freeze_queue() to blk_mq_unfreeze_queue()
// Replaces: blk_mq_unfreeze_queue/1
// Needs: blk_mq_freeze_queue, blk_mq_unfreeze_queue/2
// Since: 6.14
// Confidence: High
// Risk: safe

@ pair @ identifier f; type T; expression Q; @@
  T f(...) {
+ unsigned int memflags;
  ... when != blk_mq_freeze_queue(...)
      when != blk_mq_unfreeze_queue(...)
- blk_mq_freeze_queue(Q);
+ memflags = blk_mq_freeze_queue(Q);
  ... when != return ...;
      when != blk_mq_freeze_queue(...)
- blk_mq_unfreeze_queue(Q);
+ blk_mq_unfreeze_queue(Q, memflags);
  ... when != blk_mq_freeze_queue(...)
      when != blk_mq_unfreeze_queue(...)
  }
