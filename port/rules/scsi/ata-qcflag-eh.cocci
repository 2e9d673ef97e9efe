// SPDX-License-Identifier: GPL-2.0-only
/// ATA_QCFLAG_FAILED, a command that error handling owns, is called ATA_QCFLAG_EH.
//
// Title: use ATA_QCFLAG_EH
// Replaces: ATA_QCFLAG_FAILED
// Needs: ATA_QCFLAG_EH
// Since: 6.3
// Confidence: High
// Risk: safe

@@ @@
- ATA_QCFLAG_FAILED
+ ATA_QCFLAG_EH
