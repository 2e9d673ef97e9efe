// SPDX-License-Identifier: GPL-2.0-only
/// The delay behind an SPI transfer has a unit: delay_usecs became delay.
//
// Title: use spi_transfer.delay in place of delay_usecs
// Replaces: struct spi_transfer.delay_usecs
// Needs: struct spi_transfer.delay, SPI_DELAY_UNIT_USECS
// Since: 5.13
// Confidence: High
// Risk: safe

@@ expression T, E; @@
(
- T.delay_usecs = E;
+ T.delay.value = E;
+ T.delay.unit = SPI_DELAY_UNIT_USECS;
|
- T->delay_usecs = E;
+ T->delay.value = E;
+ T->delay.unit = SPI_DELAY_UNIT_USECS;
)

@@ identifier T; expression E; @@
  struct spi_transfer T = {
- .delay_usecs = E,
+ .delay.value = E,
+ .delay.unit = SPI_DELAY_UNIT_USECS,
  };
