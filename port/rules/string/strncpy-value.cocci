// SPDX-License-Identifier: GPL-2.0-only
/// strncpy() is gone, and what takes its place returns no pointer to the copy.
/// memcpy_and_pad() of what strnlen() found copies and fills the very same bytes.
//
// Title: use memcpy_and_pad() where the copy of strncpy() is returned
// Replaces: strncpy
// Needs: memcpy_and_pad/5, strnlen
// Since: 7.2
// Confidence: High
// Risk: safe

@@ identifier D; expression S, N; @@
- return (strncpy(D, S, N));
+ memcpy_and_pad(D, N, S, strnlen(S, N), 0);
+ return D;
