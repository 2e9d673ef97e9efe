// SPDX-License-Identifier: GPL-2.0-only
/// The macros of the runtime of a sound card were renamed to carry the prefix of
/// their subsystem.
//
// Title: use snd_soc_rtd_to_cpu() and snd_soc_rtd_to_codec()
// Replaces: asoc_rtd_to_cpu, asoc_rtd_to_codec, asoc_substream_to_rtd
// Needs: snd_soc_rtd_to_cpu, snd_soc_rtd_to_codec, snd_soc_substream_to_rtd
// Since: 6.7
// Confidence: High
// Risk: safe

@@ expression R, N; @@
(
- asoc_rtd_to_cpu(R, N)
+ snd_soc_rtd_to_cpu(R, N)
|
- asoc_rtd_to_codec(R, N)
+ snd_soc_rtd_to_codec(R, N)
)

@@ expression S; @@
- asoc_substream_to_rtd(S)
+ snd_soc_substream_to_rtd(S)
