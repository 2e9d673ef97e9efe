// SPDX-License-Identifier: GPL-2.0-only
/* Types of simple expressions, from declarations of the driver and the kernel's headers. */
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "port/scope.h"

/* Nesting of typedefs and expressions that we follow. */
#define MAX_DEPTH 12

struct eval {
	const struct type_env *env;
	const struct scope *s;
	const struct ctoks *ts;
	int depth;
};

static char *eval(struct eval *e, uint32_t from, uint32_t end);

/* ---- typedefs -------------------------------------------------------------- */

static bool is_plain_word(const char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* "typedef irqreturn_t (*irq_handler_t)(int, void *)" without its name, as a type. */
static char *typedef_target(const struct api_symbol *td)
{
	struct strbuf raw = STRBUF_INIT, out = STRBUF_INIT;
	const char *type = td->type, *at;
	size_t len = strlen(td->name);

	if (!type)
		return NULL;
	skip_prefix(type, "typedef ", &type);
	if (td->params) {
		strbuf_addf(&raw, strstr(type, "(*") ? "%s" : "%s (*)(%s)", type, td->params);
	} else {
		for (at = strstr(type, td->name); at; at = strstr(at + 1, td->name))
			if ((at == type || !isalnum((unsigned char)at[-1])) &&
			    (at == type || at[-1] != '_') && !isalnum((unsigned char)at[len]) &&
			    at[len] != '_')
				break;
		strbuf_add(&raw, type, at ? (size_t)(at - type) : strlen(type));
		if (at)
			strbuf_addstr(&raw, at + len);
	}
	ctype_normalise(raw.buf, &out);
	strbuf_release(&raw);
	return strbuf_detach(&out, NULL);
}

char *type_resolve(const struct type_env *env, const char *type)
{
	char *t = xstrdup(type);
	int depth;

	for (depth = 0; env->ix && depth < MAX_DEPTH; depth++) {
		const struct api_symbol *td;
		char *base = ctype_base(t), *to;
		struct strbuf next = STRBUF_INIT;
		int i, stars = ctype_pointers(t);

		td = *base && is_plain_word(base) ? api_lookup(env->ix, base, API_TYPEDEF) : NULL;
		to = td && !strchr(t, '(') ? typedef_target(td) : NULL;
		free(base);
		if (!to || !*to || !strcmp(to, t) || (strchr(to, '(') && stars)) {
			free(to);
			break;
		}
		strbuf_addf(&next, "%s%s", starts_with(t, "const ") ? "const " : "", to);
		for (i = 0; i < stars; i++)
			strbuf_addstr(&next, i || ends_with(next.buf, "*") ? "*" : " *");
		free(to);
		free(t);
		t = strbuf_detach(&next, NULL);
	}
	return t;
}

static bool same(const struct type_env *env, const char *a, const char *b,
		 bool (*equal)(const char *, const char *))
{
	char *x, *y;
	bool yes;

	if (!a || !b)
		return false;
	if (equal(a, b))
		return true;
	x = type_resolve(env, a);
	y = type_resolve(env, b);
	yes = equal(x, y);
	free(x);
	free(y);
	return yes;
}

bool type_same(const struct type_env *env, const char *a, const char *b)
{
	return same(env, a, b, ctype_equal);
}

bool type_same_unqualified(const struct type_env *env, const char *a, const char *b)
{
	return same(env, a, b, ctype_equal_unqualified);
}

/* ---- members and callables --------------------------------------------------- */

static char *driver_member(const struct type_env *env, const char *tag, const char *member)
{
	size_t i;

	for (i = 0; env->tree && i < env->tree->n; i++) {
		struct srcfile *f = env->tree->files[i];
		const struct cstruct *st;
		const struct decl *d;
		struct scope ms = { 0 };
		char *type;

		if (!srcfile_is_c(f))
			continue;
		st = cfile_struct(srcfile_parse(f), tag);
		if (!st)
			continue;
		scope_collect_members(f, st->body, &ms);
		d = scope_find(&ms, member);
		type = d ? xstrdup(d->type) : NULL;
		scope_release(&ms);
		return type;
	}
	return NULL;
}

static char *api_member_type(const struct type_env *env, const char *base, const char *member)
{
	const struct api_symbol *m = env->ix ? api_member(env->ix, base, member) : NULL;
	struct strbuf sb = STRBUF_INIT;

	if (!m || !m->type)
		return NULL;
	if (!m->params || strstr(m->type, "(*"))
		return xstrdup(m->type);
	strbuf_addf(&sb, "%s (*)(%s)", m->type, m->params);
	return strbuf_detach(&sb, NULL);
}

char *member_type(const struct type_env *env, const char *base, const char *member)
{
	char *r = type_resolve(env, base), *type = NULL;
	const char *tag;

	if (skip_prefix(r, "struct ", &tag) || skip_prefix(r, "union ", &tag))
		type = driver_member(env, tag, member);
	if (!type)
		type = api_member_type(env, r, member);
	free(r);
	return type;
}

bool func_sig(struct srcfile *f, const struct cfunc *fn, struct csig *out)
{
	struct strbuf text = STRBUF_INIT;
	bool ok;

	ctoks_normal(srcfile_toks(f), fn->ret.first, fn->paren.end, &text);
	ok = csig_parse(text.buf, out);
	strbuf_release(&text);
	return ok;
}

static bool driver_callable(const struct type_env *env, const char *name, struct csig *out)
{
	size_t i, k;

	for (i = 0; env->tree && i < env->tree->n; i++) {
		struct srcfile *f = env->tree->files[i];
		const struct cfile *cf;
		const struct cfunc *fn;

		if (!srcfile_is_c(f))
			continue;
		cf = srcfile_parse(f);
		fn = cfile_func(cf, name);
		for (k = 0; !fn && k < cf->nprotos; k++)
			if (ctok_is(cf->ts, cf->protos[k].name, name))
				fn = &cf->protos[k];
		if (fn && !fn->from_macro)
			return func_sig(f, fn, out);
	}
	return false;
}

bool callable_sig(const struct type_env *env, const char *name, struct csig *out)
{
	const struct api_symbol *s;

	if (driver_callable(env, name, out))
		return true;
	s = env->ix ? api_lookup(env->ix, name, API_FUNCTION | API_INLINE) : NULL;
	return s && csig_parse_parts(s->type, s->params, out);
}

/* ---- expressions --------------------------------------------------------------- */

static char *deref(char *type)
{
	size_t n = type ? strlen(type) : 0;
	char *star;

	if (!n)
		return type;
	if (type[n - 1] == ']')
		star = strrchr(type, '[');
	else if (type[n - 1] == '*')
		star = type + n - 1;
	else
		star = NULL;
	if (!star) {
		free(type);
		return NULL;
	}
	*star = '\0';
	while (star > type && star[-1] == ' ')
		*--star = '\0';
	return type;
}

static char *address_of(char *type)
{
	struct strbuf sb = STRBUF_INIT;

	if (!type)
		return NULL;
	strbuf_addf(&sb, "%s%s*", type, ends_with(type, "*") ? "" : " ");
	free(type);
	return strbuf_detach(&sb, NULL);
}

/* Type of a member reached from a value or pointer of type "base". */
static char *step(struct eval *e, char *base, uint32_t member)
{
	char *tag = base ? ctype_base(base) : NULL;
	char *name = ctok_dup(e->ts, member);
	char *type = tag ? member_type(e->env, tag, name) : NULL;

	free(tag);
	free(name);
	free(base);
	return type;
}

/* "container_of(ptr, type, member)": a pointer to its second argument. */
static char *container_type(struct eval *e, uint32_t open)
{
	uint32_t i, close = e->ts->t[open].match, from = CTOK_NONE;
	struct strbuf raw = STRBUF_INIT, out = STRBUF_INIT;
	int depth = 0;

	for (i = open + 1; i < close; i++) {
		depth += ctok_is(e->ts, i, "(");
		depth -= ctok_is(e->ts, i, ")");
		if (depth || !ctok_is(e->ts, i, ","))
			continue;
		if (from != CTOK_NONE)
			break;
		from = i + 1;
	}
	if (from == CTOK_NONE || i >= close)
		return NULL;
	ctoks_normal(e->ts, from, i, &raw);
	strbuf_addstr(&raw, " *");
	ctype_normalise(raw.buf, &out);
	strbuf_release(&raw);
	return strbuf_detach(&out, NULL);
}

static bool is_container_macro(const struct ctoks *ts, uint32_t i)
{
	static const char *const m[] = { "container_of", "container_of_const", "list_entry",
					 "rb_entry", "hlist_entry", "list_first_entry", NULL };
	size_t k;

	for (k = 0; m[k]; k++)
		if (ctok_is(ts, i, m[k]))
			return true;
	return false;
}

static char *call_type(struct eval *e, uint32_t name)
{
	struct csig s;
	char *id, *type = NULL;

	if (is_container_macro(e->ts, name))
		return container_type(e, name + 1);
	id = ctok_dup(e->ts, name);
	if (callable_sig(e->env, id, &s)) {
		type = xstrdup(s.ret);
		csig_release(&s);
	}
	free(id);
	return type;
}

static char *ident_type(struct eval *e, uint32_t i)
{
	char *id = ctok_dup(e->ts, i);
	const struct decl *d = scope_find(e->s, id);
	const struct api_symbol *v;
	char *type = NULL;

	if (d)
		type = xstrdup(d->type);
	else if (!strcmp(id, "NULL"))
		type = xstrdup("void *");
	else if (!strcmp(id, "THIS_MODULE"))
		type = xstrdup("struct module *");
	else if (starts_with(id, "GFP_"))
		type = xstrdup("gfp_t");
	else if (!strcmp(id, "true") || !strcmp(id, "false"))
		type = xstrdup("bool");
	else if (e->env->ix && (v = api_lookup(e->env->ix, id, API_VARIABLE | API_ENUMERATOR)))
		type = v->kind == API_VARIABLE ? xstrdup(v->type) : xstrdup("int");
	free(id);
	return type;
}

/* Return type of a call through a function pointer. */
static char *call_through(char *type)
{
	struct csig s;
	char *ret = NULL;

	if (type && csig_parse(type, &s)) {
		ret = xstrdup(s.ret);
		csig_release(&s);
	}
	free(type);
	return ret;
}

static char *postfix(struct eval *e, uint32_t i, uint32_t end, char *type)
{
	while (i < end && type) {
		uint32_t match = e->ts->t[i].match;

		if (ctok_is(e->ts, i, "->") || ctok_is(e->ts, i, ".")) {
			type = step(e, type, i + 1);
			i += 2;
		} else if (ctok_is(e->ts, i, "[") && match != CTOK_NONE) {
			type = deref(type);
			i = match + 1;
		} else if (ctok_is(e->ts, i, "(") && match != CTOK_NONE) {
			type = call_through(type);
			i = match + 1;
		} else if (ctok_is(e->ts, i, "++") || ctok_is(e->ts, i, "--")) {
			i++;
		} else {
			free(type);
			type = NULL;
		}
	}
	return type;
}

/* "(struct foo *)" in front of an expression: the type, or NULL when it is none. */
static char *cast_type(struct eval *e, uint32_t open)
{
	uint32_t close = e->ts->t[open].match, i;
	struct strbuf raw = STRBUF_INIT, out = STRBUF_INIT;
	bool type = ctok_is_keyword(e->ts, open + 1) && !ctok_is(e->ts, open + 1, "sizeof");

	for (i = open + 1; i < close; i++)
		if (!ctok_kind_is(e->ts, i, CTOK_IDENT) && !ctok_is(e->ts, i, "*"))
			return NULL;
	/* "(u8)x" and "(foo_t *)x": words and stars only, not a known value. */
	if (!type && (!ctok_is_ident(e->ts, open + 1) ||
		      (close > open + 2 && !ctok_is(e->ts, close - 1, "*"))))
		return NULL;
	if (!type) {
		char *id = ctok_dup(e->ts, open + 1);
		bool value = scope_find(e->s, id) != NULL;

		free(id);
		if (value)
			return NULL;
	}
	ctoks_normal(e->ts, open + 1, close, &raw);
	ctype_normalise(raw.buf, &out);
	strbuf_release(&raw);
	return strbuf_detach(&out, NULL);
}

static char *primary(struct eval *e, uint32_t from, uint32_t end)
{
	const struct ctok *t = &e->ts->t[from];
	char *type;

	if (t->kind == CTOK_STRING)
		return xstrdup("const char *");
	if (t->kind == CTOK_NUMBER || t->kind == CTOK_CHAR)
		return end == from + 1 ? xstrdup("int") : NULL;
	if (ctok_is(e->ts, from, "(") && t->match != CTOK_NONE && t->match < end) {
		if (t->match + 1 < end) {
			type = cast_type(e, from);
			if (type)
				return type;
		}
		return postfix(e, t->match + 1, end, eval(e, from + 1, t->match));
	}
	if (!ctok_is_ident(e->ts, from))
		return NULL;
	if (ctok_is(e->ts, from + 1, "(") && from + 1 < end) {
		char *id = ctok_dup(e->ts, from);
		bool object = scope_find(e->s, id) != NULL;

		free(id);
		if (!object)
			return postfix(e, e->ts->t[from + 1].match + 1, end, call_type(e, from));
	}
	return postfix(e, from + 1, end, ident_type(e, from));
}

static char *unary(struct eval *e, uint32_t from, uint32_t end)
{
	if (ctok_is(e->ts, from, "&"))
		return address_of(eval(e, from + 1, end));
	if (ctok_is(e->ts, from, "*"))
		return deref(eval(e, from + 1, end));
	if (ctok_is(e->ts, from, "!"))
		return xstrdup("int");
	if (ctok_is(e->ts, from, "sizeof"))
		return xstrdup("size_t");
	if (ctok_is(e->ts, from, "-") || ctok_is(e->ts, from, "~") || ctok_is(e->ts, from, "+") ||
	    ctok_is(e->ts, from, "++") || ctok_is(e->ts, from, "--"))
		return eval(e, from + 1, end);
	return primary(e, from, end);
}

/* The weakest binary operator outside brackets: its token, or "end". */
static uint32_t weakest(struct eval *e, uint32_t from, uint32_t end, int *level)
{
	static const char *const ops[][10] = {
		{ "=", "+=", "-=", "|=", "&=", "<<=", ">>=", "^=", NULL },
		{ "?", NULL },
		{ "||", "&&", "==", "!=", "<", ">", "<=", ">=", NULL },
		{ "|", "^", "<<", ">>", "/", "%", "+", "-", NULL },
	};
	uint32_t i;

	for (*level = 0; *level < (int)ARRAY_SIZE(ops); (*level)++) {
		for (i = from; i < end; i++) {
			int k;

			if (e->ts->t[i].match != CTOK_NONE && e->ts->t[i].match > i &&
			    e->ts->t[i].match < end) {
				i = e->ts->t[i].match;
				continue;
			}
			for (k = 0; i > from && ops[*level][k]; k++)
				if (ctok_is(e->ts, i, ops[*level][k]))
					return i;
		}
	}
	return end;
}

static char *eval(struct eval *e, uint32_t from, uint32_t end)
{
	uint32_t op, i;
	char *type = NULL;
	int level;

	if (from >= end || e->depth >= MAX_DEPTH)
		return NULL;
	e->depth++;
	op = weakest(e, from, end, &level);
	if (op == end) {
		type = unary(e, from, end);
	} else if (level == 1) {
		for (i = op; i < end && !ctok_is(e->ts, i, ":"); i++)
			if (e->ts->t[i].match != CTOK_NONE && e->ts->t[i].match > i)
				i = e->ts->t[i].match;
		type = eval(e, op + 1, i);
	} else if (level == 2) {
		type = xstrdup("int");
	} else {
		type = eval(e, from, op);
	}
	e->depth--;
	return type;
}

char *expr_type(const struct type_env *env, const struct scope *s, uint32_t from, uint32_t end)
{
	struct eval e = { .env = env, .s = s, .ts = srcfile_toks(s->f) };

	return eval(&e, from, end);
}
