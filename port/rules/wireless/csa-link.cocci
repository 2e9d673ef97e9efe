// SPDX-License-Identifier: GPL-2.0-only
/// Channel switches are told by link. A device that knows nothing of multi-link
/// operation has the one link 0.
//
// Title: name the link of a channel switch
// Replaces: ieee80211_csa_finish/1, ieee80211_chswitch_done/2, ieee80211_beacon_cntdwn_is_complete/1
// Needs: ieee80211_csa_finish/2, ieee80211_chswitch_done/3, ieee80211_beacon_cntdwn_is_complete/2
// Since: 6.9
// Confidence: High
// Risk: safe

@@ expression V, S; @@
(
- ieee80211_csa_finish(V)
+ ieee80211_csa_finish(V, 0)
|
- ieee80211_chswitch_done(V, S)
+ ieee80211_chswitch_done(V, S, 0)
|
- ieee80211_beacon_cntdwn_is_complete(V)
+ ieee80211_beacon_cntdwn_is_complete(V, 0)
)
