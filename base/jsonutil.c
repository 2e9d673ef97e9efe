// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/jsonutil.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

#define DEFAULT_MAX ((size_t)256 << 20)
/* 15 digits print 0.1 as 0.1; nothing we store needs more. */
#define DUMP_FLAGS (JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

int json_read_file(const char *path, size_t max, json_t **out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	json_error_t e;
	int ret;

	*out = NULL;
	ret = file_read(path, max ? max : DEFAULT_MAX, &text, err);
	if (ret < 0)
		return ret;
	*out = json_loadb(text.buf, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
	strbuf_release(&text);
	if (!*out)
		return kp_fail(err, KP_ERR, "'%s': line %d, column %d: %s", path, e.line, e.column,
			       e.text);
	return 0;
}

static int add_piece(const char *data, size_t len, void *sb)
{
	strbuf_add(sb, data, len);
	return 0;
}

static void dump(const json_t *v, size_t flags, struct strbuf *out)
{
	if (json_dump_callback(v, add_piece, out, DUMP_FLAGS | flags) < 0)
		BUG("a JSON value cannot be written");
}

void json_dump_compact(const json_t *v, struct strbuf *out)
{
	dump(v, JSON_COMPACT, out);
}

void json_dump_pretty(const json_t *v, struct strbuf *out)
{
	dump(v, JSON_INDENT(2), out);
	strbuf_addch(out, '\n');
}

void json_print(json_t *v)
{
	struct strbuf text = STRBUF_INIT;

	json_dump_pretty(v, &text);
	fputs(text.buf, stdout);
	strbuf_release(&text);
	json_decref(v);
}

int json_write_file(const char *path, const json_t *v, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	json_dump_pretty(v, &text);
	ret = file_write(path, text.buf, text.len, err);
	strbuf_release(&text);
	return ret;
}

const char *json_get_str(const json_t *obj, const char *key)
{
	return json_string_value(json_object_get(obj, key));
}

int64_t json_get_int(const json_t *obj, const char *key, int64_t dflt)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_integer(v) ? json_integer_value(v) : dflt;
}

bool json_get_bool(const json_t *obj, const char *key, bool dflt)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_boolean(v) ? json_is_true(v) : dflt;
}

double json_get_num(const json_t *obj, const char *key, double dflt)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_number(v) ? json_number_value(v) : dflt;
}

/* ---- UTF-8 ---- */

static size_t lead_len(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c < 0xc2)
		return 0; /* a continuation, or overlong */
	if (c < 0xe0)
		return 2;
	if (c < 0xf0)
		return 3;
	return c < 0xf5 ? 4 : 0;
}

/* Length of the well-formed sequence at s (1 to 4), or 0. NUL counts as bad. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	size_t len = lead_len(*s);

	if (!*s || !len || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, beyond U+10FFFF. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

void utf8_add(struct strbuf *sb, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_len((const unsigned char *)s + i, n - i);

		if (len)
			strbuf_add(sb, s + i, len);
		else
			strbuf_addstr(sb, "\xef\xbf\xbd");
		i += len ? len : 1;
	}
}

json_t *json_strn(const char *s, size_t n)
{
	struct strbuf clean = STRBUF_INIT;
	json_t *v;

	utf8_add(&clean, s, n);
	v = json_stringn_nocheck(clean.buf, clean.len);
	strbuf_release(&clean);
	return v;
}

json_t *json_str(const char *s)
{
	return s ? json_strn(s, strlen(s)) : json_null();
}

void json_set_str(json_t *obj, const char *key, const char *s)
{
	if (s)
		json_object_set_new(obj, key, json_str(s));
}

void json_set_int(json_t *obj, const char *key, int64_t v)
{
	json_object_set_new(obj, key, json_integer(v));
}

void json_set_bool(json_t *obj, const char *key, bool v)
{
	json_object_set_new(obj, key, json_boolean(v));
}

void json_set_num(json_t *obj, const char *key, double v)
{
	/* JSON has neither NaN nor infinity. */
	if (v - v == 0)
		json_object_set_new(obj, key, json_real(v));
	else
		json_object_set_new(obj, key, json_null());
}
