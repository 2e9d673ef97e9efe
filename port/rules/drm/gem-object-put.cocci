// SPDX-License-Identifier: GPL-2.0-only
/// drm_gem_object_put() no longer needs a lock, so the _unlocked name is gone.
//
// Title: use drm_gem_object_put()
// Replaces: drm_gem_object_put_unlocked, drm_gem_object_unreference_unlocked
// Needs: drm_gem_object_put
// Since: 5.9
// Confidence: High
// Risk: safe

@@ expression O; @@
(
- drm_gem_object_put_unlocked(O)
+ drm_gem_object_put(O)
|
- drm_gem_object_unreference_unlocked(O)
+ drm_gem_object_put(O)
)
