// SPDX-License-Identifier: GPL-2.0-only
/// hid_report_raw_event() is told the size of the buffer besides that of the
/// report, so that it never reads behind it. The size of the report is the
/// safe answer: there is at least that much.
//
// Title: pass the buffer size to hid_report_raw_event()
// Replaces: hid_report_raw_event/5
// Needs: hid_report_raw_event/6
// Since: 7.1
// Confidence: Moderate
// Risk: review

@@ expression H, T, D, I; idexpression S; @@
- hid_report_raw_event(H, T, D, S, I)
+ hid_report_raw_event(H, T, D, S, S, I)

@@ expression H, T, D, I; constant S; @@
- hid_report_raw_event(H, T, D, S, I)
+ hid_report_raw_event(H, T, D, S, S, I)

@@ expression H, T, D, I, E; identifier F; @@
(
- hid_report_raw_event(H, T, D, E->F, I)
+ hid_report_raw_event(H, T, D, E->F, E->F, I)
|
- hid_report_raw_event(H, T, D, sizeof(E), I)
+ hid_report_raw_event(H, T, D, sizeof(E), sizeof(E), I)
)
