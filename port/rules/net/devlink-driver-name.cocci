// SPDX-License-Identifier: GPL-2.0-only
/// devlink tells the name of the driver itself: devlink_info_driver_name_put() is gone, with
/// the check of its result.
//
// Title: leave the driver name to devlink
// Replaces: devlink_info_driver_name_put
// Needs: devlink_info_serial_number_put
// Since: 6.3
// Confidence: High
// Risk: review

@@ expression R, Q, N; statement S; @@
(
- R = devlink_info_driver_name_put(Q, N);
- if (R) S
|
- if (devlink_info_driver_name_put(Q, N)) S
|
- devlink_info_driver_name_put(Q, N);
)
