// SPDX-License-Identifier: GPL-2.0-only
/// do_exit() is not exported any more: modules end their kernel threads with
/// kthread_exit().
//
// Title: use kthread_exit() in place of do_exit()
// Replaces: do_exit@export
// Needs: kthread_exit
// Include: linux/kthread.h
// Since: 5.17
// Commit: bbda86e988d4
// Confidence: Moderate
// Risk: review

@@ expression N; @@
- do_exit(N)
+ kthread_exit(N)
