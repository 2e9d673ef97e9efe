// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/impact-internal.h"

#include "base/alloc.h"
#include "base/file.h"
#include "mine/signature.h"
#include "port/usage.h"

#define MAX_LOCAL_INCLUDES 200

const char *impact_kind_name(enum impact_kind k)
{
	static const char *const names[] = { "header", "symbol", "member", "callback", "include", "layout", "doc" };

	return names[k];
}

const char *impact_weight_name(enum impact_weight w)
{
	static const char *const names[] = { "look", "breaks", "fatal" };

	return names[w];
}

const char *impact_remedy_name(enum impact_remedy r)
{
	static const char *const names[] = { "none", "rule", "rename", "import", "mined" };

	return names[r];
}

void impact_release(struct impact *im)
{
	for (size_t i = 0; i < im->n; i++) {
		free(im->item[i].file);
		free(im->item[i].name);
		free(im->item[i].header);
		free(im->item[i].text);
		free(im->item[i].via);
		free(im->item[i].remedy_name);
		free(im->item[i].remedy_text);
	}
	free(im->item);
	memset(im, 0, sizeof(*im));
}

static enum impact_weight weight_of(enum impact_kind kind, const struct api_change *c)
{
	if (kind == IMPACT_LAYOUT || kind == IMPACT_DOC)
		return IMPACT_LOOK;
	return c && c->kind == CHANGE_EXPORT_GPL ? IMPACT_FATAL : IMPACT_BREAKS;
}

struct impact_item *impact_add(struct finder *fi, enum impact_kind kind, const char *name, int line,
			       const struct api_change *c, const char *header, bool sure)
{
	char *key = xstrfmt("%d %s %d %s", kind, name, c ? (int)c->kind : -1,
			    c && c->to_name ? c->to_name : "");
	size_t at = (size_t)(uintptr_t)strmap_get(&fi->seen, key);
	struct impact_item *it;

	if (at) {
		fi->out->item[at - 1].uses++;
		free(key);
		return NULL;
	}
	ALLOC_GROW(fi->out->item, fi->out->n + 1, fi->out->alloc);
	it = &fi->out->item[fi->out->n++];
	memset(it, 0, sizeof(*it));
	it->kind = kind;
	it->weight = weight_of(kind, c);
	it->file = xstrdup(fi->f->path);
	it->line = line;
	it->uses = 1;
	it->name = xstrdup(name);
	it->header = xstrdup(header);
	it->change = c;
	it->sure = sure;
	strmap_put(&fi->seen, key, (void *)(uintptr_t)fi->out->n);
	free(key);
	return it;
}

/* ---- includes ---------------------------------------------------------------- */

static void reach(struct api_index *ix, const char *header, struct strmap *set)
{
	struct strvec deep = STRVEC_INIT;

	if (strmap_has(set, header))
		return;
	strmap_put(set, header, NULL);
	api_includes(ix, header, true, &deep);
	for (size_t i = 0; i < deep.n; i++)
		strmap_put(set, deep.v[i], NULL);
	strvec_release(&deep);
}

/* The driver's file that an #include "name" means, or NULL. */
static struct srcfile *local_file(const struct finder *fi, const struct srcfile *from, const char *name)
{
	char *dir = path_dir(from->path), *path = path_join(dir, name);
	struct srcfile *f = tree_file(fi->tree, path);

	for (size_t i = 0; !f && i < fi->tree->n; i++)
		if (!strcmp(path_base(fi->tree->files[i]->path), path_base(name)))
			f = fi->tree->files[i];
	free(dir);
	free(path);
	return f;
}

/* Headers that a file and the driver's own headers in it take in. */
static void collect_reach(struct finder *fi)
{
	/* What the build includes in front of everything. */
	static const char *const always[] = { "linux/kconfig.h", "linux/compiler_types.h" };
	struct srcfile *queue[MAX_LOCAL_INCLUDES] = { fi->f };
	size_t n = 1;

	for (size_t i = 0; i < ARRAY_SIZE(always); i++) {
		reach(fi->p->old_ix, always[i], &fi->old_reach);
		reach(fi->p->new_ix, always[i], &fi->new_reach);
	}
	for (size_t i = 0; i < n; i++) {
		struct include_list l = { 0 };

		file_includes(queue[i], &l);
		for (size_t k = 0; k < l.n; k++) {
			struct srcfile *f = l.v[k].angle ? NULL : local_file(fi, queue[i], l.v[k].name);
			bool known = false;

			for (size_t j = 0; f && j < n; j++)
				known = known || queue[j] == f;
			if (f && !known && n < MAX_LOCAL_INCLUDES)
				queue[n++] = f;
			if (f)
				continue;
			reach(fi->p->old_ix, l.v[k].name, &fi->old_reach);
			reach(fi->p->new_ix, l.v[k].name, &fi->new_reach);
		}
		include_list_release(&l);
	}
}

