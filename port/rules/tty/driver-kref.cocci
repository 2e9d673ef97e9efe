// SPDX-License-Identifier: GPL-2.0-only
/// put_tty_driver() was an alias of tty_driver_kref_put() and is gone, as is
/// alloc_tty_driver(), which returned NULL where tty_alloc_driver() returns an
/// error pointer. It allocated without flags; those set later count alike.
//
// Title: use tty_alloc_driver() and tty_driver_kref_put()
// Replaces: put_tty_driver, alloc_tty_driver
// Needs: tty_driver_kref_put, tty_alloc_driver
// Include: linux/err.h
// Since: 5.15
// Confidence: High
// Risk: safe

@@ expression D; @@
- put_tty_driver(D)
+ tty_driver_kref_put(D)

@@ expression D, N; statement S; @@
- D = alloc_tty_driver(N);
+ D = tty_alloc_driver(N, 0);
- if (\(!D\|D == NULL\)) S
+ if (IS_ERR(D)) S
