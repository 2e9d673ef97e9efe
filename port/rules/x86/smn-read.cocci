// SPDX-License-Identifier: GPL-2.0-only
/// The result of amd_smn_read() has to be looked at: what could not be read is 0 then, as
/// the kernel's own driver for the same sensors has it.
//
// Title: look at the result of amd_smn_read()
// Replaces: amd_smn_read@unchecked
// Needs: amd_smn_read/3
// Since: 6.11
// Confidence: Moderate
// Risk: review

@@ expression N, A; identifier V; @@
- amd_smn_read(N, A, &V);
+ if (amd_smn_read(N, A, &V))
+ 	V = 0;

@@ expression N, A; identifier V; @@
- amd_smn_read(N, A, V);
+ if (amd_smn_read(N, A, V))
+ 	*V = 0;
