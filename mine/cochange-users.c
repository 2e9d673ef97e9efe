// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do the users' edits concern what changed? Of each user file that is read, the
 * edited region of both versions is cut out and the watched names are counted:
 * how often they stand there, as members, called with what, defined with what, and in
 * which statements. What differs between the versions is what the edit concerns.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/ctoken.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/cochange-internal.h"
#include "mine/cochange-scan.h"

#define ENOUGH	  3	/* users that confirm */
#define FIRST_FEW 4	/* read at least, when there are so many */
#define AT_MOST	  24
#define MAX_FOLLOWER_FILES 200

enum concern { NOT, MAYBE, SURE, IMPLEMENTS };

struct user {
	struct cc_commit *cc;
	const char *path;
	struct cc_scan scan;
	const char *text;	/* new side, whole */
	size_t len;
};

/* ---- one change, one user ------------------------------------------------------------ */

static bool mentions(const struct user *u, const char *name)
{
	const char *space = strchr(name, ' ');

	name = space ? space + 1 : name;
	return *name && memmem(u->text, u->len, name, strlen(name)) != NULL;
}

/* Members are often called alike: the structure should be named in the file, or the name be rare. */
static enum concern member_hit(const struct user *u, const struct cc_change *ch)
{
	return strlen(ch->member) >= 10 || mentions(u, ch->symbol) ? SURE : MAYBE;
}

static enum concern member_concern(const struct user *u, const struct cc_change *ch, const struct cc_uses *s)
{
	int delta = s->member[1] - s->member[0], any = s->count[1] - s->count[0];

	switch (ch->kind) {
	case CC_REMOVED:
		/* It is reached by another way. */
		if (ch->moved_to && s->member[0] && s->member[1] && s->stmts[0] != s->stmts[1])
			return member_hit(u, ch) == SURE || mentions(u, ch->moved_to) ? SURE : MAYBE;
		return delta < 0 ? member_hit(u, ch) : any < 0 && mentions(u, ch->symbol) ? MAYBE : NOT;
	case CC_ADDED:
		return delta > 0 ? member_hit(u, ch) : any > 0 && mentions(u, ch->symbol) ? MAYBE : NOT;
	case CC_SIGNATURE:
		if (cc_scan_assigned_changed(&u->scan, u->text, u->len, ch->member))
			return member_hit(u, ch);
		if (s->args[0] != s->args[1] && s->calls[0] && s->calls[1])
			return member_hit(u, ch);
		break;
	case CC_RETURN:
		if (cc_scan_assigned_changed(&u->scan, u->text, u->len, ch->member))
			return member_hit(u, ch);
		break;
	case CC_CONST:
		if (u->scan.consts[1] > u->scan.consts[0] && mentions(u, ch->symbol))
			return SURE;
		break;
	default:
		break;
	}
	return (s->stmts[0] != s->stmts[1] || delta) && mentions(u, ch->symbol) ? MAYBE : NOT;
}

static enum concern include_concern(const struct user *u, const struct cc_change *ch)
{
	const struct strvec *got = &u->scan.includes_gained;
	const char *header = ch->kind == CC_INCLUDE ? ch->symbol : u->cc->hdr[ch->to_header].f->path;

	for (size_t i = 0; i < got->n; i++)
		if (ch->kind == CC_INCLUDE ? !strcmp(got->v[i], header) : ends_with(header, path_base(got->v[i])))
			return SURE;
	/* The header that lost its declarations is no longer wanted. */
	for (size_t i = 0; ch->kind == CC_MOVED && i < u->scan.includes_lost.n; i++)
		if (ends_with(u->cc->hdr[ch->header].f->path, path_base(u->scan.includes_lost.v[i])))
			return SURE;
	return NOT;
}

/* A file that defines the symbol implements it. */
static bool defines(const struct cc_uses *s)
{
	return s->defs[0] || s->defs[1];
}

/* The next place where the whole word stands, or NULL. */
static const char *next_word(const char *p, const char *text, const char *end, const char *word, size_t n)
{
	for (; (p = memmem(p, (size_t)(end - p), word, n)) != NULL; p += n)
		if ((p == text || !is_word_char(p[-1])) && (p + n == end || !is_word_char(p[n])))
			return p;
	return NULL;
}

/* Is there a definition "struct foo NAME[] = ..." in the first column that is not extern? */
static bool has_object(const char *text, size_t len, const char *name)
{
	const char *end = text + len;
	size_t n = strlen(name);

	for (const char *p = text; (p = next_word(p, text, end, name, n)) != NULL; p += n) {
		const char *line = p, *q = p + n;

		while (line > text && line[-1] != '\n')
			line--;
		while (q < end && (*q == ' ' || *q == '\t'))
			q++;
		if (is_word_char(*line) && line != p && strncmp(line, "extern", 6) && q < end && strchr("=;[", *q))
			return true;
	}
	return false;
}

