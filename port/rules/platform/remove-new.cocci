// SPDX-License-Identifier: GPL-2.0-only
/// The remove callback of platform drivers returns void; remove_new, which was
/// its name meanwhile, is gone.
//
// Title: use the remove callback of platform drivers
// Replaces: struct platform_driver.remove_new
// Needs: struct platform_driver.remove:void
// Since: 6.13
// Commit: e70140ba0d2b
// Confidence: High
// Risk: safe

@@ identifier D, F; @@
  struct platform_driver D = {
- .remove_new = F,
+ .remove = F,
  };

@@ identifier D; expression F; @@
  struct platform_driver D = {
- .remove_new = F,
+ .remove = F,
  };
