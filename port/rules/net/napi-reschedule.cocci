// SPDX-License-Identifier: GPL-2.0-only
/// napi_schedule() tells whether it did, as napi_reschedule() alone did before, and
/// has taken its place.
//
// Title: use napi_schedule() in place of napi_reschedule()
// Replaces: napi_reschedule
// Needs: napi_schedule~bool
// Since: 6.7
// Confidence: High
// Risk: safe

@@ expression N; @@
- napi_reschedule(N)
+ napi_schedule(N)
