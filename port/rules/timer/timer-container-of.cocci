// SPDX-License-Identifier: GPL-2.0-only
/// from_timer() was renamed to timer_container_of(); the arguments are the same.
//
// Title: use timer_container_of() in place of from_timer()
// Replaces: from_timer
// Needs: timer_container_of
// Since: 6.16
// Commit: 41cb08555c41
// Confidence: High
// Risk: safe

@@ expression V, T; identifier F; @@
- from_timer(V, T, F)
+ timer_container_of(V, T, F)

@@ expression V, T; identifier F, G; @@
- from_timer(V, T, F.G)
+ timer_container_of(V, T, F.G)
