// SPDX-License-Identifier: GPL-2.0-only
/// The functions for 64-bit model specific registers end in "q": rdmsrl() became
/// rdmsrq() and so on. Arguments and results are the same.
//
// Title: use rdmsrq() and wrmsrq() in place of rdmsrl() and wrmsrl()
// Replaces: rdmsrl, wrmsrl, rdmsrl_safe, wrmsrl_safe, rdmsrl_on_cpu, wrmsrl_on_cpu,
//	rdmsrl_safe_on_cpu, wrmsrl_safe_on_cpu
// Needs: rdmsrq, wrmsrq, rdmsrq_safe, rdmsrq_on_cpu
// Since: 6.16
// Commit: c435e608cf59
// Confidence: High
// Risk: safe

@@ expression A, B, C; @@
(
- rdmsrl(A, B)
+ rdmsrq(A, B)
|
- wrmsrl(A, B)
+ wrmsrq(A, B)
|
- rdmsrl_safe(A, B)
+ rdmsrq_safe(A, B)
|
- wrmsrl_safe(A, B)
+ wrmsrq_safe(A, B)
|
- rdmsrl_on_cpu(A, B, C)
+ rdmsrq_on_cpu(A, B, C)
|
- wrmsrl_on_cpu(A, B, C)
+ wrmsrq_on_cpu(A, B, C)
|
- rdmsrl_safe_on_cpu(A, B, C)
+ rdmsrq_safe_on_cpu(A, B, C)
|
- wrmsrl_safe_on_cpu(A, B, C)
+ wrmsrq_safe_on_cpu(A, B, C)
)
