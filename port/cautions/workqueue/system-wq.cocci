// SPDX-License-Identifier: GPL-2.0-only
/// system_wq and system_unbound_wq say more clearly what they are under their
/// new names, and work that is put on the old ones makes the kernel print a
/// warning. The queues are the same.
//
// Title: use the system's work queues by their new names
// Uses: system_wq, system_unbound_wq
// Before: !kernel>=6.17
// Needs: system_percpu_wq, system_dfl_wq, kernel>=6.17
// Since: 6.17
// Confidence: High
// Risk: safe

@@ @@
- system_wq
+ system_percpu_wq

@@ @@
- system_unbound_wq
+ system_dfl_wq
