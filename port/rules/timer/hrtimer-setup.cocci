// SPDX-License-Identifier: GPL-2.0-only
/// hrtimer_init() is gone: hrtimer_setup() takes the callback as an argument, so
/// that a timer cannot be started without one. Only an initialisation that the
/// assignment of the callback follows is rewritten, since only there the
/// callback is known.
//
// Title: use hrtimer_setup() in place of hrtimer_init()
// Replaces: hrtimer_init, struct hrtimer.function
// Needs: hrtimer_setup
// Since: 6.15
// Commit: 9779489a31d7
// Confidence: High
// Risk: safe

@@ expression T, C, M, F; @@
- hrtimer_init(&T, C, M);
+ hrtimer_setup(&T, F, C, M);
- T.function = F;

@@ expression T, C, M, F; @@
- hrtimer_init(T, C, M);
+ hrtimer_setup(T, F, C, M);
- T->function = F;

@@ expression T, C, M, F, E; identifier f; statement S; @@
- hrtimer_init(&T, C, M);
+ hrtimer_setup(&T, F, C, M);
  ... when != T
      when != if (...) S else S
- T.function = F;
