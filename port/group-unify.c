// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/group-unify.h"

#include "base/alloc.h"
#include "port/stmt.h"

#define MAX_STEPS 60000
#define MAX_ENDS  8

static const struct ctoks *etoks(const struct group_unify *u)
{
	return srcfile_toks(u->ex->f[GROUP_OLD]);
}

static const struct ctoks *dtoks(const struct group_unify *u)
{
	return srcfile_toks(u->f);
}

/* ---- bindings ------------------------------------------------------------------------ */

static void add_tokens(const struct ctoks *ts, struct cspan s, struct strvec *out)
{
	for (uint32_t i = s.first; i < s.end; i++)
		strvec_push_nodup(out, ctok_dup(ts, i));
}

static char *source_text(const struct ctoks *ts, struct cspan s)
{
	const struct ctok *a = &ts->t[s.first], *z = &ts->t[s.end - 1];

	return xstrndup(ts->text + a->off, z->off + z->len - a->off);
}

static struct group_bind *push(struct group_unify *u)
{
	struct group_bind *b;

	ALLOC_GROW(u->v, u->n + 1, u->alloc);
	b = &u->v[u->n++];
	memset(b, 0, sizeof(*b));
	strvec_init(&b->e);
	strvec_init(&b->d);
	return b;
}

static void release_bind(struct group_bind *b)
{
	strvec_release(&b->e);
	strvec_release(&b->d);
	free(b->text);
}

void group_undo(struct group_unify *u, size_t n)
{
	while (u->n > n)
		release_bind(&u->v[--u->n]);
}

void group_keep_lasting(struct group_unify *u)
{
	size_t n = 0;

	for (size_t i = 0; i < u->n; i++) {
		if (u->v[i].keep)
			u->v[n++] = u->v[i];
		else
			release_bind(&u->v[i]);
	}
	u->n = n;
}

const char *group_bound(const struct group_unify *u, const char *name)
{
	for (size_t i = 0; i < u->n; i++) {
		if (u->v[i].e.n == 1 && u->v[i].d.n == 1 && !u->v[i].member &&
		    !strcmp(u->v[i].e.v[0], name))
			return u->v[i].d.v[0];
	}
	return NULL;
}

static bool seq_at(const struct ctoks *ts, uint32_t i, uint32_t end, const struct strvec *seq)
{
	if (i + seq->n > end)
		return false;
	for (size_t k = 0; k < seq->n; k++) {
		if (!ctok_is(ts, i + k, seq->v[k]))
			return false;
	}
	return true;
}

static bool bind_at(const struct group_bind *b, const struct ctoks *ts, uint32_t i, uint32_t end)
{
	uint32_t next = i + (uint32_t)b->e.n;

	/* "&a" is no part of "&a.b". */
	if (b->e.n > 1 && !strcmp(b->e.v[0], "&") &&
	    (ctok_is(ts, next, ".") || ctok_is(ts, next, "->") || ctok_is(ts, next, "[")))
		return false;
	return seq_at(ts, i, end, &b->e) && (b->e.n != 1 || b->member == is_member_access(ts, i));
}

/* "a->b[i].c": nothing that binds weaker than a member operator. */
static bool is_postfix(const struct ctoks *ts, struct cspan s)
{
	for (uint32_t i = s.first; i < s.end; i++) {
		uint32_t m = ts->t[i].match;

		if (m != CTOK_NONE && m > i && m < s.end && i > s.first)
			i = m;
		else if (!ctok_is_ident(ts, i) && !ctok_is(ts, i, "->") && !ctok_is(ts, i, "."))
			return false;
	}
	return s.end > s.first;
}

static void bind_seq(struct group_unify *u, struct cspan e, const char *e_tail, struct cspan d,
		     const char *d_head, const char *d_tail)
{
	struct group_bind *b = push(u);
	char *text = source_text(dtoks(u), d);

	add_tokens(etoks(u), e, &b->e);
	if (d_head)
		strvec_push(&b->d, d_head);
	add_tokens(dtoks(u), d, &b->d);
	if (e_tail)
		strvec_push(&b->e, e_tail);
	if (d_tail)
		strvec_push(&b->d, d_tail);
	b->text = xstrfmt("%s%s%s", d_head ? d_head : "", text, d_tail ? d_tail : "");
	free(text);
}

