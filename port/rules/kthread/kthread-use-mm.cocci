// SPDX-License-Identifier: GPL-2.0-only
/// use_mm() and unuse_mm() were renamed to kthread_use_mm() and
/// kthread_unuse_mm().
//
// Title: use kthread_use_mm() in place of use_mm()
// Replaces: use_mm, unuse_mm
// Needs: kthread_use_mm, kthread_unuse_mm
// Include: linux/kthread.h
// Since: 5.8
// Commit: f5678e7f2ac3
// Confidence: High
// Risk: safe

@@ expression M; @@
- use_mm(M)
+ kthread_use_mm(M)

@@ expression M; @@
- unuse_mm(M)
+ kthread_unuse_mm(M)
