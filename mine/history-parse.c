// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/history-parse.h"

#include "mine/same.h"

#define OID_HEX	  40
#define OID_BYTES 20
/* "parent " + 40 + newline */
#define PARENT_LINE 48

/* 1 + value of a digit */
static const uint8_t hex_digit[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ['a'] = 11, 12, 13, 14, 15, 16, ['A'] = 11, 12, 13, 14, 15, 16,
};

static bool parse_oid(const char *s, git_oid *out)
{
	unsigned bad = 0;

	for (int i = 0; i < OID_BYTES; i++) {
		unsigned hi = hex_digit[(uint8_t)s[2 * i]], lo = hex_digit[(uint8_t)s[2 * i + 1]];

		bad |= !hi | !lo;
		out->id[i] = (unsigned char)((hi - 1) << 4 | (lo - 1));
	}
	return !bad;
}

static bool oid_line(const char *p, const char *end, const char *key, git_oid *out)
{
	size_t n = strlen(key);

	return (size_t)(end - p) >= n + OID_HEX + 1 && !memcmp(p, key, n) && parse_oid(p + n, out) &&
	       p[n + OID_HEX] == '\n';
}

static bool has_key(const char *p, const char *eol, const char *key)
{
	size_t n = strlen(key);

	return (size_t)(eol - p) >= n && !memcmp(p, key, n);
}

/* "NAME <ADDRESS> SECONDS ZONE" up to eol; what is odd stays as it was. */
static void parse_person(const char *p, const char *eol, int64_t *time, const char **address, size_t *len)
{
	const char *close = memrchr(p, '>', (size_t)(eol - p)), *open;
	int64_t t = 0;
	const char *q;

	if (!close)
		return;
	open = memrchr(p, '<', (size_t)(close - p));
	if (open && address) {
		*address = open + 1;
		*len = (size_t)(close - open - 1);
	}
	for (q = close + 1; q < eol && *q == ' '; q++)
		;
	for (; q < eol && *q >= '0' && *q <= '9'; q++) {
		if (t > INT64_MAX / 10 - 1)
			return;
		t = t * 10 + (*q - '0');
	}
	*time = t;
}

bool commit_parse(const char *data, size_t len, struct commit_text *out)
{
	const char *p = data, *end = data + len, *eol;
	bool committer = false;
	git_oid parent;

	memset(out, 0, sizeof(*out));
	out->author = out->message = "";
	if (!oid_line(p, end, "tree ", &out->tree))
		return false;
	p += strlen("tree ") + OID_HEX + 1;
	out->parents = p;
	for (; oid_line(p, end, "parent ", &parent); p += PARENT_LINE)
		if (++out->nparents > COMMIT_MAX_PARENTS)
			return false;
	for (; p < end && *p != '\n'; p = eol + 1) {
		eol = memchr(p, '\n', (size_t)(end - p));
		if (!eol)
			eol = end;
		if (has_key(p, eol, "tree ") || has_key(p, eol, "parent "))
			return false;
		if (has_key(p, eol, "author ") && !out->author_len) {
			parse_person(p, eol, &out->author_time, &out->author, &out->author_len);
		} else if (has_key(p, eol, "committer ") && !committer) {
			parse_person(p, eol, &out->time, NULL, NULL);
			committer = true;
		}
		if (eol == end)
			return true;
	}
	if (p < end) {
		out->message = p + 1;
		out->message_len = (size_t)(end - p - 1);
	}
	return true;
}

void commit_parent(const struct commit_text *c, unsigned i, git_oid *out)
{
	parse_oid(c->parents + (size_t)i * PARENT_LINE + strlen("parent "), out);
}

/* ---- trees ------------------------------------------------------------------- */

/* The modes that git knows; old trees have others, such as 0100664. */
static unsigned canonical_mode(unsigned mode)
{
	switch (mode & TREE_MODE_TYPE) {
	case TREE_MODE_FILE:
		return TREE_MODE_FILE | (mode & 0100 ? 0755 : 0644);
	case TREE_MODE_LINK:
	case TREE_MODE_DIR:
		return mode & TREE_MODE_TYPE;
	default:
		return TREE_MODE_COMMIT;
	}
}

int tree_next(const uint8_t **pp, const uint8_t *end, struct tree_entry *e)
{
	const uint8_t *p = *pp;
	unsigned mode = 0;

	if (p >= end)
		return 0;
	for (int i = 0; *p != ' '; i++, p++) {
		if (*p < '0' || *p > '7' || i == 7)
			return -1;
		mode = mode << 3 | (unsigned)(*p - '0');
	}
	p++;
	e->mode = canonical_mode(mode);
	e->name = (const char *)p;
	/* The NUL behind the last byte ends a name that is not terminated. */
	e->len = strlen(e->name);
	if ((size_t)(end - p) < e->len + 1 + OID_BYTES)
		return -1;
	e->id = p + e->len + 1;
	*pp = e->id + OID_BYTES;
	return 1;
}

bool tree_name_is_good(const struct tree_entry *e)
{
	return e->len && strcmp(e->name, ".") && strcmp(e->name, "..") && !memchr(e->name, '/', e->len);
}

int tree_name_cmp(const struct tree_entry *a, const struct tree_entry *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->name, b->name, n);
	unsigned char x, y;

	if (c)
		return c;
	x = a->len > n ? (unsigned char)a->name[n] : tree_is_dir(a->mode) ? '/' : 0;
	y = b->len > n ? (unsigned char)b->name[n] : tree_is_dir(b->mode) ? '/' : 0;
	return (int)x - (int)y;
}

/* Behind the entry at p, NULL for a broken one; quick for the usual modes. */
static const uint8_t *skip_entry(const uint8_t *p, const uint8_t *end)
{
	static const char file[] = "100644 ", dir[] = "40000 ";
	size_t n = (size_t)(end - p) > strlen(file) ? (!memcmp(p, file, strlen(file)) ? strlen(file) :
						      !memcmp(p, dir, strlen(dir)) ? strlen(dir) : 0) : 0;
	struct tree_entry e;

	if (!n)
		return tree_next(&p, end, &e) > 0 ? p : NULL;
	n += strlen((const char *)p + n) + 1 + OID_BYTES;
	return n <= (size_t)(end - p) ? p + n : NULL;
}

int tree_skip_same(const uint8_t **a, const uint8_t *a_end, const uint8_t **b, const uint8_t *b_end)
{
	size_t na = (size_t)(a_end - *a), nb = (size_t)(b_end - *b);
	size_t same = same_head(*a, *b, na < nb ? na : nb);
	const uint8_t *limit = *a + same, *p = *a, *next;

	if (same == na && same == nb) {
		*a = a_end;
		*b = b_end;
		return 0;
	}
	for (; p < limit; p = next) {
		next = skip_entry(p, a_end);
		if (!next)
			return -1;
		if (next > limit)
			break;
	}
	*b += p - *a;
	*a = p;
	return 1;
}
