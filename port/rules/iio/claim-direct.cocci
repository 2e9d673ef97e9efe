// SPDX-License-Identifier: GPL-2.0-only
/// iio_device_claim_direct_mode(), which returned an error code, was replaced by
/// iio_device_claim_direct(), which returns true on success. The error was -EBUSY
/// always.
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

@@ expression I; identifier R; type T; @@
- T R = iio_device_claim_direct_mode(I);
+ T R;
+
- if (\(R\|R < 0\))
+ if (!iio_device_claim_direct(I))
- return R;
+ return -EBUSY;

@@ expression I; identifier R; @@
- R = iio_device_claim_direct_mode(I);
- if (\(R\|R < 0\))
+ if (!iio_device_claim_direct(I))
- return R;
+ return -EBUSY;

@@ expression I, E; identifier R; statement S; @@
- R = iio_device_claim_direct_mode(I);
- if (\(R\|R < 0\)) S
+ if (!iio_device_claim_direct(I)) {
+ R = -EBUSY;
+ S
+ }

@@ expression I; statement S; @@
- if (iio_device_claim_direct_mode(I)) S
+ if (!iio_device_claim_direct(I)) S