/* An expression, and what follows from it for its members. */
static void bind_expr(struct group_unify *u, struct cspan e, struct cspan d)
{
	const struct ctoks *x = etoks(u), *y = dtoks(u);
	bool ea = ctok_is(x, e.first, "&"), da = ctok_is(y, d.first, "&");
	struct cspan eo = { e.first + ea, e.end }, dobj = { d.first + da, d.end };

	bind_seq(u, e, NULL, d, NULL, NULL);
	if (!is_postfix(x, eo) || !is_postfix(y, dobj))
		return;
	if (ea && da)
		bind_seq(u, eo, NULL, dobj, NULL, NULL);
	else if (ea)
		bind_seq(u, eo, ".", dobj, NULL, "->");
	else if (da)
		bind_seq(u, eo, "->", dobj, NULL, ".");
}

/* ---- expressions that may stand for others ------------------------------------------- */

static bool may_generalise(const struct group_unify *u, struct cspan e)
{
	const struct ctoks *ts = etoks(u);

	for (uint32_t i = e.first; i < e.end; i++) {
		char *name;
		bool bad;

		if (ctok_is(ts, i, "{") || ctok_is(ts, i, ";"))
			return false;
		if (!ctok_is_ident(ts, i))
			continue;
		name = ctok_dup(ts, i);
		bad = !strcmp(name, u->symbol) || strvec_contains(&u->ex->gone, name) ||
		      (ctok_is(ts, i + 1, "(") && group_is_gone(u->c, ts, i)) ||
		      (!is_member_access(ts, i) && strvec_contains(&u->ex->dead, name));
		free(name);
		if (bad)
			return false;
	}
	return e.end > e.first;
}

static bool is_bound(const struct group_unify *u, struct cspan e)
{
	for (size_t k = 0; k < u->n; k++) {
		if (u->v[k].e.n == e.end - e.first && bind_at(&u->v[k], etoks(u), e.first, e.end))
			return true;
	}
	return false;
}

bool group_holds(const struct group_unify *u, struct cspan in, struct cspan e)
{
	const struct ctoks *x = etoks(u), *y = srcfile_toks(u->ex->f[GROUP_NEW]);

	for (uint32_t i = in.first; i + (e.end - e.first) <= in.end; i++) {
		uint32_t k = 0;

		while (k < e.end - e.first && ctok_same(x, e.first + k, y, i + k))
			k++;
		if (k == e.end - e.first)
			return true;
	}
	return false;
}

/*
 * A constant that became another one says what that driver wanted, which this one may
 * not: it stands for itself, unless it is still there.
 */
static bool is_choice(const struct group_unify *u, struct cspan e)
{
	const struct ctoks *x = etoks(u);

	for (uint32_t i = e.first; i < e.end; i++) {
		char *name;
		bool local;

		if (!ctok_is_ident(x, i))
			continue;
		name = ctok_dup(x, i);
		local = group_is_local(&u->ex->scope[GROUP_OLD], u->ex->fn[GROUP_OLD], name) ||
			!group_is_kernel_name(u->c, x, i);
		free(name);
		if (local)
			return false;
	}
	if (group_holds(u, u->after, e))
		return false;
	/* A statement that went altogether: its values may stand anywhere in what came. */
	for (size_t k = 0; u->after.end <= u->after.first && k < u->ex->natoms; k++) {
		if (u->ex->atom[k].tied && group_holds(u, u->ex->atom[k].a, e))
			return false;
	}
	return true;
}

/*
 * "sb->s_bdev" that became "sb->s_bdev_file" says what one member of a structure stands
 * for now, not what an expression in its place does.
 */
static bool is_other_member(const struct group_unify *u, struct cspan e)
{
	const struct ctoks *x = etoks(u);
	struct cspan base = { e.first, e.end - 1 };

	return e.end > e.first + 2 && is_member_access(x, e.end - 1) &&
	       !group_holds(u, u->after, e) && group_holds(u, u->after, base);
}

static bool is_delim(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i, ",") || ctok_is(ts, i, ")") || ctok_is(ts, i, ";") ||
	       ctok_is(ts, i, "}") || ctok_is(ts, i, "]");
}

/* One behind the expression that starts at i, at a comma, semicolon or closing bracket. */
static uint32_t expr_end(const struct ctoks *ts, uint32_t i, uint32_t end)
{
	if (end > ts->n)
		end = (uint32_t)ts->n;
	for (; i < end; i++) {
		uint32_t m = ts->t[i].match;

		if (is_delim(ts, i))
			return i;
		if (ts->t[i].kind == CTOK_PP)
			return CTOK_NONE;
		if (m != CTOK_NONE && m > i)
			i = m;
	}
	return CTOK_NONE;
}

