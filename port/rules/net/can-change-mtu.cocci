// SPDX-License-Identifier: GPL-2.0-only
/// The limits of a CAN device's MTU are kept in the device and checked by the
/// core, so the callback can_change_mtu() is gone.
//
// Title: leave the change of the MTU to the core
// Replaces: can_change_mtu
// Since: 6.18
// Confidence: Moderate
// Risk: review

@@ identifier O; @@
  struct net_device_ops O = {
- .ndo_change_mtu = can_change_mtu,
  };
