// SPDX-License-Identifier: GPL-2.0-only
/// Inverted mask registers are gone from regmap-irq: registers in which a set
/// bit enables an interrupt are given as unmask_base.
//
// Title: use unmask_base in place of mask_invert
// Replaces: struct regmap_irq_chip.mask_invert
// Needs: struct regmap_irq_chip.unmask_base
// Since: 6.4
// Confidence: High
// Risk: review

@r@ identifier C; expression B; @@
  struct regmap_irq_chip C = {
  .mask_base = B,
- .mask_invert = \( true \| 1 \),
  };

@depends on r@ identifier r.C; expression B; @@
  struct regmap_irq_chip C = {
- .mask_base = B,
+ .unmask_base = B,
  };
