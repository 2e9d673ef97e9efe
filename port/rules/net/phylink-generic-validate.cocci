// SPDX-License-Identifier: GPL-2.0-only
/// phylink validates link modes itself from mac_capabilities, which is what
/// phylink_generic_validate() did: the callback is gone. A callback of the driver's own
/// is left.
//
// Title: drop phylink_generic_validate()
// Replaces: phylink_generic_validate
// Needs: struct phylink_config.mac_capabilities
// Since: 6.7
// Confidence: High
// Risk: safe

@@ identifier O; @@
  struct phylink_mac_ops O = {
- .validate = phylink_generic_validate,
  };