/* Is there a body behind the name and its parameters? */
static bool has_body(const char *text, size_t len, const char *name)
{
	size_t n = strlen(name);
	const char *end = text + len;

	for (const char *p = text; (p = next_word(p, text, end, name, n)) != NULL; p += n) {
		const char *q = p + n;
		int depth = 0;

		while (q < end && (*q == ' ' || *q == '\t'))
			q++;
		if (q >= end || *q != '(')
			continue;
		do {
			depth += *q == '(';
			depth -= *q == ')';
		} while (++q < end && depth);
		while (q < end && (*q == ' ' || *q == '\t' || *q == '\n' || *q == '\r'))
			q++;
		if (q < end && *q == '{')
			return true;
	}
	return false;
}

/* The file had a declaration or definition of its own of what the header declares now. */
static bool gives_up(const struct user *u, const struct cc_change *ch, const struct cc_uses *s)
{
	if (ch->kind != CC_ADDED || ch->member || !mentions(u, ch->symbol))
		return false;
	if (ch->api & (API_FUNCTION | API_INLINE | API_VARIABLE))
		return s->defs[0] > s->defs[1] && !(ch->api == API_VARIABLE ? has_object : has_body)(u->text, u->len, ch->symbol);
	if (ch->api & (API_MACRO | API_MACRO_FN))
		return s->macros[0] > s->macros[1] && !s->macros[1];
	return (ch->api & (API_STRUCT | API_UNION | API_ENUM | API_ENUMERATOR)) && s->tags[0] > s->tags[1] && !s->tags[1];
}

static enum concern ordinary_concern(const struct user *u, const struct cc_change *ch, const struct cc_uses *s)
{
	int delta = s->count[1] - s->count[0];
	bool stmts = s->stmts[0] != s->stmts[1];

	if (ch->kind == CC_MOVED)
		return include_concern(u, ch);
	if (gives_up(u, ch, s))
		return SURE;
	if (defines(s) && (delta || stmts || s->params[0] != s->params[1]))
		return IMPLEMENTS;
	switch (ch->kind) {
	case CC_REMOVED:
		/* "foo_t" that is "struct foo_t" now. */
		if (ch->moved_to && stmts)
			return SURE;
		return delta < 0 ? SURE : NOT;
	case CC_ADDED:
		return delta > 0 ? SURE : NOT;
	case CC_SIGNATURE:
	case CC_ARITY:
		if (s->args[0] != s->args[1] && s->calls[0] && s->calls[1])
			return SURE;
		if (ch->callback && cc_scan_defs_follow(&u->scan, u->cc, ch))
			return SURE;
		return stmts ? MAYBE : NOT;
	case CC_RETURN:
	case CC_MUST_CHECK:
		return stmts && s->count[0] && s->count[1] ? SURE : stmts ? MAYBE : NOT;
	case CC_CONST:
		return u->scan.consts[1] > u->scan.consts[0] && (stmts || ch->callback) ? SURE : stmts ? MAYBE : NOT;
	default:
		return stmts || delta ? MAYBE : NOT;
	}
}

/* The declaration has another type, and so have variables of a file that uses it. */
static bool type_follows(const struct user *u, const struct cc_change *ch)
{
	return (ch->kind == CC_SIGNATURE || ch->kind == CC_RETURN || ch->kind == CC_TYPE) && !ch->callback &&
	       mentions(u, ch->member ? ch->member : ch->symbol) && cc_scan_type_follows(&u->scan, u->cc, ch);
}

/* It is gone from the header, the file goes on using it and includes another: it is declared there. */
static bool reincludes(const struct user *u, const struct cc_change *ch, const struct cc_uses *s)
{
	const char *space = strchr(ch->symbol, ' '), *name = space ? space + 1 : ch->symbol;

	return ch->kind == CC_REMOVED && !ch->member && u->scan.includes_gained.n && s->count[0] == s->count[1] &&
	       s->stmts[0] == s->stmts[1] && next_word(u->text, u->text, u->text + u->len, name, strlen(name));
}

static enum concern concern_of(const struct user *u, const struct cc_change *ch)
{
	const struct cc_commit *cc = u->cc;
	const struct cc_file *h = &cc->hdr[ch->header];
	const struct cc_uses *s = &u->scan.uses[ch->watch];
	enum concern c;
	bool typed = false;

