// SPDX-License-Identifier: GPL-2.0-only
/// Nothing is instantiated for the adapter classes I2C_CLASS_SPD and
/// I2C_CLASS_DDC any more, so an adapter need not name them.
//
// Title: drop I2C_CLASS_SPD and I2C_CLASS_DDC
// Replaces: I2C_CLASS_SPD, I2C_CLASS_DDC
// Since: 6.12
// Confidence: High
// Risk: safe

@@ expression E; identifier C =~ "^I2C_CLASS_(SPD|DDC)$"; @@
(
- E | C
+ E
|
- C | E
+ E
)

@@ expression A; identifier C =~ "^I2C_CLASS_(SPD|DDC)$"; @@
- A.class = C;

@@ expression A; identifier C =~ "^I2C_CLASS_(SPD|DDC)$"; @@
- A->class = C;

@@ identifier I, C =~ "^I2C_CLASS_(SPD|DDC)$"; @@
  struct i2c_adapter I = {
- .class = C,
  };
