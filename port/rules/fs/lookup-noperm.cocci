// SPDX-License-Identifier: GPL-2.0-only
/// lookup_one_len() and its kind, which look up a name without a permission
/// check, were replaced by lookup_noperm(), which takes the name as a qstr.
//
// Title: use lookup_noperm() in place of lookup_one_len()
// Replaces: lookup_one_len, lookup_one_len_unlocked, lookup_positive_unlocked
// Needs: lookup_noperm/2, lookup_noperm_unlocked/2, QSTR, QSTR_LEN
// Include: linux/namei.h
// Since: 6.16
// Confidence: High
// Risk: review

@@ expression N, B, L; @@
(
- lookup_one_len(N, B, strlen(N))
+ lookup_noperm(&QSTR(N), B)
|
- lookup_one_len(N, B, L)
+ lookup_noperm(&QSTR_LEN(N, L), B)
|
- lookup_one_len_unlocked(N, B, strlen(N))
+ lookup_noperm_unlocked(&QSTR(N), B)
|
- lookup_one_len_unlocked(N, B, L)
+ lookup_noperm_unlocked(&QSTR_LEN(N, L), B)
|
- lookup_positive_unlocked(N, B, strlen(N))
+ lookup_noperm_positive_unlocked(&QSTR(N), B)
|
- lookup_positive_unlocked(N, B, L)
+ lookup_noperm_positive_unlocked(&QSTR_LEN(N, L), B)
)
