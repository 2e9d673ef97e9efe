// SPDX-License-Identifier: GPL-2.0-only
/// blk_cleanup_disk() is gone: put_disk() does what is left of it.
//
// Title: use put_disk() in place of blk_cleanup_disk()
// Replaces: blk_cleanup_disk
// Needs: put_disk
// Since: 6.0
// Commit: 8b9ab6266204
// Confidence: High
// Risk: safe

@@ expression D; @@
- blk_cleanup_disk(D)
+ put_disk(D)
