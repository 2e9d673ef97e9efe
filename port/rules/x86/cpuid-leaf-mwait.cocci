// SPDX-License-Identifier: GPL-2.0-only
/// The number of the CPUID leaf that tells of MWAIT has the name CPUID_LEAF_MWAIT.
//
// Title: use CPUID_LEAF_MWAIT
// Replaces: CPUID_MWAIT_LEAF
// Needs: CPUID_LEAF_MWAIT
// Include: asm/cpuid/api.h
// Since: 6.15
// Confidence: High
// Risk: safe

@@ @@
- CPUID_MWAIT_LEAF
+ CPUID_LEAF_MWAIT
