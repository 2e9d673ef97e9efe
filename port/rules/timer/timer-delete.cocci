// SPDX-License-Identifier: GPL-2.0-only
/// The del_timer() family was renamed to the timer_ prefix and the old names
/// were dropped. Arguments, return values and semantics are the same.
//
// Title: use timer_delete() in place of del_timer()
// Replaces: del_timer, del_timer_sync
// Needs: timer_delete, timer_delete_sync
// Since: 6.15
// Commit: 8fa7292fee5c
// Confidence: High
// Risk: safe

@@ expression T; @@
- del_timer(T)
+ timer_delete(T)

@@ expression T; @@
- del_timer_sync(T)
+ timer_delete_sync(T)
