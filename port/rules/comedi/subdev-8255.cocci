// SPDX-License-Identifier: GPL-2.0-only
/// subdev_8255_init() was split: subdev_8255_io_init() is for port access, which
/// NULL for the callback meant, subdev_8255_cb_init() for a callback.
//
// Title: use subdev_8255_io_init() and subdev_8255_cb_init()
// Replaces: subdev_8255_init
// Needs: subdev_8255_io_init/3, subdev_8255_cb_init/4
// Since: 6.7
// Confidence: High
// Risk: safe

@@ expression D, S, I, B; @@
(
- subdev_8255_init(D, S, NULL, B)
+ subdev_8255_io_init(D, S, B)
|
- subdev_8255_init(D, S, I, B)
+ subdev_8255_cb_init(D, S, I, B)
)
