// SPDX-License-Identifier: GPL-2.0-only
/// The macros for device ids of the Surface Aggregator take the name of the target, SAM or
/// KIP, where they took its number.
//
// Title: name the target of Surface Aggregator ids
// Replaces: SSAM_SSH_TID_0x01, SSAM_SSH_TID_0x02, SSAM_SDEV~SSAM_ANY_TID, SSAM_VDEV~SSAM_ANY_TID
// Needs: SSAM_SSH_TID_SAM, SSAM_SDEV~SSAM_SSH_TID_##
// Since: 6.3
// Confidence: High
// Risk: safe

@@ expression C, I, F; @@
(
- SSAM_SDEV(C, 0x01, I, F)
+ SSAM_SDEV(C, SAM, I, F)
|
- SSAM_SDEV(C, 0x02, I, F)
+ SSAM_SDEV(C, KIP, I, F)
|
- SSAM_SDEV(C, SSAM_ANY_TID, I, F)
+ SSAM_SDEV(C, ANY, I, F)
|
- SSAM_VDEV(C, 0x01, I, F)
+ SSAM_VDEV(C, SAM, I, F)
|
- SSAM_VDEV(C, 0x02, I, F)
+ SSAM_VDEV(C, KIP, I, F)
|
- SSAM_VDEV(C, SSAM_ANY_TID, I, F)
+ SSAM_VDEV(C, ANY, I, F)
)
