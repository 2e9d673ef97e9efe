// SPDX-License-Identifier: GPL-2.0-only
/// The aperture helpers of DRM are gone; those of the whole kernel take the name of the
/// driver, which is what DRM's handed on.
//
// Title: use the aperture helpers of <linux/aperture.h>
// Replaces: drm_aperture_remove_conflicting_pci_framebuffers, drm_aperture_remove_framebuffers,
//	drm_aperture_remove_conflicting_framebuffers
// Needs: aperture_remove_conflicting_pci_devices, aperture_remove_all_conflicting_devices/1
// Include: linux/aperture.h
// Since: 6.13
// Confidence: High
// Risk: safe

@@ expression P, D, B, S; @@
(
- drm_aperture_remove_conflicting_pci_framebuffers(P, &D)
+ aperture_remove_conflicting_pci_devices(P, D.name)
|
- drm_aperture_remove_conflicting_pci_framebuffers(P, D)
+ aperture_remove_conflicting_pci_devices(P, D->name)
|
- drm_aperture_remove_framebuffers(&D)
+ aperture_remove_all_conflicting_devices(D.name)
|
- drm_aperture_remove_framebuffers(D)
+ aperture_remove_all_conflicting_devices(D->name)
|
- drm_aperture_remove_conflicting_framebuffers(B, S, &D)
+ aperture_remove_conflicting_devices(B, S, D.name)
|
- drm_aperture_remove_conflicting_framebuffers(B, S, D)
+ aperture_remove_conflicting_devices(B, S, D->name)
)

@@ @@
- #include <drm/drm_aperture.h>
