/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The API of two kernels for people: opening what "kport explain" and "kport
 * impact" look things up in, and declarations and changes as text and JSON.
 *
 *	struct api_pair p;
 *	if (api_pair_open(&p, "6.1", "6.12", err) < 0) ...
 *	n = api_diff_lookup(p.diff, "del_timer", &list);
 *	apiview_change(list[0], &sb);
 *	api_pair_close(&p);
 */
#ifndef KPORT_APIVIEW_H
#define KPORT_APIVIEW_H

#include <jansson.h>
#include "base/strbuf.h"
#include "harness/kernel.h"
#include "mine/apidiff.h"
#include "mine/layout.h"

struct api_pair {
	struct kernel *from, *to;	/* NULL both: an imported index answers */
	char *from_name, *to_name;	/* "6.1" */
	struct api_index *old_ix, *new_ix;
	struct api_diff *diff;
	struct layout_diff *layout;	/* NULL: no BTF of both kernels */
	char *no_layout;		/* why it is NULL */
	char *examples;			/* where mined examples are, or would be; NULL: no sources */
};

/*
 * Also on failure to be closed. The words are those of kernel_resolve(); when one names
 * no kernel here, an imported index (mine/share.h) of kernels of these names is opened.
 */
int api_pair_open(struct api_pair *p, const char *from, const char *to, struct strbuf *err);
void api_pair_close(struct api_pair *p);
/* The first is the newer release: all changes read backwards. */
bool api_pair_is_reversed(const struct api_pair *p);
#define API_PAIR_REVERSED "'%s' is newer than '%s': what follows is read backwards; is it the other way round?"

/* "static inline int del_timer(struct timer_list *timer)", "#define FOO 1", "int (*probe)(...)". */
void apiview_decl(const struct api_symbol *s, struct strbuf *out);
/* One line: "signature changed: lost parameter 1 'struct module *owner'". */
void apiview_change(const struct api_change *c, struct strbuf *out);
json_t *apiview_symbol_json(const struct api_symbol *s); /* NULL gives null */
json_t *apiview_change_json(const struct api_change *c);
/* Would a driver that uses the symbol notice: build break, load failure? Additions and mere facts do not. */
bool apiview_breaks(const struct api_change *c);

#endif
