// SPDX-License-Identifier: GPL-2.0-only
/// iio_device_claim_direct_mode(), which returned an error code, was replaced by
/// iio_device_claim_direct(), which returns true on success. The error was -EBUSY
/// always, and stays what the driver's own error path is given.
//
// Title: use iio_device_claim_direct()
// Replaces: iio_device_claim_direct_mode, iio_device_release_direct_mode
// Needs: iio_device_claim_direct, iio_device_release_direct
// Since: 6.16
// Confidence: High
// Risk: safe

@@ expression I; @@
- iio_device_release_direct_mode(I)
+ iio_device_release_direct(I)

@@ expression I; statement S; @@
- if (iio_device_claim_direct_mode(I)) S
+ if (!iio_device_claim_direct(I)) S

@@ expression I, R; @@
- R = iio_device_claim_direct_mode(I)
+ R = iio_device_claim_direct(I) ? 0 : -EBUSY

@@ expression I; identifier R; type T; @@
- T R = iio_device_claim_direct_mode(I);
+ T R = iio_device_claim_direct(I) ? 0 : -EBUSY;

@@ expression I; @@
- return iio_device_claim_direct_mode(I);
+ return iio_device_claim_direct(I) ? 0 : -EBUSY;
