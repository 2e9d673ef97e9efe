// SPDX-License-Identifier: GPL-2.0-only
/// pwm_apply_state() was renamed to pwm_apply_might_sleep().
//
// Title: use pwm_apply_might_sleep() in place of pwm_apply_state()
// Replaces: pwm_apply_state
// Needs: pwm_apply_might_sleep
// Since: 6.9
// Confidence: High
// Risk: safe

@@ expression P, S; @@
- pwm_apply_state(P, S)
+ pwm_apply_might_sleep(P, S)