/* May a whole expression start here? Behind a bracket or comma of a call, "=", "return", "!". */
static bool starts_expr(const struct ctoks *ts, uint32_t i)
{
	if (i == 0)
		return false;
	return ctok_is(ts, i - 1, "(") || ctok_is(ts, i - 1, ",") || ctok_is(ts, i - 1, "=") ||
	       ctok_is(ts, i - 1, "return") || ctok_is(ts, i - 1, "!") ||
	       ctok_is(ts, i - 1, "==") || ctok_is(ts, i - 1, "[");
}

/* Ends of objects "a", "a->b", "a->b[1]" that start at i and are followed by a member operator. */
static size_t object_ends(const struct ctoks *ts, uint32_t i, uint32_t end, uint32_t *out)
{
	size_t n = 0;

	if (!ctok_is_ident(ts, i) || is_member_access(ts, i))
		return 0;
	for (i++; i < end && n < MAX_ENDS;) {
		if (ctok_is(ts, i, "[") && ts->t[i].match != CTOK_NONE && ts->t[i].match > i) {
			i = ts->t[i].match + 1;
		} else if (ctok_is(ts, i, "->") || ctok_is(ts, i, ".")) {
			out[n++] = i;
			if (!ctok_is_ident(ts, i + 1))
				break;
			i += 2;
		} else {
			break;
		}
	}
	return n;
}

/* ---- matching --------------------------------------------------------------------------- */

struct walk {
	struct group_unify *u;
	uint32_t e_end, d_limit, *end;
};

static bool walk(struct walk *w, uint32_t i, uint32_t p);

static bool walk_bound(struct walk *w, uint32_t i, uint32_t p, bool *named)
{
	struct group_unify *u = w->u;
	size_t len = SIZE_MAX;

	/* Longest first. */
	for (;;) {
		size_t best = 0, at = 0;

		for (size_t k = 0; k < u->n; k++) {
			if (u->v[k].e.n < len && u->v[k].e.n > best &&
			    bind_at(&u->v[k], etoks(u), i, w->e_end)) {
				best = u->v[k].e.n;
				at = k;
			}
		}
		if (!best)
			return false;
		*named |= best == 1;
		len = best;
		if (seq_at(dtoks(u), p, w->d_limit, &u->v[at].d)) {
			size_t dn = u->v[at].d.n;

			if (walk(w, i + (uint32_t)best, p + (uint32_t)dn))
				return true;
		}
	}
}

static bool is_literal(const struct group_unify *u, uint32_t i)
{
	const struct ctoks *ts = etoks(u);
	char *name;
	bool local;

	if (!ctok_is_ident(ts, i))
		return true;
	name = ctok_dup(ts, i);
	local = !is_member_access(ts, i) && (strvec_contains(&u->ex->dead, name) ||
		group_is_local(&u->ex->scope[GROUP_OLD], u->ex->fn[GROUP_OLD], name));
	if (!local && !strcmp(name, u->symbol)) {
		free(name);
		return true;
	}
	free(name);
	return !local && group_is_kernel_name(u->c, ts, i);
}

static bool is_taken(const struct group_unify *u, uint32_t p)
{
	for (size_t k = 0; k < u->n; k++) {
		if (u->v[k].e.n == 1 && u->v[k].d.n == 1 && ctok_is(dtoks(u), p, u->v[k].d.v[0]) &&
		    u->v[k].member == is_member_access(dtoks(u), p))
			return true;
	}
	return false;
}

/* A function or object of the example's file: it stands for one of the driver's everywhere. */
static bool is_file_name(const struct group_unify *u, const char *name)
{
	const struct cfile *cf = srcfile_parse(u->ex->f[GROUP_OLD]);

	return !group_is_local(&u->ex->scope[GROUP_OLD], u->ex->fn[GROUP_OLD], name) &&
	       (cfile_func(cf, name) || cfile_object(cf, name));
}

