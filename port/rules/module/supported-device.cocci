// SPDX-License-Identifier: GPL-2.0-only
/// MODULE_SUPPORTED_DEVICE() never had an effect and is gone.
//
// Title: drop MODULE_SUPPORTED_DEVICE()
// Replaces: MODULE_SUPPORTED_DEVICE
// Since: 5.12
// Commit: 6417f03132a6
// Confidence: High
// Risk: safe

@@ declarer name MODULE_SUPPORTED_DEVICE; expression E; @@
- MODULE_SUPPORTED_DEVICE(E);
