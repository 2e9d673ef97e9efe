// SPDX-License-Identifier: GPL-2.0-only
/// Clocks answer with determine_rate() alone: the rate and the parent's rate stand in
/// struct clk_rate_request, where the answer goes too; the return value is an error code.
/// The callback keeps its name, so that its other callers are found by the compiler.
//
// Title: answer by determine_rate()
// Replaces: struct clk_ops.round_rate
// Needs: struct clk_ops.determine_rate, struct clk_rate_request.best_parent_rate
// Since: 7.0
// Confidence: Moderate
// Risk: review

@ ops @ identifier O, F; @@
  struct clk_ops O = {
- .round_rate = F,
+ .determine_rate = F,
  };

@ body @ identifier ops.F, H, R, P; @@
- long F(struct clk_hw *H, unsigned long R, unsigned long *P)
+ int F(struct clk_hw *H, struct clk_rate_request *req)
  { ... }

// what is an error stays one
@ depends on body @ identifier ops.F; constant C; expression E; @@
  int F(...) {
  <...
(
  return -C;
|
- return E;
+ req->rate = E;
+ return 0;
)
  ...>
  }

@ depends on body @ identifier ops.F, body.R, body.P; @@
  int F(...) {
  <...
(
- *P
+ req->best_parent_rate
|
- P
+ &req->best_parent_rate
|
- R
+ req->rate
)
  ...>
  }
