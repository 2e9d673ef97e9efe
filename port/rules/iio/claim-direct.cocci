// SPDX-License-Identifier: GPL-2.0-only
/// iio_device_claim_direct_mode(), which returned an error code, was replaced by
/// iio_device_claim_direct(), which returns true on success. The error was -EBUSY
/// always: where it is only handed on, it stands there now; elsewhere the driver's
/// own error path is given the same value as before.
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

@ assigned @ expression I; identifier R; @@
- R = iio_device_claim_direct_mode(I);
- if (\(R\|R < 0\))
+ if (!iio_device_claim_direct(I))
- 	return R;
+ 	return -EBUSY;

@@ expression I; identifier R; expression E; @@
- R = iio_device_claim_direct_mode(I);
- if (\(R\|R < 0\)) {
+ if (!iio_device_claim_direct(I)) {
  	E;
- 	return R;
+ 	return -EBUSY;
  }

@@ expression I; identifier R; @@
- R = iio_device_claim_direct_mode(I);
- if (\(R\|R < 0\))
+ if (!iio_device_claim_direct(I)) {
+ 	R = -EBUSY;
  	break;
+ }

@@ expression I; identifier R, L; @@
- R = iio_device_claim_direct_mode(I);
- if (\(R\|R < 0\))
+ if (!iio_device_claim_direct(I)) {
+ 	R = -EBUSY;
  	goto L;
+ }

@@ expression I; identifier R; @@
- int R = iio_device_claim_direct_mode(I);
+ int R;
+
- if (\(R\|R < 0\))
+ if (!iio_device_claim_direct(I))
- 	return R;
+ 	return -EBUSY;

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

// a variable that only held the error
@ depends on assigned @ identifier assigned.R, f; type T; @@
  T f(...) {
  ... when any
- int R;
  ... when != R
  }
