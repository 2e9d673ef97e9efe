// SPDX-License-Identifier: GPL-2.0-only
/* Declarations that come and go with a change, and values that went along with calls. */
#include "base/compat.h"
#include "port/group-internal.h"

#include "base/alloc.h"
#include "port/stmt.h"

/* ---- declarations --------------------------------------------------------------------------------- */

/* Do all the names that the statement declares go? */
static bool all_go(const struct group_place *a, const struct decl *d)
{
	for (size_t i = 0; i < a->u.scope.n; i++) {
		const struct decl *o = &a->u.scope.d[i];

		if (!o->param && o->stmt.first == d->stmt.first && o->name != CTOK_NONE &&
		    !group_is_image(a, &a->ex->dead, o->name) && !group_is_image(a, &a->ex->moved, o->name))
			return false;
	}
	return true;
}

/* Takes the declaration of a local away that nothing uses any more. */
static bool drop_declaration(struct group_place *a, const char *name)
{
	const struct decl *d = scope_find(&a->u.scope, name);

	if (!d || d->param || d->block == CTOK_NONE || group_covers(a, d->name))
		return true; /* a label, a parameter, or gone already */
	for (uint32_t i = d->init.first; i < d->init.end; i++) {
		if (ctok_is(a->ts, i, "(") && i > 0 && ctok_is_ident(a->ts, i - 1))
			return false; /* what it calls would be lost */
	}
	if (!d->shared || all_go(a, d)) {
		group_add_site(a, d->stmt, xstrdup(""), false);
	} else {
		uint32_t from = d->declarator.first, to = d->init.end > d->init.first ? d->init.end :
										       d->declarator.end;

		if (ctok_is(a->ts, from - 1, ","))
			from--;
		else if (ctok_is(a->ts, to, ","))
			to++;
		group_add_site(a, (struct cspan){ from, to }, xstrdup(""), false);
	}
	return true;
}

/* "LIST_HEAD(list);" or "DECLARE_BITMAP(map, 5);" */
static bool is_declaring_macro(const struct ctoks *ts, uint32_t i)
{
	static const char *const names[] = { "LIST_HEAD", "HLIST_HEAD", "DECLARE_", "DEFINE_" };

	if (!ctok_is_ident(ts, i) || !ctok_is(ts, i + 1, "(") || ts->t[i + 1].match == CTOK_NONE ||
	    !ctok_is(ts, ts->t[i + 1].match + 1, ";"))
		return false;
	for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
		if (starts_with(ts->text + ts->t[i].off, names[k]))
			return true;
	}
	return false;
}

/* Behind the declarations at the start of the function's body. */
static uint32_t behind_declarations(const struct group_place *a)
{
	uint32_t pos = a->u.fn->body.first + 1;

	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < a->u.scope.n && !again; i++) {
			const struct decl *d = &a->u.scope.d[i];

			if (d->param || d->block != a->u.fn->body.first || d->stmt.first != pos)
				continue;
			pos = d->stmt.end;
			again = true;
		}
		/* LIST_HEAD(list); */
		if (!again && is_declaring_macro(a->ts, pos)) {
			pos = a->ts->t[pos + 1].match + 2;
			again = true;
		}
	}
	return pos;
}

/* Does some emitted text give the new local a value, or hand out its address? */
static bool is_given_value(const struct group_place *a, const char *name, const struct decl *d)
{
	bool given = d->init.end > d->init.first || (d->type && strchr(d->type, '['));

	for (size_t i = 0; i < a->nsites && !given; i++) {
		const char *text = a->site[i].text;
		struct ctoks ts = { 0 };

		if (!ctoks_scan(&ts, text, strlen(text))) {
			for (size_t k = 0; k < ts.n && !given; k++)
				given = ctok_is(&ts, k, name) &&
					(ctok_is(&ts, k + 1, "=") || ctok_is(&ts, k + 1, ".") ||
					 (k && ctok_is(&ts, k - 1, "&")));
		}
		ctoks_release(&ts);
	}
	return given;
}

static bool add_declaration(struct group_place *a, const char *name)
{
	const struct decl *d = scope_find(&a->ex->scope[GROUP_NEW], name);
	const struct decl *mine = scope_find(&a->u.scope, name);
	struct strbuf text = STRBUF_INIT;
	uint32_t pos = behind_declarations(a);
	bool ok;

	if (!d || d->param || d->block == CTOK_NONE)
		return false; /* a label whose text was not taken over */
	if (!is_given_value(a, name, d))
		return false; /* what sets it there has no counterpart here */
	if (mine)
		return (mine->param || mine->block != CTOK_NONE) && mine->type && d->type &&
		       !strcmp(mine->type, d->type) && d->init.end <= d->init.first;
	if (count_ident(a->ts, a->u.fn->body.first, a->u.fn->body.end, name))
		return false;
	ok = group_emit(&a->u, d->spec, "\t", &text);
	if (ok)
		strbuf_addch(&text, ' ');
	ok = ok && group_emit(&a->u, d->declarator, "\t", &text);
	if (ok && d->init.end > d->init.first) {
		strbuf_addstr(&text, " = ");
		ok = group_emit(&a->u, d->init, "\t", &text);
	}
	strbuf_addch(&text, ';');
	if (!ok) {
		strbuf_release(&text);
		return false;
	}
	group_add_site(a, (struct cspan){ pos, pos }, strbuf_detach(&text, NULL), true);
	return true;
}

