// SPDX-License-Identifier: GPL-2.0-only
/// zero_user() is gone; memzero_page() clears the same bytes and flushes the data
/// cache likewise.
//
// Title: use memzero_page() in place of zero_user()
// Replaces: zero_user
// Needs: memzero_page
// Include: linux/highmem.h
// Since: 6.17
// Confidence: High
// Risk: safe

@@ expression P, O, N; @@
- zero_user(P, O, N)
+ memzero_page(P, O, N)
