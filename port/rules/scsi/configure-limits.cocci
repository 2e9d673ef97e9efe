// SPDX-License-Identifier: GPL-2.0-only
/// A SCSI driver sets the limits of a device's queue in what it is given by
/// device_configure, which takes the place of slave_configure there: the queue is
/// locked meanwhile and the functions that set one limit each are gone.
//
// Title: set queue limits in device_configure of the SCSI host template
// Replaces: blk_queue_max_hw_sectors, blk_queue_max_segments, blk_queue_max_segment_size,
//	blk_queue_segment_boundary, blk_queue_virt_boundary, blk_queue_dma_alignment,
//	blk_queue_io_min, blk_queue_io_opt, ata_scsi_slave_config
// Needs: struct scsi_host_template.device_configure/2, struct scsi_host_template.slave_configure
// Since: 6.11
// Confidence: Moderate
// Risk: review

@init@ identifier T, F; @@
  struct scsi_host_template T = { .slave_configure = F, };

@sets@ identifier init.F, S; expression V; @@
  F(struct scsi_device *S)
  {
  <+...
  \( blk_queue_max_hw_sectors(S->request_queue, V) \| blk_queue_max_segments(S->request_queue, V) \| blk_queue_max_segment_size(S->request_queue, V) \| blk_queue_logical_block_size(S->request_queue, V) \| blk_queue_physical_block_size(S->request_queue, V) \| blk_queue_io_min(S->request_queue, V) \| blk_queue_io_opt(S->request_queue, V) \| blk_queue_segment_boundary(S->request_queue, V) \| blk_queue_virt_boundary(S->request_queue, V) \| blk_queue_dma_alignment(S->request_queue, V) \| blk_queue_max_discard_sectors(S->request_queue, V) \| blk_queue_max_write_zeroes_sectors(S->request_queue, V) \| ata_scsi_slave_config(S) \)
  ...+>
  }

@depends on sets@ identifier T, init.F; @@
  struct scsi_host_template T = {
- .slave_configure = F,
+ .device_configure = F,
  };

@depends on sets@ identifier init.F, S; @@
  F(struct scsi_device *S
+ , struct queue_limits *lim
  )
  { ... }

@depends on sets@ identifier init.F, S; expression V; @@
  F(struct scsi_device *S, struct queue_limits *lim)
  {
  <...
(
- blk_queue_max_hw_sectors(S->request_queue, V);
+ lim->max_hw_sectors = V;
|
- blk_queue_max_segments(S->request_queue, V);
+ lim->max_segments = V;
|
- blk_queue_max_segment_size(S->request_queue, V);
+ lim->max_segment_size = V;
|
- blk_queue_logical_block_size(S->request_queue, V);
+ lim->logical_block_size = V;
|
- blk_queue_physical_block_size(S->request_queue, V);
+ lim->physical_block_size = V;
|
- blk_queue_io_min(S->request_queue, V);
+ lim->io_min = V;
|
- blk_queue_io_opt(S->request_queue, V);
+ lim->io_opt = V;
|
- blk_queue_segment_boundary(S->request_queue, V);
+ lim->seg_boundary_mask = V;
|
- blk_queue_virt_boundary(S->request_queue, V);
+ lim->virt_boundary_mask = V;
|
- blk_queue_dma_alignment(S->request_queue, V);
+ lim->dma_alignment = V;
|
- blk_queue_max_discard_sectors(S->request_queue, V);
+ lim->max_hw_discard_sectors = V;
|
- blk_queue_max_write_zeroes_sectors(S->request_queue, V);
+ lim->max_write_zeroes_sectors = V;
|
- ata_scsi_slave_config(S)
+ ata_scsi_device_configure(S, lim)
)
  ...>
  }
