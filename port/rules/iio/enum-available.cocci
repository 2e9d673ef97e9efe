// SPDX-License-Identifier: GPL-2.0-only
/// IIO_ENUM_AVAILABLE() takes what the attribute is shared by; that was
/// IIO_SHARED_BY_TYPE always.
//
// Title: say what IIO_ENUM_AVAILABLE() is shared by
// Replaces: IIO_ENUM_AVAILABLE/2
// Needs: IIO_ENUM_AVAILABLE/3
// Since: 5.17
// Confidence: High
// Risk: safe

@@ expression N, E; @@
- IIO_ENUM_AVAILABLE(N, E)
+ IIO_ENUM_AVAILABLE(N, IIO_SHARED_BY_TYPE, E)
