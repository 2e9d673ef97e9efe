// SPDX-License-Identifier: GPL-2.0-only
/// struct dma_buf_map was renamed to struct iosys_map, its functions likewise.
//
// Title: use struct iosys_map in place of struct dma_buf_map
// Replaces: struct dma_buf_map, <linux/dma-buf-map.h>, dma_buf_map_set_vaddr,
//	dma_buf_map_set_vaddr_iomem, dma_buf_map_is_null, dma_buf_map_is_set,
//	dma_buf_map_clear, dma_buf_map_memcpy_to, dma_buf_map_incr, DMA_BUF_MAP_INIT_VADDR
// Needs: struct iosys_map
// Since: 5.18
// Commit: 7938f4218168
// Confidence: High
// Risk: safe

@@ @@
- #include <linux/dma-buf-map.h>
+ #include <linux/iosys-map.h>

@@ @@
- struct dma_buf_map
+ struct iosys_map

@@ @@
(
- dma_buf_map_set_vaddr
+ iosys_map_set_vaddr
|
- dma_buf_map_set_vaddr_iomem
+ iosys_map_set_vaddr_iomem
|
- dma_buf_map_is_null
+ iosys_map_is_null
|
- dma_buf_map_is_set
+ iosys_map_is_set
|
- dma_buf_map_clear
+ iosys_map_clear
|
- dma_buf_map_incr
+ iosys_map_incr
|
- DMA_BUF_MAP_INIT_VADDR
+ IOSYS_MAP_INIT_VADDR
)

@@ expression M, S, N; @@
- dma_buf_map_memcpy_to(M, S, N)
+ iosys_map_memcpy_to(M, 0, S, N)
