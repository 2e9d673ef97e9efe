// SPDX-License-Identifier: GPL-2.0-only
/// The pin control functions for GPIOs take the chip and the offset in it, of which
/// callers made a number of the global GPIO space before.
//
// Title: give pin control the chip and the offset
// Replaces: pinctrl_gpio_request/1, pinctrl_gpio_free/1, pinctrl_gpio_direction_input/1,
//	pinctrl_gpio_direction_output/1
// Needs: pinctrl_gpio_request/2, pinctrl_gpio_direction_output/2
// Since: 6.7
// Confidence: High
// Risk: safe

@@ struct gpio_chip *G; struct gpio_chip H; expression O; @@
(
- pinctrl_gpio_request(G->base + O)
+ pinctrl_gpio_request(G, O)
|
- pinctrl_gpio_request(O + G->base)
+ pinctrl_gpio_request(G, O)
|
- pinctrl_gpio_request(H.base + O)
+ pinctrl_gpio_request(&H, O)
|
- pinctrl_gpio_free(G->base + O)
+ pinctrl_gpio_free(G, O)
|
- pinctrl_gpio_free(O + G->base)
+ pinctrl_gpio_free(G, O)
|
- pinctrl_gpio_free(H.base + O)
+ pinctrl_gpio_free(&H, O)
|
- pinctrl_gpio_direction_input(G->base + O)
+ pinctrl_gpio_direction_input(G, O)
|
- pinctrl_gpio_direction_input(O + G->base)
+ pinctrl_gpio_direction_input(G, O)
|
- pinctrl_gpio_direction_input(H.base + O)
+ pinctrl_gpio_direction_input(&H, O)
|
- pinctrl_gpio_direction_output(G->base + O)
+ pinctrl_gpio_direction_output(G, O)
|
- pinctrl_gpio_direction_output(O + G->base)
+ pinctrl_gpio_direction_output(G, O)
|
- pinctrl_gpio_direction_output(H.base + O)
+ pinctrl_gpio_direction_output(&H, O)
)
