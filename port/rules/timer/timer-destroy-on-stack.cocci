// SPDX-License-Identifier: GPL-2.0-only
/// destroy_timer_on_stack() was renamed to timer_destroy_on_stack().
//
// Title: use timer_destroy_on_stack() in place of destroy_timer_on_stack()
// Replaces: destroy_timer_on_stack
// Needs: timer_destroy_on_stack
// Since: 6.16
// Confidence: High
// Risk: safe

@@ expression T; @@
- destroy_timer_on_stack(T)
+ timer_destroy_on_stack(T)
