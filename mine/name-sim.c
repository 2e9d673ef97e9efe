// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/name-sim.h"

#define MAX_WORDS 16
#define MAX_WORD 24

struct words {
	char w[MAX_WORDS][MAX_WORD];
	int n;
};

static bool upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool lower(char c) { return c >= 'a' && c <= 'z'; }
static bool digit(char c) { return c >= '0' && c <= '9'; }

static char class_of(char c)
{
	return digit(c) ? 'd' : 'a';
}

static void split(const char *s, struct words *out)
{
	size_t len = 0;
	const char *p;

	memset(out, 0, sizeof(*out));
	for (p = s; *p; p++) {
		bool cut = false;

		if (*p == '_') {
			if (len && out->n < MAX_WORDS) {
				out->n++;
				len = 0;
			}
			continue;
		}
		if (len)
			cut = class_of(*p) != class_of(p[-1]) || (upper(*p) && lower(p[-1])) ||
			      (upper(*p) && upper(p[-1]) && lower(p[1]));
		if (cut && out->n < MAX_WORDS) {
			out->n++;
			len = 0;
		}
		if (out->n < MAX_WORDS && len < MAX_WORD - 1)
			out->w[out->n][len++] = upper(*p) ? *p + 32 : *p;
	}
	if (len && out->n < MAX_WORDS)
		out->n++;
}

/* Takes the words that both have out of both; returns how many there were. */
static int remove_common(struct words *a, struct words *b)
{
	int i, j, common = 0;

	for (i = 0; i < a->n; i++)
		for (j = 0; j < b->n; j++)
			if (a->w[i][0] && !strcmp(a->w[i], b->w[j])) {
				a->w[i][0] = b->w[j][0] = '\0';
				common++;
				break;
			}
	return common;
}

static const char *const opposites[][2] = {
	{ "read", "write" }, { "rd", "wr" }, { "get", "put" }, { "get", "set" }, { "lock", "unlock" },
	{ "valid", "broken" }, { "valid", "invalid" }, { "add", "del" }, { "add", "remove" },
	{ "add", "delete" }, { "start", "stop" }, { "enable", "disable" }, { "rx", "tx" },
	{ "on", "off" }, { "up", "down" }, { "open", "close" }, { "open", "release" },
	{ "create", "destroy" }, { "create", "delete" }, { "alloc", "free" }, { "register", "unregister" },
	{ "map", "unmap" }, { "init", "exit" }, { "init", "fini" }, { "init", "cleanup" },
	{ "init", "uninit" }, { "attach", "detach" }, { "bind", "unbind" }, { "push", "pop" },
	{ "inc", "dec" }, { "first", "last" }, { "next", "prev" }, { "min", "max" }, { "in", "out" },
	{ "input", "output" }, { "to", "from" }, { "src", "dst" }, { "source", "dest" },
	{ "high", "low" }, { "hi", "lo" }, { "suspend", "resume" }, { "begin", "end" },
	{ "begin", "finish" }, { "start", "end" }, { "start", "finish" }, { "set", "clear" },
	{ "set", "clr" }, { "load", "store" }, { "load", "unload" }, { "send", "recv" },
	{ "send", "receive" }, { "encrypt", "decrypt" }, { "enc", "dec" }, { "enqueue", "dequeue" },
	{ "mask", "unmask" }, { "true", "false" }, { "le", "be" }, { "client", "server" },
	{ "host", "device" }, { "master", "slave" }, { "local", "remote" }, { "user", "kernel" },
	{ "bus", "device" }, { "prepare", "unprepare" }, { "prepare", "finish" }, { "hold", "release" },
	{ "acquire", "release" }, { "request", "release" }, { "request", "free" }, { "save", "restore" },
	{ "freeze", "thaw" }, { "freeze", "unfreeze" }, { "pin", "unpin" }, { "join", "leave" },
	{ "before", "after" }, { "pre", "post" }, { "upper", "lower" }, { "left", "right" },
	{ "playback", "capture" }, { "ipv", "ip" }, { "early", "late" }, { "inner", "outer" },
	{ "hash", "unhash" }, { "block", "unblock" }, { "link", "unlink" }, { "success", "failure" },
	{ "ok", "err" }, { "tail", "head" }, { "front", "back" }, { "xmit", "recv" }, { "bit", "bits" },
	{ "soft", "hard" }, { "sync", "async" }, { "ctrl", "data" }, { "irqsave", "irqrestore" },
	/* Units: the same call with another unit is another call. */
	{ "size", "pages" }, { "bytes", "pages" }, { "bytes", "sectors" }, { "sectors", "pages" },
	{ "ms", "us" }, { "us", "ns" }, { "ms", "ns" }, { "sec", "ms" }, { "sec", "ns" },
	{ "jiffies", "ms" }, { "jiffies", "ns" }, { "msecs", "usecs" }, { "bits", "bytes" },
};

