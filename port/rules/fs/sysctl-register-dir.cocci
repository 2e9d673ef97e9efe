// SPDX-License-Identifier: GPL-2.0-only
/// Tables of tables are gone from sysctl: the directory is named in the path
/// that register_sysctl() takes, and the table that only held the directory goes. It
/// also knows the size of the table: the empty entry at its end is a fault now.
//
// Title: use register_sysctl() with the name of the directory
// Replaces: register_sysctl_table, struct ctl_table.child
// Needs: register_sysctl, register_sysctl_sz
// Since: 6.6
// Confidence: High
// Risk: review

@initialize:python@ @@
directories = set()

@dir@ identifier R, T; constant char [] A; @@
  struct ctl_table R[] = { { .procname = A, .mode = 0555, .child = T, }, { }, };

@script:python@ R << dir.R; @@
directories.add(R)

// A directory of directories is for the rule sysctl-register.
@script:python leaf@ T << dir.T; R << dir.R; A << dir.A; table; root; path; @@
if T in directories:
	cocci.include_match(False)
coccinelle.table = cocci.make_ident(T)
coccinelle.root = cocci.make_ident(R)
coccinelle.path = cocci.make_expr(A)

@call@ identifier leaf.root, leaf.table; expression leaf.path; @@
- register_sysctl_table(root)
+ register_sysctl(path, table)

@depends on call@ identifier leaf.root; @@
- struct ctl_table root[] = { ... };

@depends on call@ identifier leaf.table; @@
  struct ctl_table table[] = {
  ...,
- { }
  };