static void lost_headers(struct finder *fi)
{
	struct include_list l = { 0 };

	file_includes(fi->f, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct api_change **list;
		size_t n;

		if (!l.v[i].angle && local_file(fi, fi->f, l.v[i].name))
			continue;
		n = api_diff_lookup(fi->p->diff, l.v[i].name, &list);
		for (size_t k = 0; k < n; k++)
			if (list[k]->kind == CHANGE_HEADER_GONE)
				impact_add(fi, IMPACT_HEADER, l.v[i].name, srcfile_line(fi->f, l.v[i].start),
				    list[k], NULL, true);
		free(list);
	}
	include_list_release(&l);
}

/* ---- identifiers ---------------------------------------------------------------- */

static bool is_own(struct finder *fi, const char *name)
{
	const char *known = strmap_get(&fi->defined, name);

	if (!known) {
		known = tree_defines(fi->tree, name) ? "y" : "n";
		strmap_put(&fi->defined, name, (void *)(uintptr_t)known);
	}
	return *known == 'y';
}

static bool is_tag_word(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, "struct") || ctok_is(ts, i, "union") || ctok_is(ts, i, "enum");
}

/* Is the identifier used as what a callable is: called, or handed over by name? */
static bool used_as_function(const struct ctoks *ts, size_t i)
{
	if (ctok_is(ts, i + 1, "("))
		return true;
	return i && (ctok_is(ts, i - 1, "=") || ctok_is(ts, i - 1, ",") || ctok_is(ts, i - 1, "(") ||
		     ctok_is(ts, i - 1, "&")) &&
	       (ctok_is(ts, i + 1, ",") || ctok_is(ts, i + 1, ")") || ctok_is(ts, i + 1, ";") ||
		ctok_is(ts, i + 1, "}"));
}

/* A parameter or local variable may have the name of something of the kernel. */
static bool is_local(struct finder *fi, size_t i, const char *name)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	const struct cfunc *fn = srcfile_func_at(fi->f, ts->t[i].off);
	struct scope s = { 0 };
	const struct decl *d;
	bool local;

	if (!fn)
		return false;
	scope_collect(fi->f, fn, CTOK_NONE, &s);
	d = scope_find(&s, name);
	local = d && (d->param || d->block != CTOK_NONE);
	scope_release(&s);
	return local;
}

/* Does a call compile as before, the result being used as before? */
static bool call_goes_on(const struct api_change *c)
{
	if (!c->from || !c->to)
		return false;
	/* A typedef that means something else shows in no text. */
	if (c->kind == CHANGE_SIGNATURE)
		return strcmp(c->from->params ? c->from->params : "", c->to->params ? c->to->params : "") &&
		       sig_call_compatible(c->from->params, c->to->params);
	return c->kind == CHANGE_RETURN_TYPE && sig_both_integers(c->from->type, c->to->type);
}

/* Does the driver import the namespace: MODULE_IMPORT_NS(X), MODULE_IMPORT_NS("X")? */
static bool imports(const struct tree *t, const char *ns)
{
	bool found = false;

	for (size_t i = 0; i < t->n && !found; i++) {
		const struct ctoks *ts = srcfile_is_c(t->files[i]) ? srcfile_toks(t->files[i]) : NULL;

		for (size_t k = ts ? tok_find(ts, 0, "MODULE_IMPORT_NS") : 0; ts && k + 2 < ts->n && !found;
		     k = tok_find(ts, ts->t[k].off + 1, "MODULE_IMPORT_NS")) {
			char *word = ctok_dup(ts, k + 2), *p = word;

			p += *p == '"';
			p[strcspn(p, "\"")] = '\0';
			found = !strcmp(p, ns);
			free(word);
		}
	}
	return found;
}

