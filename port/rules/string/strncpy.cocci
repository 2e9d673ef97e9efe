// SPDX-License-Identifier: GPL-2.0-only
/// strncpy() is gone. Where the last byte is set to zero behind it the result is
/// that of strscpy_pad(), byte for byte; other calls are left alone.
//
// Title: use strscpy_pad() in place of strncpy()
// Replaces: strncpy
// Needs: strscpy_pad
// Include: linux/string.h
// Since: 7.2
// Confidence: High
// Risk: safe

@@ expression D, S, N; @@
(
- strncpy(D, S, N);
+ strscpy_pad(D, S, N);
- D[N - 1] = \( 0 \| '\0' \);
|
- strncpy(D, S, N - 1);
+ strscpy_pad(D, S, N);
- D[N - 1] = \( 0 \| '\0' \);
)

@@ expression D, S; constant N; @@
- strncpy(D, S, N);
+ strscpy_pad(D, S, N + 1);
- D[N] = \( 0 \| '\0' \);

@@ expression D, S, N; @@
- D[N - 1] = \( 0 \| '\0' \);
- strncpy(D, S, N - 1);
+ strscpy_pad(D, S, N);
