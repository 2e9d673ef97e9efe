// SPDX-License-Identifier: GPL-2.0-only
/// A bio refers to a block device, which knows its disk.
//
// Title: use the disk of the bio's block device
// Replaces: struct bio.bi_disk
// Needs: struct bio.bi_bdev, struct block_device.bd_disk
// Since: 5.12
// Commit: 309dca309fc3
// Confidence: High
// Risk: safe

@@ struct bio *B; @@
- B->bi_disk
+ B->bi_bdev->bd_disk
