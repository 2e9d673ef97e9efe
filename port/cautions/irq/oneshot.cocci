// SPDX-License-Identifier: GPL-2.0-only
/// IRQF_ONESHOT keeps the line masked until the handler's thread is done. Without
/// a thread it means nothing, and the kernel warns about it since then.
//
// Title: do not ask for IRQF_ONESHOT without a threaded handler
// Uses: IRQF_ONESHOT
// Before: !kernel>=7.0
// Needs: kernel>=7.0
// Since: 7.0
// Confidence: High
// Risk: review

@@
expression I, H, F;
@@
  request_irq(I, H,
(
- F | IRQF_ONESHOT
+ F
|
- IRQF_ONESHOT | F
+ F
|
- IRQF_ONESHOT
+ 0
)
  , ...)

@@
expression D, I, H, F;
@@
  devm_request_irq(D, I, H,
(
- F | IRQF_ONESHOT
+ F
|
- IRQF_ONESHOT | F
+ F
|
- IRQF_ONESHOT
+ 0
)
  , ...)
