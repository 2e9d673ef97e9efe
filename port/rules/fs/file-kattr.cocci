// SPDX-License-Identifier: GPL-2.0-only
/// struct fileattr was renamed to struct file_kattr.
//
// Title: use struct file_kattr in place of struct fileattr
// Replaces: struct fileattr
// Needs: struct file_kattr
// Since: 6.17
// Commit: ca115d7e7546
// Confidence: High
// Risk: safe

@@ @@
- struct fileattr
+ struct file_kattr
