// SPDX-License-Identifier: GPL-2.0-only
/// The SCSI opcodes RESERVE and RELEASE were renamed to RESERVE_6 and RELEASE_6.
//
// Title: use RESERVE_6 and RELEASE_6
// Replaces: RESERVE, RELEASE
// Needs: RESERVE_6, RELEASE_6
// Since: 6.15
// Confidence: High
// Risk: safe

@@ @@
(
- RESERVE
+ RESERVE_6
|
- RELEASE
+ RELEASE_6
)
