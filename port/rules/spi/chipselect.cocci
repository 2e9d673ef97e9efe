// SPDX-License-Identifier: GPL-2.0-only
/// A device on an SPI bus may have several chip selects, so they are reached
/// through spi_get_chipselect() and spi_get_csgpiod() with an index; the first is
/// what the plain members were.
//
// Title: use spi_get_chipselect() and spi_get_csgpiod()
// Replaces: struct spi_device.chip_select:u8, struct spi_device.cs_gpiod:struct gpio_desc *
// Needs: spi_get_chipselect, spi_set_chipselect, spi_get_csgpiod
// Since: 6.3
// Commit: 9e264f3f85a5
// Confidence: High
// Risk: safe

@@ struct spi_device *S; expression E; @@
(
- S->chip_select = E
+ spi_set_chipselect(S, 0, E)
|
- S->cs_gpiod = E
+ spi_set_csgpiod(S, 0, E)
)

@@ struct spi_device *S; @@
(
- S->chip_select
+ spi_get_chipselect(S, 0)
|
- S->cs_gpiod
+ spi_get_csgpiod(S, 0)
)

@@ expression E; @@
(
- E->spi->chip_select
+ spi_get_chipselect(E->spi, 0)
|
- E->spi->cs_gpiod
+ spi_get_csgpiod(E->spi, 0)
)
