// SPDX-License-Identifier: GPL-2.0-only
/// How tags are allocated is a choice of two: tag_alloc_policy_rr is true for
/// round robin, which BLK_TAG_ALLOC_RR was; BLK_TAG_ALLOC_FIFO is the default.
//
// Title: use tag_alloc_policy_rr of the SCSI host template
// Replaces: struct scsi_host_template.tag_alloc_policy, BLK_TAG_ALLOC_RR, BLK_TAG_ALLOC_FIFO
// Needs: struct scsi_host_template.tag_alloc_policy_rr
// Since: 6.14
// Confidence: High
// Risk: safe

@@ identifier T; @@
  struct scsi_host_template T = {
- .tag_alloc_policy = BLK_TAG_ALLOC_RR,
+ .tag_alloc_policy_rr = true,
  };

@@ identifier T; @@
  struct scsi_host_template T = {
- .tag_alloc_policy = BLK_TAG_ALLOC_FIFO,
  };
