// SPDX-License-Identifier: GPL-2.0-only
/// of_property_for_each_u32() keeps its cursors itself: the property and the pointer
/// that were handed to it are not needed, nor are the variables when nothing else
/// uses them.
//
// Title: drop the cursors of of_property_for_each_u32()
// Replaces: of_property_for_each_u32/5
// Needs: of_property_for_each_u32/3
// Since: 6.11
// Confidence: High
// Risk: safe

@ use @
iterator name of_property_for_each_u32;
expression N, S, U;
identifier P, Q;
statement ST;
@@
- of_property_for_each_u32(N, S, P, Q, U)
+ of_property_for_each_u32(N, S, U)
  ST

@ depends on use @ identifier use.P, f; type T; @@
  T f(...) {
  ... when any
- struct property *P;
  ... when != P
  }

@ depends on use @ identifier use.Q, f; type T; typedef __be32; @@
  T f(...) {
  ... when any
- const __be32 *Q;
  ... when != Q
  }
