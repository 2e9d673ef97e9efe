// SPDX-License-Identifier: GPL-2.0-only
/// The date of a DRM driver was never of use and is gone.
//
// Title: drop the date of the DRM driver
// Replaces: struct drm_driver.date
// Since: 6.14
// Confidence: High
// Risk: safe

@@ identifier D; expression E; @@
  struct drm_driver D = {
- .date = E,
  };
