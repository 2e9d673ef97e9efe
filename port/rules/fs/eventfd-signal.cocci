// SPDX-License-Identifier: GPL-2.0-only
/// eventfd_signal() always adds one. Calls that added another number have no
/// counterpart and are left alone.
//
// Title: drop the count of eventfd_signal()
// Replaces: eventfd_signal/2
// Needs: eventfd_signal/1
// Since: 6.8
// Confidence: High
// Risk: safe

@@ expression C; @@
- eventfd_signal(C, 1)
+ eventfd_signal(C)
