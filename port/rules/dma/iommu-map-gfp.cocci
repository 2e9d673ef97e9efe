// SPDX-License-Identifier: GPL-2.0-only
/// iommu_map() takes the allocation flags of its page tables; it allocated with
/// GFP_KERNEL before, iommu_map_atomic(), which is gone, with GFP_ATOMIC.
//
// Title: pass allocation flags to iommu_map()
// Replaces: iommu_map/5, iommu_map_atomic
// Needs: iommu_map/6
// Since: 6.3
// Commit: 1369459b2e21
// Confidence: High
// Risk: safe

@@ expression D, I, P, S, R; @@
(
- iommu_map(D, I, P, S, R)
+ iommu_map(D, I, P, S, R, GFP_KERNEL)
|
- iommu_map_atomic(D, I, P, S, R)
+ iommu_map(D, I, P, S, R, GFP_ATOMIC)
)
