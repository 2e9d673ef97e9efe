// SPDX-License-Identifier: GPL-2.0-only
/// A work queue now says where its work runs: one that is made with neither
/// WQ_UNBOUND nor WQ_PERCPU makes the kernel warn. What was the default until
/// then is per CPU.
//
// Title: say WQ_PERCPU where it was the default of a work queue
// Uses: alloc_workqueue, devm_alloc_workqueue
// Before: !WQ_PERCPU
// Needs: WQ_PERCPU
// Since: 6.17
// Confidence: High
// Risk: safe

@said@
expression E;
position p;
@@
  alloc_workqueue@p(E, <+... \(WQ_UNBOUND\|WQ_PERCPU\) ...+>, ...)

@known@
expression E;
position p != said.p;
@@
  alloc_workqueue@p(E, <+... \(WQ_MEM_RECLAIM\|WQ_HIGHPRI\|WQ_FREEZABLE\|WQ_CPU_INTENSIVE\|WQ_SYSFS\|WQ_POWER_EFFICIENT\|WQ_BH\|__WQ_LEGACY\) ...+>, ...)

@@
expression E, F;
position known.p;
@@
  alloc_workqueue@p(E,
  F
+ | WQ_PERCPU
  , ...)

@@
expression E;
@@
  alloc_workqueue(E,
- 0
+ WQ_PERCPU
  , ...)
