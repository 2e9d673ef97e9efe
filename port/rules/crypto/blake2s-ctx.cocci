// SPDX-License-Identifier: GPL-2.0-only
/// struct blake2s_state was renamed to struct blake2s_ctx.
//
// Title: use struct blake2s_ctx in place of struct blake2s_state
// Replaces: struct blake2s_state
// Needs: struct blake2s_ctx
// Since: 6.19
// Confidence: High
// Risk: safe

@@ @@
- struct blake2s_state
+ struct blake2s_ctx
