// SPDX-License-Identifier: GPL-2.0-only
/// Mapped BARs are released one by one: pcim_iounmap_region() takes the number of the
/// BAR where pcim_iounmap_regions() took a mask. Masks of several BARs are left.
//
// Title: use pcim_iounmap_region()
// Replaces: pcim_iounmap_regions
// Needs: pcim_iounmap_region/2
// Since: 6.13
// Confidence: High
// Risk: safe

@@ expression P, B; @@
(
- pcim_iounmap_regions(P, BIT(B))
+ pcim_iounmap_region(P, B)
|
- pcim_iounmap_regions(P, 1 << B)
+ pcim_iounmap_region(P, B)
)
