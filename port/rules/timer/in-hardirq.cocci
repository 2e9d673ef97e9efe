// SPDX-License-Identifier: GPL-2.0-only
/// in_irq() is gone; in_hardirq() is the same test under its clear name.
//
// Title: use in_hardirq() in place of in_irq()
// Replaces: in_irq
// Needs: in_hardirq
// Since: 6.19
// Confidence: High
// Risk: safe

@@ @@
- in_irq()
+ in_hardirq()
