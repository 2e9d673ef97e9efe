// SPDX-License-Identifier: GPL-2.0-only
/// The limits of a queue change together: between queue_limits_start_update() and
/// queue_limits_commit_update(), which checks them. The functions that set one
/// each are gone. Only queues that are reached through their disk are
/// rewritten: that of a SCSI device is locked while its driver configures it.
//
// Title: set the limits of the queue through struct queue_limits
// Replaces: blk_queue_max_hw_sectors, blk_queue_max_segments, blk_queue_max_segment_size,
//	blk_queue_logical_block_size, blk_queue_physical_block_size, blk_queue_io_min,
//	blk_queue_io_opt, blk_queue_segment_boundary, blk_queue_virt_boundary,
//	blk_queue_dma_alignment, blk_queue_max_discard_sectors, blk_queue_max_discard_segments,
//	blk_queue_max_write_zeroes_sectors, blk_queue_max_secure_erase_sectors
// Needs: queue_limits_start_update, queue_limits_commit_update,
//	struct queue_limits.max_hw_discard_sectors
// Since: 6.11
// Confidence: Moderate
// Risk: review

@@ expression D, V; @@
(
- blk_queue_max_hw_sectors(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.max_hw_sectors = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_max_segments(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.max_segments = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_max_segment_size(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.max_segment_size = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_logical_block_size(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.logical_block_size = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_physical_block_size(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.physical_block_size = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_io_min(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.io_min = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_io_opt(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.io_opt = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_segment_boundary(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.seg_boundary_mask = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_virt_boundary(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.virt_boundary_mask = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_dma_alignment(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.dma_alignment = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_max_discard_sectors(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.max_hw_discard_sectors = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_max_discard_segments(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.max_discard_segments = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_max_write_zeroes_sectors(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.max_write_zeroes_sectors = V; queue_limits_commit_update(D->queue, &lim); }
|
- blk_queue_max_secure_erase_sectors(D->queue, V);
+ { struct queue_limits lim = queue_limits_start_update(D->queue); lim.max_secure_erase_sectors = V; queue_limits_commit_update(D->queue, &lim); }
)
