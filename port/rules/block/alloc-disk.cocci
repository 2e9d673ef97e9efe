// SPDX-License-Identifier: GPL-2.0-only
/// blk_alloc_disk() takes the limits of the queue, of which NULL stands for the
/// defaults, and returns an error pointer where it returned NULL. Only calls
/// whose result is tested at once are rewritten, test included.
//
// Title: pass default limits to blk_alloc_disk()
// Replaces: blk_alloc_disk/1
// Needs: blk_alloc_disk/2, struct queue_limits
// Include: linux/err.h
// Since: 6.9
// Confidence: Moderate
// Risk: review

@@ expression D, N; statement S; @@
- D = blk_alloc_disk(N);
- if (\(!D\|D == NULL\)) S
+ D = blk_alloc_disk(NULL, N);
+ if (IS_ERR(D)) S
