// SPDX-License-Identifier: GPL-2.0-only
/// get_user_pages() and pin_user_pages() lost their last parameter "vmas", which
/// nothing used any more. Calls that pass NULL for it drop the argument; those
/// that want the areas are left alone.
//
// Title: drop the vmas argument of get_user_pages()
// Replaces: get_user_pages/5, pin_user_pages/5, get_user_pages_remote/7,
//	pin_user_pages_remote/7
// Since: 6.5
// Confidence: High
// Risk: safe

@@ expression A, N, F, P; @@
- get_user_pages(A, N, F, P, NULL)
+ get_user_pages(A, N, F, P)

@@ expression A, N, F, P; @@
- pin_user_pages(A, N, F, P, NULL)
+ pin_user_pages(A, N, F, P)

@@ expression M, A, N, F, P, L; @@
- get_user_pages_remote(M, A, N, F, P, NULL, L)
+ get_user_pages_remote(M, A, N, F, P, L)

@@ expression M, A, N, F, P, L; @@
- pin_user_pages_remote(M, A, N, F, P, NULL, L)
+ pin_user_pages_remote(M, A, N, F, P, L)
