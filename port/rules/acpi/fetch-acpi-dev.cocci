// SPDX-License-Identifier: GPL-2.0-only
/// acpi_bus_get_device(), which returned an error code, is gone;
/// acpi_fetch_acpi_dev() returns the device or NULL.
//
// Title: use acpi_fetch_acpi_dev() in place of acpi_bus_get_device()
// Replaces: acpi_bus_get_device
// Needs: acpi_fetch_acpi_dev
// Since: 5.18
// Commit: ac2a3feefad5
// Confidence: High
// Risk: safe

@@ expression H, D; statement S; @@
(
- if (acpi_bus_get_device(H, &D)) S
+ D = acpi_fetch_acpi_dev(H);
+ if (!D) S
|
- if (!acpi_bus_get_device(H, &D)) S
+ D = acpi_fetch_acpi_dev(H);
+ if (D) S
)
