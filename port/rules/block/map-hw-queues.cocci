// SPDX-License-Identifier: GPL-2.0-only
/// blk_mq_pci_map_queues() was replaced by blk_mq_map_hw_queues(), which asks the
/// device's bus.
//
// Title: use blk_mq_map_hw_queues()
// Replaces: blk_mq_pci_map_queues
// Needs: blk_mq_map_hw_queues
// Since: 6.14
// Confidence: High
// Risk: safe

@@ expression M, P, O; @@
- blk_mq_pci_map_queues(M, P, O)
+ blk_mq_map_hw_queues(M, &P->dev, O)

@@ @@
- #include <linux/blk-mq-pci.h>
