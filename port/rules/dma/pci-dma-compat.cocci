// SPDX-License-Identifier: GPL-2.0-only
/// The PCI names for the DMA mapping functions are gone. They were thin wrappers
/// that passed the device inside of struct pci_dev; the allocating ones used
/// GFP_ATOMIC.
//
// Title: use the generic DMA functions in place of the PCI ones
// Replaces: pci_alloc_consistent, pci_zalloc_consistent, pci_free_consistent, pci_map_single,
//	pci_unmap_single, pci_map_page, pci_unmap_page, pci_map_sg, pci_unmap_sg,
//	pci_dma_sync_single_for_cpu, pci_dma_sync_single_for_device,
//	pci_dma_sync_sg_for_cpu, pci_dma_sync_sg_for_device, pci_dma_mapping_error,
//	pci_set_dma_mask, pci_set_consistent_dma_mask, PCI_DMA_BIDIRECTIONAL,
//	PCI_DMA_TODEVICE, PCI_DMA_FROMDEVICE, PCI_DMA_NONE
// Include: linux/dma-mapping.h
// Since: 5.18
// Commit: 7968778914e5
// Confidence: High
// Risk: safe

@@ @@
(
- PCI_DMA_BIDIRECTIONAL
+ DMA_BIDIRECTIONAL
|
- PCI_DMA_TODEVICE
+ DMA_TO_DEVICE
|
- PCI_DMA_FROMDEVICE
+ DMA_FROM_DEVICE
|
- PCI_DMA_NONE
+ DMA_NONE
)

@@ expression P, A, B, C, D; @@
(
- pci_alloc_consistent(P, A, B)
+ dma_alloc_coherent(&P->dev, A, B, GFP_ATOMIC)
|
- pci_zalloc_consistent(P, A, B)
+ dma_alloc_coherent(&P->dev, A, B, GFP_ATOMIC)
|
- pci_free_consistent(P, A, B, C)
+ dma_free_coherent(&P->dev, A, B, C)
|
- pci_map_single(P, A, B, C)
+ dma_map_single(&P->dev, A, B, C)
|
- pci_unmap_single(P, A, B, C)
+ dma_unmap_single(&P->dev, A, B, C)
|
- pci_map_page(P, A, B, C, D)
+ dma_map_page(&P->dev, A, B, C, D)
|
- pci_unmap_page(P, A, B, C)
+ dma_unmap_page(&P->dev, A, B, C)
|
- pci_map_sg(P, A, B, C)
+ dma_map_sg(&P->dev, A, B, C)
|
- pci_unmap_sg(P, A, B, C)
+ dma_unmap_sg(&P->dev, A, B, C)
|
- pci_dma_sync_single_for_cpu(P, A, B, C)
+ dma_sync_single_for_cpu(&P->dev, A, B, C)
|
- pci_dma_sync_single_for_device(P, A, B, C)
+ dma_sync_single_for_device(&P->dev, A, B, C)
|
- pci_dma_sync_sg_for_cpu(P, A, B, C)
+ dma_sync_sg_for_cpu(&P->dev, A, B, C)
|
- pci_dma_sync_sg_for_device(P, A, B, C)
+ dma_sync_sg_for_device(&P->dev, A, B, C)
|
- pci_dma_mapping_error(P, A)
+ dma_mapping_error(&P->dev, A)
|
- pci_set_dma_mask(P, A)
+ dma_set_mask(&P->dev, A)
|
- pci_set_consistent_dma_mask(P, A)
+ dma_set_coherent_mask(&P->dev, A)
)
