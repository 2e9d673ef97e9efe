// SPDX-License-Identifier: GPL-2.0-only
/// The second argument of the handlers in struct v4l2_ioctl_ops was what
/// file->private_data holds. It is NULL now, and handlers take the file's.
//
// Title: take the file handle of video ioctl handlers from the file
// Uses: v4l2_ioctl_ops
// Before: !file_to_v4l2_fh
// Needs: file_to_v4l2_fh, v4l2_fh_add/2
// Since: 6.18
// Confidence: High
// Risk: safe

@ops@
identifier s, m, f;
@@
 struct v4l2_ioctl_ops s = { ..., .m = f, ... };

@handler@
identifier ops.f, file, fh;
@@
 f(struct file *file, void *fh, ...)
 {
 <...
- fh
+ file->private_data
 ...>
 }
