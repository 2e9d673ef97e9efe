// SPDX-License-Identifier: GPL-2.0-only
/// A GPIO chip takes its firmware node, of whatever kind, in fwnode; of_node is
/// gone.
//
// Title: use gpio_chip.fwnode in place of of_node
// Replaces: struct gpio_chip.of_node
// Needs: struct gpio_chip.fwnode, of_fwnode_handle
// Include: linux/of.h
// Since: 6.2
// Confidence: High
// Risk: safe

@@ struct gpio_chip *C; expression N; @@
- C->of_node = N;
+ C->fwnode = of_fwnode_handle(N);

@@ expression E, N; identifier C =~ "^(gc|chip|gpio|gpiochip|gpio_chip)$"; @@
- E->C.of_node = N;
+ E->C.fwnode = of_fwnode_handle(N);
