// SPDX-License-Identifier: GPL-2.0-only
/// The functions for the model specific registers of another CPU move 64 bits at once:
/// rdmsr_on_cpu() and its like, which moved two halves, are gone. The halves are taken from
/// and put into the whole.
//
// Title: move whole registers with rdmsrq_on_cpu()
// Replaces: rdmsr_on_cpu, wrmsr_on_cpu, rdmsr_safe_on_cpu, wrmsr_safe_on_cpu
// Needs: rdmsrq_on_cpu, wrmsrq_on_cpu
// Since: 7.2
// Confidence: High
// Risk: review

@@ expression C, R, L, H; identifier l, h; typedef u64; @@
(
- wrmsr_on_cpu(C, R, L, 0)
+ wrmsrq_on_cpu(C, R, L)
|
- wrmsr_on_cpu(C, R, l, h)
+ wrmsrq_on_cpu(C, R, (u64)h << 32 | l)
|
- wrmsr_on_cpu(C, R, L, H)
+ wrmsrq_on_cpu(C, R, (u64)(H) << 32 | (L))
|
- wrmsr_safe_on_cpu(C, R, L, 0)
+ wrmsrq_safe_on_cpu(C, R, L)
|
- wrmsr_safe_on_cpu(C, R, l, h)
+ wrmsrq_safe_on_cpu(C, R, (u64)h << 32 | l)
|
- wrmsr_safe_on_cpu(C, R, L, H)
+ wrmsrq_safe_on_cpu(C, R, (u64)(H) << 32 | (L))
)

@ rd @ identifier f; @@
  f(...) {
  <+...
(
  rdmsr_on_cpu(...)
|
  rdmsr_safe_on_cpu(...)
)
  ...+>
  }

@ depends on rd @ identifier rd.f; @@
  f(...) {
+ u64 msrq;
  ...
  }

@@ expression C, R, L, H; @@
(
- rdmsr_on_cpu(C, R, &L, &H);
+ rdmsrq_on_cpu(C, R, &msrq);
+ L = lower_32_bits(msrq);
+ H = upper_32_bits(msrq);
|
- rdmsr_safe_on_cpu(C, R, &L, &H);
+ rdmsrq_safe_on_cpu(C, R, &msrq);
+ L = lower_32_bits(msrq);
+ H = upper_32_bits(msrq);
)

@@ expression E, C, R, L, H; @@
(
- E = rdmsr_on_cpu(C, R, &L, &H);
+ E = rdmsrq_on_cpu(C, R, &msrq);
+ L = lower_32_bits(msrq);
+ H = upper_32_bits(msrq);
|
- E = rdmsr_safe_on_cpu(C, R, &L, &H);
+ E = rdmsrq_safe_on_cpu(C, R, &msrq);
+ L = lower_32_bits(msrq);
+ H = upper_32_bits(msrq);
)
