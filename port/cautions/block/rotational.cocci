// SPDX-License-Identifier: GPL-2.0-only
/// A disk was rotational unless its driver said QUEUE_FLAG_NONROT. Now it is not,
/// unless its driver says BLK_FEAT_ROTATIONAL: user space and I/O schedulers see
/// the other kind.
//
// Title: say BLK_FEAT_ROTATIONAL where it was the default of a disk
// Uses: blk_alloc_disk, blk_mq_alloc_disk, blk_mq_alloc_queue, blk_mq_init_queue
// Unless: QUEUE_FLAG_NONROT, BLK_FEAT_ROTATIONAL
// Before: !BLK_FEAT_ROTATIONAL
// Needs: BLK_FEAT_ROTATIONAL
// Since: 6.11
// Confidence: High

virtual report

@r depends on report@
position p;
@@
 \(blk_alloc_disk@p\|blk_mq_alloc_disk@p\|blk_mq_alloc_queue@p\|blk_mq_init_queue@p\)(...)

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "this disk counted as rotational and does not any more; BLK_FEAT_ROTATIONAL in its limits' features says so")
