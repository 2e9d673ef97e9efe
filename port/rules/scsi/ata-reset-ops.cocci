// SPDX-License-Identifier: GPL-2.0-only
/// The reset callbacks of struct ata_port_operations moved into two structures of their
/// own, .reset and .pmp_reset for port multipliers.
//
// Title: put the reset callbacks into .reset
// Replaces: struct ata_port_operations.prereset, struct ata_port_operations.softreset,
//	struct ata_port_operations.hardreset, struct ata_port_operations.postreset,
//	struct ata_port_operations.pmp_prereset, struct ata_port_operations.pmp_softreset,
//	struct ata_port_operations.pmp_hardreset, struct ata_port_operations.pmp_postreset
// Needs: struct ata_port_operations.reset, struct ata_port_operations.pmp_reset
// Since: 6.17
// Confidence: High
// Risk: safe

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .prereset = E,
+ .reset.prereset = E,
  };

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .softreset = E,
+ .reset.softreset = E,
  };

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .hardreset = E,
+ .reset.hardreset = E,
  };

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .postreset = E,
+ .reset.postreset = E,
  };

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .pmp_prereset = E,
+ .pmp_reset.prereset = E,
  };

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .pmp_softreset = E,
+ .pmp_reset.softreset = E,
  };

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .pmp_hardreset = E,
+ .pmp_reset.hardreset = E,
  };

@@ identifier O; expression E; @@
  struct ata_port_operations O = {
- .pmp_postreset = E,
+ .pmp_reset.postreset = E,
  };
