// SPDX-License-Identifier: GPL-2.0-only
/// struct drm_atomic_state was renamed to struct drm_atomic_commit.
//
// Title: use struct drm_atomic_commit in place of struct drm_atomic_state
// Replaces: struct drm_atomic_state
// Needs: struct drm_atomic_commit
// Confidence: Moderate
// Risk: review

@@ @@
- struct drm_atomic_state
+ struct drm_atomic_commit
