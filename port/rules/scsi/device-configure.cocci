// SPDX-License-Identifier: GPL-2.0-only
/// A SCSI host's callback that configures a device is given the limits of its
/// queue: sdev_configure is the name of device_configure.
//
// Title: use sdev_configure in place of device_configure
// Replaces: struct scsi_host_template.device_configure
// Needs: struct scsi_host_template.sdev_configure/2
// Since: 6.14
// Confidence: High
// Risk: safe

@@ identifier T; expression F; @@
  struct scsi_host_template T = {
- .device_configure = F,
+ .sdev_configure = F,
  };
