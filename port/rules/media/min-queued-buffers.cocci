// SPDX-License-Identifier: GPL-2.0-only
/// The member min_buffers_needed of struct vb2_queue was renamed to
/// min_queued_buffers.
//
// Title: use vb2_queue.min_queued_buffers
// Replaces: struct vb2_queue.min_buffers_needed
// Needs: struct vb2_queue.min_queued_buffers
// Since: 6.8
// Confidence: High
// Risk: safe

@@ struct vb2_queue *Q; @@
- Q->min_buffers_needed
+ Q->min_queued_buffers

@@ expression E; identifier V =~ "^(vb_?)?(vidq|queue|q|vq|vb_queue|vb2_queue|vb2q)$"; @@
- E->V.min_buffers_needed
+ E->V.min_queued_buffers
