// SPDX-License-Identifier: GPL-2.0-only
/// Allocating or resetting a bio takes the block device and the operation. A
/// driver that sets them afterwards passes none, which is what the old
/// functions did.
//
// Title: pass no device and operation where a bio is set up later
// Replaces: bio_alloc/2, bio_init/3, bio_alloc_bioset/3, bio_reset/1
// Needs: bio_alloc/4, bio_init/5, bio_alloc_bioset/5, bio_reset/3
// Since: 5.18
// Commit: 07888c665b40
// Confidence: High
// Risk: safe

@@ expression G, N; @@
- bio_alloc(G, N)
+ bio_alloc(NULL, N, 0, G)

@@ expression B, V, N; @@
- bio_init(B, V, N)
+ bio_init(B, NULL, V, N, 0)

@@ expression G, N, S; @@
- bio_alloc_bioset(G, N, S)
+ bio_alloc_bioset(NULL, N, 0, G, S)

@@ expression B; @@
- bio_reset(B)
+ bio_reset(B, NULL, 0)
