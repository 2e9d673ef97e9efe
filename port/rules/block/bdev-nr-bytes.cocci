// SPDX-License-Identifier: GPL-2.0-only
/// A block device's inode is not for drivers any more: its size is asked for with
/// bdev_nr_bytes(), its mapping is a member of its own.
//
// Title: ask the block device for its size and mapping
// Replaces: struct block_device.bd_inode
// Needs: bdev_nr_bytes/1, struct block_device.bd_mapping
// Include: linux/blkdev.h
// Since: 6.10
// Confidence: High
// Risk: safe

@@ expression B; @@
- i_size_read(B->bd_inode)
+ bdev_nr_bytes(B)

@@ expression B, E; @@
(
  B->bd_inode->i_size = E
|
  &B->bd_inode->i_size
|
- B->bd_inode->i_size
+ bdev_nr_bytes(B)
)

@@ expression B; @@
- B->bd_inode->i_mapping
+ B->bd_mapping
