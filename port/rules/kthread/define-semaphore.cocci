// SPDX-License-Identifier: GPL-2.0-only
/// DEFINE_SEMAPHORE() takes the initial count, which was 1 always.
//
// Title: give DEFINE_SEMAPHORE() its count
// Replaces: DEFINE_SEMAPHORE/1
// Needs: DEFINE_SEMAPHORE/2
// Since: 6.4
// Confidence: High
// Risk: safe

@@ declarer name DEFINE_SEMAPHORE; identifier S; @@
- DEFINE_SEMAPHORE(S);
+ DEFINE_SEMAPHORE(S, 1);
