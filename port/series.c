// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/series.h"

#include <ctype.h>
#include <git2.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

void port_patch_release(struct port_patch *p)
{
	free(p->subject);
	free(p->file);
	free(p->steps);
	tree_unref(p->before);
	tree_unref(p->after);
}

/* ---- which steps make which patch ----------------------------------------- */

static void patch_add_step(struct port_patch *p, struct port_step *st)
{
	p->steps = xrealloc(p->steps, (p->nsteps + 1) * sizeof(*p->steps));
	p->steps[p->nsteps++] = st;
	if (st->group->risk > p->risk)
		p->risk = st->group->risk;
}

static struct port_patch *new_patch(struct port_run *r, const struct port_step *st,
				    struct tree *before)
{
	struct port_patch *p;

	r->patches = xrealloc(r->patches, (r->npatches + 1) * sizeof(*r->patches));
	p = &r->patches[r->npatches++];
	memset(p, 0, sizeof(*p));
	p->subject = xstrdup(st->group->title ? st->group->title : st->group->technique);
	p->before = tree_ref(before);
	return p;
}

static bool same_title(const struct port_step *a, const struct port_step *b)
{
	const char *x = a->group->title, *y = b->group->title;

	return x && y && !strcmp(x, y);
}

/*
 * One patch: the first step not taken yet and all later ones of its title whose
 * change can be merged onto the state so far.
 */
static int make_one(struct port_run *r, bool *taken, size_t first, struct tree **state,
		    struct strbuf *err)
{
	struct search_result *s = &r->search;
	struct port_patch *p = new_patch(r, s->steps[first], *state);

	for (size_t i = first; i < s->nsteps; i++) {
		struct port_step *st = s->steps[i];
		struct strbuf why = STRBUF_INIT;
		struct tree *t;

		if (taken[i] || !same_title(st, s->steps[first]))
			continue;
		t = tree_merge(st->before, *state, st->after, &why);
		if (!t && i == first)
			strbuf_addbuf(err, &why);
		strbuf_release(&why);
		if (!t && i == first)
			return KP_ERR;
		if (!t)
			continue;
		tree_unref(*state);
		*state = t;
		taken[i] = true;
		patch_add_step(p, st);
	}
	p->after = tree_ref(*state);
	return 0;
}

static bool same_tree(const struct tree *a, const struct tree *b)
{
	struct hash_hex x = tree_hash(a), y = tree_hash(b);

	return !strcmp(x.hex, y.hex);
}

static void drop_patches(struct port_run *r)
{
	for (size_t i = 0; i < r->npatches; i++)
		port_patch_release(&r->patches[i]);
	free(r->patches);
	r->patches = NULL;
	r->npatches = 0;
}

/* When steps cannot be reordered the series keeps their order, one patch a run of equal titles. */
static void make_in_order(struct port_run *r)
{
	struct search_result *s = &r->search;
	struct tree *state = r->before;

	for (size_t i = 0; i < s->nsteps;) {
		struct port_patch *p = new_patch(r, s->steps[i], state);
		size_t j = i;

		while (j < s->nsteps && (j == i || same_title(s->steps[j], s->steps[i])))
			patch_add_step(p, s->steps[j++]);
		state = j < s->nsteps ? s->steps[j]->before : s->tree;
		p->after = tree_ref(state);
		i = j;
	}
}

int series_make(struct port_run *r, struct strbuf *err)
{
	struct search_result *s = &r->search;
	bool *taken = xcalloc(s->nsteps ? s->nsteps : 1, sizeof(*taken));
	struct tree *state = tree_ref(r->before);
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < s->nsteps; i++) {
		if (!taken[i])
			ret = make_one(r, taken, i, &state, &why);
	}
	if (ret || !same_tree(state, s->tree)) {
		drop_patches(r);
		make_in_order(r);
	}
	tree_unref(state);
	free(taken);
	strbuf_release(&why);
	return 0;
}

/* ---- diffs ---------------------------------------------------------------- */

static int diff_file(const struct srcfile *a, const struct srcfile *b, struct strbuf *out,
		     struct strbuf *err)
{
	git_diff_options opts = GIT_DIFF_OPTIONS_INIT;
	git_buf buf = { 0 };
	git_patch *patch = NULL;
	int ret = 0;

	opts.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
	if (git_patch_from_buffers(&patch, a->text, a->len, a->path, b->text, b->len, b->path,
				   &opts) ||
	    git_patch_to_buf(&buf, patch)) {
		strbuf_addf(err, "cannot compare versions of '%s'", a->path);
		ret = KP_INFRA;
	} else {
		strbuf_add(out, buf.ptr, buf.size);
	}
	git_buf_dispose(&buf);
	git_patch_free(patch);
	return ret;
}

