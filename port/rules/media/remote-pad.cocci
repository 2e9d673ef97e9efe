// SPDX-License-Identifier: GPL-2.0-only
/// media_entity_remote_pad() was renamed to media_pad_remote_pad_first().
//
// Title: use media_pad_remote_pad_first()
// Replaces: media_entity_remote_pad
// Needs: media_pad_remote_pad_first
// Since: 6.0
// Confidence: High
// Risk: safe

@@ expression P; @@
- media_entity_remote_pad(P)
+ media_pad_remote_pad_first(P)
