// SPDX-License-Identifier: GPL-2.0-only
/// struct thermal_zone_device is private to the thermal core: its members are
/// reached through accessors.
//
// Title: use the accessors of struct thermal_zone_device
// Replaces: struct thermal_zone_device
// Needs: thermal_zone_device_priv, thermal_zone_device_type, thermal_zone_device_id,
//	thermal_zone_device
// Since: 6.4
// Confidence: High
// Risk: safe

@@ struct thermal_zone_device *T; @@
(
- T->devdata
+ thermal_zone_device_priv(T)
|
- T->type
+ thermal_zone_device_type(T)
|
- T->id
+ thermal_zone_device_id(T)
|
- &T->device
+ thermal_zone_device(T)
)