int tree_diff(const struct tree *before, const struct tree *after, struct strbuf *out,
	      struct strbuf *err)
{
	int ret = 0;

	git_libgit2_init();
	for (size_t i = 0; !ret && i < after->n; i++) {
		const struct srcfile *a = tree_file(before, after->files[i]->path);

		if (a && a != after->files[i] && strcmp(a->hash.hex, after->files[i]->hash.hex))
			ret = diff_file(a, after->files[i], out, err);
	}
	git_libgit2_shutdown();
	return ret;
}

/* ---- messages ------------------------------------------------------------- */

/* Wrap at 72 columns; words are never broken. */
static void add_wrapped(struct strbuf *out, const char *text)
{
	size_t col = 0;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (len && col && col + 1 + len > 72) {
			strbuf_addch(out, '\n');
			col = 0;
		}
		if (len) {
			if (col) {
				strbuf_addch(out, ' ');
				col++;
			}
			strbuf_add(out, text, len);
			col += len;
		}
		text += len;
		if (*text == '\n') {
			strbuf_addch(out, '\n');
			col = 0;
		}
		if (*text)
			text++;
	}
	strbuf_addch(out, '\n');
}

/* The text in front of a quoted part, or all of it; *quoted: the part between the quotes. */
static size_t up_to_quote(const char *s, const char **quoted, size_t *len)
{
	const char *start = s, *p, *end;

	for (p = s; *p; p++) {
		if (*p != '\'' || (p > start && p[-1] != ' ' && p[-1] != '('))
			continue;
		for (end = strchr(p + 1, '\''); end && isalnum((unsigned char)end[1]);)
			end = strchr(end + 1, '\'');
		if (!end)
			continue;
		*quoted = p + 1;
		*len = (size_t)(end - p - 1);
		return (size_t)(p - s);
	}
	*quoted = NULL;
	*len = 0;
	return (size_t)(p - s);
}

/*
 * Do the texts differ in nothing but what they quote? *other: the first quoted part of b
 * that a does not have.
 */
static bool same_but_quoted(const char *a, const char *b, const char **other, size_t *other_len)
{
	*other = NULL;
	while (*a || *b) {
		const char *qa, *qb;
		size_t la, lb, na = up_to_quote(a, &qa, &la), nb = up_to_quote(b, &qb, &lb);

		if (na != nb || memcmp(a, b, na) || !qa != !qb)
			return false;
		if (!qa)
			return true;
		if (!*other && (la != lb || memcmp(qa, qb, la))) {
			*other = qb;
			*other_len = lb;
		}
		a = qa + la + 1;
		b = qb + lb + 1;
	}
	return true;
}

/* One paragraph for steps that say the same of different things, which are named behind it. */
static void add_reason(const struct port_patch *p, size_t i, bool *said, struct strbuf *out)
{
	const char *why = p->steps[i]->group->why, *other;
	struct strbuf more = STRBUF_INIT, text = STRBUF_INIT;
	size_t len;

	if (!why || said[i])
		return;
	for (size_t j = i + 1; j < p->nsteps; j++) {
		const char *w = p->steps[j]->group->why;

		if (!w || said[j] || !same_but_quoted(why, w, &other, &len))
			continue;
		said[j] = true;
		if (!other)
			continue;
		{
			char *name = xstrfmt("'%.*s'", (int)len, other);

			if (!strstr(more.buf, name))
				strbuf_addf(&more, "%s%s", more.len ? ", " : "", name);
			free(name);
		}
	}
	strbuf_addstr(&text, why);
	if (more.len)
		strbuf_addf(&text, " The same holds for %s.", more.buf);
	add_wrapped(out, text.buf);
	strbuf_addch(out, '\n');
	strbuf_release(&more);
	strbuf_release(&text);
}

/* The release that brought the change; where nobody noted it, those between which it came. */
static void add_origin(const struct port_run *r, const struct edit_group *g, struct strbuf *out)
{
	if (g->commit)
		strbuf_addf(out, "Kernel-commit: %s\n", g->commit);
	if (g->since)
		strbuf_addf(out, "Kernel-release: %s\n", g->since);
	else if (r->from)
		strbuf_addf(out, "Kernel-release: after %s, not after %s\n", r->from->name,
			    r->to->name);
}

