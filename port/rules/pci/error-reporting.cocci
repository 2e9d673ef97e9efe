// SPDX-License-Identifier: GPL-2.0-only
/// The PCI core enables error reporting of all devices by itself; the functions
/// that asked for it are gone.
//
// Title: drop the calls that enable PCI error reporting
// Replaces: pci_enable_pcie_error_reporting, pci_disable_pcie_error_reporting
// Since: 6.6
// Confidence: Moderate
// Risk: review

@@ expression P; @@
(
- pci_enable_pcie_error_reporting(P);
|
- pci_disable_pcie_error_reporting(P);
)
