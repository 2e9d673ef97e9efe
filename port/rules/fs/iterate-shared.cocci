// SPDX-License-Identifier: GPL-2.0-only
/// The exclusive directory callback "iterate" is gone. WRAP_DIR_ITER() makes of
/// such a function one that takes the exclusive lock around it, to be used as
/// "iterate_shared".
//
// Title: wrap the directory iterator for iterate_shared
// Replaces: struct file_operations.iterate
// Needs: WRAP_DIR_ITER, struct file_operations.iterate_shared
// Since: 6.6
// Commit: 3e3271549670
// Confidence: High
// Risk: safe

@r@ identifier ops, fn; fresh identifier sfn = "shared_" ## fn; @@
  struct file_operations ops = {
- .iterate = fn,
+ .iterate_shared = sfn,
  };

@depends on r@ identifier r.fn; declarer name WRAP_DIR_ITER; @@
  fn(...)
  {
  ...
  }
+ WRAP_DIR_ITER(fn);
