// SPDX-License-Identifier: GPL-2.0-only
/// The place of a page in its file is a property of its folio.
//
// Title: use the index of the page's folio
// Replaces: struct page.index
// Needs: page_folio, struct folio.index
// Include: linux/mm.h
// Since: 6.16
// Confidence: Moderate
// Risk: review

@@ struct page *P; @@
- P->index
+ page_folio(P)->index
