// SPDX-License-Identifier: GPL-2.0-only
/// no_llseek is gone: a file_operations without an llseek callback refuses to
/// seek by itself, which is what no_llseek stood for since 6.0.
//
// Title: drop no_llseek, a missing llseek callback means the same
// Replaces: no_llseek
// Since: 6.12
// Commit: cb787f4ac0c2
// Confidence: High
// Risk: safe

@@ identifier ops; @@
  struct file_operations ops = {
- .llseek = no_llseek,
  };
