// SPDX-License-Identifier: GPL-2.0-only
/// Page, offset and size of a fragment are set together by skb_frag_fill_page_desc():
/// __skb_frag_set_page() is gone.
//
// Title: fill fragments with skb_frag_fill_page_desc()
// Replaces: __skb_frag_set_page
// Needs: skb_frag_fill_page_desc
// Since: 6.5
// Confidence: High
// Risk: safe

@@ expression F, P, O, S; @@
(
- __skb_frag_set_page(F, P);
- skb_frag_off_set(F, O);
- skb_frag_size_set(F, S);
+ skb_frag_fill_page_desc(F, P, O, S);
|
- skb_frag_off_set(F, O);
- skb_frag_size_set(F, S);
- __skb_frag_set_page(F, P);
+ skb_frag_fill_page_desc(F, P, O, S);
|
- __skb_frag_set_page(F, P);
- skb_frag_size_set(F, S);
- skb_frag_off_set(F, O);
+ skb_frag_fill_page_desc(F, P, O, S);
)
