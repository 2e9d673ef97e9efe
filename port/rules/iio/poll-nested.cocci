// SPDX-License-Identifier: GPL-2.0-only
/// iio_trigger_poll_chained() was renamed to iio_trigger_poll_nested().
//
// Title: use iio_trigger_poll_nested()
// Replaces: iio_trigger_poll_chained
// Needs: iio_trigger_poll_nested
// Since: 6.4
// Confidence: High
// Risk: safe

@@ expression T; @@
- iio_trigger_poll_chained(T)
+ iio_trigger_poll_nested(T)
