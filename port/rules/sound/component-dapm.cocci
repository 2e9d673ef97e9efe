// SPDX-License-Identifier: GPL-2.0-only
/// The functions of struct snd_soc_component that only went on to its DAPM context are
/// gone: callers get the context by snd_soc_component_to_dapm() and call the function
/// of the context, which does the same.
//
// Title: use the DAPM context of the component
// Replaces: snd_soc_component_get_bias_level, snd_soc_component_force_bias_level,
//	snd_soc_component_init_bias_level,
//	snd_soc_component_disable_pin,
//	snd_soc_component_disable_pin_unlocked,
//	snd_soc_component_enable_pin,
//	snd_soc_component_enable_pin_unlocked,
//	snd_soc_component_force_enable_pin,
//	snd_soc_component_force_enable_pin_unlocked,
//	snd_soc_component_get_pin_status,
//	snd_soc_component_get_dapm
// Needs: snd_soc_component_to_dapm, snd_soc_dapm_get_bias_level, snd_soc_dapm_force_bias_level
// Since: 7.0
// Confidence: High
// Risk: safe

@@ expression C, E; @@
(
- snd_soc_component_get_bias_level(C)
+ snd_soc_dapm_get_bias_level(snd_soc_component_to_dapm(C))
|
- snd_soc_component_disable_pin(C, E)
+ snd_soc_dapm_disable_pin(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_disable_pin_unlocked(C, E)
+ snd_soc_dapm_disable_pin_unlocked(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_enable_pin(C, E)
+ snd_soc_dapm_enable_pin(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_enable_pin_unlocked(C, E)
+ snd_soc_dapm_enable_pin_unlocked(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_force_enable_pin(C, E)
+ snd_soc_dapm_force_enable_pin(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_force_enable_pin_unlocked(C, E)
+ snd_soc_dapm_force_enable_pin_unlocked(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_get_pin_status(C, E)
+ snd_soc_dapm_get_pin_status(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_force_bias_level(C, E)
+ snd_soc_dapm_force_bias_level(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_init_bias_level(C, E)
+ snd_soc_dapm_init_bias_level(snd_soc_component_to_dapm(C), E)
|
- snd_soc_component_get_dapm(C)
+ snd_soc_component_to_dapm(C)
)
