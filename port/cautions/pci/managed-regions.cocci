// SPDX-License-Identifier: GPL-2.0-only
/// Behind pcim_enable_device() the regions that pci_request_regions() took were
/// given back by themselves. They are not any more: pcim_request_all_regions()
/// and pcim_request_region() do that. Without them the driver can be bound once.
//
// Title: have PCI regions given back as before
// Uses: pcim_enable_device
// Unless: pci_release_regions, pci_release_region, pci_release_selected_regions
// Before: !kernel>=6.16
// Needs: pcim_request_all_regions@export, pcim_request_region@export, kernel>=6.16
// Since: 6.16
// Confidence: High
// Risk: review

@@
expression D, N;
@@
- pci_request_regions(D, N)
+ pcim_request_all_regions(D, N)

@@
expression D, B, N;
@@
- pci_request_region(D, B, N)
+ pcim_request_region(D, B, N)
