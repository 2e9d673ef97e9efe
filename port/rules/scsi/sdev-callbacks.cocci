// SPDX-License-Identifier: GPL-2.0-only
/// The callbacks of a SCSI host for its devices were renamed: slave_alloc is
/// sdev_init, slave_destroy is sdev_destroy.
//
// Title: use sdev_init and sdev_destroy of the SCSI host template
// Replaces: struct scsi_host_template.slave_alloc, struct scsi_host_template.slave_destroy
// Needs: struct scsi_host_template.sdev_init, struct scsi_host_template.sdev_destroy
// Since: 6.14
// Confidence: High
// Risk: safe

@@ identifier T; expression F; @@
  struct scsi_host_template T = {
- .slave_alloc = F,
+ .sdev_init = F,
  };

@@ identifier T; expression F; @@
  struct scsi_host_template T = {
- .slave_destroy = F,
+ .sdev_destroy = F,
  };
