// SPDX-License-Identifier: GPL-2.0-only
/// A mapping that was made is not undone on a return of an error.
//# Only functions that undo it on another way.
//
// Confidence: Moderate
// Comments: None
// Options: --no-includes
// Keywords: ioremap iounmap

virtual report

@have depends on report exists@
expression x;
position a;
@@

x@a = \(ioremap\|ioremap_wc\|ioremap_cache\|ioremap_nocache\|of_iomap\|pci_iomap\|pci_ioremap_bar\)(...)
... when any
\(iounmap(x)\|pci_iounmap(..., x)\)

@r depends on report exists@
expression have.x;
position have.a, p;
expression E;
expression ret != 0;
statement S;
@@

x@a = \(ioremap\|ioremap_wc\|ioremap_cache\|ioremap_nocache\|of_iomap\|pci_iomap\|pci_ioremap_bar\)(...)
... when != \(iounmap(x)\|pci_iounmap(..., x)\)
    when != x = E
if (<+... x ...+>) S
... when != \(iounmap(x)\|pci_iounmap(..., x)\)
    when != x = E
if (...) {
  ... when != \(iounmap(x)\|pci_iounmap(..., x)\)
  return@p ret;
}

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "return without the iounmap that is made elsewhere")
