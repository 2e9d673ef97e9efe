// SPDX-License-Identifier: GPL-2.0-only
/// access_ok() lost its first argument, the direction: no architecture looked at
/// it any more.
//
// Title: drop the direction argument of access_ok()
// Replaces: access_ok/3
// Since: 5.0
// Commit: 96d4f267e40f
// Confidence: High
// Risk: safe

@@ expression A, N; @@
(
- access_ok(VERIFY_READ, A, N)
+ access_ok(A, N)
|
- access_ok(VERIFY_WRITE, A, N)
+ access_ok(A, N)
)
