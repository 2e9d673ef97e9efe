// SPDX-License-Identifier: GPL-2.0-only
/// The compatibility name "master" of struct spi_device is gone; the member is
/// called controller.
//
// Title: use spi_device.controller in place of master
// Replaces: struct spi_device.master
// Needs: struct spi_device.controller
// Since: 6.9
// Confidence: High
// Risk: safe

@@ struct spi_device *S; @@
- S->master
+ S->controller

@@ expression E; @@
- E->spi->master
+ E->spi->controller
