// SPDX-License-Identifier: GPL-2.0-only
/// debugfs_rename() is gone: debugfs_change_name() renames an entry inside its
/// directory and returns an error code. Only calls that stay in one directory
/// and ignore the result are rewritten.
//
// Title: use debugfs_change_name() in place of debugfs_rename()
// Replaces: debugfs_rename
// Needs: debugfs_change_name
// Since: 6.14
// Commit: f7862dfef661
// Confidence: High
// Risk: review

@@ expression D, E, N; @@
- debugfs_rename(D, E, D, N);
+ debugfs_change_name(E, "%s", N);
