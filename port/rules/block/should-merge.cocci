// SPDX-License-Identifier: GPL-2.0-only
/// Merging is the default of blk-mq: the flag BLK_MQ_F_SHOULD_MERGE is gone.
//
// Title: drop BLK_MQ_F_SHOULD_MERGE
// Replaces: BLK_MQ_F_SHOULD_MERGE
// Since: 6.14
// Confidence: High
// Risk: safe

@@ expression E; @@
(
- E | BLK_MQ_F_SHOULD_MERGE
+ E
|
- BLK_MQ_F_SHOULD_MERGE | E
+ E
)

@@ expression S; @@
(
- S.flags = BLK_MQ_F_SHOULD_MERGE;
+ S.flags = 0;
|
- S->flags = BLK_MQ_F_SHOULD_MERGE;
+ S->flags = 0;
|
- S.flags |= BLK_MQ_F_SHOULD_MERGE;
|
- S->flags |= BLK_MQ_F_SHOULD_MERGE;
)

@@ expression A, B, C; @@
- blk_mq_alloc_sq_tag_set(A, B, C, BLK_MQ_F_SHOULD_MERGE)
+ blk_mq_alloc_sq_tag_set(A, B, C, 0)
