// SPDX-License-Identifier: GPL-2.0-only
/// The videobuf2 core waits for buffers with the queue's lock dropped by itself:
/// the callbacks wait_prepare and wait_finish are gone. Only the helpers that do
/// exactly this are dropped, callbacks of the driver's own are left.
//
// Title: drop the wait callbacks of struct vb2_ops
// Replaces: struct vb2_ops.wait_prepare, struct vb2_ops.wait_finish
// Since: 7.0
// Commit: b70886ff5833
// Confidence: High
// Risk: safe

@@ identifier O; @@
  struct vb2_ops O = {
- .wait_prepare = vb2_ops_wait_prepare,
  };

@@ identifier O; @@
  struct vb2_ops O = {
- .wait_finish = vb2_ops_wait_finish,
  };