static bool walk_name(struct walk *w, uint32_t i, uint32_t p)
{
	struct group_unify *u = w->u;
	const struct ctoks *e = etoks(u), *d = dtoks(u);
	size_t n = u->n;
	struct group_bind *b;
	char *name;
	bool d_local;

	if (!ctok_is_ident(d, p) || is_member_access(e, i) != is_member_access(d, p) || is_taken(u, p) ||
	    ctok_is(d, p, u->symbol))
		return false;
	name = ctok_dup(d, p);
	d_local = group_is_local(&u->scope, u->fn, name);
	free(name);
	if (!d_local && group_is_kernel_name(u->c, d, p))
		return false;
	/* A local stands for a local. */
	name = ctok_dup(e, i);
	if (!is_member_access(e, i) &&
	    group_is_local(&u->ex->scope[GROUP_OLD], u->ex->fn[GROUP_OLD], name) != d_local) {
		free(name);
		return false;
	}
	bind_seq(u, (struct cspan){ i, i + 1 }, NULL, (struct cspan){ p, p + 1 }, NULL, NULL);
	b = &u->v[u->n - 1];
	b->member = is_member_access(e, i);
	b->keep = !b->member && (strvec_contains(&u->ex->dead, name) ||
				 strvec_contains(&u->ex->moved, name) || is_file_name(u, name));
	free(name);
	if (walk(w, i + 1, p + 1))
		return true;
	group_undo(u, n);
	return false;
}

static bool walk_expr(struct walk *w, uint32_t i, uint32_t p)
{
	struct group_unify *u = w->u;
	const struct ctoks *e = etoks(u), *d = dtoks(u);
	uint32_t ei = expr_end(e, i, (uint32_t)e->n), dp = expr_end(d, p, w->d_limit + 1);
	size_t n = u->n;

	if (!starts_expr(e, i) || ei == CTOK_NONE || ei > w->e_end || ei <= i || dp == CTOK_NONE ||
	    dp <= p || dp > w->d_limit || !ctok_same(e, ei, d, dp) ||
	    !may_generalise(u, (struct cspan){ i, ei }) || is_bound(u, (struct cspan){ i, ei }) ||
	    is_choice(u, (struct cspan){ i, ei }) || is_other_member(u, (struct cspan){ i, ei }) ||
	    count_ident(d, p, dp, u->symbol))
		return false;
	bind_expr(u, (struct cspan){ i, ei }, (struct cspan){ p, dp });
	if (walk(w, ei, dp))
		return true;
	group_undo(u, n);
	return false;
}

static bool walk_object(struct walk *w, uint32_t i, uint32_t p)
{
	struct group_unify *u = w->u;
	const struct ctoks *e = etoks(u), *d = dtoks(u);
	uint32_t es[MAX_ENDS], ds[MAX_ENDS];
	size_t ne = object_ends(e, i, w->e_end, es), nd = object_ends(d, p, w->d_limit, ds);

	for (size_t x = 0; x < ne; x++) {
		for (size_t y = 0; y < nd; y++) {
			struct cspan a = { i, es[x] }, b = { p, ds[y] };
			bool e_ptr = ctok_is(e, es[x], "->"), d_ptr = ctok_is(d, ds[y], "->");
			size_t n = u->n;

			if (!may_generalise(u, a))
				continue;
			if (e_ptr == d_ptr) {
				bind_seq(u, a, NULL, b, NULL, NULL);
			} else if (d_ptr) { /* a.m is b->m: &a is b */
				struct group_bind *g;

				bind_seq(u, a, ".", b, NULL, "->");
				g = push(u);
				strvec_push(&g->e, "&");
				add_tokens(e, a, &g->e);
				add_tokens(d, b, &g->d);
				g->text = source_text(d, b);
			} else { /* a->m is b.m: a is &b */
				bind_seq(u, a, "->", b, NULL, ".");
				bind_seq(u, a, NULL, b, "&", NULL);
			}
			if (walk(w, es[x] + 1, ds[y] + 1))
				return true;
			group_undo(u, n);
		}
	}
	return false;
}

static bool walk(struct walk *w, uint32_t i, uint32_t p)
{
	struct group_unify *u = w->u;
	const struct ctoks *e = etoks(u), *d = dtoks(u);
	bool named = false;

	if (i >= w->e_end) {
		*w->end = p;
		return true;
	}
	if (p >= w->d_limit || ++u->steps > MAX_STEPS || (d->t[p].flags & CTOK_DEAD) ||
	    d->t[p].kind == CTOK_PP)
		return false;
	if (walk_bound(w, i, p, &named))
		return true;
	if (is_literal(u, i)) {
		if (ctok_same(e, i, d, p) && walk(w, i + 1, p + 1))
			return true;
	} else if (!named && walk_name(w, i, p)) {
		return true;
	}
	return walk_object(w, i, p) || walk_expr(w, i, p);
}

