// SPDX-License-Identifier: GPL-2.0-only
/// comedi_8254_init(), which returned NULL on error, was replaced by
/// comedi_8254_io_alloc(), which returns an error pointer.
//
// Title: use comedi_8254_io_alloc()
// Replaces: comedi_8254_init
// Needs: comedi_8254_io_alloc/4
// Include: linux/err.h
// Since: 6.7
// Confidence: High
// Risk: safe

@@ expression T, B, O, S, R; @@
- T = comedi_8254_init(B, O, S, R);
- if (\(!T\|T == NULL\))
+ T = comedi_8254_io_alloc(B, O, S, R);
+ if (IS_ERR(T))
- return -ENOMEM;
+ return PTR_ERR(T);
