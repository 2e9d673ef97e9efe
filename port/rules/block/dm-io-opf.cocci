// SPDX-License-Identifier: GPL-2.0-only
/// The operation and the flags of a dm_io_request are one word.
//
// Title: set bi_opf of struct dm_io_request
// Replaces: struct dm_io_request.bi_op, struct dm_io_request.bi_op_flags
// Needs: struct dm_io_request.bi_opf
// Since: 6.0
// Confidence: High
// Risk: safe

@@ identifier D; expression O; @@
  struct dm_io_request D = {
- .bi_op = O, .bi_op_flags = 0,
+ .bi_opf = O,
  };

@@ identifier D; expression O, F; @@
  struct dm_io_request D = {
- .bi_op = O, .bi_op_flags = F,
+ .bi_opf = O | F,
  };

@ alone @ identifier D; expression O; @@
  struct dm_io_request D = {
- .bi_op = O,
+ .bi_opf = O,
  };

@@ expression E, O; @@
(
- E.bi_op = O;
- E.bi_op_flags = 0;
+ E.bi_opf = O;
|
- E->bi_op = O;
- E->bi_op_flags = 0;
+ E->bi_opf = O;
)

@@ expression E, O, F; @@
(
- E.bi_op = O;
- E.bi_op_flags = F;
+ E.bi_opf = O | F;
|
- E->bi_op = O;
- E->bi_op_flags = F;
+ E->bi_opf = O | F;
)
