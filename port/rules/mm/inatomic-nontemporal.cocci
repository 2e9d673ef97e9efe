// SPDX-License-Identifier: GPL-2.0-only
/// __copy_from_user_inatomic_nocache() was renamed to
/// copy_from_user_inatomic_nontemporal().
//
// Title: use copy_from_user_inatomic_nontemporal()
// Replaces: __copy_from_user_inatomic_nocache
// Needs: copy_from_user_inatomic_nontemporal
// Since: 7.1
// Confidence: Moderate
// Risk: review

@@ expression D, S, N; @@
- __copy_from_user_inatomic_nocache(D, S, N)
+ copy_from_user_inatomic_nontemporal(D, S, N)
