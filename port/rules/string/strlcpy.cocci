// SPDX-License-Identifier: GPL-2.0-only
/// strlcpy() is gone; strscpy() does not read beyond what it copies. The return
/// values differ (length of the source there, -E2BIG on truncation here), so only
/// calls whose result is ignored or only tested for truncation are rewritten.
//
// Title: use strscpy() in place of strlcpy()
// Replaces: strlcpy
// Needs: strscpy
// Include: linux/string.h
// Since: 6.8
// Commit: d26270061ae6
// Confidence: High
// Risk: safe

@@ expression D, S, N; @@
- strlcpy(D, S, N);
+ strscpy(D, S, N);

@@ expression D, S, N; @@
(
- strlcpy(D, S, N) >= N
+ strscpy(D, S, N) < 0
|
- strlcpy(D, S, N) < N
+ strscpy(D, S, N) >= 0
)
