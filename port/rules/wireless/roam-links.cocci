// SPDX-License-Identifier: GPL-2.0-only
/// What a device roamed to is told for each link: the members of struct
/// cfg80211_roam_info moved into links[].
//
// Title: fill links[0] of struct cfg80211_roam_info
// Replaces: struct cfg80211_roam_info.bssid, struct cfg80211_roam_info.bss,
//	struct cfg80211_roam_info.channel
// Needs: struct cfg80211_roam_info.links
// Since: 6.0
// Confidence: High
// Risk: safe

@@ struct cfg80211_roam_info R; @@
(
- R.bssid
+ R.links[0].bssid
|
- R.bss
+ R.links[0].bss
|
- R.channel
+ R.links[0].channel
)

@@ struct cfg80211_roam_info *R; @@
(
- R->bssid
+ R->links[0].bssid
|
- R->bss
+ R->links[0].bss
|
- R->channel
+ R->links[0].channel
)

@@ identifier R; expression E; @@
  struct cfg80211_roam_info R = {
- .bssid = E,
+ .links[0].bssid = E,
  };

@@ identifier R; expression E; @@
  struct cfg80211_roam_info R = {
- .bss = E,
+ .links[0].bss = E,
  };

@@ identifier R; expression E; @@
  struct cfg80211_roam_info R = {
- .channel = E,
+ .links[0].channel = E,
  };
