// SPDX-License-Identifier: GPL-2.0-only
/// A block device is opened and released by its disk, with a mode of its own type:
/// open() no longer gets the block device, release() no longer the mode.
//
// Title: open and release the disk
// Replaces: struct block_device_operations.open~struct block_device, struct block_device_operations.release~fmode_t
// Needs: BLK_OPEN_WRITE, struct block_device_operations.open~gendisk
// Since: 6.5
// Confidence: High
// Risk: safe

@ openops @ identifier D, F; @@
  struct block_device_operations D = {
  .open = F,
  };

@ opener @ identifier openops.F, B, M; typedef fmode_t, blk_mode_t; @@
- F(struct block_device *B, fmode_t M)
+ F(struct gendisk *disk, blk_mode_t M)
  { ... }

@ depends on opener @ identifier openops.F, opener.B; @@
  F(...) {
  <...
(
- struct gendisk *disk = B->bd_disk;
|
- B->bd_disk
+ disk
|
- B
+ disk->part0
)
  ...>
  }

@ depends on opener @ identifier openops.F; @@
  F(...) {
  <...
(
- FMODE_WRITE
+ BLK_OPEN_WRITE
|
- FMODE_READ
+ BLK_OPEN_READ
|
- FMODE_NDELAY
+ BLK_OPEN_NDELAY
|
- FMODE_EXCL
+ BLK_OPEN_EXCL
)
  ...>
  }

@ releaseops @ identifier D, F; @@
  struct block_device_operations D = {
  .release = F,
  };

@ releaser @ identifier releaseops.F, G, M; @@
- F(struct gendisk *G, fmode_t M)
+ F(struct gendisk *G)
  { ... when != M
  }