static bool opposite_words(const char *a, const char *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opposites); i++) {
		const char *x = opposites[i][0], *y = opposites[i][1];

		if (*a != *x && *a != *y)
			continue;
		if ((!strcmp(a, x) && !strcmp(b, y)) || (!strcmp(a, y) && !strcmp(b, x)))
			return true;
	}
	/* "un", "de", "dis", "non" in front of the same word. */
	if (!strncmp(b, "un", 2) || !strncmp(b, "de", 2))
		if (!strcmp(b + 2, a))
			return true;
	if (!strncmp(a, "un", 2) || !strncmp(a, "de", 2))
		if (!strcmp(a + 2, b))
			return true;
	if ((!strncmp(b, "dis", 3) || !strncmp(b, "non", 3)) && !strcmp(b + 3, a))
		return true;
	return (!strncmp(a, "dis", 3) || !strncmp(a, "non", 3)) && !strcmp(a + 3, b);
}

static bool has_word(const struct words *w, const char *const *list)
{
	int i;

	for (; *list; list++)
		for (i = 0; i < w->n; i++)
			if (!strcmp(w->w[i], *list))
				return true;
	return false;
}

/* "FOO_END" counts the FOOs and is none of them. */
static bool is_sentinel(const struct words *w)
{
	static const char *const words[] = { "end", "max", "last", "nr", "num", "count", "cnt" };
	size_t i;

	for (i = 0; w->n && i < ARRAY_SIZE(words); i++)
		if (!strcmp(w->w[w->n - 1], words[i]))
			return true;
	return false;
}

bool name_opposite(const char *a, const char *b)
{
	static const char *const negations[] = { "no", "not", "non", "without", "never", NULL };
	struct words x, y;
	int i, j;

	split(a, &x);
	split(b, &y);
	remove_common(&x, &y);
	if (has_word(&x, negations) != has_word(&y, negations))
		return true;
	if (is_sentinel(&x) != is_sentinel(&y))
		return true;
	for (i = 0; i < x.n; i++)
		for (j = 0; j < y.n; j++) {
			const char *p = x.w[i], *q = y.w[j];

			if (!*p || !*q)
				continue;
			/* Two numbers, or one letter against another. */
			if (digit(*p) && digit(*q))
				return true;
			if (!p[1] && !q[1])
				return true;
			if (opposite_words(p, q))
				return true;
		}
	return false;
}

/* Length of the longest common subsequence of two short words. */
static int lcs(const char *a, const char *b)
{
	int row[MAX_WORD + 1] = { 0 }, i, j, diag, up;

	for (i = 0; a[i]; i++) {
		diag = 0;
		for (j = 0; b[j]; j++) {
			up = row[j + 1];
			if (a[i] == b[j])
				row[j + 1] = diag + 1;
			else if (row[j] > row[j + 1])
				row[j + 1] = row[j];
			diag = up;
		}
	}
	for (j = 0; b[j]; j++)
		;
	return row[j];
}

/* Likeness of two different words: an abbreviation counts nearly as the word. */
static double word_likeness(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), s = la < lb ? la : lb;

	if (digit(*a) || digit(*b))
		return 0;
	if (s >= 2 && !strncmp(a, b, s))
		return 0.9;
	return 2.0 * lcs(a, b) / (double)(la + lb);
}

static int count_left(const struct words *w)
{
	int i, n = 0;

	for (i = 0; i < w->n; i++)
		n += w->w[i][0] != 0;
	return n;
}

double name_similarity(const char *a, const char *b)
{
	struct words x, y;
	int i, j, common, left, right, total;
	double like = 0;

	split(a, &x);
	split(b, &y);
	total = x.n + y.n;
	if (!total)
		return 0;
	common = remove_common(&x, &y);
	left = count_left(&x);
	right = count_left(&y);
	if (!left && !right)
		return strcmp(a, b) ? 0.98 : 1;
	/* Each word left over counts for its best likeness on the other side. */
	for (i = 0; i < x.n; i++) {
		double best = 0, v;

		for (j = 0; x.w[i][0] && j < y.n; j++)
			if (y.w[j][0] && (v = word_likeness(x.w[i], y.w[j])) > best)
				best = v;
		like += best >= 0.75 ? best : best / 3;
	}
	return (2.0 * common + 2.0 * like * (left < right ? 1 : (double)right / left)) / total;
}

/* Words of x that are like none of y. */
static int unlike(const struct words *x, const struct words *y)
{
	int i, j, n = 0;

	for (i = 0; i < x->n; i++) {
		bool found = !x->w[i][0];

		for (j = 0; !found && j < y->n; j++)
			found = y->w[j][0] && word_likeness(x->w[i], y->w[j]) >= 0.75;
		n += !found;
	}
	return n;
}

bool name_word_replaced(const char *a, const char *b)
{
	struct words x, y;

	split(a, &x);
	split(b, &y);
	remove_common(&x, &y);
	return unlike(&x, &y) && unlike(&y, &x);
}

static bool has_lower(const char *s)
{
	for (; *s; s++)
		if (lower(*s))
			return true;
	return false;
}

bool name_same_case(const char *a, const char *b)
{
	return has_lower(a) == has_lower(b);
}
