// SPDX-License-Identifier: GPL-2.0-only
/// PCI_IRQ_LEGACY was renamed to PCI_IRQ_INTX.
//
// Title: use PCI_IRQ_INTX in place of PCI_IRQ_LEGACY
// Replaces: PCI_IRQ_LEGACY
// Needs: PCI_IRQ_INTX
// Since: 6.11
// Confidence: High
// Risk: safe

@@ @@
- PCI_IRQ_LEGACY
+ PCI_IRQ_INTX
