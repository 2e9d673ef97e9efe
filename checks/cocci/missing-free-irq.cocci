// SPDX-License-Identifier: GPL-2.0-only
/// An interrupt that was requested is not freed on a return of an error.
//# Only functions that free it on another way.
//
// Confidence: Moderate
// Comments: None
// Options: --no-includes
// Keywords: request_irq free_irq

virtual report

@have depends on report exists@
expression irq, e;
position a;
@@

e = \(request_irq@a\|request_threaded_irq@a\|request_any_context_irq@a\)(irq, ...)
... when any
free_irq(irq, ...)

@r depends on report exists@
expression have.irq, e;
position have.a, p;
expression ret != 0;
statement S;
@@

e = \(request_irq@a\|request_threaded_irq@a\|request_any_context_irq@a\)(irq, ...)
... when != free_irq(irq, ...)
if (<+... e ...+>) S
... when != free_irq(irq, ...)
if (...) {
  ... when != free_irq(irq, ...)
  return@p ret;
}

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "return without the free_irq that is made elsewhere")
