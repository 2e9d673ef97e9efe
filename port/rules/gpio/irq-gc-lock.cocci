// SPDX-License-Identifier: GPL-2.0-only
/// irq_gc_lock() and irq_gc_unlock() did nothing but take and release the lock of the
/// generic chip, which drivers do themselves now.
//
// Title: take the lock of the generic interrupt chip
// Replaces: irq_gc_lock, irq_gc_unlock
// Needs: struct irq_chip_generic.lock
// Since: 6.16
// Confidence: High
// Risk: safe

@@ expression G; @@
(
- irq_gc_lock(G)
+ raw_spin_lock(&G->lock)
|
- irq_gc_unlock(G)
+ raw_spin_unlock(&G->lock)
)
