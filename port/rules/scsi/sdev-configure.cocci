// SPDX-License-Identifier: GPL-2.0-only
/// The configuration callback of a SCSI host is called sdev_configure and is
/// given the limits of the queue, which are set after it returned; libata's is
/// ata_scsi_sdev_configure().
//
// Title: use sdev_configure of the SCSI host template
// Replaces: struct scsi_host_template.slave_configure, ata_scsi_slave_config
// Needs: struct scsi_host_template.sdev_configure/2
// Since: 6.14
// Confidence: High
// Risk: review

@@ identifier T; @@
  struct scsi_host_template T = {
- .slave_configure = ata_scsi_slave_config,
+ .sdev_configure = ata_scsi_sdev_configure,
  };

@r@ identifier T, F; @@
  struct scsi_host_template T = {
- .slave_configure = F,
+ .sdev_configure = F,
  };

@@ identifier r.F, S; @@
  F(struct scsi_device *S
+ , struct queue_limits *lim
  )
  { ... }

@@ identifier r.F; expression E; @@
  F(E
+ , lim
  )

@@ identifier r.F, S; expression V; @@
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
+ ata_scsi_sdev_configure(S, lim)
)
  ...>
  }
