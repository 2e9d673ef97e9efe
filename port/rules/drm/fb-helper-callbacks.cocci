// SPDX-License-Identifier: GPL-2.0-only
/// DRM clients are restored and told of new outputs by the core: drivers no longer name
/// the fbdev helpers as callbacks. Callbacks of a driver's own are left.
//
// Title: drop the fbdev helpers from DRM callbacks
// Replaces: struct drm_driver.lastclose, struct drm_mode_config_funcs.output_poll_changed,
//	drm_fb_helper_lastclose, drm_fb_helper_output_poll_changed
// Since: 6.12
// Confidence: High
// Risk: review

@@ identifier D; @@
  struct drm_driver D = {
- .lastclose = drm_fb_helper_lastclose,
  };

@@ identifier D; @@
  struct drm_mode_config_funcs D = {
- .output_poll_changed = drm_fb_helper_output_poll_changed,
  };
