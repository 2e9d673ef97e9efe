// SPDX-License-Identifier: GPL-2.0-only
/// class_create() lost its first argument: the module that owns a class was never
/// used.
//
// Title: drop the owner argument of class_create()
// Replaces: class_create/2
// Needs: class_create/1
// Since: 6.4
// Commit: 1aaba11da9aa
// Confidence: High
// Risk: safe

@@ expression N; @@
- class_create(THIS_MODULE, N)
+ class_create(N)
