// SPDX-License-Identifier: GPL-2.0-only
/// init_cfg() of the pad operations became init_state() of a subdevice's internal
/// operations. A driver that has internal operations names it there; one that has none gets
/// them, set where the subdevice is initialised.
//
// Title: initialise the state by init_state()
// Replaces: struct v4l2_subdev_pad_ops.init_cfg
// Needs: struct v4l2_subdev_internal_ops.init_state, struct v4l2_subdev.internal_ops
// Since: 6.8
// Confidence: High
// Risk: safe

@ pad @ identifier P, F; @@
  struct v4l2_subdev_pad_ops P = {
- .init_cfg = F,
  };

@ has @ identifier I; @@
  struct v4l2_subdev_internal_ops I = { ... };

@ depends on pad && has @ identifier has.I, pad.F; @@
  struct v4l2_subdev_internal_ops I = {
+ .init_state = F,
  ...
  };

@ made depends on pad && !has @ identifier pad.F, O; @@
  struct v4l2_subdev_ops O = { ... };
+
+ static const struct v4l2_subdev_internal_ops subdev_internal_ops = {
+ 	.init_state = F,
+ };

@ depends on made @ identifier made.O; expression S, C; @@
(
  v4l2_i2c_subdev_init(&S, C, &O);
+ S.internal_ops = &subdev_internal_ops;
|
  v4l2_subdev_init(&S, &O);
+ S.internal_ops = &subdev_internal_ops;
|
  v4l2_i2c_subdev_init(S, C, &O);
+ S->internal_ops = &subdev_internal_ops;
|
  v4l2_subdev_init(S, &O);
+ S->internal_ops = &subdev_internal_ops;
)
