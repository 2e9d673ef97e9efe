// SPDX-License-Identifier: GPL-2.0-only
/// The configuration callback of a SCSI host is called sdev_configure and is
/// given the limits of the queue, which are set after it returned.
//
// Title: use sdev_configure of the SCSI host template
// Replaces: struct scsi_host_template.slave_configure
// Needs: struct scsi_host_template.sdev_configure/2
// Since: 6.14
// Confidence: High
// Risk: review

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
