// SPDX-License-Identifier: GPL-2.0-only
/// The name of a worker bound to a CPU is a format for the number of the CPU alone, an
/// unsigned int, which the core fills in; kthread_run_worker_on_cpu() creates it and
/// starts it, which kthread_create_worker_on_cpu() did before.
//
// Title: run workers on a CPU with kthread_run_worker_on_cpu()
// Replaces: kthread_create_worker_on_cpu~...
// Needs: kthread_run_worker_on_cpu/3
// Since: 6.14
// Confidence: High
// Risk: safe

@named@
expression C, F;
constant char[] N;
@@
  kthread_create_worker_on_cpu(C, F, N, C)

@script:python number@
n << named.N;
fixed;
@@
import re
text, count = re.subn(r'%[0-9]*l*[diux]', '%u', str(n))
if count == 1 and text.count('%') == 1:
    coccinelle.fixed = cocci.make_expr(text)
else:
    cocci.include_match(False)

@@
expression named.C, named.F;
constant char[] named.N;
expression number.fixed;
@@
- kthread_create_worker_on_cpu(C, F, N, C)
+ kthread_run_worker_on_cpu(C, F, fixed)
