// SPDX-License-Identifier: GPL-2.0-only
/// The V4L2 device is told to v4l2_async_nf_init() and no longer to
/// v4l2_async_nf_register(). Only where both stand in one function is it known which
/// device belongs to the notifier.
//
// Title: name the V4L2 device in v4l2_async_nf_init()
// Replaces: v4l2_async_nf_init/1, v4l2_async_nf_register/2
// Needs: v4l2_async_nf_init/2, v4l2_async_nf_register/1
// Since: 6.6
// Confidence: High
// Risk: safe

@ both @ expression N, V; @@
- v4l2_async_nf_init(N);
+ v4l2_async_nf_init(N, V);
  ... when any
- v4l2_async_nf_register(V, N)
+ v4l2_async_nf_register(N)