static bool relevant(const struct finder *fi, const struct api_change *c, const struct ctoks *ts,
		     size_t i)
{
	bool called = ctok_is(ts, i + 1, "(");

	if (c->member || !apiview_breaks(c) || (called && call_goes_on(c)))
		return false;
	switch (c->kind) {
	case CHANGE_EXPORT_GPL:
		return !fi->gpl;
	case CHANGE_NAMESPACE:
		return !imports(fi->tree, c->to_name);
	case CHANGE_MACRO_ARITY:
		return called;
	case CHANGE_KIND:
		/* Calls go on; a macro has no address. */
		return !called;
	case CHANGE_SIGNATURE:
	case CHANGE_RETURN_TYPE:
	case CHANGE_CONST:
		/* A function handed over is checked against what it is handed to. */
		return (called && c->kind != CHANGE_CONST) || (c->from && !(c->from->kind & API_ANY_CALLABLE));
	default:
		return true;
	}
}

static void missing_include(struct finder *fi, const struct api_symbol *old, const char *name, int line)
{
	const struct api_symbol *now = api_lookup(fi->p->new_ix, name, old->kind);

	if (!now)
		now = api_lookup(fi->p->new_ix, name, API_ANY & ~API_MEMBER);
	if (!now || !now->active || strmap_has(&fi->new_reach, now->header) ||
	    !strmap_has(&fi->old_reach, old->header))
		return;
	/* Another declaration of it may be reached. */
	const struct api_symbol **all;
	size_t n = api_lookup_all(fi->p->new_ix, name, API_ANY & ~API_MEMBER, &all);
	bool reached = false;

	for (size_t k = 0; k < n; k++)
		reached = reached || (all[k]->active && strmap_has(&fi->new_reach, all[k]->header));
	free(all);
	if (!reached)
		impact_add(fi, IMPACT_INCLUDE, name, line, NULL, now->header, true);
}

static void one_identifier(struct finder *fi, size_t i)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	char *name = ctok_dup(ts, i), *full = NULL;
	bool tag = i && is_tag_word(ts, i - 1);
	const struct api_symbol *old;
	const struct api_change **list = NULL;
	size_t n;

	if (tag) {
		full = xstrfmt("%.*s %s", (int)ts->t[i - 1].len, ts->text + ts->t[i - 1].off, name);
		old = api_lookup(fi->p->old_ix, full, API_STRUCT | API_UNION | API_ENUM);
	} else {
		old = api_lookup(fi->p->old_ix, name, API_ANY & ~(API_MEMBER | API_STRUCT | API_UNION | API_ENUM));
	}
	/* What no #include of this file reaches is another thing of that name. */
	if (!old || !old->active || is_own(fi, name) || !strmap_has(&fi->old_reach, old->header))
		goto out;
	if (!tag && (old->kind & API_ANY_CALLABLE) && !used_as_function(ts, i))
		goto out;
	if (!tag && !ctok_is(ts, i + 1, "(") && is_local(fi, i, name))
		goto out;
	n = api_diff_lookup(fi->p->diff, tag ? full : name, &list);
	for (size_t k = 0; k < n; k++)
		if (relevant(fi, list[k], ts, i))
			impact_add(fi, IMPACT_SYMBOL, tag ? full : name, (int)ts->t[i].line, list[k], NULL,
			    list[k]->confidence >= 0.6);
	for (size_t k = 0; k < n; k++)
		if (list[k]->kind == CHANGE_DOC)
			impact_add(fi, IMPACT_DOC, name, (int)ts->t[i].line, list[k], NULL, true);
	if (!tag && old->kind == API_MACRO_FN)
		impact_macro(fi, name, i);
	/* A structure that is only pointed to needs no definition. */
	if (!tag)
		missing_include(fi, old, name, (int)ts->t[i].line);
out:
	free(list);
	free(full);
	free(name);
}

/* ---- members ----------------------------------------------------------------------- */

bool impact_same_member(const struct api_change *c, const char *member)
{
	const char *last = c->member ? strrchr(c->member, '.') : NULL;

	return c->member && (!strcmp(c->member, member) || (last && !strcmp(last + 1, member)));
}

/* Is the member that ends at this token written, or its address taken? */
static bool is_written(const struct ctoks *ts, size_t tok)
{
	static const char *const ops[] = { "=", "|=", "&=", "+=", "-=", "^=", "<<=", ">>=", "*=", "/=", "%=",
					   "++", "--" };

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (ctok_is(ts, tok + 1, ops[i]))
			return true;
	/* "&x->m", "++x->m": from the base's start backwards. */
	while (tok > 1 && (ctok_is(ts, tok - 1, "->") || ctok_is(ts, tok - 1, ".")))
		tok -= 2;
	return tok && (ctok_is(ts, tok - 1, "&") || ctok_is(ts, tok - 1, "++") || ctok_is(ts, tok - 1, "--"));
}

