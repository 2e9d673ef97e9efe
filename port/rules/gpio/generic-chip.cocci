// SPDX-License-Identifier: GPL-2.0-only
/// What the generic memory mapped GPIO chip needs is no longer part of every struct
/// gpio_chip: struct gpio_generic_chip holds the chip and the rest, and is set up from a
/// structure by gpio_generic_chip_init(). The chip is its member gc.
//
// Title: use struct gpio_generic_chip
// Replaces: bgpio_init, struct gpio_chip.bgpio_lock, struct gpio_chip.bgpio_data, struct gpio_chip.bgpio_dir,
//	BGPIOF_BIG_ENDIAN, BGPIOF_BIG_ENDIAN_BYTE_ORDER, BGPIOF_READ_OUTPUT_REG_SET,
//	BGPIOF_UNREADABLE_REG_SET, BGPIOF_UNREADABLE_REG_DIR, BGPIOF_NO_OUTPUT, BGPIOF_NO_SET_ON_INPUT
// Needs: gpio_generic_chip_init, struct gpio_generic_chip.gc, struct gpio_generic_chip_config.dirout
// Include: linux/gpio/generic.h
// Since: 6.18
// Confidence: Moderate
// Risk: review

// only a chip that is a member of the driver's structure
@ init @ type T; T *X; identifier M; expression R, D, Z, A, S, C, O, I, F; @@
- R = bgpio_init(&X->M, D, Z, A, S, C, O, I, F);
+ R = gpio_generic_chip_init(&X->M, &(struct gpio_generic_chip_config) { .dev = D, .sz = Z, .dat = A, .set = S, .clr = C, .dirout = O, .dirin = I, .flags = F, });

@ member depends on init @ identifier S, init.M; @@
  struct S {
  ...
- struct gpio_chip M;
+ struct gpio_generic_chip M;
  ...
  };

@ depends on member @ identifier member.S, init.M; struct S *X; @@
(
  gpio_generic_chip_init(&X->M, ...)
|
- X->M
+ X->M.gc
)

@ depends on member @ identifier member.S, init.M; expression E; @@
- container_of(E, struct S, M)
+ container_of(E, struct S, M.gc)

@ depends on init @ struct gpio_chip *G; @@
(
- G->bgpio_lock
+ to_gpio_generic_chip(G)->lock
|
- G->bgpio_data
+ to_gpio_generic_chip(G)->sdata
|
- G->bgpio_dir
+ to_gpio_generic_chip(G)->sdir
|
- G->bgpio_bits
+ to_gpio_generic_chip(G)->bits
|
- G->read_reg
+ to_gpio_generic_chip(G)->read_reg
|
- G->write_reg
+ to_gpio_generic_chip(G)->write_reg
|
- G->reg_dat
+ to_gpio_generic_chip(G)->reg_dat
|
- G->reg_set
+ to_gpio_generic_chip(G)->reg_set
|
- G->reg_clr
+ to_gpio_generic_chip(G)->reg_clr
|
- G->reg_dir_out
+ to_gpio_generic_chip(G)->reg_dir_out
|
- G->reg_dir_in
+ to_gpio_generic_chip(G)->reg_dir_in
)

@ @ @@
(
- BGPIOF_BIG_ENDIAN
+ GPIO_GENERIC_BIG_ENDIAN
|
- BGPIOF_UNREADABLE_REG_SET
+ GPIO_GENERIC_UNREADABLE_REG_SET
|
- BGPIOF_UNREADABLE_REG_DIR
+ GPIO_GENERIC_UNREADABLE_REG_DIR
|
- BGPIOF_BIG_ENDIAN_BYTE_ORDER
+ GPIO_GENERIC_BIG_ENDIAN_BYTE_ORDER
|
- BGPIOF_READ_OUTPUT_REG_SET
+ GPIO_GENERIC_READ_OUTPUT_REG_SET
|
- BGPIOF_NO_OUTPUT
+ GPIO_GENERIC_NO_OUTPUT
|
- BGPIOF_NO_SET_ON_INPUT
+ GPIO_GENERIC_NO_SET_ON_INPUT
)

// none of these is told as a null pointer
@ depends on init @ identifier c = {set, clr, dirout, dirin}; @@
  (struct gpio_generic_chip_config) {
- .c = NULL,
  }
