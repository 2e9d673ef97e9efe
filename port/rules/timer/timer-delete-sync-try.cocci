// SPDX-License-Identifier: GPL-2.0-only
/// try_to_del_timer_sync() was renamed to timer_delete_sync_try(). Argument and
/// return value are the same.
//
// Title: use timer_delete_sync_try() in place of try_to_del_timer_sync()
// Replaces: try_to_del_timer_sync
// Needs: timer_delete_sync_try
// Since: 6.16
// Confidence: High
// Risk: safe

@@ expression T; @@
- try_to_del_timer_sync(T)
+ timer_delete_sync_try(T)
