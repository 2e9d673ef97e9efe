// SPDX-License-Identifier: GPL-2.0-only
/// Interrupt domains are made from a firmware node: irq_domain_add_linear() and
/// its kind, which took a device tree node, are gone.
//
// Title: use irq_domain_create_linear() and its kind
// Replaces: irq_domain_add_linear, irq_domain_add_simple, irq_domain_add_tree,
//	irq_domain_add_legacy
// Needs: irq_domain_create_linear, irq_domain_create_simple, irq_domain_create_tree,
//	irq_domain_create_legacy, of_fwnode_handle
// Include: linux/of.h
// Since: 6.17
// Confidence: High
// Risk: safe

@@ expression N, S, O, D, F, H; @@
(
- irq_domain_add_linear(NULL, S, O, D)
+ irq_domain_create_linear(NULL, S, O, D)
|
- irq_domain_add_linear(N, S, O, D)
+ irq_domain_create_linear(of_fwnode_handle(N), S, O, D)
|
- irq_domain_add_tree(N, O, D)
+ irq_domain_create_tree(of_fwnode_handle(N), O, D)
|
- irq_domain_add_simple(N, S, F, O, D)
+ irq_domain_create_simple(of_fwnode_handle(N), S, F, O, D)
|
- irq_domain_add_legacy(N, S, F, H, O, D)
+ irq_domain_create_legacy(of_fwnode_handle(N), S, F, H, O, D)
)
