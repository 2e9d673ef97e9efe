// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/accessor.h"

#include "base/alloc.h"
#include "port/names.h"

/* "i_ctime" -> "ctime": kernel structures mark their members with a short prefix. */
static const char *bare_name(const char *member)
{
	const char *u = strchr(member, '_');

	return u && u - member <= 2 && u[1] ? u + 1 : member;
}

static bool has_word(const char *name, const char *const *words)
{
	struct strvec v = STRVEC_INIT;
	bool hit = false;

	name_words(name, &v);
	for (; *words && !hit; words++)
		hit = strvec_contains(&v, *words);
	strvec_release(&v);
	return hit;
}

struct finder {
	const struct propose_ctx *c;
	const char *type;
	const struct api_symbol *old;
	struct accessors *a;
	double get, set, add, clear; /* scores */
};

static bool is_ours(const struct finder *f, const char *param)
{
	char *base = ctype_base(param);
	bool ours = base && !strcmp(base, f->type) && ctype_pointers(param) == 1;

	free(base);
	return ours;
}

static void better(const struct api_symbol **slot, double *have, const struct api_symbol *s,
		   double score)
{
	if (score > *have) {
		*have = score;
		*slot = s;
	}
}

static bool is_new(const struct propose_ctx *c, const struct api_symbol *s)
{
	return s && !api_lookup(c->old_ix, s->name, API_ANY_CALLABLE);
}

static double closeness(const struct finder *f, const struct api_symbol *s)
{
	return names_similarity(s->name, bare_name(f->old->name)) + (is_new(f->c, s) ? 0.5 : 0);
}

static void consider(struct finder *f, const struct api_symbol *s)
{
	static const char *const to_set[] = { "set", "init", "assign", "reset", NULL };
	static const char *const to_add[] = { "set", "add", NULL };
	static const char *const to_clear[] = { "clear", NULL };
	static const char *const to_change[] = { "set", "put", "init", "reset", "clear", "add",
						 "mod", "free", "release", "alloc", "del", "inc",
						 "dec", NULL };
	struct csig sig = { 0 };
	double score;

	if (!s->type || !s->params || !name_has_words(s->name, bare_name(f->old->name)) ||
	    !csig_parse_parts(s->type, s->params, &sig))
		return;
	score = closeness(f, s);
	if (sig.n == 0 || sig.variadic || !is_ours(f, sig.p[0].type)) {
		csig_release(&sig);
		return;
	}
	if (sig.n == 1 && ctype_equal_unqualified(sig.ret, f->old->type) &&
	    !has_word(s->name, to_change))
		better(&f->a->get, &f->get, s, score);
	if (sig.n == 2 && ctype_equal_unqualified(sig.p[1].type, f->old->type)) {
		if (has_word(s->name, to_clear))
			better(&f->a->clear, &f->clear, s, score);
		else if (has_word(s->name, to_set))
			better(&f->a->set, &f->set, s, score);
		if (has_word(s->name, to_add))
			better(&f->a->add, &f->add, s, score);
	}
	csig_release(&sig);
}

void accessors_find(const struct propose_ctx *c, const char *type, const struct api_symbol *old,
		    struct accessors *out)
{
	struct finder f = { .c = c, .type = type, .old = old, .a = out };
	const struct api_symbol **v = NULL;
	size_t n = api_taking_type(c->new_ix, type, API_FUNCTION | API_INLINE, &v);

	for (size_t i = 0; i < n; i++)
		consider(&f, v[i]);
	free(v);
	/*
	 * "set" next to "clear" means bits: it is no assignment then, only a function that
	 * says so ("reset", "init") is.
	 */
	if (out->clear && out->set == out->add)
		out->set = NULL;
	if (!out->clear)
		out->add = NULL;
	out->is_new = is_new(c, out->get) || is_new(c, out->set) || is_new(c, out->clear);
}

static bool write_change(const struct accessors *a, const struct member_use *u, const char *pointer,
			 struct strbuf *out)
{
	const struct ctoks *ts = srcfile_toks(u->f);
	const struct api_symbol *fn = NULL;
	struct cspan value = u->value;
	char *text;

	if (ctok_is(ts, u->op, "=")) {
		fn = a->set;
	} else if (ctok_is(ts, u->op, "|=")) {
		fn = a->add;
	} else if (ctok_is(ts, u->op, "&=") && ctok_is(ts, value.first, "~")) {
		fn = a->clear;
		value.first++;
		if (ctok_is(ts, value.first, "(") && ts->t[value.first].match == value.end - 1) {
			value.first++;
			value.end--;
		} else if (value.end > value.first + 1) {
			fn = NULL; /* "~A & B" */
		}
	}
	if (!fn || value.end <= value.first)
		return false;
	text = srcfile_span_text(u->f, value);
	strbuf_addf(out, "%s(%s, %s)", fn->name, pointer, text);
	free(text);
	return true;
}

bool accessor_write(const struct accessors *a, const struct member_use *u, const char *pointer,
		    struct strbuf *out)
{
	if (u->kind == USE_ASSIGN)
		return write_change(a, u, pointer, out);
	if (!a->get)
		return false;
	strbuf_addf(out, "%s(%s)", a->get->name, pointer);
	return true;
}

void accessors_say(const struct accessors *a, struct edit_group *g, const char *target)
{
	const struct api_symbol *const all[] = { a->get, a->set, a->add, a->clear };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] && (i != 2 || a->add != a->set))
			edit_group_why(g, "%s has '%s %s(%s)'.", target, all[i]->type,
				       all[i]->name, all[i]->params);
}
