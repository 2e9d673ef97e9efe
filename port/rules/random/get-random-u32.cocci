// SPDX-License-Identifier: GPL-2.0-only
/// prandom_u32() and get_random_int() are gone: all of them were get_random_u32()
/// in the end. prandom_bytes() likewise is get_random_bytes().
//
// Title: use get_random_u32() in place of prandom_u32()
// Replaces: prandom_u32, get_random_int, prandom_bytes
// Needs: get_random_u32, get_random_bytes
// Include: linux/random.h
// Since: 6.1
// Commit: de492c83cae0
// Confidence: High
// Risk: safe

@@ @@
(
- prandom_u32()
+ get_random_u32()
|
- get_random_int()
+ get_random_u32()
)

@@ expression B, N; @@
- prandom_bytes(B, N)
+ get_random_bytes(B, N)
