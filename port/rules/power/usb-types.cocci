// SPDX-License-Identifier: GPL-2.0-only
/// The USB types of a power supply are a mask of their numbers and no array: their number
/// is not told. Only arrays that nothing else uses, of up to four types.
//
// Title: tell the USB types as a mask
// Replaces: struct power_supply_desc.num_usb_types
// Needs: struct power_supply_desc.usb_types~u32
// Since: 6.12
// Confidence: High
// Risk: safe

@ a1 @ identifier A; expression E0; @@
  enum power_supply_usb_type A[] = { E0 };

@ b1 depends on a1 @ identifier D, a1.A; expression a1.E0; @@
  struct power_supply_desc D = {
- .usb_types = A,
+ .usb_types = BIT(E0),
  };

@ depends on b1 @ identifier a1.A; @@
- enum power_supply_usb_type A[] = { ... };

@ a2 @ identifier A; expression E0, E1; @@
  enum power_supply_usb_type A[] = { E0, E1 };

@ b2 depends on a2 @ identifier D, a2.A; expression a2.E0, a2.E1; @@
  struct power_supply_desc D = {
- .usb_types = A,
+ .usb_types = BIT(E0) | BIT(E1),
  };

@ depends on b2 @ identifier a2.A; @@
- enum power_supply_usb_type A[] = { ... };

@ a3 @ identifier A; expression E0, E1, E2; @@
  enum power_supply_usb_type A[] = { E0, E1, E2 };

@ b3 depends on a3 @ identifier D, a3.A; expression a3.E0, a3.E1, a3.E2; @@
  struct power_supply_desc D = {
- .usb_types = A,
+ .usb_types = BIT(E0) | BIT(E1) | BIT(E2),
  };

@ depends on b3 @ identifier a3.A; @@
- enum power_supply_usb_type A[] = { ... };

@ a4 @ identifier A; expression E0, E1, E2, E3; @@
  enum power_supply_usb_type A[] = { E0, E1, E2, E3 };

@ b4 depends on a4 @ identifier D, a4.A; expression a4.E0, a4.E1, a4.E2, a4.E3; @@
  struct power_supply_desc D = {
- .usb_types = A,
+ .usb_types = BIT(E0) | BIT(E1) | BIT(E2) | BIT(E3),
  };

@ depends on b4 @ identifier a4.A; @@
- enum power_supply_usb_type A[] = { ... };

@@ identifier D; expression E; @@
  struct power_supply_desc D = {
- .num_usb_types = E,
  };
