// SPDX-License-Identifier: GPL-2.0-only
/// How often a block device is open is counted in an atomic.
//
// Title: read bd_openers as an atomic
// Replaces: struct block_device.bd_openers:int
// Needs: struct block_device.bd_openers:atomic_t
// Since: 6.0
// Confidence: High
// Risk: safe

@@ expression B, E; @@
(
  atomic_read(&B->bd_openers)
|
  &B->bd_openers
|
  B->bd_openers = E
|
- B->bd_openers
+ atomic_read(&B->bd_openers)
)
