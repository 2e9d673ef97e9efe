/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "base/cfunc.h"
#include "base/alloc.h"
#include "base/cfunc-internal.h"

static void add_struct(struct cfile *cf, uint32_t keyword, size_t open)
{
	const struct ctoks *ts = cf->ts;
	struct cstruct s = { .keyword = keyword, .tag = CTOK_NONE };
	size_t i;

	for (i = keyword + 1; i < open && s.tag == CTOK_NONE;) {
		size_t next = cdecl_annotation(ts, i);

		if (next == i && ctok_is_ident(ts, i))
			s.tag = i;
		i = next == i ? i + 1 : next;
	}
	s.body = (struct cspan){ open, cdecl_after(ts, open) };
	ALLOC_GROW(cf->structs, cf->nstructs + 1, cf->structs_alloc);
	cf->structs[cf->nstructs++] = s;
}

static void add_call(struct cfile *cf, uint32_t name, bool is_static)
{
	struct cmacro_call c = { .name = name, .is_static = is_static };

	c.args = (struct cspan){ name + 1, cdecl_after(cf->ts, name + 1) };
	ALLOC_GROW(cf->calls, cf->ncalls + 1, cf->calls_alloc);
	cf->calls[cf->ncalls++] = c;
}

/* ---- functions ------------------------------------------------------------ */

static bool upper_name(const struct ctoks *ts, size_t i)
{
	size_t k;

	for (k = 0; k < ts->t[i].len; k++)
		if (ts->text[ts->t[i].off + k] >= 'a' && ts->text[ts->t[i].off + k] <= 'z')
			return false;
	return true;
}

/*
 * The name in a function's head [from, to): the last identifier with a
 * parameter list, passing over annotations with arguments and upper-case macros behind the list.
 * A function that returns a function pointer has it inside parentheses.
 */
static uint32_t head_name(const struct ctoks *ts, size_t from, size_t to)
{
	uint32_t name = CTOK_NONE;
	size_t i, next;

	for (i = from; i < to; i = next) {
		next = cdecl_step(ts, i);
		if (cdecl_passed_over(ts, i) || !ctok_is(ts, i, "(") || i == from)
			continue;
		if (ctok_is_ident(ts, i - 1)) {
			if (ctok_is_annotation(ts, i - 1) ||
			    (name != CTOK_NONE && upper_name(ts, i - 1)))
				continue;
			name = i - 1;
		} else if (name == CTOK_NONE && ctok_is(ts, i + 1, "*") && ctok_is_ident(ts, i + 2) &&
			   ctok_is(ts, i + 3, "(")) {
			return i + 2;
		}
	}
	return name;
}

static void func_flags(const struct ctoks *ts, struct cfunc *f)
{
	size_t i;

	for (i = f->ret.first; i < f->ret.end; i++) {
		f->is_static |= ctok_is(ts, i, "static");
		f->is_inline |= ctok_is(ts, i, "inline") || ctok_is(ts, i, "__always_inline") ||
				ctok_is(ts, i, "__inline") || ctok_is(ts, i, "__inline__");
	}
	f->from_macro = !cdecl_has_type(ts, f->ret.first, f->ret.end);
}

static struct cfunc make_func(const struct ctoks *ts, size_t from, uint32_t name, struct cspan body)
{
	struct cfunc f = { .name = name, .body = body };

	f.ret = (struct cspan){ from, name };
	f.paren = (struct cspan){ name + 1, cdecl_after(ts, name + 1) };
	cdecl_params(ts, &f);
	func_flags(ts, &f);
	return f;
}

static void add_func(struct cfile *cf, size_t from, uint32_t name, size_t open)
{
	struct cspan body = { open, cdecl_after(cf->ts, open) };

	ALLOC_GROW(cf->funcs, cf->nfuncs + 1, cf->funcs_alloc);
	cf->funcs[cf->nfuncs++] = make_func(cf->ts, from, name, body);
}

/* ---- declarations --------------------------------------------------------- */

/* The "(" of a function's parameters or a macro's arguments in [from, to), before any "=". */
static size_t call_paren(const struct ctoks *ts, size_t from, size_t to)
{
	size_t i = from;

	while (i < to && !ctok_is(ts, i, "=") && !ctok_is(ts, i, ",")) {
		if (ctok_is(ts, i, "(")) {
			if (i > from && ctok_is_ident(ts, i - 1) && !ctok_is_annotation(ts, i - 1))
				return i;
			if (i == from || !ctok_is_annotation(ts, i - 1))
				return to; /* (*name)(...) */
		}
		i = cdecl_step(ts, i);
	}
	return to;
}

