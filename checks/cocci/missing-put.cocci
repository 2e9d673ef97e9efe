// SPDX-License-Identifier: GPL-2.0-only
/// A node or device reference that was taken is not put on a return of an error.
//# Only functions that put it on another way.
//
// Confidence: Moderate
// Comments: A reference that is stored elsewhere is not reported
// Options: --no-includes
// Keywords: of_node_put put_device

virtual report

@have depends on report exists@
expression x;
position a;
@@

x@a = \(of_find_node_by_name\|of_find_node_by_path\|of_find_compatible_node\|of_find_matching_node\|of_get_child_by_name\|of_get_parent\|of_get_next_child\|of_parse_phandle\|of_find_device_by_node\|bus_find_device\|bus_find_device_by_name\|class_find_device\|driver_find_device\|pci_get_device\|pci_get_domain_bus_and_slot\)(...)
... when any
\(of_node_put\|put_device\|platform_device_put\|pci_dev_put\)(<+...x...+>)

@r depends on report exists@
expression have.x;
position have.a, p;
expression E;
expression ret != 0;
statement S;
@@

x@a = \(of_find_node_by_name\|of_find_node_by_path\|of_find_compatible_node\|of_find_matching_node\|of_get_child_by_name\|of_get_parent\|of_get_next_child\|of_parse_phandle\|of_find_device_by_node\|bus_find_device\|bus_find_device_by_name\|class_find_device\|driver_find_device\|pci_get_device\|pci_get_domain_bus_and_slot\)(...)
... when != \(of_node_put\|put_device\|platform_device_put\|pci_dev_put\)(<+...x...+>)
    when != x = E
    when != E = x
if (<+... x ...+>) S
... when != \(of_node_put\|put_device\|platform_device_put\|pci_dev_put\)(<+...x...+>)
    when != x = E
    when != E = x
if (...) {
  ... when != \(of_node_put\|put_device\|platform_device_put\|pci_dev_put\)(<+...x...+>)
  return@p ret;
}

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "return without the put that is made elsewhere")
