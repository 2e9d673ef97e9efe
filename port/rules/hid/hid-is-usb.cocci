// SPDX-License-Identifier: GPL-2.0-only
/// Whether a HID device hangs on USB is asked with hid_is_usb(): the low-level
/// driver of USB is private.
//
// Title: use hid_is_usb() in place of hid_is_using_ll_driver()
// Replaces: hid_is_using_ll_driver
// Needs: hid_is_usb
// Since: 5.17
// Confidence: High
// Risk: safe

@@ expression H; @@
- hid_is_using_ll_driver(H, &usb_hid_driver)
+ hid_is_usb(H)
