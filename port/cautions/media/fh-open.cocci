// SPDX-License-Identifier: GPL-2.0-only
/// Each open file of a video device needs a struct v4l2_fh now: open() of one
/// that has none ends with -ENODEV and a warning, and a device whose file
/// operations have no open() or release() is not registered.
//
// Title: give each open file of a video device a v4l2_fh
// Uses: video_register_device
// Unless: v4l2_fh_open, v4l2_fh_init, v4l2_fh_add
// Before: !file_to_v4l2_fh
// Needs: file_to_v4l2_fh, v4l2_fh_add/2
// Since: 6.18
// Confidence: High

virtual report

@r depends on report@
position p;
@@
 video_register_device@p(...)

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "open() of this video device fails with -ENODEV: the driver has no struct v4l2_fh (v4l2_fh_open(), vb2_fop_release())")
