// SPDX-License-Identifier: GPL-2.0-only
/// An XDP frame holds the type of its memory alone, mem_type: what was copied from it
/// besides, the pool's number, is of use only where the frame was made.
//
// Title: take the memory type of XDP frames
// Replaces: struct xdp_frame.mem
// Needs: struct xdp_frame.mem_type, struct xdp_mem_info.type
// Since: 6.18
// Confidence: High
// Risk: safe

@@ struct xdp_frame *F; expression X; @@
(
- X->mem = F->mem
+ X->mem.type = F->mem_type
|
- X.mem = F->mem
+ X.mem.type = F->mem_type
|
- F->mem.type
+ F->mem_type
)
