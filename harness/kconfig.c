// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <ctype.h>
#include "base/alloc.h"
#include "base/file.h"
#include "base/strvec.h"
#include "harness/kconfig.h"

#define MAX_KCONFIG (4u << 20)
#define MAX_NESTING 64

/* ---- reading --------------------------------------------------------------- */

struct reader {
	struct kconfig *k;
	struct strvec blocks; /* expressions of the "if" and "menu" blocks around */
	char *symbol;	      /* of the current entry, NULL outside one */
	bool menu;	      /* "depends on" belongs to the innermost menu */
	int help;	      /* indentation of the entry when a help text is read, else -1 */
};

void kconfig_release(struct kconfig *k)
{
	strmap_release(&k->deps, free);
	strmap_release(&k->bools, NULL);
}

static void and_also(char **expr, const char *more)
{
	char *joined;

	if (!*more)
		return;
	joined = **expr ? xstrfmt("%s && (%s)", *expr, more) : xstrfmt("(%s)", more);
	free(*expr);
	*expr = joined;
}

/* One more condition for a symbol; entries of the same symbol in several places add up. */
static void add_dep(struct kconfig *k, const char *symbol, const char *expr)
{
	char *old = strmap_get(&k->deps, symbol);

	if (!old)
		old = xstrdup("");
	and_also(&old, expr);
	strmap_put(&k->deps, symbol, old);
}

static void open_symbol(struct reader *r, const char *name)
{
	size_t n = strcspn(name, " \t");

	free(r->symbol);
	r->symbol = xstrndup(name, n);
	r->menu = false;
	add_dep(r->k, r->symbol, "");
	for (size_t i = 0; i < r->blocks.n; i++)
		add_dep(r->k, r->symbol, r->blocks.v[i]);
}

static void close_entry(struct reader *r)
{
	free(r->symbol);
	r->symbol = NULL;
	r->menu = false;
}

static void open_block(struct reader *r, const char *expr, bool menu)
{
	close_entry(r);
	strvec_push(&r->blocks, expr);
	r->menu = menu;
}

static void close_block(struct reader *r)
{
	close_entry(r);
	if (r->blocks.n)
		strvec_remove(&r->blocks, r->blocks.n - 1);
}

static void depends(struct reader *r, const char *expr)
{
	char *block;

	if (r->symbol) {
		add_dep(r->k, r->symbol, expr);
	} else if (r->menu && r->blocks.n) {
		block = xstrdup(r->blocks.v[r->blocks.n - 1]);
		and_also(&block, expr);
		strvec_remove(&r->blocks, r->blocks.n - 1);
		strvec_push_nodup(&r->blocks, block);
	}
}

static int indentation(const char *line)
{
	int n = 0;

	for (; *line == ' ' || *line == '\t'; line++)
		n = *line == '\t' ? (n / 8 + 1) * 8 : n + 1;
	return n;
}

static void read_line(struct reader *r, const char *line)
{
	const char *p = line + strspn(line, " \t"), *rest;

	if (!*p || *p == '#')
		return;
	if (r->help >= 0 && indentation(line) > r->help)
		return;
	r->help = -1;
	if (skip_prefix(p, "config ", &rest) || skip_prefix(p, "menuconfig ", &rest))
		open_symbol(r, rest + strspn(rest, " \t"));
	else if (skip_prefix(p, "depends on ", &rest))
		depends(r, rest);
	else if (r->symbol && (starts_with(p, "bool") || starts_with(p, "def_bool")))
		strmap_put(&r->k->bools, r->symbol, NULL);
	else if (starts_with(p, "help") || starts_with(p, "---help---"))
		r->help = indentation(line) - 1;
	else if (skip_prefix(p, "if ", &rest) && r->blocks.n < MAX_NESTING)
		open_block(r, rest, false);
	else if (starts_with(p, "menu ") || starts_with(p, "choice"))
		open_block(r, "", true);
	else if (starts_with(p, "endif") || starts_with(p, "endmenu") || starts_with(p, "endchoice"))
		close_block(r);
	else if (starts_with(p, "source ") || starts_with(p, "comment "))
		close_entry(r);
}

