// SPDX-License-Identifier: GPL-2.0-only
/// PDE_DATA() was renamed to pde_data(), a plain function.
//
// Title: use pde_data() in place of PDE_DATA()
// Replaces: PDE_DATA
// Needs: pde_data
// Include: linux/proc_fs.h
// Since: 5.17
// Commit: 359745d78351
// Confidence: High
// Risk: safe

@@ expression I; @@
- PDE_DATA(I)
+ pde_data(I)
