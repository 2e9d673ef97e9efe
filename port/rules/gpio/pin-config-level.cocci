// SPDX-License-Identifier: GPL-2.0-only
/// PIN_CONFIG_OUTPUT, the level that a pin is driven to, is called PIN_CONFIG_LEVEL.
//
// Title: use PIN_CONFIG_LEVEL
// Replaces: PIN_CONFIG_OUTPUT
// Needs: PIN_CONFIG_LEVEL
// Since: 7.0
// Confidence: High
// Risk: safe

@@ @@
- PIN_CONFIG_OUTPUT
+ PIN_CONFIG_LEVEL
