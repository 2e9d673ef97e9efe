// SPDX-License-Identifier: GPL-2.0-only
/// The length of a table is what ends it: an empty last entry is an entry
/// without a name now, for which the whole table is refused when it is
/// registered.
//
// Title: drop the empty last entry of tables for sysctl
// Uses: register_sysctl, register_net_sysctl, register_sysctl_init
// Before: !register_sysctl_sz
// Needs: register_sysctl_sz
// Since: 6.11
// Confidence: High
// Risk: safe

// An initialiser without elements would match all others, too.
@last@
identifier s;
initializer list before;
initializer I;
@@
 struct ctl_table s[] = { before, I, };

@script:python empty@
i << last.I;
s << last.s;
table;
@@
import re
if re.match(r'^\{\s*(0\s*)?\}$', str(i).strip()):
    coccinelle.table = str(s)
else:
    cocci.include_match(False)

@@
identifier empty.table;
initializer list last.before;
initializer last.I;
@@
 struct ctl_table table[] = { before,
- I,
 };
