// SPDX-License-Identifier: GPL-2.0-only
/// The attributes of a kobject type are given as groups only: default_attrs is
/// gone.
//
// Title: use default_groups in place of default_attrs
// Replaces: struct kobj_type.default_attrs
// Needs: struct kobj_type.default_groups
// Include: linux/sysfs.h
// Since: 5.18
// Commit: cdb4f26a63c3
// Confidence: High
// Risk: safe

@r@ identifier T, A; fresh identifier G = A ## "_group"; fresh identifier GS = A ## "_groups"; @@
+ static const struct attribute_group G = {
+ 	.attrs = A,
+ };
+
+ static const struct attribute_group *GS[] = {
+ 	&G,
+ 	NULL,
+ };
+
  struct kobj_type T = {
- .default_attrs = A,
+ .default_groups = GS,
  };
