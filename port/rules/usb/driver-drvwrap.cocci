// SPDX-License-Identifier: GPL-2.0-only
/// struct usb_driver holds its device_driver directly: the wrapper around it is
/// gone.
//
// Title: use usb_driver.driver in place of drvwrap.driver
// Replaces: struct usb_driver.drvwrap
// Needs: struct usb_driver.driver
// Since: 6.8
// Confidence: High
// Risk: safe

@@ expression D; @@
- D.drvwrap.driver
+ D.driver

@@ expression D; @@
- D->drvwrap.driver
+ D->driver

@@ identifier U; initializer I; @@
  struct usb_driver U = {
- .drvwrap.driver = I,
+ .driver = I,
  };

@@ identifier U, M; expression E; @@
  struct usb_driver U = {
- .drvwrap.driver.M = E,
+ .driver.M = E,
  };
