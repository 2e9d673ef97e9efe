// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callbacks that are filled in by a macro of the kernel: CLASS_ATTR_RO(x) makes an
 * object of struct class_attribute and sets its member show to x_show. Which object and
 * which members is read from the macro's own text, and that of the macros in it.
 */
#include "base/compat.h"
#include "port/impact-internal.h"

#include "base/alloc.h"

#define MAX_LEVEL 5

struct macro_fill {
	char *type;		/* "struct class_attribute" or NULL */
	struct strvec members;	/* that are set */
};

static void fill_free(void *payload)
{
	struct macro_fill *m = payload;

	free(m->type);
	strvec_release(&m->members);
	free(m);
}

/*
 * Designators one brace deep. "depth": of the braces around the text. *type is the
 * structure of the object that is made, when there is one.
 */
static void collect(struct api_index *ix, const char *body, int depth, int level, struct macro_fill *out)
{
	struct ctoks ts = { 0 };

	if (ctoks_scan(&ts, body, strlen(body)) < 0)
		goto out;
	for (size_t i = 0; i < ts.n; i++) {
		if (ctok_is(&ts, i, "{"))
			depth++;
		else if (ctok_is(&ts, i, "}"))
			depth--;
		if (!ctok_is_ident(&ts, i))
			continue;
		if (i && ctok_is(&ts, i - 1, ".")) {
			if (depth == 1 && ctok_is(&ts, i + 1, "="))
				strvec_push_nodup(&out->members, ctok_dup(&ts, i));
		} else if (!depth && i && ctok_is(&ts, i - 1, "struct") && ctok_is_ident(&ts, i + 1)) {
			char *tag = ctok_dup(&ts, i);

			free(out->type);
			out->type = xstrfmt("struct %s", tag);
			free(tag);
		} else if (level < MAX_LEVEL && (depth == 1 || (i && ctok_is(&ts, i - 1, "=")))) {
			char *name = ctok_dup(&ts, i);
			const struct api_symbol *s = api_lookup(ix, name, API_MACRO | API_MACRO_FN);

			if (s && s->body)
				collect(ix, s->body, depth, level + 1, out);
			free(name);
		}
	}
out:
	ctoks_release(&ts);
}

static const struct macro_fill *fill_of(struct finder *fi, const char *name)
{
	struct macro_fill *m = strmap_get(&fi->macros, name);
	const struct api_symbol *s;

	if (m)
		return m;
	m = xcalloc(1, sizeof(*m));
	strvec_init(&m->members);
	s = api_lookup(fi->p->old_ix, name, API_MACRO_FN);
	/* Another macro of that name that only hands on. */
	for (int level = 0; s && s->body && level < MAX_LEVEL && !m->type; level++) {
		collect(fi->p->old_ix, s->body, 0, 0, m);
		s = s->alias ? api_lookup(fi->p->old_ix, s->alias, API_MACRO_FN) : NULL;
	}
	strmap_put(&fi->macros, name, m);
	return m;
}

void impact_macro(struct finder *fi, const char *name, size_t i)
{
	const struct macro_fill *m = fill_of(fi, name);
	const struct api_change **list = NULL;
	size_t n = m->type && m->members.n ? api_diff_lookup(fi->p->diff, m->type, &list) : 0;

	for (size_t k = 0; k < n; k++) {
		struct impact_item *it;
		bool set = false;
		char *full;

		for (size_t j = 0; j < m->members.n && !set; j++)
			set = impact_same_member(list[k], m->members.v[j]);
		if (!set || !apiview_breaks(list[k]) || !list[k]->from || !list[k]->from->params)
			continue;
		full = xstrfmt("%s.%s", m->type, list[k]->member);
		it = impact_add(fi, IMPACT_CALLBACK, full, (int)srcfile_toks(fi->f)->t[i].line, list[k], NULL,
				list[k]->confidence >= 0.6);
		if (it)
			it->via = xstrdup(name);
		free(full);
	}
	free(list);
}

void impact_macros_release(struct finder *fi)
{
	strmap_release(&fi->macros, fill_free);
}