bool group_match(struct group_unify *u, struct cspan pattern, struct cspan after, uint32_t at,
		 uint32_t *end)
{
	struct walk w = { .u = u, .e_end = pattern.end, .d_limit = u->fn->body.end, .end = end };
	size_t n = u->n;

	if (pattern.end <= pattern.first)
		return false;
	u->after = after;
	if (walk(&w, pattern.first, at))
		return true;
	group_undo(u, n);
	return false;
}

/* ---- new text ---------------------------------------------------------------------------- */

static bool is_returned(const struct ctoks *ts, const struct cfunc *fn, const char *name)
{
	for (uint32_t i = fn->body.first; i + 2 < fn->body.end; i++) {
		if (ctok_is(ts, i, "return") && ctok_is(ts, i + 1, name) && ctok_is(ts, i + 2, ";"))
			return true;
	}
	return false;
}

/*
 * The only local of the driver's function with the type that the example's local has (of
 * those that are returned, when that one is), or NULL.
 */
static const char *by_type(const struct group_unify *u, const char *name)
{
	const struct decl *e = scope_find(&u->ex->scope[GROUP_NEW], name), *found = NULL;
	bool returned = is_returned(etoks(u), u->ex->fn[GROUP_OLD], name);

	if (!e || !e->type || (!e->param && e->block == CTOK_NONE))
		return NULL;
	for (size_t i = 0; i < u->scope.n; i++) {
		const struct decl *d = &u->scope.d[i];

		if ((!d->param && d->block == CTOK_NONE) || !d->type || strcmp(d->type, e->type) ||
		    (returned && !is_returned(dtoks(u), u->fn, d->ident)))
			continue;
		if (found)
			return NULL;
		found = d;
	}
	return found ? found->ident : NULL;
}

static bool is_new_kernel_name(const struct group_unify *u, const struct ctoks *ts, uint32_t i)
{
	char *name = ctok_dup(ts, i);
	bool yes = api_lookup(u->c->new_ix, name, API_ANY) != NULL;

	free(name);
	return yes;
}

static bool is_own(const struct group_unify *u, const struct ctoks *ts, uint32_t i)
{
	char *name = u->own && ctok_is_ident(ts, i) && !is_member_access(ts, i) ? ctok_dup(ts, i) : NULL;
	bool own = name && group_is_local(u->own, u->own_fn, name);

	free(name);
	return own;
}

/* The text of one identifier that no binding covers; NULL when it stands for nothing. */
static char *emit_name(struct group_unify *u, const struct ctoks *ts, uint32_t i)
{
	char *name = ctok_dup(ts, i), *out = NULL;
	const char *other;

	if (is_own(u, ts, i)) {
		out = xstrdup(name);
	} else if (is_member_access(ts, i)) {
		out = is_new_kernel_name(u, ts, i) || group_is_new_member(u, i) ? xstrdup(name) : NULL;
	} else if (strvec_contains(&u->ex->fresh, name)) {
		const struct decl *d = scope_find(&u->ex->scope[GROUP_NEW], name);
		/* A new parameter is one that the driver has by now. */
		const char *mine = d && d->param ? by_type(u, name) : NULL;

		/* ... or will have with the head that is written along. */
		if (d && d->param && !mine &&
		    !count_ident(dtoks(u), u->fn->ret.first, u->fn->body.end, name)) {
			out = xstrdup(name);
		} else if (!d || !d->param) {
			out = xstrdup(name);
			if (!strvec_contains(&u->fresh, name))
				strvec_push(&u->fresh, name);
		} else if (mine) {
			out = xstrdup(mine);
		}
	} else if (group_is_local(&u->ex->scope[GROUP_NEW], u->ex->fn[GROUP_NEW], name)) {
		other = by_type(u, name);
		out = other ? xstrdup(other) : NULL;
	} else if (is_new_kernel_name(u, ts, i)) {
		out = xstrdup(name);
	} else if (group_is_new_item(u->ex, name)) {
		out = group_item_name(u, name);
		if (out && !strvec_contains(&u->items, name))
			strvec_push(&u->items, name);
	}
	free(name);
	return out;
}

static uint32_t column(const struct ctoks *ts, uint32_t i)
{
	size_t off = ts->t[i].off, from = off;

	while (from > 0 && ts->text[from - 1] != '\n')
		from--;
	return (uint32_t)text_column(ts->text + from, off - from, 0);
}

