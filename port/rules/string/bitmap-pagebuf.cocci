// SPDX-License-Identifier: GPL-2.0-only
/// bitmap_print_to_pagebuf() is gone: sysfs_emit() prints bitmaps itself, as a list for
/// true and as a mask for false. The buffer has to be a page, as those of sysfs are.
//
// Title: print bitmaps with sysfs_emit()
// Replaces: bitmap_print_to_pagebuf
// Needs: sysfs_emit
// Include: linux/sysfs.h
// Since: 7.1
// Confidence: High
// Risk: review

@@ expression B, M, N; @@
(
- bitmap_print_to_pagebuf(true, B, cpumask_bits(M), nr_cpumask_bits)
+ sysfs_emit(B, "%*pbl\n", cpumask_pr_args(M))
|
- bitmap_print_to_pagebuf(false, B, cpumask_bits(M), nr_cpumask_bits)
+ sysfs_emit(B, "%*pb\n", cpumask_pr_args(M))
|
- bitmap_print_to_pagebuf(\(true\|1\), B, M, N)
+ sysfs_emit(B, "%*pbl\n", N, M)
|
- bitmap_print_to_pagebuf(\(false\|0\), B, M, N)
+ sysfs_emit(B, "%*pb\n", N, M)
)
