// SPDX-License-Identifier: GPL-2.0-only
/// A request has no pointer to its disk: the queue has it.
//
// Title: use the disk of the request's queue
// Replaces: struct request.rq_disk
// Needs: struct request_queue.disk
// Since: 5.17
// Commit: f3fa33acca9f
// Confidence: High
// Risk: safe

@@ struct request *R; @@
- R->rq_disk
+ R->q->disk
