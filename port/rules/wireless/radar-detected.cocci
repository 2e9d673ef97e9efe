// SPDX-License-Identifier: GPL-2.0-only
/// ieee80211_radar_detected() can name the channel context that saw the radar; NULL is
/// the one that is in use, as before.
//
// Title: tell ieee80211_radar_detected() of no channel context
// Replaces: ieee80211_radar_detected/1
// Needs: ieee80211_radar_detected/2
// Since: 6.12
// Confidence: High
// Risk: safe

@@ expression H; @@
- ieee80211_radar_detected(H)
+ ieee80211_radar_detected(H, NULL)
