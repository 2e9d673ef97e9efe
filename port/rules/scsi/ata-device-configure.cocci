// SPDX-License-Identifier: GPL-2.0-only
/// libata's callback that configures a device is given the limits of its queue:
/// ata_scsi_slave_config() became ata_scsi_device_configure(), to be used as
/// device_configure.
//
// Title: use ata_scsi_device_configure()
// Replaces: ata_scsi_slave_config
// Needs: ata_scsi_device_configure, struct scsi_host_template.device_configure
// Since: 6.11
// Confidence: High
// Risk: safe

@@ identifier T; @@
  struct scsi_host_template T = {
- .slave_configure = ata_scsi_slave_config,
+ .device_configure = ata_scsi_device_configure,
  };
