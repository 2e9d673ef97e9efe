// SPDX-License-Identifier: GPL-2.0-only
/// The request of a SCSI command is what scsi_cmd_to_rq() computes: the member
/// is gone.
//
// Title: use scsi_cmd_to_rq()
// Replaces: struct scsi_cmnd.request
// Needs: scsi_cmd_to_rq
// Since: 5.16
// Confidence: High
// Risk: safe

@@ struct scsi_cmnd *C; @@
- C->request
+ scsi_cmd_to_rq(C)