/* Everything that ends with ";" at token to. */
static void declaration(struct cfile *cf, size_t from, size_t to)
{
	const struct ctoks *ts = cf->ts;
	size_t paren, i;

	while (from < to && cdecl_passed_over(ts, from))
		from++;
	for (i = from; i < to && i < from + 3; i++)
		if (ctok_is(ts, i, "typedef"))
			return;
	if (from >= to || ctok_is(ts, from, "asm") || ctok_is(ts, from, "__asm__"))
		return;
	paren = call_paren(ts, from, to);
	if (paren >= to) {
		cdecl_objects(cf, from, to);
	} else if (!cdecl_has_type(ts, from, paren - 1)) {
		add_call(cf, paren - 1, ctok_is(ts, from, "static"));
	} else {
		ALLOC_GROW(cf->protos, cf->nprotos + 1, cf->protos_alloc);
		cf->protos[cf->nprotos++] = make_func(ts, from, paren - 1, (struct cspan){ 0, 0 });
	}
}

/*
 * NAME(...) at start, paren being its "(", that ends without ";": what follows begins a
 * declaration of its own.
 */
static bool bare_call(const struct ctoks *ts, size_t start, size_t paren)
{
	size_t next = cdecl_after(ts, paren);

	if (paren == 0 || !ctok_is_ident(ts, paren - 1) || ctok_is_annotation(ts, paren - 1) ||
	    cdecl_has_type(ts, start, paren - 1))
		return false;
	while (next < ts->n && cdecl_passed_over(ts, next))
		next++;
	if (next >= ts->n)
		return true;
	return ctok_kind_is(ts, next, CTOK_IDENT) && (ts->t[next].flags & CTOK_BOL) &&
	       !ctok_is_annotation(ts, next);
}

/* "{" at j in a declaration without "=" so far; the token to go on from, *done when it ended. */
static size_t open_brace(struct cfile *cf, size_t start, size_t j, bool *done)
{
	const struct ctoks *ts = cf->ts;
	uint32_t k = cdecl_aggregate(ts, j, start), name;

	*done = k == CTOK_NONE;
	if (k != CTOK_NONE) {
		add_struct(cf, k, j);
		return cdecl_after(ts, j);
	}
	while (start < j && cdecl_passed_over(ts, start))
		start++;
	name = head_name(ts, start, j);
	if (name != CTOK_NONE && ts->t[j].match != CTOK_NONE)
		add_func(cf, start, name, j);
	return cdecl_after(ts, j);
}

static bool other_branch(const struct ctoks *ts, size_t i)
{
	return ctok_pp_is(ts, i, "else") || ctok_pp_is(ts, i, "elif");
}

/* One declaration or definition that starts at token start; the token behind it. */
static size_t external(struct cfile *cf, size_t start)
{
	const struct ctoks *ts = cf->ts;
	bool init = false, done;
	size_t j = start;

	while (j < ts->n) {
		if (cdecl_passed_over(ts, j)) {
			/* A head with two variants: the later one counts. */
			if (!init && other_branch(ts, j))
				start = j + 1;
			j++;
		} else if (ctok_is(ts, j, ";")) {
			declaration(cf, start, j);
			return j + 1;
		} else if (ctok_is(ts, j, "}")) {
			return j + 1;
		} else if (ctok_is(ts, j, "{") && !init) {
			j = open_brace(cf, start, j, &done);
			if (done)
				return j;
		} else if (ctok_is(ts, j, "(") && bare_call(ts, start, j)) {
			add_call(cf, j - 1, ctok_is(ts, start, "static"));
			return cdecl_after(ts, j);
		} else {
			init |= ctok_is(ts, j, "=");
			j = cdecl_step(ts, j);
		}
	}
	return ts->n;
}

void cfile_parse(struct cfile *cf, const struct ctoks *ts)
{
	size_t i = 0;

	memset(cf, 0, sizeof(*cf));
	cf->ts = ts;
	while (i < ts->n) {
		if (cdecl_passed_over(ts, i) || ctok_is(ts, i, ";") || ctok_is(ts, i, "}"))
			i++;
		else if (ctok_is(ts, i, "extern") && ctok_kind_is(ts, i + 1, CTOK_STRING) &&
			 ctok_is(ts, i + 2, "{"))
			i += 3;
		else
			i = external(cf, i);
	}
}

