// SPDX-License-Identifier: GPL-2.0-only
/// The naming of DAIs that non_legacy_dai_naming asked for is the default.
//
// Title: drop non_legacy_dai_naming
// Replaces: struct snd_soc_component_driver.non_legacy_dai_naming
// Needs: struct snd_soc_component_driver.legacy_dai_naming
// Since: 6.0
// Confidence: High
// Risk: safe

@@ identifier D; @@
  struct snd_soc_component_driver D = {
- .non_legacy_dai_naming = \( 1 \| true \),
  };
