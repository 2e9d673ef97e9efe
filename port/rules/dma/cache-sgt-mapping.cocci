// SPDX-License-Identifier: GPL-2.0-only
/// The core does not cache mappings of importers any more, so an exporter has
/// nothing to ask for.
//
// Title: drop dma_buf_ops.cache_sgt_mapping
// Replaces: struct dma_buf_ops.cache_sgt_mapping
// Since: 6.16
// Confidence: Moderate
// Risk: review

@@ identifier O; @@
  struct dma_buf_ops O = {
- .cache_sgt_mapping = true,
  };
