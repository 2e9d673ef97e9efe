// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two callbacks of a table that became one: the core called them one after the other, the
 * driver does now. What the core did is data here, one row a table; the driver's functions
 * stay as they are, and a new one calls them.
 */
#include "base/compat.h"
#include "port/propose.h"

#include <ctype.h>

#include "base/alloc.h"
#include "port/usage.h"

struct merged {
	const char *type;
	const char *act, *test; /* members that are gone; an element may have no test */
	const char *into;
	const char *needs; /* function that the text calls */
	const char *text;  /* %N: the new function, %A: act, %T: the lines with the test */
	const char *test_text; /* %T: test */
	const char *why;
};

static const struct merged table[] = {
	{ "struct phy_driver", "ack_interrupt", "did_interrupt", "handle_interrupt", "phy_trigger_machine",
	  "\n\nstatic irqreturn_t %N(struct phy_device *phydev)\n{\n%T"
	  "\tif (%A(phydev) < 0) {\n\t\tphy_error(phydev);\n\t\treturn IRQ_NONE;\n\t}\n\n"
	  "\tphy_trigger_machine(phydev);\n\n\treturn IRQ_HANDLED;\n}",
	  "\tif (!%T(phydev))\n\t\treturn IRQ_NONE;\n\n",
	  "phylib asked did_interrupt(), ran the state machine and called ack_interrupt(); since 5.11 the driver's "
	  "handle_interrupt() does all of it. Whether config_intr() has to clear what is pending is for a person to see." },
};

/* One element of a table, in an initialiser or in a macro that makes one. */
struct element {
	size_t member, value, value_end; /* of act: offsets of its name and value */
	size_t test_from, test_end;	 /* what to cut of test; equal: there is none */
	char *act, *test;
};

static size_t skip_blanks(const char *s, size_t i)
{
	while (s[i] == ' ' || s[i] == '\t')
		i++;
	return i;
}

static size_t ident_end(const char *s, size_t i)
{
	while (isalnum((unsigned char)s[i]) || s[i] == '_')
		i++;
	return i;
}

/* ".name = IDENT" at or behind from, before end: offset of "." or end. */
static size_t find_member(const char *s, size_t from, size_t end, const char *name, size_t *value, size_t *value_end)
{
	for (size_t i = from; i < end; i++) {
		size_t at = i + 1 + strlen(name);

		if (s[i] != '.' || strncmp(s + i + 1, name, strlen(name)) || ident_end(s, at) != at)
			continue;
		at = skip_blanks(s, at);
		if (s[at] != '=' || s[at + 1] == '=')
			continue;
		*value = skip_blanks(s, at + 1);
		*value_end = ident_end(s, *value);
		if (*value_end > *value)
			return i;
	}
	return end;
}

/* The braces around an offset. */
static bool braces(const char *s, size_t len, size_t at, size_t *open, size_t *close)
{
	int depth = 0;
	size_t i = at;

	while (i > 0 && depth >= 0) {
		i--;
		depth += (s[i] == '}') - (s[i] == '{');
	}
	*open = i;
	if (depth >= 0)
		return false;
	for (depth = 0, i = at; i < len && depth >= 0; i++)
		depth += (s[i] == '{') - (s[i] == '}');
	*close = i;
	return depth < 0;
}

/* The whole line where it holds nothing else, but for the end of a macro's line. */
static void set_cut(const char *s, size_t from, size_t value_end, struct element *e)
{
	size_t start = from, end = skip_blanks(s, value_end);

	if (s[end] == ',')
		end = skip_blanks(s, end + 1);
	e->test_from = from;
	e->test_end = end;
	while (start && (s[start - 1] == ' ' || s[start - 1] == '\t'))
		start--;
	if (s[end] == '\\' && s[end + 1] == '\n')
		end++;
	if ((start && s[start - 1] != '\n') || s[end] != '\n')
		return;
	e->test_from = start;
	e->test_end = end + 1;
}

static bool next_element(const struct merged *m, const char *s, size_t len, size_t *pos, struct element *e)
{
	size_t open, close, value, end, at;

	e->member = find_member(s, *pos, len, m->act, &e->value, &e->value_end);
	if (e->member == len || !braces(s, len, e->member, &open, &close))
		return false;
	*pos = e->value_end;
	e->act = xstrndup(s + e->value, e->value_end - e->value);
	at = find_member(s, open, close, m->test, &value, &end);
	e->test = at < close ? xstrndup(s + value, end - value) : NULL;
	e->test_from = e->test_end = 0;
	if (e->test)
		set_cut(s, at, end, e);
	return true;
}

