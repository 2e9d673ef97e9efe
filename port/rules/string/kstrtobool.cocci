// SPDX-License-Identifier: GPL-2.0-only
/// strtobool() was an alias of kstrtobool() and is gone.
//
// Title: use kstrtobool() in place of strtobool()
// Replaces: strtobool
// Needs: kstrtobool
// Include: linux/kstrtox.h
// Since: 6.4
// Confidence: High
// Risk: safe

@@ expression S, R; @@
- strtobool(S, R)
+ kstrtobool(S, R)
