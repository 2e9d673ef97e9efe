// SPDX-License-Identifier: GPL-2.0-only
/// ioremap_nocache() and devm_ioremap_nocache() were the same as ioremap() and
/// devm_ioremap() and are gone.
//
// Title: use ioremap() in place of ioremap_nocache()
// Replaces: ioremap_nocache, devm_ioremap_nocache
// Needs: ioremap
// Include: linux/io.h
// Since: 5.6
// Commit: 4bdc0d676a64
// Confidence: High
// Risk: safe

@@ expression A, N; @@
- ioremap_nocache(A, N)
+ ioremap(A, N)

@@ expression D, A, N; @@
- devm_ioremap_nocache(D, A, N)
+ devm_ioremap(D, A, N)
