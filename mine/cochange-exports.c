// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols whose export changes: to GPL modules only, or into a namespace. No header says
 * so; the sources of commits whose message speaks of it are read.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/cochange-internal.h"

#define MAX_SOURCES 64
#define MAX_EXPORTS 4000

enum { EXPORT_PLAIN = 1, EXPORT_GPL = 2, EXPORT_NS = 4 };

struct exported {
	int how[2];
	char *ns;	/* of the new side */
};

struct exports {
	struct strmap map;	/* symbol -> struct exported */
	size_t imports;		/* files that begin to import a namespace */
};

static void free_exported(void *p)
{
	struct exported *e = p;

	if (e)
		free(e->ns);
	free(e);
}

static size_t word_len(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && (p[n] == '_' || (p[n] >= '0' && p[n] <= '9') || (p[n] >= 'a' && p[n] <= 'z') ||
			       (p[n] >= 'A' && p[n] <= 'Z')))
		n++;
	return n;
}

static const char *skip(const char *p, const char *end, const char *what)
{
	while (p < end && strchr(what, *p))
		p++;
	return p;
}

/* At "EXPORT_SYMBOL": which kind, and the symbol's place. */
static int kind_of(const char *p, const char *end, const char **symbol)
{
	static const struct {
		const char *name;
		int how;
	} kinds[] = {
		{ "EXPORT_SYMBOL", EXPORT_PLAIN },
		{ "EXPORT_SYMBOL_GPL", EXPORT_GPL },
		{ "EXPORT_SYMBOL_GPL_FUTURE", EXPORT_PLAIN },
		{ "EXPORT_SYMBOL_NS", EXPORT_PLAIN | EXPORT_NS },
		{ "EXPORT_SYMBOL_NS_GPL", EXPORT_GPL | EXPORT_NS },
	};
	size_t n = word_len(p, end);

	*symbol = p + n + 1;
	if (p + n >= end || p[n] != '(')
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].name) == n && !memcmp(kinds[i].name, p, n))
			return kinds[i].how;
	return 0;
}

static void add(struct exports *x, int side, int how, const char *symbol, const char *end)
{
	size_t n = word_len(symbol, end);
	char *name = xstrndup(symbol, n);
	struct exported *e = strmap_get(&x->map, name);

	if (!e && n && x->map.live < MAX_EXPORTS) {
		e = xcalloc(1, sizeof(*e));
		strmap_put(&x->map, name, e);
	}
	if (e && n)
		e->how[side] |= how;
	if (e && side && (how & EXPORT_NS) && !e->ns) {
		const char *p = skip(symbol + n, end, " \t\n,\"");

		e->ns = xstrndup(p, word_len(p, end));
	}
	free(name);
}

static void read_side(struct exports *x, int side, const char *text, size_t len)
{
	static const char word[] = "EXPORT_SYMBOL";
	const char *p = text, *end = text + len, *symbol;

	for (; (p = memmem(p, (size_t)(end - p), word, sizeof(word) - 1)) != NULL; p += sizeof(word) - 1) {
		int how = p == text || p[-1] == '\n' ? kind_of(p, end, &symbol) : 0;

		if (how)
			add(x, side, how, skip(symbol, end, " \t"), end);
	}
}

static bool imports(const char *text, size_t len)
{
	return memmem(text, len, "MODULE_IMPORT_NS", strlen("MODULE_IMPORT_NS")) != NULL;
}

static void read_source(struct cc_commit *cc, struct exports *x, const struct history_file *f)
{
	struct cc_blob a, b;
	int bad = cc_read(cc, &f->old_id, &a) | cc_read(cc, &f->new_id, &b);

	if (!bad) {
		read_side(x, 0, a.text, a.len);
		read_side(x, 1, b.text, b.len);
		x->imports += imports(b.text, b.len) && !imports(a.text, a.len);
	}
	cc_put(cc, &a);
	cc_put(cc, &b);
}

static void found(struct cc_result *r, const char *symbol, const struct exported *e, const char *path)
{
	bool ns = (e->how[1] & EXPORT_NS) != 0;
	struct cc_stored *st;

	if (!r->st)
		r->st = xcalloc(CC_MAX_STORED, sizeof(*r->st));
	if (r->nst >= CC_MAX_STORED)
		return;
	st = &r->st[r->nst++];
	st->kind = ns ? CC_NAMESPACE : CC_EXPORT_GPL;
	st->cls = ns ? COCHANGE_NAMESPACE : COCHANGE_LICENCE;
	st->confidence = 0.95;
	st->confirmed = true;
	st->symbol = xstrdup(symbol);
	st->to_name = ns ? xstrdup(e->ns) : NULL;
	st->header = xstrdup(path);
	st->old_decl = xstrfmt("EXPORT_SYMBOL%s(%s)", e->how[0] & EXPORT_GPL ? "_GPL" : "", symbol);
	st->new_decl = ns ? xstrfmt("EXPORT_SYMBOL_NS%s(%s, %s)", e->how[1] & EXPORT_GPL ? "_GPL" : "", symbol,
				    e->ns ? e->ns : "") :
			    xstrfmt("EXPORT_SYMBOL_GPL(%s)", symbol);
}

void cc_exports(struct cc_commit *cc, struct cc_result *r)
{
	struct exports x = { .map = STRMAP_INIT };
	const struct strmap_entry *e;
	size_t read = 0;

	for (size_t i = 0; i < cc->nsrc && read < MAX_SOURCES; i++) {
		if (cc->src[i].added || cc->src[i].removed)
			continue;
		read_source(cc, &x, cc->src[i].f);
		read++;
	}
	strmap_for_each(&x.map, e) {
		const struct exported *s = e->value;

		if (s->how[0] && s->how[1] && (s->how[1] & ~s->how[0] & (EXPORT_GPL | EXPORT_NS)))
			found(r, e->key, s, cc->src[0].f->path);
	}
	strmap_release(&x.map, free_exported);
	if (!r->nst)
		return;
	r->candidate = true;
	r->cls = r->st[0].cls;
	r->confidence = r->st[0].confidence;
	r->nusers = x.imports;
	r->reason = r->cls == COCHANGE_NAMESPACE ?
		xstrfmt("'%s' is exported in namespace %s; %zu users import it", r->st[0].symbol, r->st[0].to_name, x.imports) :
		xstrfmt("'%s' is exported to GPL modules only", r->st[0].symbol);
}

bool cc_speaks_of_exports(const char *message)
{
	return strstr(message, "EXPORT_SYMBOL") || strstr(message, "namespace") || strstr(message, "IMPORT_NS") ||
	       strstr(message, "GPL-only") || strstr(message, "GPL only");
}
