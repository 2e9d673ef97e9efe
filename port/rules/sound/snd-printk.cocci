// SPDX-License-Identifier: GPL-2.0-only
/// snd_printk() was printk() with an optional file and line in front, snd_printd() and
/// snd_printdd() the same for debugging. They are gone; the message stays. A driver
/// that has a device at hand can use dev_err() and its like instead.
//
// Title: use pr_err() and its like in place of snd_printk()
// Replaces: snd_printk, snd_printd, snd_printdd
// Needs: !snd_printk
// Since: 6.12
// Confidence: High
// Risk: review

@@ expression list A; @@
(
- snd_printk(A)
+ printk(A)
|
- snd_printd(A)
+ printk(A)
|
- snd_printdd(A)
+ printk(A)
)
