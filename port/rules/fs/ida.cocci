// SPDX-License-Identifier: GPL-2.0-only
/// ida_simple_get() and ida_simple_remove() are gone. The end of
/// ida_simple_get() was exclusive with 0 for no limit, the maximum of
/// ida_alloc_range() is inclusive and values above INT_MAX mean no limit, so
/// "end - 1" says the same in both cases.
//
// Title: use ida_alloc() and ida_free()
// Replaces: ida_simple_get, ida_simple_remove
// Needs: ida_alloc_range, ida_free
// Since: 6.18
// Confidence: High
// Risk: safe

@@ expression I, G, S, E; constant C; @@
(
- ida_simple_get(I, 0, 0, G)
+ ida_alloc(I, G)
|
- ida_simple_get(I, S, 0, G)
+ ida_alloc_min(I, S, G)
|
- ida_simple_get(I, S, E + 1, G)
+ ida_alloc_range(I, S, E, G)
|
- ida_simple_get(I, S, E, G)
+ ida_alloc_range(I, S, E - 1, G)
)

@@ expression I, N; @@
- ida_simple_remove(I, N)
+ ida_free(I, N)
