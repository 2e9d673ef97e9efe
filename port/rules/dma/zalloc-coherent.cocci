// SPDX-License-Identifier: GPL-2.0-only
/// dma_zalloc_coherent() is gone: dma_alloc_coherent() returns zeroed memory.
//
// Title: use dma_alloc_coherent() in place of dma_zalloc_coherent()
// Replaces: dma_zalloc_coherent
// Needs: dma_alloc_coherent
// Since: 5.0
// Commit: dfd32cad146e
// Confidence: High
// Risk: safe

@@ expression D, S, H, G; @@
- dma_zalloc_coherent(D, S, H, G)
+ dma_alloc_coherent(D, S, H, G)