	if (h->config ? starts_with(u->path, "board/") : h->owner && path_inside(h->owner, u->path))
		return NOT;
	if (ch->kind == CC_INCLUDE)
		return include_concern(u, ch);
	if (reincludes(u, ch, s))
		return SURE;
	if (type_follows(u, ch))
		typed = true;
	else if (!s->count[0] && !s->count[1] && ch->kind != CC_MOVED && !ch->callback && ch->kind != CC_CONST)
		return NOT;
	c = ch->member ? member_concern(u, ch, s) : ordinary_concern(u, ch, s);
	if (c == SURE && gives_up(u, ch, s))
		return c;
	if (c == NOT && typed)
		c = MAYBE;
	/* Of a function the definition tells who implements it. */
	if (ch->api & (API_FUNCTION | API_VARIABLE))
		return c;
	return (c == SURE || c == MAYBE) && cc_implements(u->path, h->f->path) ? IMPLEMENTS : c;
}

/* ---- reading ----------------------------------------------------------------------------- */

static void note_impl(struct cc_change *ch, const char *path)
{
	if (!ch->impl++)
		ch->impl_path = path;
	else if (path_base(path) - path != path_base(ch->impl_path) - ch->impl_path ||
		 memcmp(path, ch->impl_path, (size_t)(path_base(path) - path)))
		ch->impl_spread = true;
}

/* Counts into ch[] when count is set. Returns whether some change is concerned. */
static enum concern weigh(struct user *u, bool count)
{
	struct cc_commit *cc = u->cc;
	enum concern best = NOT;
	bool adopts = false;

	for (size_t i = 0; i < cc->nch; i++) {
		struct cc_change *ch = &cc->ch[i];
		enum concern c = concern_of(u, ch);
		const struct cc_uses *s = &u->scan.uses[ch->watch];
		int delta = s->count[1] - s->count[0];

		if (c == IMPLEMENTS ? best == NOT : c != NOT && (best == IMPLEMENTS || c > best))
			best = c;
		if (!count)
			continue;
		adopts = adopts || (c == SURE && ch->kind == CC_ADDED);
		ch->strong += c == SURE;
		ch->weak += c == MAYBE;
		ch->given += c == SURE && gives_up(u, ch, s);
		ch->reincluded += c == SURE && reincludes(u, ch, s);
		if (c == IMPLEMENTS) {
			note_impl(ch, u->path);
			ch->impl_gained = ch->impl_gained || s->defs[1] > s->defs[0];
		}
		if (c != IMPLEMENTS)
			ch->net += delta - (s->defs[1] - s->defs[0]);
		if (c == SURE || c == MAYBE) {
			ch->lost += delta < 0 ? (unsigned)-delta : 0;
			ch->gained += delta > 0 ? (unsigned)delta : 0;
		}
	}
	cc->adopters += adopts;
	return best;
}

struct pair {
	struct cc_blob side[2];
};

static bool read_pair(struct cc_commit *cc, const struct history_file *f, struct pair *p)
{
	int a = cc_read(cc, &f->old_id, &p->side[0]), b = cc_read(cc, &f->new_id, &p->side[1]);

	return !a && !b;
}

static void put_pair(struct cc_commit *cc, struct pair *p)
{
	cc_put(cc, &p->side[0]);
	cc_put(cc, &p->side[1]);
}

static void add_gained(struct cc_commit *cc, const struct cc_scan *s)
{
	for (uint32_t i = 1; i < s->called.n && cc->gained.live < 2000; i++) {
		const char *name = pool_str(&s->called, i);

		if (s->call_delta[i] > 0)
			strmap_put(&cc->gained, name, (void *)((uintptr_t)strmap_get(&cc->gained, name) + 1));
	}
}

static enum concern read_user(struct cc_commit *cc, const struct cc_file *f, bool count, struct hunks *hunks)
{
	struct user u = { .cc = cc, .path = f->f->path };
	enum concern c = NOT;
	struct pair p;

	if (read_pair(cc, f->f, &p)) {
		u.text = p.side[1].text;
		u.len = p.side[1].len;
		cc_scan(&u.scan, cc, p.side[0].text, p.side[0].len, p.side[1].text, p.side[1].len);
		c = weigh(&u, count);
		if (count) {
			cc->users_read++;
			cc->users_confirm += c == SURE || c == MAYBE;
			cc->impl_only += c == IMPLEMENTS;
			if (c == SURE || c == MAYBE)
				add_gained(cc, &u.scan);
		}
		if (hunks && (c == SURE || c == MAYBE))
			hunks_compare(p.side[0].text, p.side[0].len, p.side[1].text, p.side[1].len, hunks, NULL);
		cc_scan_release(&u.scan);
	}
	put_pair(cc, &p);
	return c;
}

