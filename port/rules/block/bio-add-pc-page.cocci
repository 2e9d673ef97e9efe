// SPDX-License-Identifier: GPL-2.0-only
/// bio_add_pc_page() is gone: the limits of the queue are checked when the bio is
/// appended to its request, so bio_add_page() does.
//
// Title: use bio_add_page() in place of bio_add_pc_page()
// Replaces: bio_add_pc_page
// Needs: bio_add_page/4
// Since: 6.14
// Confidence: Moderate
// Risk: review

@@ expression Q, B, P, L, O; @@
- bio_add_pc_page(Q, B, P, L, O)
+ bio_add_page(B, P, L, O)