/* The kernel's rules ask for it where a model wrote; a sign-off is a person's to give. */
static void add_assistants(const struct port_patch *p, struct strbuf *out)
{
	for (size_t i = 0; i < p->nsteps; i++) {
		const char *who = p->steps[i]->group->assisted;
		bool said = !who;

		for (size_t j = 0; j < i && !said; j++)
			said = p->steps[j]->group->assisted && !strcmp(p->steps[j]->group->assisted, who);
		if (!said)
			strbuf_addf(out, "Assisted-by: kport:%s\n", who);
	}
}

static void add_message(const struct port_run *r, const struct port_patch *p, struct strbuf *out)
{
	bool *said = xcalloc(p->nsteps ? p->nsteps : 1, sizeof(*said));

	strbuf_addch(out, '\n');
	for (size_t i = 0; i < p->nsteps; i++)
		add_reason(p, i, said, out);
	free(said);
	if (p->risk != RISK_SAFE) {
		add_wrapped(out, p->risk == RISK_REVIEW
				 ? "Please review: this edit rests on similarity or on a default, "
				   "not on a declaration alone."
				 : "For a person to decide: this edit removes or replaces something "
				   "whose meaning cannot be proven from declarations.");
		strbuf_addch(out, '\n');
	}
	add_origin(r, p->steps[0]->group, out);
	strbuf_addf(out, "Kport-evidence: %s; %s; %s -> %s\n",
		    edit_source_name(p->steps[0]->group->source), p->steps[0]->group->technique,
		    r->from ? r->from->release : "?", r->to->release);
	strbuf_addf(out, "Kport-risk: %s\n", risk_name(p->risk));
	add_assistants(p, out);
}

static char *file_name(size_t number, const char *subject)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%04zu-", number);
	for (const char *s = subject; *s && sb.len < 56; s++) {
		if (isalnum((unsigned char)*s) || *s == '_' || *s == '.')
			strbuf_addch(&sb, *s);
		else if (sb.buf[sb.len - 1] != '-')
			strbuf_addch(&sb, '-');
	}
	while (sb.len && (sb.buf[sb.len - 1] == '-' || sb.buf[sb.len - 1] == '.'))
		strbuf_setlen(&sb, sb.len - 1);
	strbuf_addstr(&sb, ".patch");
	return strbuf_detach(&sb, NULL);
}

/*
 * The mail's date is fixed: equal inputs give equal bytes. The author is the
 * tool; whoever applies the series commits it.
 */
static int write_patch(struct port_run *r, size_t i, struct strbuf *err)
{
	struct port_patch *p = &r->patches[i];
	struct strbuf mail = STRBUF_INIT, diff = STRBUF_INIT;
	char *path;
	int ret = tree_diff(p->before, p->after, &diff, err);

	if (ret)
		goto out;
	free(p->file);
	p->file = file_name(i + 1, p->subject);
	strbuf_addstr(&mail, "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
			     "From: kport <kport@localhost>\n"
			     "Date: Thu, 1 Jan 1970 00:00:00 +0000\n");
	strbuf_addf(&mail, "Subject: [PATCH %zu/%zu] %s: %s\n", i + 1, r->npatches,
		    r->orig->name, p->subject);
	strbuf_addstr(&mail, "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
			     "Content-Transfer-Encoding: 8bit\n");
	add_message(r, p, &mail);
	strbuf_addstr(&mail, "---\n");
	strbuf_addbuf(&mail, &diff);
	strbuf_addstr(&mail, "-- \nkport\n");
	path = xstrfmt("%s/series/%s", r->out_dir, p->file);
	ret = file_write(path, mail.buf, mail.len, err);
	free(path);
out:
	strbuf_release(&mail);
	strbuf_release(&diff);
	return ret;
}

int series_write(struct port_run *r, struct strbuf *err)
{
	char *dir = xstrfmt("%s/series", r->out_dir), *whole = xstrfmt("%s/port.patch", r->out_dir);
	struct strbuf diff = STRBUF_INIT;
	int ret = file_remove(dir, err);

	if (!ret)
		ret = file_remove(whole, err);
	if (!ret)
		ret = file_mkdirs(dir, err);
	for (size_t i = 0; !ret && i < r->npatches; i++)
		ret = write_patch(r, i, err);
	if (!ret && r->npatches)
		ret = tree_diff(r->before, r->search.tree, &diff, err);
	if (!ret && diff.len)
		ret = file_write(whole, diff.buf, diff.len, err);
	strbuf_release(&diff);
	free(dir);
	free(whole);
	return ret;
}
