// SPDX-License-Identifier: GPL-2.0-only
/// An MTD translation layer keeps whether the device is open for writing as
/// "writable".
//
// Title: use mtd_blktrans_dev.writable in place of file_mode
// Replaces: struct mtd_blktrans_dev.file_mode
// Needs: struct mtd_blktrans_dev.writable
// Since: 6.5
// Confidence: High
// Risk: safe

@@ struct mtd_blktrans_dev *D; @@
- D->file_mode & FMODE_WRITE
+ D->writable