static bool has_const(const char *type)
{
	return type && strstr(type, "const");
}

/* Is the change of a member's type nothing to this use? */
static bool use_goes_on(const struct finder *fi, const struct api_change *c, size_t tok, bool init)
{
	const struct ctoks *ts = srcfile_toks(fi->f);

	if (!c->from || !c->to || c->from->params || c->to->params)
		return false;
	if (c->kind == CHANGE_CONST && init)
		return !has_const(c->from->type); /* what it takes now it took before */
	if (c->kind == CHANGE_TYPE && !init && starts_with(c->to->type, "const ") &&
	    !strchr(c->to->type, '*') && !starts_with(c->to->type, "const struct"))
		return !is_written(ts, tok);
	if (c->kind != CHANGE_TYPE)
		return false;
	/* An anonymous structure that got a name has the members that it had. */
	return !strcmp(c->from->type, "struct") || sig_both_integers(c->from->type, c->to->type);
}

/* The kernel's own function that an initialiser names has the new type as well. */
static bool value_follows(const struct finder *fi, const struct api_change *c, size_t tok)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	const struct api_symbol *s;
	char *name;

	if (!c->to || !c->to->params || !ctok_is(ts, tok + 1, "=") || !ctok_is_ident(ts, tok + 2))
		return false;
	name = ctok_dup(ts, tok + 2);
	s = tree_defines(fi->tree, name) ? NULL : api_lookup(fi->p->new_ix, name, API_FUNCTION | API_INLINE);
	free(name);
	return s && sig_compare_params(s->params, c->to->params) == SIG_SAME &&
	       sig_compare_types(s->type, c->to->type) == SIG_SAME;
}

static void one_member(struct finder *fi, const char *type, const char *member, size_t tok, bool in_init)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	const struct api_change **list;
	char *name = xstrfmt("%s.%s", type, member);
	size_t n = api_diff_lookup(fi->p->diff, type, &list);

	for (size_t k = 0; k < n; k++) {
		bool callback = list[k]->from && list[k]->from->params;
		/* "ops.open = f" fills in a callback as an initialiser does. */
		bool init = in_init || (callback && ctok_is(ts, tok + 1, "="));

		if (!impact_same_member(list[k], member) || !apiview_breaks(list[k]))
			continue;
		/* Calling a callback whose parameters gained a const is no fault. */
		if ((list[k]->kind == CHANGE_CONST && !init && callback) ||
		    use_goes_on(fi, list[k], tok, init) || (init && value_follows(fi, list[k], tok)))
			continue;
		impact_add(fi, callback && init ? IMPACT_CALLBACK : IMPACT_MEMBER, name, (int)ts->t[tok].line, list[k],
		    NULL, list[k]->confidence >= 0.6);
	}
	impact_layout_member(fi, type, member, tok);
	free(list);
	free(name);
}

static void one_access(struct finder *fi, size_t i)
{
	char *type = member_base_type(&fi->types, fi->f, (uint32_t)i), *member;

	if (!type)
		return;
	member = ctok_dup(srcfile_toks(fi->f), i);
	one_member(fi, type, member, i, false);
	free(member);
	free(type);
}

/* Type of the structure in which an initialiser's member stands: "struct foo", or NULL. */
static char *initialised_type(struct finder *fi, const struct cobject *o, const struct cmember *m)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	struct type_env env = { fi->p->old_ix, fi->tree };
	char *outer, *name, *type, *end;

	if (m->parent == CTOK_NONE) {
		if (o->tag == CTOK_NONE)
			return NULL;
		return xstrfmt("%s%.*s", o->tag_is_struct ? "struct " : "", (int)ts->t[o->tag].len,
			       ts->text + ts->t[o->tag].off);
	}
	outer = initialised_type(fi, o, &o->members[m->parent]);
	if (!outer || o->members[m->parent].name == CTOK_NONE)
		return outer; /* an element of an array has the array's type */
	name = ctok_dup(ts, o->members[m->parent].name);
	type = member_type(&env, outer, name);
	free(outer);
	free(name);
	end = type ? strpbrk(type, "[*") : NULL;
	if (end)
		*end = '\0';
	return type;
}

