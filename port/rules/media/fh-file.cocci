// SPDX-License-Identifier: GPL-2.0-only
/// v4l2_fh_add() and v4l2_fh_del() take the file, whose private data they set.
/// Only calls in functions with one struct file parameter are rewritten.
//
// Title: pass the file to v4l2_fh_add() and v4l2_fh_del()
// Replaces: v4l2_fh_add/1, v4l2_fh_del/1
// Needs: v4l2_fh_add/2, v4l2_fh_del/2
// Since: 6.18
// Confidence: Moderate
// Risk: review

@@ identifier F, P; expression H; @@
  F(struct file *P)
  {
  <...
(
- v4l2_fh_add(H)
+ v4l2_fh_add(H, P)
|
- v4l2_fh_del(H)
+ v4l2_fh_del(H, P)
)
  ...>
  }
