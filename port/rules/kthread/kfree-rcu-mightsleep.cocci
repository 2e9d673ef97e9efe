// SPDX-License-Identifier: GPL-2.0-only
/// kfree_rcu() and kvfree_rcu() take two arguments; the form with one, which may
/// sleep, has a name that says so.
//
// Title: use kfree_rcu_mightsleep() for the form with one argument
// Replaces: kfree_rcu~..., kvfree_rcu~...
// Needs: kfree_rcu_mightsleep, kvfree_rcu_mightsleep
// Since: 6.5
// Confidence: High
// Risk: safe

@@ expression P; @@
- kfree_rcu(P)
+ kfree_rcu_mightsleep(P)

@@ expression P; @@
- kvfree_rcu(P)
+ kvfree_rcu_mightsleep(P)
