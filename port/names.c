// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/names.h"

#include <ctype.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/strbuf.h"

/* Each word may not take the place of any other one of its row. */
static const char *const opposites[][8] = {
	{ "read", "write", "rw" },
	{ "rd", "wr" },
	{ "rx", "tx" },
	{ "recv", "send", "xmit" },
	{ "receive", "transmit", "send" },
	{ "in", "out", "inout" },
	{ "input", "output" },
	{ "get", "put", "set", "clear", "test" },
	{ "getter", "setter" },
	{ "ref", "unref" },
	{ "lock", "unlock", "trylock" },
	{ "on", "off" },
	{ "enable", "disable", "enabled", "disabled" },
	{ "start", "stop", "begin", "end" },
	{ "open", "close", "release" },
	{ "up", "down" },
	{ "add", "del", "sub" },
	{ "add", "remove" },
	{ "add", "delete" },
	{ "inc", "dec" },
	{ "alloc", "free", "dealloc" },
	{ "create", "destroy" },
	{ "init", "exit", "fini", "cleanup", "uninit" },
	{ "register", "unregister", "deregister" },
	{ "attach", "detach" },
	{ "map", "unmap" },
	{ "bind", "unbind" },
	{ "push", "pop" },
	{ "first", "last" },
	{ "next", "prev", "previous" },
	{ "head", "tail" },
	{ "min", "max" },
	{ "low", "high" },
	{ "lo", "hi" },
	{ "left", "right" },
	{ "src", "dst", "dest" },
	{ "source", "destination", "sink" },
	{ "from", "to" },
	{ "valid", "invalid", "broken" },
	{ "true", "false" },
	{ "ok", "fail", "error", "err" },
	{ "old", "new" },
	{ "user", "kernel" },
	{ "parent", "child" },
	{ "master", "slave" },
	{ "host", "device", "peripheral" },
	{ "client", "server" },
	{ "local", "remote" },
	{ "suspend", "resume" },
	{ "freeze", "thaw" },
	{ "freq", "period" },
	{ "width", "height" },
	{ "row", "col", "column" },
	{ "single", "multi" },
	{ "rising", "falling" },
	{ "request", "response" },
	{ "encode", "decode" },
	{ "encrypt", "decrypt" },
	{ "load", "store", "unload", "save", "restore" },
	{ "serialize", "deserialize" },
	{ "le", "be", "cpu" },
	{ "playback", "capture" },
	{ "connect", "disconnect" },
	{ "up", "down" },
	{ "all", "none", "any" },
	{ "and", "or", "xor", "not" },
	{ "pre", "post" },
	{ "before", "after" },
	{ "online", "offline" },
	{ "mask", "unmask" },
	{ "nowait", "wait" },
	{ "sync", "async" },
	{ "schedule", "cancel" },
	{ "signed", "unsigned" },
};

static const char *const negations[] = { "un", "non", "no", "in", "dis", "de", "not" };

void name_words(const char *name, struct strvec *out)
{
	struct strbuf w = STRBUF_INIT;

	for (const char *p = name; *p; p++) {
		bool hump = p > name && isupper((unsigned char)*p) && islower((unsigned char)p[-1]);

		if ((*p == '_' || *p == '.' || hump) && w.len) {
			strvec_push(out, w.buf);
			strbuf_reset(&w);
		}
		if (*p != '_' && *p != '.')
			strbuf_addch(&w, tolower((unsigned char)*p));
	}
	if (w.len)
		strvec_push(out, w.buf);
	strbuf_release(&w);
}

