// SPDX-License-Identifier: GPL-2.0-only
/// The preferred number of bits of a pixel is given to drm_fb_helper_prepare() now;
/// drm_fb_helper_initial_config() takes it from there. Where one function calls both, the
/// value goes with it.
//
// Title: give the bits of a pixel to drm_fb_helper_prepare()
// Replaces: drm_fb_helper_prepare/3, drm_fb_helper_initial_config/2
// Needs: drm_fb_helper_prepare/4, drm_fb_helper_initial_config/1
// Since: 6.3
// Confidence: High
// Risk: safe

@@ expression D, H, F, I; constant B; @@
- drm_fb_helper_prepare(D, H, F);
+ drm_fb_helper_prepare(D, H, B, F);
  <+...
- drm_fb_helper_initial_config(I, B)
+ drm_fb_helper_initial_config(I)
  ...+>
