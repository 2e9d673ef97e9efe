// SPDX-License-Identifier: GPL-2.0-only
/// probe_kernel_read() and probe_kernel_write() were renamed to
/// copy_from_kernel_nofault() and copy_to_kernel_nofault().
//
// Title: use copy_from_kernel_nofault() in place of probe_kernel_read()
// Replaces: probe_kernel_read, probe_kernel_write
// Needs: copy_from_kernel_nofault
// Include: linux/uaccess.h
// Since: 5.8
// Commit: fe557319aa06
// Confidence: High
// Risk: safe

@@ expression D, S, N; @@
- probe_kernel_read(D, S, N)
+ copy_from_kernel_nofault(D, S, N)

@@ expression D, S, N; @@
- probe_kernel_write(D, S, N)
+ copy_to_kernel_nofault(D, S, N)
