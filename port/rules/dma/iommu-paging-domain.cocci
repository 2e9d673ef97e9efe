// SPDX-License-Identifier: GPL-2.0-only
/// iommu_domain_alloc() was given a bus and returned NULL on failure;
/// iommu_paging_domain_alloc() takes the device and returns an error pointer. Only
/// where the bus is that of a device at hand and the result is checked for NULL
/// right behind.
//
// Title: use iommu_paging_domain_alloc()
// Replaces: iommu_domain_alloc
// Needs: iommu_paging_domain_alloc
// Since: 6.11
// Confidence: High
// Risk: review

@@ expression D, E; @@
- D = iommu_domain_alloc(E->bus);
+ D = iommu_paging_domain_alloc(E);
(
  if (
- !D
+ IS_ERR(D)
  ) {
  ...
- return -ENOMEM;
+ return PTR_ERR(D);
  }
|
- if (!D)
- 	return -ENOMEM;
+ if (IS_ERR(D))
+ 	return PTR_ERR(D);
)
