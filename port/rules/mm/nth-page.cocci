// SPDX-License-Identifier: GPL-2.0-only
/// nth_page() is gone: the pages of one allocation or folio are contiguous in
/// the memory map in every configuration, so plain pointer arithmetic does.
//
// Title: use pointer arithmetic in place of nth_page()
// Replaces: nth_page
// Since: 6.18
// Commit: 84efbefa26df
// Confidence: High
// Risk: review

@@ expression P, N; @@
(
- nth_page(P, 0)
+ P
|
- nth_page(P, N)
+ (P + (N))
)
