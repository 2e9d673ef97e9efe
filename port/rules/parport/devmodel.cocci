// SPDX-License-Identifier: GPL-2.0-only
/// All parport drivers follow the device model: the member that said so is gone.
//
// Title: drop parport_driver.devmodel
// Replaces: struct parport_driver.devmodel
// Since: 6.10
// Confidence: High
// Risk: safe

@@ identifier D; @@
  struct parport_driver D = {
- .devmodel = true,
  };