int kconfig_read(struct kconfig *k, const char *path, struct strbuf *err)
{
	struct reader r = { .k = k, .blocks = STRVEC_INIT, .help = -1 };
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	int ret = file_read(path, MAX_KCONFIG, &text, err);
	const char *p = text.buf, *end = text.buf + text.len;

	while (!ret && p < end) {
		size_t n = strcspn(p, "\n");
		bool more = n && p[n - 1] == '\\';

		strbuf_add(&line, p, n - more);
		p += n + 1;
		if (more && p < end)
			continue;
		strbuf_rtrim(&line);
		read_line(&r, line.buf);
		strbuf_reset(&line);
	}
	free(r.symbol);
	strvec_release(&r.blocks);
	strbuf_release(&text);
	strbuf_release(&line);
	return ret;
}

/* ---- evaluating ------------------------------------------------------------ */

struct eval {
	const char *p;
	kconfig_value_fn value;
	void *payload;
	char *off; /* the first symbol that was off */
	bool bad;
	int depth;
};

static bool eval_or(struct eval *e);

static void blank(struct eval *e)
{
	e->p += strspn(e->p, " \t");
}

static char *word(struct eval *e)
{
	const char *start;
	size_t n = 0;

	blank(e);
	if (*e->p == '"') {
		start = ++e->p;
		n = strcspn(start, "\"");
		e->p += n + (start[n] == '"');
		return xstrndup(start, n);
	}
	start = e->p;
	while (isalnum((unsigned char)start[n]) || start[n] == '_' || start[n] == '-')
		n++;
	e->p += n;
	e->bad |= !n;
	return xstrndup(start, n);
}

/* The value of a word: "y", "m" and "n" stand for themselves, a symbol that is off is "n". */
static char *word_value(struct eval *e, const char *name)
{
	char *v;

	if (!strcmp(name, "y") || !strcmp(name, "m") || !strcmp(name, "n"))
		return xstrdup(name);
	v = e->value(name, e->payload);
	if (!v && !e->off)
		e->off = xstrdup(name);
	return v ? v : xstrdup("n");
}

static bool eval_atom(struct eval *e)
{
	char *name, *value, *other, *other_value;
	bool hold, negate;

	blank(e);
	if (*e->p == '(') {
		e->p++;
		hold = eval_or(e);
		blank(e);
		e->bad |= *e->p != ')';
		e->p += *e->p == ')';
		return hold;
	}
	name = word(e);
	value = word_value(e, name);
	blank(e);
	negate = e->p[0] == '!' && e->p[1] == '=';
	if (negate || *e->p == '=') {
		e->p += 1 + negate;
		other = word(e);
		other_value = strlen(other) == 1 || isupper((unsigned char)*other) ?
				      word_value(e, other) : xstrdup(other);
		hold = (strcmp(value, other_value) != 0) == negate;
		free(other);
		free(other_value);
	} else {
		e->bad |= *e->p == '<' || *e->p == '>';
		hold = strcmp(value, "n") && *value;
	}
	free(name);
	free(value);
	return hold;
}

static bool eval_not(struct eval *e)
{
	bool hold;

	blank(e);
	if (++e->depth > MAX_NESTING * 4)
		e->bad = true;
	if (e->bad)
		return true;
	if (*e->p == '!') {
		e->p++;
		hold = !eval_not(e);
	} else {
		hold = eval_atom(e);
	}
	e->depth--;
	return hold;
}

static bool eval_and(struct eval *e)
{
	bool hold = eval_not(e);

	for (blank(e); !e->bad && e->p[0] == '&' && e->p[1] == '&'; blank(e)) {
		e->p += 2;
		hold &= eval_not(e);
	}
	return hold;
}

static bool eval_or(struct eval *e)
{
	bool hold = eval_and(e);

	for (blank(e); !e->bad && e->p[0] == '|' && e->p[1] == '|'; blank(e)) {
		e->p += 2;
		hold |= eval_and(e);
	}
	return hold;
}

bool kconfig_holds(const char *expr, kconfig_value_fn value, void *payload, struct strbuf *why)
{
	struct eval e = { .p = expr, .value = value, .payload = payload };
	bool hold = !expr[strspn(expr, " \t")] || eval_or(&e);

	blank(&e);
	if (e.bad || *e.p)
		hold = true;
	if (!hold && why)
		strbuf_addstr(why, e.off ? e.off : expr);
	free(e.off);
	return hold;
}
