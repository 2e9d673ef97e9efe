// SPDX-License-Identifier: GPL-2.0-only
/// A thermal zone without trip points, and so without mask and without polling delays,
/// is registered by thermal_tripless_zone_device_register(). With trip points the
/// driver has to give them as an array, which this does not make up.
//
// Title: register a zone without trip points
// Replaces: thermal_zone_device_register
// Needs: thermal_tripless_zone_device_register
// Since: 6.8
// Confidence: High
// Risk: safe

@@ expression T, D, O, P; @@
- thermal_zone_device_register(T, 0, 0, D, O, P, 0, 0)
+ thermal_tripless_zone_device_register(T, D, O, P)
