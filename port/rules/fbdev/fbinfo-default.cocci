// SPDX-License-Identifier: GPL-2.0-only
/// FBINFO_DEFAULT and FBINFO_FLAG_DEFAULT were 0 and are gone.
//
// Title: drop FBINFO_DEFAULT
// Replaces: FBINFO_DEFAULT, FBINFO_FLAG_DEFAULT
// Since: 6.6
// Confidence: High
// Risk: safe

@@ expression E; @@
(
- FBINFO_DEFAULT | E
+ E
|
- E | FBINFO_DEFAULT
+ E
|
- FBINFO_FLAG_DEFAULT | E
+ E
|
- E | FBINFO_FLAG_DEFAULT
+ E
)

@@ expression I; @@
(
- I->flags = FBINFO_DEFAULT;
+ I->flags = 0;
|
- I->flags = FBINFO_FLAG_DEFAULT;
+ I->flags = 0;
|
- I.flags = FBINFO_DEFAULT;
+ I.flags = 0;
)
