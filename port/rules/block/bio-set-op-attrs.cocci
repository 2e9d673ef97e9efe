// SPDX-License-Identifier: GPL-2.0-only
/// bio_set_op_attrs() is gone: the operation and its flags are one word.
//
// Title: set bi_opf in place of bio_set_op_attrs()
// Replaces: bio_set_op_attrs
// Needs: struct bio.bi_opf
// Since: 6.2
// Confidence: High
// Risk: safe

@@ expression B, O, F; @@
(
- bio_set_op_attrs(B, O, 0)
+ B->bi_opf = O
|
- bio_set_op_attrs(B, O, F)
+ B->bi_opf = O | F
)
