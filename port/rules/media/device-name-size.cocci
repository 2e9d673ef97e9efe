// SPDX-License-Identifier: GPL-2.0-only
/// The length of a v4l2_device's name has no name of its own any more: it is the size of
/// the member.
//
// Title: use the size of v4l2_device.name
// Replaces: V4L2_DEVICE_NAME_SIZE
// Needs: struct v4l2_device.name
// Since: 6.8
// Confidence: High
// Risk: safe

@@ expression D, S; identifier f; @@
(
  f(D.name,
- V4L2_DEVICE_NAME_SIZE
+ sizeof(D.name)
  , ...)
|
  f(D->name,
- V4L2_DEVICE_NAME_SIZE
+ sizeof(D->name)
  , ...)
|
  f(D.name, S,
- V4L2_DEVICE_NAME_SIZE
+ sizeof(D.name)
  )
|
  f(D->name, S,
- V4L2_DEVICE_NAME_SIZE
+ sizeof(D->name)
  )
)