/* Take the words that both have, one for one, out of both. */
static size_t cancel_common(struct strvec *a, struct strvec *b)
{
	size_t common = 0, i = 0;

	while (i < a->n) {
		size_t j = 0;

		while (j < b->n && strcmp(a->v[i], b->v[j]))
			j++;
		if (j == b->n) {
			i++;
			continue;
		}
		strvec_remove(a, i);
		strvec_remove(b, j);
		common++;
	}
	return common;
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* "del" and "delete", "init" and "initialize", "folio" and "folios". */
static bool same_stem(const char *a, const char *b)
{
	size_t n = common_prefix(a, b);

	return n >= 3 && (!a[n] || !b[n]);
}

double names_similarity(const char *a, const char *b)
{
	struct strvec wa = STRVEC_INIT, wb = STRVEC_INIT;
	size_t total, common;
	double stems = 0;

	name_words(a, &wa);
	name_words(b, &wb);
	total = wa.n > wb.n ? wa.n : wb.n;
	common = cancel_common(&wa, &wb);
	for (size_t i = 0; i < wa.n && i < wb.n; i++)
		if (same_stem(wa.v[i], wb.v[i]))
			stems += 0.5;
	strvec_release(&wa);
	strvec_release(&wb);
	return total ? ((double)common + stems) / (double)total : 0;
}

static bool is_negation_of(const char *word, const char *base)
{
	for (size_t i = 0; i < ARRAY_SIZE(negations); i++) {
		const char *rest;

		if (skip_prefix(word, negations[i], &rest) && !strcmp(rest, base))
			return true;
	}
	return false;
}

static bool in_one_row(const char *a, const char *b)
{
	for (size_t r = 0; r < ARRAY_SIZE(opposites); r++) {
		bool has_a = false, has_b = false;

		for (size_t i = 0; i < ARRAY_SIZE(opposites[r]) && opposites[r][i]; i++) {
			has_a |= !strcmp(opposites[r][i], a);
			has_b |= !strcmp(opposites[r][i], b);
		}
		if (has_a && has_b)
			return true;
	}
	return false;
}

static bool has_digit(const char *s)
{
	return s[strcspn(s, "0123456789")] != '\0';
}

/* "readl" and "readb": equal but for the letter of an access width. */
static bool differ_by_width(const char *a, const char *b)
{
	size_t n = strlen(a);

	return n == strlen(b) && n >= 2 && !memcmp(a, b, n - 1) && strchr("bwlq", a[n - 1]) &&
	       strchr("bwlq", b[n - 1]);
}

static bool words_opposed(const char *a, const char *b)
{
	return (in_one_row(a, b) && !same_stem(a, b)) || is_negation_of(a, b) || is_negation_of(b, a) ||
	       (has_digit(a) && has_digit(b)) || differ_by_width(a, b);
}

/* A word that only one of the names has and that turns its meaning round. */
static bool is_turning_word(const char *w)
{
	static const char *const turning[] = { "not", "no", "non", "un", "inverted", "inverse",
					       "nowait", "unlocked", "locked", "never", "auto",
					       "scoped", "guard" };

	for (size_t i = 0; i < ARRAY_SIZE(turning); i++)
		if (!strcmp(w, turning[i]))
			return true;
	return false;
}

static bool any_turning(const struct strvec *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (is_turning_word(v->v[i]))
			return true;
	return false;
}

bool names_opposed(const char *a, const char *b)
{
	struct strvec wa = STRVEC_INIT, wb = STRVEC_INIT;
	bool opposed;

	name_words(a, &wa);
	name_words(b, &wb);
	cancel_common(&wa, &wb);
	opposed = any_turning(&wa) || any_turning(&wb);
	for (size_t i = 0; i < wa.n && !opposed; i++)
		for (size_t j = 0; j < wb.n && !opposed; j++)
			opposed = words_opposed(wa.v[i], wb.v[j]);
	strvec_release(&wa);
	strvec_release(&wb);
	return opposed;
}

static void add_partners(const char *name, size_t at, size_t len, struct strvec *out)
{
	for (size_t r = 0; r < ARRAY_SIZE(opposites); r++) {
		size_t mine = 0, n = 0;
		bool has = false;

		for (; n < ARRAY_SIZE(opposites[r]) && opposites[r][n]; n++)
			if (strlen(opposites[r][n]) == len && !strncasecmp(opposites[r][n], name + at, len)) {
				mine = n;
				has = true;
			}
		for (size_t i = 0; has && i < n; i++)
			if (i != mine && !same_stem(opposites[r][i], opposites[r][mine]))
				strvec_pushf(out, "%.*s%s%s", (int)at, name, opposites[r][i],
					     name + at + len);
	}
}

void names_partners(const char *name, struct strvec *out)
{
	for (size_t at = 0; name[at];) {
		size_t len = strcspn(name + at, "_");

		if (len)
			add_partners(name, at, len, out);
		at += len + (name[at + len] == '_');
	}
}

bool name_has_words(const char *outer, const char *inner)
{
	struct strvec wo = STRVEC_INIT, wi = STRVEC_INIT;
	bool all;

	name_words(outer, &wo);
	name_words(inner, &wi);
	all = wi.n > 0;
	for (size_t i = 0; i < wi.n && all; i++)
		all = strvec_contains(&wo, wi.v[i]);
	strvec_release(&wo);
	strvec_release(&wi);
	return all;
}
