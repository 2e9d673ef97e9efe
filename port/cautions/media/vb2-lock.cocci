// SPDX-License-Identifier: GPL-2.0-only
/// A queue of buffers needs a lock now: vb2_queue_init() refuses one without
/// with -EINVAL and a warning. Drivers that locked in wait_prepare() and
/// wait_finish() by themselves give their mutex to the queue.
//
// Title: give each vb2 queue its lock
// Uses: vb2_queue_init, vb2_queue_init_name, vb2_core_queue_init
// Before: struct vb2_ops.wait_prepare
// Needs: !struct vb2_ops.wait_prepare
// Since: 7.0
// Confidence: High

virtual report

@has@
expression E;
struct vb2_queue *q;
@@
 q->lock = E

@has2@
expression E;
struct vb2_queue v;
@@
 v.lock = E

@r depends on report && !has && !has2@
position p;
@@
 \(vb2_queue_init@p\|vb2_queue_init_name@p\|vb2_core_queue_init@p\)(...)

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "vb2_queue_init() fails with -EINVAL: nobody sets the lock of this queue")
