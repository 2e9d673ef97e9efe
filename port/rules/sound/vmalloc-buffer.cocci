// SPDX-License-Identifier: GPL-2.0-only
/// The PCM core has buffers of vmalloc() memory among those that it manages itself: it
/// allocates one before hw_params() and frees it behind hw_free(). The helpers that a
/// driver called from there, and the page callback that went with them, are gone.
/// Done where the driver's PCM is set up in the same file.
//
// Title: let the PCM core manage the vmalloc() buffer
// Replaces: snd_pcm_lib_alloc_vmalloc_buffer, snd_pcm_lib_free_vmalloc_buffer,
//	snd_pcm_lib_get_vmalloc_page
// Needs: snd_pcm_set_managed_buffer_all, SNDRV_DMA_TYPE_VMALLOC
// Include: sound/pcm.h
// Since: 6.12
// Confidence: High
// Risk: review

@ both @ expression P, S, T, A, B; position q; @@
  snd_pcm_set_ops(P, S, A);
  snd_pcm_set_ops@q(P, T, B);
+ snd_pcm_set_managed_buffer_all(P, SNDRV_DMA_TYPE_VMALLOC, NULL, 0, 0);

@ one depends on !both @ expression P, S, A; @@
  snd_pcm_set_ops(P, S, A);
+ snd_pcm_set_managed_buffer_all(P, SNDRV_DMA_TYPE_VMALLOC, NULL, 0, 0);

@ depends on both || one @ identifier O; @@
  struct snd_pcm_ops O = {
- .page = snd_pcm_lib_get_vmalloc_page,
  };

// callbacks that did nothing else
@ alloc depends on both || one @ identifier F, E; expression N; @@
- int F(struct snd_pcm_substream *E, ...)
- {
- 	return snd_pcm_lib_alloc_vmalloc_buffer(E, N);
- }

@ release depends on both || one @ identifier F, E; @@
- int F(struct snd_pcm_substream *E)
- {
- 	return snd_pcm_lib_free_vmalloc_buffer(E);
- }

@ depends on alloc @ identifier alloc.F, O; @@
  struct snd_pcm_ops O = {
- .hw_params = F,
  };

@ depends on release @ identifier release.F, O; @@
  struct snd_pcm_ops O = {
- .hw_free = F,
  };

@ depends on both || one @ expression E, N; @@
- return snd_pcm_lib_alloc_vmalloc_buffer(E, N);
+ return 0;

@ depends on both || one @ expression E; @@
- return snd_pcm_lib_free_vmalloc_buffer(E);
+ return 0;

@ depends on both || one @ expression E, N, R; statement S; @@
- R = snd_pcm_lib_alloc_vmalloc_buffer(E, N);
- if (\(R < 0\|R\)) S

@ depends on both || one @ expression E, N, R; @@
- R = snd_pcm_lib_alloc_vmalloc_buffer(E, N);
+ R = 0;

@ depends on both || one @ expression E; @@
- snd_pcm_lib_free_vmalloc_buffer(E);
