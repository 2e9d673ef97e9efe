// SPDX-License-Identifier: GPL-2.0-only
/// i2c_new_device() and its kind, which returned NULL on error, were replaced by
/// functions that return an error pointer. Only calls whose result is tested at
/// once are rewritten, test included.
//
// Title: use i2c_new_client_device() in place of i2c_new_device()
// Replaces: i2c_new_device, i2c_new_dummy, i2c_new_probed_device
// Needs: i2c_new_client_device, i2c_new_dummy_device, i2c_new_scanned_device
// Include: linux/err.h
// Since: 5.8
// Commit: 390fd0475af5
// Confidence: High
// Risk: review

@@ expression C, A, I, R, P; statement S; @@
(
- C = i2c_new_device(A, I);
+ C = i2c_new_client_device(A, I);
|
- C = i2c_new_dummy(A, I);
+ C = i2c_new_dummy_device(A, I);
|
- C = i2c_new_probed_device(A, I, R, P);
+ C = i2c_new_scanned_device(A, I, R, P);
)
- if (\(!C\|C == NULL\)) S
+ if (IS_ERR(C)) S
