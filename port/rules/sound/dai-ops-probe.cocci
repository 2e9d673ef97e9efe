// SPDX-License-Identifier: GPL-2.0-only
/// The callbacks probe, remove, pcm_new and compress_new of a DAI stand in its ops, where
/// the driver's description named them before.
//
// Title: move the DAI callbacks into its ops
// Replaces: struct snd_soc_dai_driver.probe, struct snd_soc_dai_driver.remove,
//	struct snd_soc_dai_driver.pcm_new, struct snd_soc_dai_driver.compress_new
// Needs: struct snd_soc_dai_ops.probe, struct snd_soc_dai_ops.remove
// Since: 6.6
// Confidence: High
// Risk: safe

@ probeone @ identifier D, F, O; @@
  struct snd_soc_dai_driver D = {
- .probe = F,
  .ops = &O,
  };

@ probemany @ identifier D, F, O; @@
  struct snd_soc_dai_driver D[] = {
  ..., {
- .probe = F,
  .ops = &O,
  }, ...
  };

@ depends on probeone @ identifier probeone.O, probeone.F; @@
  struct snd_soc_dai_ops O = {
+ .probe = F,
  ...
  };

@ depends on probemany @ identifier probemany.O, probemany.F; @@
  struct snd_soc_dai_ops O = {
+ .probe = F,
  ...
  };

@ removeone @ identifier D, F, O; @@
  struct snd_soc_dai_driver D = {
- .remove = F,
  .ops = &O,
  };

@ removemany @ identifier D, F, O; @@
  struct snd_soc_dai_driver D[] = {
  ..., {
- .remove = F,
  .ops = &O,
  }, ...
  };

@ depends on removeone @ identifier removeone.O, removeone.F; @@
  struct snd_soc_dai_ops O = {
+ .remove = F,
  ...
  };

@ depends on removemany @ identifier removemany.O, removemany.F; @@
  struct snd_soc_dai_ops O = {
+ .remove = F,
  ...
  };

@ pcm_newone @ identifier D, F, O; @@
  struct snd_soc_dai_driver D = {
- .pcm_new = F,
  .ops = &O,
  };

@ pcm_newmany @ identifier D, F, O; @@
  struct snd_soc_dai_driver D[] = {
  ..., {
- .pcm_new = F,
  .ops = &O,
  }, ...
  };

@ depends on pcm_newone @ identifier pcm_newone.O, pcm_newone.F; @@
  struct snd_soc_dai_ops O = {
+ .pcm_new = F,
  ...
  };

@ depends on pcm_newmany @ identifier pcm_newmany.O, pcm_newmany.F; @@
  struct snd_soc_dai_ops O = {
+ .pcm_new = F,
  ...
  };

@ compress_newone @ identifier D, F, O; @@
  struct snd_soc_dai_driver D = {
- .compress_new = F,
  .ops = &O,
  };

@ compress_newmany @ identifier D, F, O; @@
  struct snd_soc_dai_driver D[] = {
  ..., {
- .compress_new = F,
  .ops = &O,
  }, ...
  };

@ depends on compress_newone @ identifier compress_newone.O, compress_newone.F; @@
  struct snd_soc_dai_ops O = {
+ .compress_new = F,
  ...
  };

@ depends on compress_newmany @ identifier compress_newmany.O, compress_newmany.F; @@
  struct snd_soc_dai_ops O = {
+ .compress_new = F,
  ...
  };
