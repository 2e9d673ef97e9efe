// SPDX-License-Identifier: GPL-2.0-only
/// Tables of tables are gone from sysctl: the directories are named in the path
/// that register_sysctl() takes, and the tables that only held directories go. It
/// also knows the size of the table: the empty entry at its end is a fault now.
//
// Title: use register_sysctl() with a path
// Replaces: register_sysctl_table, struct ctl_table.child
// Needs: register_sysctl, register_sysctl_sz
// Since: 6.6
// Confidence: High
// Risk: review

@inner@ identifier D, T; constant char [] B; @@
  struct ctl_table D[] = { { .procname = B, .mode = 0555, .child = T, }, { }, };

@outer@ identifier R, inner.D; constant char [] A; @@
  struct ctl_table R[] = { { .procname = A, .mode = 0555, .child = D, }, { }, };

@script:python join@ A << outer.A; B << inner.B; path; @@
coccinelle.path = cocci.make_expr('"%s/%s"' % (A.strip('"'), B.strip('"')))

@call@ identifier outer.R, inner.T; expression join.path; @@
- register_sysctl_table(R)
+ register_sysctl(path, T)

@depends on call@ identifier inner.D; @@
- struct ctl_table D[] = { ... };

@depends on call@ identifier outer.R; @@
- struct ctl_table R[] = { ... };

@depends on call@ identifier inner.T; @@
  struct ctl_table T[] = {
  ...,
- { }
  };
