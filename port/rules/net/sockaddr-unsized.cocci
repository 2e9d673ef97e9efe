// SPDX-License-Identifier: GPL-2.0-only
/// The address arguments of kernel_bind() and kernel_connect() are of type
/// struct sockaddr_unsized.
//
// Title: pass struct sockaddr_unsized to kernel_bind()
// Replaces: kernel_bind~struct sockaddr *, kernel_connect~struct sockaddr *
// Needs: struct sockaddr_unsized, kernel_bind~struct sockaddr_unsized *
// Since: 6.19
// Confidence: High
// Risk: safe

@@ expression S, A, L; @@
- kernel_bind(S, (struct sockaddr *)A, L)
+ kernel_bind(S, (struct sockaddr_unsized *)A, L)

@@ expression S, A, L, F; @@
- kernel_connect(S, (struct sockaddr *)A, L, F)
+ kernel_connect(S, (struct sockaddr_unsized *)A, L, F)
