// SPDX-License-Identifier: GPL-2.0-only
/// The names with "master" were aliases for those with "controller" and are gone.
//
// Title: use the spi_controller names
// Replaces: spi_master, spi_alloc_master, spi_register_master, spi_unregister_master,
//	devm_spi_register_master, spi_master_get_devdata, spi_master_set_devdata,
//	spi_master_get, spi_master_put, devm_spi_alloc_master
// Needs: struct spi_controller, spi_alloc_host, devm_spi_alloc_host, spi_register_controller
// Since: 6.9
// Confidence: High
// Risk: safe

@@ @@
- struct spi_master
+ struct spi_controller

@@ expression A, B; @@
(
- spi_alloc_master(A, B)
+ spi_alloc_host(A, B)
|
- devm_spi_alloc_master(A, B)
+ devm_spi_alloc_host(A, B)
|
- devm_spi_register_master(A, B)
+ devm_spi_register_controller(A, B)
|
- spi_master_set_devdata(A, B)
+ spi_controller_set_devdata(A, B)
|
- spi_register_master(A)
+ spi_register_controller(A)
|
- spi_unregister_master(A)
+ spi_unregister_controller(A)
|
- spi_master_get_devdata(A)
+ spi_controller_get_devdata(A)
|
- spi_master_get(A)
+ spi_controller_get(A)
|
- spi_master_put(A)
+ spi_controller_put(A)
)