static char *new_name(const struct merged *m, const char *act)
{
	size_t n = strlen(act), gone = strlen(m->act);

	if (ends_with(act, m->act))
		return xstrfmt("%.*s%s", (int)(n - gone), act, m->into);
	return xstrfmt("%s_%s", act, m->into);
}

/* text with %N, %A and %T replaced */
static void expand(const char *text, const char *name, const char *act, const char *test, struct strbuf *out)
{
	for (; *text; text++) {
		if (*text != '%') {
			strbuf_addch(out, *text);
			continue;
		}
		text++;
		strbuf_addstr(out, *text == 'N' ? name : *text == 'A' ? act : test);
	}
}

static void add_function(const struct merged *m, struct edit_group *g, struct srcfile *f, size_t at,
			 const struct element *e, const char *name)
{
	struct strbuf test = STRBUF_INIT, text = STRBUF_INIT;

	if (e->test)
		expand(m->test_text, name, e->act, e->test, &test);
	expand(m->text, name, e->act, test.buf, &text);
	edit_add(g, f->path, at, at, text.buf);
	strbuf_release(&test);
	strbuf_release(&text);
}

/* Behind both functions of the element; 0: they are not of this file. */
static size_t place(struct srcfile *f, const struct element *e)
{
	const struct cfile *cf = srcfile_parse(f);
	const struct cfunc *a = cfile_func(cf, e->act), *t = e->test ? cfile_func(cf, e->test) : a;

	if (!a || !t)
		return 0;
	return srcfile_span_end(f, a->body.end > t->body.end ? a->body : t->body);
}

/* A longer name takes the place of the one tab in front of the "=". */
static void replace_member(const struct merged *m, struct edit_group *g, struct srcfile *f, const struct element *e,
			   const char *name)
{
	size_t end = e->member + 1 + strlen(m->act);
	bool tab = f->text[end] == '\t' && f->text[end + 1] == '=' && strlen(m->into) > strlen(m->act);
	char *member = xstrfmt("%s%s", m->into, tab ? " " : "");

	edit_add(g, f->path, e->member + 1, end + tab, member);
	edit_add(g, f->path, e->value, e->value_end, name);
	free(member);
}

/* false: this file cannot be done. */
static bool rewrite(const struct merged *m, struct srcfile *f, struct edit_group *g)
{
	const char *s = srcfile_view(f);
	struct strvec made = STRVEC_INIT; /* "act test" */
	struct element e;
	size_t pos = 0;
	bool ok = true;

	while (ok && next_element(m, s, f->len, &pos, &e)) {
		char *name = new_name(m, e.act), *pair = xstrfmt("%s %s", e.act, e.test ? e.test : "");
		size_t at = place(f, &e), known = made.n;

		ok = at && !file_uses_ident(f, name);
		for (size_t i = 0; ok && i < made.n; i++) {
			if (!strcmp(made.v[i], pair))
				known = i;
			else if (!strncmp(made.v[i], pair, strlen(e.act) + 1))
				ok = false; /* another test beside the same act */
		}
		if (ok && known == made.n) {
			strvec_push(&made, pair);
			add_function(m, g, f, at, &e, name);
		}
		if (ok)
			replace_member(m, g, f, &e, name);
		if (ok && e.test)
			edit_add(g, f->path, e.test_from, e.test_end, "");
		free(name);
		free(pair);
		free(e.act);
		free(e.test);
	}
	strvec_release(&made);
	return ok;
}

static bool is_due(const struct merged *m, const struct propose_ctx *c)
{
	const struct diag *d = &c->b->diag;

	return d->type && d->symbol && !strcmp(d->type, m->type) && (!strcmp(d->symbol, m->act) || !strcmp(d->symbol, m->test)) &&
	       api_member(c->new_ix, m->type, m->into) && !api_member(c->new_ix, m->type, m->act) &&
	       api_lookup(c->new_ix, m->needs, API_ANY_CALLABLE);
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct merged *m = &table[i];
		struct edit_group *g;
		bool ok = true;

		if (!is_due(m, c))
			continue;
		g = edit_group_new(EDIT_TYPED, "merged", RISK_REVIEW, 0.8);
		for (size_t k = 0; k < c->tree->n && ok; k++)
			if (srcfile_is_c(c->tree->files[k]))
				ok = rewrite(m, c->tree->files[k], g);
		g->symbol = xstrdup(m->into);
		edit_group_title(g, "use the %s callback of %s", m->into, m->type);
		edit_group_why(g, "%s", m->why);
		if (ok && g->n)
			edit_group_list_add(out, g);
		else
			edit_group_free(g);
	}
	return 0;
}

const struct proposer propose_merged = {
	.name = "merged",
	.kinds = KIND_BIT(DIAG_NO_MEMBER),
	.propose = propose,
};
