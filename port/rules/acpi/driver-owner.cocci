// SPDX-License-Identifier: GPL-2.0-only
/// The owner of an ACPI driver is set by the macro acpi_bus_register_driver().
//
// Title: drop the owner of struct acpi_driver
// Replaces: struct acpi_driver.owner
// Since: 6.10
// Confidence: High
// Risk: safe

@@ identifier D; @@
  struct acpi_driver D = {
- .owner = THIS_MODULE,
  };
