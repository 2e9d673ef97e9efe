// SPDX-License-Identifier: GPL-2.0-only
/// The _irq variants of the statistics readers are gone: the plain ones are safe
/// in all contexts.
//
// Title: use u64_stats_fetch_begin() in place of the _irq variant
// Replaces: u64_stats_fetch_begin_irq, u64_stats_fetch_retry_irq
// Needs: u64_stats_fetch_begin, u64_stats_fetch_retry
// Since: 6.3
// Commit: dec5efcffad4
// Confidence: High
// Risk: safe

@@ expression S; @@
- u64_stats_fetch_begin_irq(S)
+ u64_stats_fetch_begin(S)

@@ expression S, N; @@
- u64_stats_fetch_retry_irq(S, N)
+ u64_stats_fetch_retry(S, N)
