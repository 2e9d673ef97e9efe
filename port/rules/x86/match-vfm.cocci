// SPDX-License-Identifier: GPL-2.0-only
/// Intel CPU models are matched with the vendor and family in one value: the model
/// names have the vendor in front, and X86_MATCH_VFM() takes the place of
/// X86_MATCH_INTEL_FAM6_MODEL().
//
// Title: use X86_MATCH_VFM()
// Replaces: X86_MATCH_INTEL_FAM6_MODEL
// Needs: X86_MATCH_VFM
// Since: 6.10
// Confidence: High
// Risk: safe

@ m @ identifier M; fresh identifier V = "INTEL_" ## M; expression D; @@
- X86_MATCH_INTEL_FAM6_MODEL(M, D)
+ X86_MATCH_VFM(V, D)