static bool blank_line(const char *gap, size_t n)
{
	const char *nl = memchr(gap, '\n', n);
	size_t left = nl ? n - (size_t)(nl + 1 - gap) : 0;

	for (size_t i = 0; i < left; i++) {
		if (nl[1 + i] == '\n')
			return true;
		if (nl[1 + i] != ' ' && nl[1 + i] != '\t')
			return false;
	}
	return false;
}

static void add_gap(const struct ctoks *ts, struct cspan s, uint32_t i, const char *indent,
		    struct strbuf *out)
{
	size_t from = ts->t[i - 1].off + ts->t[i - 1].len, to = ts->t[i].off;
	uint32_t first = s.first, col;

	if (!memchr(ts->text + from, '\n', to - from)) {
		if (to > from)
			strbuf_addch(out, ' ');
		return;
	}
	while (first > 0 && !(ts->t[first].flags & CTOK_BOL))
		first--;
	col = column(ts, i);
	col = col > column(ts, first) ? col - column(ts, first) : 0;
	strbuf_addstr(out, blank_line(ts->text + from, to - from) ? "\n\n" : "\n");
	strbuf_addstr(out, indent);
	for (; col >= 8; col -= 8)
		strbuf_addch(out, '\t');
	for (; col; col--)
		strbuf_addch(out, ' ');
}

static size_t longest_bind(const struct group_unify *u, const struct ctoks *ts, uint32_t i,
			   uint32_t end)
{
	size_t best = SIZE_MAX;

	/* A function that comes along has its own locals. */
	if (is_own(u, ts, i))
		return best;
	for (size_t k = 0; k < u->n; k++) {
		if ((best == SIZE_MAX || u->v[k].e.n > u->v[best].e.n) && bind_at(&u->v[k], ts, i, end))
			best = k;
	}
	return best;
}

void group_omit(struct group_unify *u, struct cspan s)
{
	ALLOC_GROW(u->omit, u->nomit + 1, u->omit_alloc);
	u->omit[u->nomit++] = s;
}

/* Behind what is left out from here on; 0: nothing is. */
static uint32_t omitted(const struct group_unify *u, uint32_t i)
{
	for (size_t k = 0; k < u->nomit; k++) {
		if (u->omit[k].first == i)
			return u->omit[k].end;
	}
	return 0;
}

bool group_emit(struct group_unify *u, struct cspan after, const char *indent, struct strbuf *out)
{
	const struct ctoks *ts = srcfile_toks(u->ex->f[GROUP_NEW]);

	for (uint32_t i = after.first; i < after.end;) {
		size_t k = longest_bind(u, ts, i, after.end);
		uint32_t behind = omitted(u, i);

		if (behind > i) {
			i = behind;
			continue;
		}

		if (ts->t[i].kind == CTOK_PP)
			return false;
		if (i > after.first)
			add_gap(ts, after, i, indent, out);
		if (k != SIZE_MAX) {
			strbuf_addstr(out, u->v[k].text);
			i += (uint32_t)u->v[k].e.n;
			continue;
		}
		if (ctok_is_ident(ts, i)) {
			char *name = emit_name(u, ts, i);

			if (!name)
				return false;
			strbuf_addstr(out, name);
			free(name);
		} else {
			strbuf_add(out, ts->text + ts->t[i].off, ts->t[i].len);
		}
		i++;
	}
	return true;
}

/* ---- beginning and end --------------------------------------------------------------------- */

void group_unify_init(struct group_unify *u, const struct propose_ctx *c, const char *symbol,
		      const struct group_example *ex, struct srcfile *f, const struct cfunc *fn)
{
	struct group_bind *b;

	memset(u, 0, sizeof(*u));
	u->c = c;
	u->ex = ex;
	u->symbol = symbol;
	u->f = f;
	u->fn = fn;
	strvec_init(&u->fresh);
	strvec_init(&u->items);
	scope_collect(f, fn, CTOK_NONE, &u->scope);
	b = push(u);
	strvec_push(&b->e, ex->function);
	strvec_push_nodup(&b->d, ctok_dup(srcfile_toks(f), fn->name));
	b->text = xstrdup(b->d.v[0]);
	b->keep = true;
}

void group_unify_release(struct group_unify *u)
{
	group_undo(u, 0);
	free(u->v);
	strvec_release(&u->fresh);
	strvec_release(&u->items);
	while (u->nmembers) {
		free(u->members[--u->nmembers].name);
		free(u->members[u->nmembers].here);
	}
	free(u->members);
	free(u->omit);
	scope_release(&u->scope);
	memset(u, 0, sizeof(*u));
}
