// SPDX-License-Identifier: GPL-2.0-only
/// A power supply takes its firmware node, of whatever kind, in fwnode: of_node
/// is gone from its configuration.
//
// Title: use power_supply_config.fwnode in place of of_node
// Replaces: struct power_supply_config.of_node
// Needs: struct power_supply_config.fwnode, dev_fwnode, of_fwnode_handle
// Include: linux/property.h
// Since: 6.16
// Confidence: High
// Risk: safe

@@ struct power_supply_config C; expression D, N; @@
(
- C.of_node = D->dev.of_node;
+ C.fwnode = dev_fwnode(&D->dev);
|
- C.of_node = D->of_node;
+ C.fwnode = dev_fwnode(D);
|
- C.of_node = N;
+ C.fwnode = of_fwnode_handle(N);
)
