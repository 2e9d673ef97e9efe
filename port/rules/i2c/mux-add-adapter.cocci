// SPDX-License-Identifier: GPL-2.0-only
/// Adapters of an I2C multiplexer have no class: the argument is gone, and was zero
/// in all that were written with care.
//
// Title: drop the class of i2c_mux_add_adapter()
// Replaces: i2c_mux_add_adapter/4
// Needs: i2c_mux_add_adapter/3
// Since: 6.10
// Confidence: High
// Risk: safe

@@ expression M, F, C; @@
- i2c_mux_add_adapter(M, F, C, 0)
+ i2c_mux_add_adapter(M, F, C)
