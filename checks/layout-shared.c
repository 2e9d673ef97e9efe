// SPDX-License-Identifier: GPL-2.0-only
/* Structures that somebody else reads: programs, hardware, the other end of a wire. */
#include "base/compat.h"
#include "checks/layout-judge.h"

#include "base/alloc.h"

static const struct { const char *rule, *reader, *who; } readers[] = {
	[USE_ABI] = { "user-abi", "user space", "user space has it" },
	[USE_DEVICE] = { "device-layout", "hardware", "hardware reads it" },
	[USE_WIRE] = { "wire-layout", "bytes", "it is laid over bytes from elsewhere" },
};

/* The number of an ioctl says more than the copy that it leads to. */
static bool says_more(const struct use *u, const struct use *had)
{
	return !had || u->kind < had->kind ||
	       (u->kind == had->kind && starts_with(u->what, "ioctl ") && !starts_with(had->what, "ioctl "));
}

/* Of several uses the one that says most: user space, then device, then wire. */
static void collect(const struct use_list *l, struct strmap *shared)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct use *u = &l->u[i], *had;
		char *key;

		if (u->kind > USE_WIRE)
			continue;
		key = xstrfmt("%s|%s", u->st->name, u->st->own ? u->st->file : "");
		had = strmap_get(shared, key);
		if (says_more(u, had))
			strmap_put(shared, key, (void *)u);
		free(key);
	}
}

/* No mark at all, but only members of fixed width, and a byte order, packing or bit fields among them. */
static void collect_ordered(const struct dbg *g, struct strmap *shared, struct use_list *made)
{
	struct strmap_entry *e;

	strmap_for_each(&g->structs, e)
		for (const struct dbg_struct *s = e->value; s; s = s->next) {
			struct shape sh;
			char *key;

			if (!s->own)
				continue;
			shape_read(g, s, &sh);
			key = xstrfmt("%s|%s", s->name, s->file);
			if (!strmap_has(shared, key) && shape_is_plain(&sh) &&
			    (shape_has_order(&sh) || sh.packed || shape_has_bits(&sh))) {
				struct use *u;

				ALLOC_GROW(made->u, made->n + 1, made->alloc);
				u = &made->u[made->n++];
				*u = (struct use){ .kind = USE_DEVICE, .st = s };
				strmap_put(shared, key, NULL);
			}
			free(key);
			shape_release(&sh);
		}
}

/* Holds the driver's own state too: kernel objects, pointers. A device sees a part of it at most. */
static bool is_state(const struct shape *s)
{
	if (shape_has_pointer(s))
		return true;
	for (size_t i = 0; i < s->n; i++)
		if (s->m[i].kind == SHAPE_STRUCT && !s->m[i].own)
			return true;
	return false;
}

static void judge_own(struct layout_judge *j, const struct use *u, const struct shape_pair *p)
{
	struct strbuf text = STRBUF_INIT, how = STRBUF_INIT;
	struct use at = *u;
	bool wrong;

	/* Where it is declared now is where a person looks. */
	at.file = p->at->file;
	at.line = p->at->line;
	at.function = NULL;
	if (u->what)
		strbuf_addf(&how, " (%s)", u->what);
	wrong = u->kind == USE_ABI || (!is_state(&p->a) && (shape_is_plain(&p->a) || p->a.packed || u->what));
	shape_diff_text(&p->diff, &text);
	judge_say(j, wrong, readers[u->kind].rule, &at, "%s is not what it was, and %s%s: %s", p->at->name,
		  readers[u->kind].who, how.buf, text.buf);
	strbuf_release(&text);
	strbuf_release(&how);
}

/* What user space gets of a structure of the kernel: only what lies elsewhere counts. */
static bool differs_in_place(const struct shape_pair *p)
{
	if (p->a.size != p->b.size)
		return true;
	for (size_t i = 0; i < p->diff.n; i++)
		if (p->diff.c[i].kind == CHANGE_MOVED || p->diff.c[i].kind == CHANGE_REORDERED)
			return true;
	return false;
}

static void judge_foreign(struct layout_judge *j, const struct use *u, const struct shape_pair *p)
{
	struct strbuf text = STRBUF_INIT;

	if (u->kind != USE_ABI || !differs_in_place(p))
		return;
	shape_diff_text(&p->diff, &text);
	/* Headers for user space grow by the kernel's own rules. */
	judge_say(j, !strstr(p->at->file, "/uapi/"), "kernel-structure-to-user", u,
		  "%s of the kernel goes to user space (%s) and is not what it was: %s", p->at->name,
		  u->what, text.buf);
	strbuf_release(&text);
}

static void judge_one(struct layout_judge *j, const struct use *u)
{
	const struct shape_pair *p = judge_pair(j, u->st);

	if (p->own || u->kind == USE_ABI)
		strvec_pushf(&j->shared, "%s: %s%s%s%s", u->st->name, readers[u->kind].reader,
			     u->what ? " (" : "", u->what ? u->what : "", u->what ? ")" : "");
	if (p->both && p->diff.n)
		(p->own ? judge_own : judge_foreign)(j, u, p);
	else if (!p->both && p->own && p->a.n)
		judge_say(j, false, readers[u->kind].rule, u, "%s is not in the debug information of the new "
			  "driver", u->st->name);
}

void judge_shared(struct layout_judge *j)
{
	struct strmap shared = STRMAP_INIT, ordered;
	struct use_list made = { 0 };
	struct strmap_entry *e;

	/* The port's uses last: their places are the ones to look at. */
	collect(j->ua, &shared);
	collect(j->ub, &shared);
	strmap_for_each(&shared, e)
		if (e->value)
			judge_one(j, e->value);
	ordered = shared;
	collect_ordered(j->a, &ordered, &made);
	for (size_t i = 0; i < made.n; i++)
		judge_one(j, &made.u[i]);
	strmap_release(&ordered, NULL);
	free(made.u);
}