static bool is_user(const struct cc_file *f)
{
	return !f->added && !f->removed;
}

void cc_watch(struct cc_commit *cc)
{
	pool_init(&cc->names);
	for (size_t i = 0; i < cc->nch; i++) {
		struct cc_change *ch = &cc->ch[i];
		const char *space = strchr(ch->symbol, ' ');

		ch->watch = 0;
		cc->want_gained = cc->want_gained || (ch->kind == CC_REMOVED && !ch->member &&
						     (ch->api & (API_FUNCTION | API_INLINE | API_MACRO_FN)));
		if (ch->kind != CC_INCLUDE)
			ch->watch = pool_addstr(&cc->names, ch->member ? ch->member : space ? space + 1 : ch->symbol);
	}
}

void cc_users(struct cc_commit *cc)
{
	struct cc_file **list = xcalloc(cc->nsrc + 1, sizeof(*list));
	size_t n = 0, step, sure = 0;

	cc_watch(cc);
	for (size_t i = 0; i < cc->nsrc; i++)
		if (is_user(&cc->src[i]))
			list[n++] = &cc->src[i];
	cc->users_total = n;
	/* From all over the list: the first few may all be of one directory. */
	step = n / FIRST_FEW ? n / FIRST_FEW : 1;
	for (size_t k = 0, done = 0; k < step && done < AT_MOST; k++)
		for (size_t i = k; i < n && done < AT_MOST; i += step, done++) {
			if (sure >= ENOUGH && done >= FIRST_FEW)
				goto out;
			sure += read_user(cc, list[i], true, NULL) == SURE;
		}
out:
	free(list);
}

size_t cc_user_examples(struct cc_commit *cc, struct cc_result *r)
{
	size_t alloc = 0, follow = 0;

	for (size_t i = 0; i < cc->nsrc; i++) {
		struct hunks hs = HUNKS_INIT;
		enum concern c;

		if (!is_user(&cc->src[i]))
			continue;
		c = read_user(cc, &cc->src[i], false, &hs);
		follow += c == SURE || c == MAYBE;
		if (!hs.n) {
			hunks_release(&hs);
			continue;
		}
		ALLOC_GROW(r->ex, r->nex + 1, alloc);
		r->ex[r->nex].path = xstrdup(cc->src[i].f->path);
		r->ex[r->nex++].hunks = hs;
	}
	return follow;
}

static bool follows(const struct cc_scan *s, uint32_t from, uint32_t to, bool by_args)
{
	const struct cc_uses *a = &s->uses[from], *b = &s->uses[to];

	if (by_args)
		return a->calls[0] && a->calls[1] && a->args[0] != a->args[1] && a->count[0] == a->count[1];
	return a->count[1] < a->count[0] && (!to || b->count[1] > b->count[0]);
}

/* Quicker than to scan for it; no name is in every text. */
static bool has_word(const struct cc_blob *b, const char *name)
{
	return !name || memmem(b->text, b->len, name, strlen(name));
}

size_t cc_users_of(struct cc_commit *cc, const char *from, const char *to, bool by_args, struct cc_result *r)
{
	size_t alloc = 0, n = 0, read = 0;
	uint32_t f, t;

	pool_init(&cc->names);
	f = pool_addstr(&cc->names, from);
	t = to ? pool_addstr(&cc->names, to) : 0;
	for (size_t i = 0; i < cc->nsrc && read < MAX_FOLLOWER_FILES; i++) {
		struct pair p;
		struct cc_scan s;

		if (!is_user(&cc->src[i]))
			continue;
		read++;
		if (read_pair(cc, cc->src[i].f, &p) && has_word(&p.side[0], from) &&
		    has_word(&p.side[1], by_args ? from : to)) {
			cc_scan(&s, cc, p.side[0].text, p.side[0].len, p.side[1].text, p.side[1].len);
			if (follows(&s, f, t, by_args)) {
				n++;
				if (r) {
					struct hunks hs = HUNKS_INIT;

					hunks_compare(p.side[0].text, p.side[0].len, p.side[1].text, p.side[1].len, &hs, NULL);
					ALLOC_GROW(r->ex, r->nex + 1, alloc);
					r->ex[r->nex].path = xstrdup(cc->src[i].f->path);
					r->ex[r->nex++].hunks = hs;
				}
			}
			cc_scan_release(&s);
		}
		put_pair(cc, &p);
	}
	return n;
}
