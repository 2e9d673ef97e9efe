// SPDX-License-Identifier: GPL-2.0-only
/// __vmalloc() lost its protection argument, which was PAGE_KERNEL in all callers
/// outside of architecture code. Calls with another protection are left alone.
//
// Title: drop the protection argument of __vmalloc()
// Replaces: __vmalloc/3
// Since: 5.8
// Commit: 88dca4ca5a93
// Confidence: High
// Risk: safe

@@ expression S, G; @@
- __vmalloc(S, G, PAGE_KERNEL)
+ __vmalloc(S, G)
