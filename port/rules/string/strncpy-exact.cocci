// SPDX-License-Identifier: GPL-2.0-only
/// strncpy() is gone. Where nothing says that the result ends in a zero byte,
/// memcpy_and_pad() of what strnlen() found copies and fills the very same bytes.
//
// Title: use memcpy_and_pad() in place of strncpy()
// Replaces: strncpy
// Needs: memcpy_and_pad/5, strnlen
// Since: 7.2
// Confidence: Low
// Risk: review

@@ expression D, S, N; @@
- strncpy(D, S, N);
+ memcpy_and_pad(D, N, S, strnlen(S, N), 0);