/* Declarations of what the text that was just written needs. */
bool group_declare_fresh(struct group_place *a)
{
	/* An initialiser may use further new names: the list grows. */
	for (size_t k = 0; k < a->u.fresh.n; k++) {
		const char *name = a->u.fresh.v[k];

		if (strvec_contains(&a->declared, name))
			continue;
		if (!add_declaration(a, name))
			return false;
		strvec_push(&a->declared, name);
	}
	return true;
}

static bool drop_all(struct group_place *a, const struct strvec *names)
{
	for (size_t k = 0; k < names->n; k++) {
		const char *mine = group_bound(&a->u, names->v[k]);

		if (mine && !drop_declaration(a, mine))
			return false;
	}
	return true;
}

/* Declarations of what went, and of locals that are parameters now. */
bool group_drop_dead(struct group_place *a)
{
	return drop_all(a, &a->ex->dead) && drop_all(a, &a->ex->moved);
}

/* ---- what is never reached ---- */

/* Does the site take a label away? */
static bool drops_label(const struct group_place *a, const struct group_site *s)
{
	for (uint32_t i = s->at.first; !*s->text && i + 1 < s->at.end; i++) {
		if (ctok_is_ident(a->ts, i) && ctok_is(a->ts, i + 1, ":") && group_starts_statement(a->ts, i))
			return true;
	}
	return false;
}

static bool is_jump(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i, "return") || ctok_is(ts, i, "goto");
}

/*
 * "return a; out: unlock(); return b;" without its label and call: nothing gets to the second
 * return any more.
 */
void group_drop_unreached(struct group_place *a)
{
	for (size_t k = 0, n = a->nsites; k < n; k++) {
		uint32_t before = a->site[k].at.first - 1, behind = a->site[k].at.end, start;

		if (!drops_label(a, &a->site[k]))
			continue;
		while (before > a->u.fn->body.first && group_covers(a, before))
			before--;
		while (behind < a->u.fn->body.end && group_covers(a, behind))
			behind++;
		start = ctok_is(a->ts, before, ";") ? stmt_start(a->ts, before) : CTOK_NONE;
		if (start != CTOK_NONE && is_jump(a->ts, start) && !stmt_is_controlled(a->ts, start) &&
		    is_jump(a->ts, behind))
			group_add_site(a, (struct cspan){ behind, stmt_end(a->ts, behind) + 1 }, xstrdup(""), false);
	}
}

/* ---- values that went along ---- */

/* The element ".x = value," of the initialiser of a new local whose value is e; empty when none. */
static struct cspan element_of(const struct group_place *a, struct cspan e)
{
	const struct ctoks *n = srcfile_toks(a->ex->f[GROUP_NEW]);
	const struct scope *s = &a->ex->scope[GROUP_NEW];
	struct cspan value;

	for (size_t i = 0; i < s->n; i++) {
		struct clist l;

		if (s->d[i].param || s->d[i].block == CTOK_NONE || !ctok_is(n, s->d[i].init.first, "{") ||
		    !strvec_contains(&a->ex->fresh, s->d[i].ident))
			continue;
		l = clist_open(n, s->d[i].init.first);
		while (clist_next(&l, &value)) {
			struct cspan whole = value;

			while (value.first < value.end && !ctok_is(n, value.first, "="))
				value.first++;
			value.first++;
			if (value.end <= value.first || value.end - value.first != e.end - e.first ||
			    !group_holds(&a->u, value, e))
				continue;
			whole.end += ctok_is(n, whole.end, ",");
			return whole;
		}
	}
	return (struct cspan){ 0, 0 };
}

/* Does tied new text outside that element hold e? */
static bool held_elsewhere(const struct group_place *a, struct cspan e, struct cspan element)
{
	for (size_t k = 0; k < a->ex->natoms; k++) {
		struct cspan s = a->ex->atom[k].a, left = s, right = s;

		if (!a->ex->atom[k].tied || s.end <= s.first)
			continue;
		if (element.end > element.first && element.first >= s.first && element.end <= s.end) {
			left.end = element.first;
			right.first = element.end;
		}
		if (group_holds(&a->u, left, e) || group_holds(&a->u, right, e))
			return true;
	}
	return false;
}

/*
 * A call that gave the other driver's new text its value and that this driver does not
 * make: the element of the initialiser that took the value is left out.
 */
bool group_omit_values(struct group_place *a, const struct group_atom *at)
{
	const struct ctoks *o = srcfile_toks(a->ex->f[GROUP_OLD]);
	struct clist l;
	struct cspan arg;

	if (at->a.end > at->a.first || !ctok_is_ident(o, at->b.first) || !ctok_is(o, at->b.first + 1, "("))
		return true;
	l = clist_open(o, at->b.first + 1);
	for (size_t k = 0; clist_next(&l, &arg); k++) {
		struct cspan element = element_of(a, arg);

		if (element.end > element.first)
			group_omit(&a->u, element);
		else if (k && held_elsewhere(a, arg, element))
			return false;
	}
	return true;
}
