// SPDX-License-Identifier: GPL-2.0-only
/// The probe callback of i2c drivers takes the client only; probe_new, which was
/// its name meanwhile, is gone.
//
// Title: use the probe callback of i2c drivers
// Replaces: struct i2c_driver.probe_new
// Needs: struct i2c_driver.probe/1
// Since: 6.6
// Commit: 5eb1e6e459cf
// Confidence: High
// Risk: safe

@@ identifier D, F; @@
  struct i2c_driver D = {
- .probe_new = F,
+ .probe = F,
  };