static void initialisers(struct finder *fi)
{
	const struct cfile *cf = srcfile_parse(fi->f);
	const struct ctoks *ts = srcfile_toks(fi->f);

	for (size_t i = 0; i < cf->nobjects; i++) {
		const struct cobject *o = &cf->objects[i];

		impact_layout_object(fi, o);
		for (size_t k = 0; k < o->nmembers; k++) {
			char *type, *member;

			if (o->members[k].name == CTOK_NONE)
				continue;
			type = initialised_type(fi, o, &o->members[k]);
			member = ctok_dup(ts, o->members[k].name);
			if (type)
				one_member(fi, type, member, o->members[k].name, true);
			free(type);
			free(member);
		}
	}
}

/* ---- the walk ------------------------------------------------------------------------- */

/* ".x" behind "{" or ",": initialisers() sees to those. */
static bool is_designator(const struct ctoks *ts, size_t i)
{
	return i >= 2 && ctok_is(ts, i - 1, ".") &&
	       (ctok_is(ts, i - 2, "{") || ctok_is(ts, i - 2, ",") || ts->t[i - 2].kind == CTOK_PP);
}

static void one_file(struct finder *fi)
{
	const struct ctoks *ts = srcfile_toks(fi->f);

	strmap_init(&fi->seen);
	strmap_init(&fi->laid);
	strmap_init(&fi->old_reach);
	strmap_init(&fi->new_reach);
	collect_reach(fi);
	lost_headers(fi);
	for (size_t i = 0; i < ts->n; i++) {
		if ((ts->t[i].flags & CTOK_DEAD) || !ctok_is_ident(ts, i))
			continue;
		if (i && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, "."))) {
			if (!is_designator(ts, i))
				one_access(fi, i);
			continue;
		}
		one_identifier(fi, i);
	}
	initialisers(fi);
	strmap_release(&fi->seen, NULL);
	strmap_release(&fi->laid, NULL);
	strmap_release(&fi->old_reach, NULL);
	strmap_release(&fi->new_reach, NULL);
}

/* The words that satisfy GPL-only exports. Facts: include/linux/license.h. */
static bool is_gpl(const struct ctoks *ts, size_t tok)
{
	static const char *const words[] = { "GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL",
					     "Dual MIT/GPL", "Dual MPL/GPL" };
	char *word = ctok_dup(ts, tok);
	size_t n = strlen(word);
	bool gpl = *word != '"'; /* a macro of the driver's: not known */

	for (size_t i = 0; i < ARRAY_SIZE(words) && !gpl; i++)
		gpl = n == strlen(words[i]) + 2 && !strncmp(word + 1, words[i], n - 2);
	free(word);
	return gpl;
}

/* MODULE_LICENSE of any file; a driver without one is taken for GPL. */
static bool gpl_license(const struct tree *t)
{
	bool found = false, gpl = false;

	for (size_t i = 0; i < t->n; i++) {
		const struct ctoks *ts;
		size_t k;

		if (!srcfile_is_c(t->files[i]))
			continue;
		ts = srcfile_toks(t->files[i]);
		k = tok_find(ts, 0, "MODULE_LICENSE");
		if (k + 2 >= ts->n)
			continue;
		found = true;
		gpl = gpl || is_gpl(ts, k + 2);
	}
	return gpl || !found;
}

static int by_place(const void *a, const void *b)
{
	const struct impact_item *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line - y->line;
	c = strcmp(x->name, y->name);
	return c ? c : (int)x->kind - (int)y->kind;
}

void impact_find(const struct tree *t, const struct api_pair *p, struct impact *out)
{
	struct finder fi = { .tree = t, .p = p, .out = out };

	memset(out, 0, sizeof(*out));
	fi.types.tree = (struct tree *)t;
	fi.types.old_ix = fi.types.new_ix = p->old_ix;
	fi.gpl = gpl_license(t);
	strmap_init(&fi.defined);
	strmap_init(&fi.macros);
	for (size_t i = 0; i < t->n; i++) {
		fi.f = t->files[i];
		if (srcfile_is_c(fi.f))
			one_file(&fi);
	}
	strmap_release(&fi.defined, NULL);
	impact_macros_release(&fi);
	if (out->n)
		sort_items(out->item, out->n, sizeof(*out->item), by_place);
}
