// SPDX-License-Identifier: GPL-2.0-only
/// pci_cleanup_aer_uncorrect_error_status() was renamed to
/// pci_aer_clear_nonfatal_status().
//
// Title: use pci_aer_clear_nonfatal_status()
// Replaces: pci_cleanup_aer_uncorrect_error_status
// Needs: pci_aer_clear_nonfatal_status
// Include: linux/aer.h
// Since: 5.7
// Confidence: High
// Risk: safe

@@ expression P; @@
- pci_cleanup_aer_uncorrect_error_status(P)
+ pci_aer_clear_nonfatal_status(P)
