// SPDX-License-Identifier: GPL-2.0-only
/// v4l2_subdev_get_try_format(), _crop() and _compose() became accessors of the state
/// alone, v4l2_subdev_state_get_format() and so on: the subdevice is not needed. They
/// return the same structures.
//
// Title: use v4l2_subdev_state_get_format()
// Replaces: v4l2_subdev_get_try_format, v4l2_subdev_get_try_crop, v4l2_subdev_get_try_compose
// Needs: v4l2_subdev_state_get_format, v4l2_subdev_state_get_crop, v4l2_subdev_state_get_compose
// Since: 6.8
// Confidence: High
// Risk: safe

@@ expression SD, S, P; @@
(
- v4l2_subdev_get_try_format(SD, S, P)
+ v4l2_subdev_state_get_format(S, P)
|
- v4l2_subdev_get_try_crop(SD, S, P)
+ v4l2_subdev_state_get_crop(S, P)
|
- v4l2_subdev_get_try_compose(SD, S, P)
+ v4l2_subdev_state_get_compose(S, P)
)
