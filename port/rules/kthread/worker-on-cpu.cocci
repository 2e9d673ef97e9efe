// SPDX-License-Identifier: GPL-2.0-only
/// The name of a worker bound to a CPU is a format for the number of the CPU alone, which
/// the core fills in; kthread_run_worker_on_cpu() creates it and starts it, which
/// kthread_create_worker_on_cpu() did before.
//
// Title: run workers on a CPU with kthread_run_worker_on_cpu()
// Replaces: kthread_create_worker_on_cpu~...
// Needs: kthread_run_worker_on_cpu/3
// Since: 6.14
// Confidence: High
// Risk: safe

@@ expression C, F, N; @@
- kthread_create_worker_on_cpu(C, F, N, C)
+ kthread_run_worker_on_cpu(C, F, N)
