// SPDX-License-Identifier: GPL-2.0-only
/// The GEM CMA helpers were renamed to GEM DMA helpers, since their memory need
/// not come from the contiguous allocator; the address is dma_addr.
//
// Title: use the GEM DMA helpers
// Replaces: <drm/drm_gem_cma_helper.h>, <drm/drm_fb_cma_helper.h>, struct drm_gem_cma_object,
//	to_drm_gem_cma_obj, drm_gem_cma_create, DEFINE_DRM_GEM_CMA_FOPS, DRM_GEM_CMA_DRIVER_OPS,
//	drm_fb_cma_get_gem_obj, drm_gem_cma_dumb_create, drm_gem_cma_vmap, drm_gem_cma_mmap
// Needs: <drm/drm_gem_dma_helper.h>, struct drm_gem_dma_object, struct drm_gem_dma_object.dma_addr
// Since: 6.1
// Commit: 4a83c26a1d87
// Confidence: High
// Risk: safe

@@ @@
- #include <drm/drm_gem_cma_helper.h>
+ #include <drm/drm_gem_dma_helper.h>

@@ @@
- #include <drm/drm_fb_cma_helper.h>
+ #include <drm/drm_fb_dma_helper.h>

@@ struct drm_gem_cma_object *O; @@
- O->paddr
+ O->dma_addr

@@ @@
- struct drm_gem_cma_object
+ struct drm_gem_dma_object

@@ @@
(
- to_drm_gem_cma_obj
+ to_drm_gem_dma_obj
|
- drm_gem_cma_create
+ drm_gem_dma_create
|
- drm_gem_cma_dumb_create
+ drm_gem_dma_dumb_create
|
- drm_gem_cma_vmap
+ drm_gem_dma_vmap
|
- drm_gem_cma_mmap
+ drm_gem_dma_mmap
|
- drm_fb_cma_get_gem_obj
+ drm_fb_dma_get_gem_obj
|
- drm_fb_cma_get_gem_addr
+ drm_fb_dma_get_gem_addr
)

@@ declarer name DEFINE_DRM_GEM_CMA_FOPS, DEFINE_DRM_GEM_DMA_FOPS; identifier F; @@
- DEFINE_DRM_GEM_CMA_FOPS(F);
+ DEFINE_DRM_GEM_DMA_FOPS(F);
