// SPDX-License-Identifier: GPL-2.0-only
/// complete_and_exit() was renamed to kthread_complete_and_exit(), as only kernel
/// threads may use it.
//
// Title: use kthread_complete_and_exit()
// Replaces: complete_and_exit
// Needs: kthread_complete_and_exit
// Include: linux/kthread.h
// Since: 5.17
// Commit: cead18552660
// Confidence: High
// Risk: safe

@@ expression C, N; @@
- complete_and_exit(C, N)
+ kthread_complete_and_exit(C, N)
