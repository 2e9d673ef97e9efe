// SPDX-License-Identifier: GPL-2.0-only
/// The slab flag SLAB_MEM_SPREAD had no effect since the SLAB allocator went away
/// and was dropped.
//
// Title: drop SLAB_MEM_SPREAD
// Replaces: SLAB_MEM_SPREAD
// Since: 6.9
// Confidence: High
// Risk: safe

@@ expression E; @@
(
- E | SLAB_MEM_SPREAD
+ E
|
- SLAB_MEM_SPREAD | E
+ E
|
- SLAB_MEM_SPREAD
+ 0
)