static void free_funcs(struct cfunc *f, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(f[i].params);
	free(f);
}

void cfile_release(struct cfile *cf)
{
	size_t i;

	if (!cf)
		return;
	free_funcs(cf->funcs, cf->nfuncs);
	free_funcs(cf->protos, cf->nprotos);
	for (i = 0; i < cf->nobjects; i++)
		free(cf->objects[i].members);
	free(cf->objects);
	free(cf->structs);
	free(cf->calls);
	memset(cf, 0, sizeof(*cf));
}

/* ---- questions ------------------------------------------------------------ */

const struct cfunc *cfile_func(const struct cfile *cf, const char *name)
{
	size_t i;

	for (i = 0; i < cf->nfuncs; i++)
		if (ctok_is(cf->ts, cf->funcs[i].name, name))
			return &cf->funcs[i];
	return NULL;
}

const struct cfunc *cfile_func_at(const struct cfile *cf, size_t token)
{
	size_t lo = 0, hi = cf->nfuncs;

	/* First function that ends behind the token. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cf->funcs[mid].body.end <= token)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < cf->nfuncs && cf->funcs[lo].ret.first <= token ? &cf->funcs[lo] : NULL;
}

const struct cfunc *cfile_func_at_line(const struct cfile *cf, uint32_t line)
{
	size_t i;

	for (i = 0; i < cf->nfuncs; i++) {
		const struct ctok *t = cf->ts->t;

		if (t[cf->funcs[i].ret.first].line <= line && line <= t[cf->funcs[i].body.end - 1].line)
			return &cf->funcs[i];
	}
	return NULL;
}

const struct cobject *cfile_object(const struct cfile *cf, const char *name)
{
	size_t i;

	for (i = 0; i < cf->nobjects; i++)
		if (ctok_is(cf->ts, cf->objects[i].name, name))
			return &cf->objects[i];
	return NULL;
}

const struct cstruct *cfile_struct(const struct cfile *cf, const char *tag)
{
	size_t i;

	for (i = 0; i < cf->nstructs; i++)
		if (cf->structs[i].tag != CTOK_NONE && ctok_is(cf->ts, cf->structs[i].tag, tag))
			return &cf->structs[i];
	return NULL;
}

void cmember_path(const struct cfile *cf, const struct cobject *o, size_t member, struct strbuf *out)
{
	const struct cmember *m = &o->members[member];

	if (m->parent != CTOK_NONE)
		cmember_path(cf, o, m->parent, out);
	if (m->designator.first < m->designator.end && !ctok_is(cf->ts, m->designator.first, ".") &&
	    !ctok_is(cf->ts, m->designator.first, "["))
		strbuf_addch(out, '.'); /* the old form "name: value" */
	ctoks_normal(cf->ts, m->designator.first, m->designator.end, out);
}

/* Names declared in the macro call whose "(" stands at open, such as DECLARE_BITMAP(name, n). */
static bool macro_declares(const struct ctoks *ts, size_t open, const char *member)
{
	size_t i, end = cdecl_after(ts, open);

	for (i = open + 1; i + 1 < end; i++)
		if (ctok_is(ts, i, member) &&
		    (ctok_is(ts, i + 1, ",") || ctok_is(ts, i + 1, ")") || ctok_is(ts, i + 1, ";")))
			return true;
	return false;
}

bool cstruct_has_member(const struct ctoks *ts, const struct cstruct *s, const char *member)
{
	size_t i = s->body.first + 1;

	while (i + 1 < s->body.end) {
		if (ctok_is(ts, i, "(")) {
			if (ctok_is(ts, i + 1, "*") && ctok_is(ts, i + 2, member))
				return true;
			if (ctok_is_ident(ts, i - 1) && macro_declares(ts, i, member))
				return true;
			i = cdecl_after(ts, i);
			continue;
		}
		if (ctok_is(ts, i, member) &&
		    (ctok_is(ts, i + 1, ";") || ctok_is(ts, i + 1, ",") || ctok_is(ts, i + 1, "[") ||
		     ctok_is(ts, i + 1, ":") || ctok_is_annotation(ts, i + 1) ||
		     (ctok_is(ts, s->keyword, "enum") && !ctok_is(ts, i - 1, "="))))
			return true;
		i++;
	}
	return false;
}
