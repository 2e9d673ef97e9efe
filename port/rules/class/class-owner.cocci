// SPDX-License-Identifier: GPL-2.0-only
/// struct class lost its owner, which nothing used.
//
// Title: drop the owner of struct class
// Replaces: struct class.owner
// Since: 6.4
// Commit: 6e30a66433af
// Confidence: High
// Risk: safe

@@ identifier C; @@
  struct class C = {
- .owner = THIS_MODULE,
  };
