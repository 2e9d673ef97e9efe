// SPDX-License-Identifier: GPL-2.0-only
/// The magic number of a line discipline was never looked at and is gone.
//
// Title: drop the magic of the line discipline
// Replaces: struct tty_ldisc_ops.magic, TTY_LDISC_MAGIC
// Since: 5.13
// Confidence: High
// Risk: safe

@@ identifier L; @@
  struct tty_ldisc_ops L = {
- .magic = TTY_LDISC_MAGIC,
  };

@@ expression L; @@
(
- L.magic = TTY_LDISC_MAGIC;
|
- L->magic = TTY_LDISC_MAGIC;
)
