// SPDX-License-Identifier: GPL-2.0-only
/// A command is completed by calling scsi_done(): the pointer in the command is
/// gone.
//
// Title: call scsi_done()
// Replaces: struct scsi_cmnd.scsi_done
// Needs: scsi_done
// Since: 5.16
// Confidence: High
// Risk: safe

@@ expression C; @@
- C->scsi_done(C)
+ scsi_done(C)
