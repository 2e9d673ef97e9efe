// SPDX-License-Identifier: GPL-2.0-only
/// read(), write() and mmap() of a frame buffer were done by the core where
/// struct fb_ops had nothing. They fail now. The functions that the core used,
/// for memory of a device, have names: fb_io_read(), fb_io_write(), fb_io_mmap().
//
// Title: name the frame buffer's read, write and mmap functions
// Uses: fb_ops
// Unless: FB_DEFAULT_IOMEM_OPS, FB_DEFAULT_SYSMEM_OPS, FB_DEFAULT_DMAMEM_OPS, FB_DEFAULT_DEFERRED_OPS,
//	fb_io_read, fb_io_mmap
// Before: !fb_io_mmap
// Needs: fb_io_read@export, fb_io_write@export, fb_io_mmap@export
// Since: 6.8
// Confidence: Moderate
// Risk: review

@reads@
identifier s;
expression E;
@@
 struct fb_ops s = { ..., .fb_read = E, ... };

@maps@
identifier s;
expression E;
@@
 struct fb_ops s = { ..., .fb_mmap = E, ... };

@@
identifier s != maps.s;
expression E;
@@
 struct fb_ops s = {
 ...,
 .fb_fillrect = E,
+.fb_mmap = fb_io_mmap,
 ...,
 };

@@
identifier s != reads.s;
expression E;
@@
 struct fb_ops s = {
 ...,
 .fb_fillrect = E,
+.fb_read = fb_io_read,
+.fb_write = fb_io_write,
 ...,
 };
