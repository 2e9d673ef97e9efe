// SPDX-License-Identifier: GPL-2.0-only
/// of_node_to_fwnode() was another name of of_fwnode_handle(), and
/// irq_domain_add_hierarchy() only called irq_domain_create_hierarchy() with it.
//
// Title: use of_fwnode_handle() for interrupt domains
// Replaces: of_node_to_fwnode, irq_domain_add_hierarchy
// Needs: of_fwnode_handle, irq_domain_create_hierarchy
// Since: 6.16
// Confidence: High
// Risk: safe

@@ expression P, F, S, N, O, H; @@
(
- irq_domain_add_hierarchy(P, F, S, NULL, O, H)
+ irq_domain_create_hierarchy(P, F, S, NULL, O, H)
|
- irq_domain_add_hierarchy(P, F, S, N, O, H)
+ irq_domain_create_hierarchy(P, F, S, of_fwnode_handle(N), O, H)
)

@@ expression N; @@
- of_node_to_fwnode(N)
+ of_fwnode_handle(N)
