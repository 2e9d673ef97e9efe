// SPDX-License-Identifier: GPL-2.0-only
/// A lock that was taken is still held on a return of an error.
//# Functions that return with the lock held on purpose are reported when they have an unlock at all.
//
// Confidence: Moderate
// Comments: Only the locks named below.
// Options: --no-includes
// Keywords: mutex_lock spin_lock

virtual report

@r depends on report@
expression E, x;
expression ret != 0;
position p;
@@

(
mutex_lock(E);
|
mutex_lock_nested(E, x);
|
down(E);
|
spin_lock(E);
|
spin_lock_bh(E);
|
spin_lock_irq(E);
|
spin_lock_irqsave(E, x);
)
... when != \(mutex_unlock(E)\|up(E)\|spin_unlock(E)\|spin_unlock_bh(E)\|spin_unlock_irq(E)\|spin_unlock_irqrestore(E, x)\)
    when any
    when forall
if (...) {
  ... when != \(mutex_unlock(E)\|up(E)\|spin_unlock(E)\|spin_unlock_bh(E)\|spin_unlock_irq(E)\|spin_unlock_irqrestore(E, x)\)
      when forall
  return@p ret;
}
... when any
\(mutex_unlock(E)\|up(E)\|spin_unlock(E)\|spin_unlock_bh(E)\|spin_unlock_irq(E)\|spin_unlock_irqrestore(E, x)\);

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "return with a lock held that is released elsewhere")
