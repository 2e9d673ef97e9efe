// SPDX-License-Identifier: GPL-2.0-only
/* The schema of a case as tables, and its identity. */
#include "base/compat.h"
#include "drivebench/case.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"

#define SCHEMA_VERSION 1

enum kind { K_ONE, K_STR, K_HASH, K_COMMIT, K_PATH, K_NUM, K_OBJ, K_ARR, K_DATE, K_NULL_OBJ };

struct field {
	const char *key;
	enum kind kind;
	bool optional;
};

static const struct field f_case[] = {
	{ "schema_version", K_ONE }, { "id", K_HASH }, { "track", K_STR }, { "from", K_OBJ },
	{ "to", K_OBJ }, { "driver", K_OBJ }, { "gold", K_OBJ }, { "symbols", K_ARR },
	{ "siblings", K_OBJ }, { "subject", K_STR, true }, { "date", K_DATE, true }, { "build", K_OBJ },
	{ "boot", K_NULL_OBJ }, { "expect", K_OBJ }, { "validation", K_NULL_OBJ }, { NULL }
};
static const struct field f_debian[] = { { "kind", K_STR }, { "package", K_STR }, { "version", K_STR }, { NULL } };
static const struct field f_git[] = { { "kind", K_STR }, { "commit", K_COMMIT }, { NULL } };
static const struct field f_release[] = {
	{ "kind", K_STR }, { "version", K_STR }, { "makefile_sha256", K_HASH }, { NULL }
};
static const struct field f_file[] = { { "path", K_PATH }, { "sha256", K_HASH }, { NULL } };
static const struct field f_package[] = {
	{ "package", K_STR }, { "version", K_STR }, { "suite", K_STR, true }, { "sha256", K_HASH }, { NULL }
};
static const struct field f_symbol[] = {
	{ "name", K_STR }, { "kind", K_STR }, { "taxonomy", K_STR }, { "to", K_STR, true },
	{ "confidence", K_NUM }, { NULL }
};
static const struct field f_siblings[] = { { "group", K_HASH }, { "ids", K_ARR }, { NULL } };
static const struct field f_build[] = {
	{ "kind", K_STR }, { "objects", K_ARR }, { "config", K_STR, true }, { NULL }
};
static const struct field f_expect[] = {
	{ "before", K_OBJ }, { "gold", K_OBJ }, { "empty", K_OBJ }, { "stub", K_OBJ }, { NULL }
};
static const struct field f_validation[] = {
	{ "verdict", K_STR }, { "reason", K_STR, true }, { "gates", K_STR }, { "kernels", K_OBJ },
	{ "states", K_OBJ }, { "kport", K_STR }, { NULL }
};

static const char *const tracks[] = { "history", "release", "out-of-tree", NULL };
static const char *const taxonomies[] = {
	"rename", "signature", "removal", "header-move", "member", "macro", "constant", "namespace", "licence",
	"semantic", "hardening", "layout", "adoption", NULL
};

static bool hex_of(const json_t *v, size_t n)
{
	const char *s = json_string_value(v);

	return s && strlen(s) == n && strspn(s, "0123456789abcdef") == n;
}

static bool is_date(const json_t *v)
{
	const char *s = json_string_value(v);

	if (!s || strlen(s) != 10)
		return false;
	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? s[i] != '-' : !isdigit((unsigned char)s[i]))
			return false;
	return true;
}

/* What is wrong with a value, or NULL. */
static const char *misfit(const json_t *v, enum kind k)
{
	switch (k) {
	case K_ONE:
		return json_is_integer(v) && json_integer_value(v) == SCHEMA_VERSION ? NULL : "is not 1";
	case K_STR:
		return json_is_string(v) && *json_string_value(v) ? NULL : "is no text";
	case K_HASH:
		return hex_of(v, 64) ? NULL : "is no SHA-256 in hex";
	case K_COMMIT:
		return hex_of(v, 40) ? NULL : "is no commit of 40 hex digits";
	case K_PATH:
		return json_is_string(v) && path_is_safe(json_string_value(v)) ? NULL : "is no path below a tree";
	case K_NUM:
		return json_is_number(v) ? NULL : "is no number";
	case K_OBJ:
		return json_is_object(v) ? NULL : "is no object";
	case K_ARR:
		return json_is_array(v) ? NULL : "is no list";
	case K_DATE:
		return is_date(v) ? NULL : "is no date (YYYY-MM-DD)";
	case K_NULL_OBJ:
		return json_is_null(v) || json_is_object(v) ? NULL : "is neither null nor an object";
	}
	return "is of no known kind";
}

/* what: path of the object, "" or "driver." */
static int check(const json_t *o, const struct field *f, const char *what, const char *where, struct strbuf *err)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)o, key, v) {
		const struct field *p = f;

		while (p->key && strcmp(p->key, key))
			p++;
		if (!p->key)
			return kp_fail(err, KP_ERR, "%s: unknown key '%s%.100s'", where, what, key);
	}
	for (; f->key; f++) {
		const json_t *x = json_object_get(o, f->key);
		const char *why = x ? misfit(x, f->kind) : f->optional ? NULL : "is missing";

		if (why)
			return kp_fail(err, KP_ERR, "%s: '%s%s' %s", where, what, f->key, why);
	}
	return 0;
}

static int one_of(const char *word, const char *const *list, const char *what, const char *where, struct strbuf *err)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return 0;
	return kp_fail(err, KP_ERR, "%s: '%s' cannot be '%.60s'", where, what, word);
}

static int check_ref(const json_t *ref, const char *what, const char *where, struct strbuf *err)
{
	const char *kind = json_get_str(ref, "kind");
	const struct field *f = !kind ? NULL : !strcmp(kind, "debian") ? f_debian : !strcmp(kind, "git") ? f_git :
				!strcmp(kind, "release") ? f_release : NULL;

	if (!f)
		return kp_fail(err, KP_ERR, "%s: '%skind' is none of debian, git, release", where, what);
	return check(ref, f, what, where, err);
}

static int check_symbols(const json_t *list, const char *where, struct strbuf *err)
{
	int ret = json_array_size(list) ? 0 : kp_fail(err, KP_ERR, "%s: 'symbols' is empty", where);
	json_t *s;
	size_t i;

	json_array_foreach((json_t *)list, i, s) {
		if (!ret && !json_is_object(s))
			ret = kp_fail(err, KP_ERR, "%s: 'symbols' holds what is no object", where);
		if (!ret)
			ret = check(s, f_symbol, "symbols.", where, err);
		if (!ret)
			ret = one_of(json_get_str(s, "taxonomy"), taxonomies, "symbols.taxonomy", where, err);
	}
	return ret;
}

static int check_strings(const json_t *list, bool hashes, const char *what, const char *where, struct strbuf *err)
{
	json_t *s;
	size_t i;

	json_array_foreach((json_t *)list, i, s) {
		const char *why = misfit(s, hashes ? K_HASH : K_STR);

		if (why)
			return kp_fail(err, KP_ERR, "%s: '%s[%zu]' %s", where, what, i, why);
	}
	return 0;
}

static int check_parts(const json_t *v, const char *where, struct strbuf *err)
{
	const json_t *validation = json_object_get(v, "validation"), *build = json_object_get(v, "build");
	const json_t *siblings = json_object_get(v, "siblings");
	const struct field *driver = strcmp(json_get_str(v, "track"), "out-of-tree") ? f_file : f_package;
	int ret = one_of(json_get_str(v, "track"), tracks, "track", where, err);

	if (!ret)
		ret = check_ref(json_object_get(v, "from"), "from.", where, err);
	if (!ret)
		ret = check_ref(json_object_get(v, "to"), "to.", where, err);
	if (!ret)
		ret = check(json_object_get(v, "driver"), driver, "driver.", where, err);
	if (!ret)
		ret = check(json_object_get(v, "gold"), driver, "gold.", where, err);
	if (!ret)
		ret = check_symbols(json_object_get(v, "symbols"), where, err);
	if (!ret)
		ret = check(siblings, f_siblings, "siblings.", where, err);
	if (!ret)
		ret = check_strings(json_object_get(siblings, "ids"), true, "siblings.ids", where, err);
	if (!ret)
		ret = check(build, f_build, "build.", where, err);
	if (!ret)
		ret = check_strings(json_object_get(build, "objects"), false, "build.objects", where, err);
	if (!ret)
		ret = check(json_object_get(v, "expect"), f_expect, "expect.", where, err);
	if (!ret && json_is_object(validation))
		ret = check(validation, f_validation, "validation.", where, err);
	return ret;
}

void case_identity(const json_t *v, char id[65])
{
	static const char *const keys[] = { "schema_version", "track", "from", "to", "driver" };
	json_t *o = json_object();
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(o, keys[i], json_object_get(v, keys[i]));
	json_dump_compact(o, &text);
	strbuf_rtrim(&text);
	memcpy(id, hash_buf(text.buf, text.len).hex, 65);
	strbuf_release(&text);
	json_decref(o);
}

char *case_kernel_word(const json_t *ref)
{
	const char *s = json_get_str(ref, "package"), *dot;

	if (s && skip_prefix(s, "linux-source-", &s))
		return xstrdup(s);
	s = json_get_str(ref, "commit");
	if (s)
		return xstrndup(s, 12);
	s = json_get_str(ref, "version");
	dot = s ? strchr(s, '.') : NULL;
	dot = dot ? strchr(dot + 1, '.') : NULL;
	return s ? xstrndup(s, dot ? (size_t)(dot - s) : strlen(s)) : xstrdup("?");
}

static char *module_name(const json_t *v)
{
	const json_t *objects = json_object_get(json_object_get(v, "build"), "objects");
	const char *o = json_string_value(json_array_get(objects, 0)), *path;

	if (o && ends_with(o, ".o") && path_is_safe(o))
		return xstrndup(path_base(o), strlen(path_base(o)) - 2);
	path = json_get_str(json_object_get(v, "driver"), "package");
	return xstrdup(path && path_is_safe(path) ? path_base(path) : "driver");
}

static void fill(struct bench_case *c)
{
	const json_t *driver = json_object_get(c->json, "driver");
	char *from, *to;

	c->id = json_get_str(c->json, "id");
	c->track = json_get_str(c->json, "track");
	c->date = json_get_str(c->json, "date");
	c->group = json_get_str(json_object_get(c->json, "siblings"), "group");
	c->taxonomy = json_get_str(json_array_get(json_object_get(c->json, "symbols"), 0), "taxonomy");
	c->path = json_get_str(driver, "path");
	c->old_hash = json_get_str(driver, "sha256");
	c->gold_hash = json_get_str(json_object_get(c->json, "gold"), "sha256");
	c->from = json_object_get(c->json, "from");
	c->to = json_object_get(c->json, "to");
	c->validation = json_object_get(c->json, "validation");
	if (!json_is_object(c->validation))
		c->validation = NULL;
	c->validated = c->validation && !strcmp(json_get_str(c->validation, "verdict"), "validated");
	from = case_kernel_word(c->from);
	to = case_kernel_word(c->to);
	c->pair = xstrfmt("%s -> %s", from, to);
	c->name = module_name(c->json);
	free(from);
	free(to);
}

int case_from_json(json_t *v, const char *where, struct bench_case **out, struct strbuf *err)
{
	char id[65];
	int ret = json_is_object(v) ? 0 : kp_fail(err, KP_ERR, "%s: a case is an object", where);

	if (!ret)
		ret = check(v, f_case, "", where, err);
	if (!ret)
		ret = check_parts(v, where, err);
	if (!ret) {
		case_identity(v, id);
		if (strcmp(id, json_get_str(v, "id")))
			ret = kp_fail(err, KP_ERR, "%s: 'id' is not that of the content, which is %s", where, id);
	}
	if (ret) {
		json_decref(v);
		return ret;
	}
	*out = xcalloc(1, sizeof(**out));
	(*out)->json = v;
	fill(*out);
	return 0;
}

int case_parse(const char *text, size_t len, const char *where, struct bench_case **out, struct strbuf *err)
{
	json_error_t e;
	json_t *v = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);

	if (!v)
		return kp_fail(err, KP_ERR, "%s: no JSON: %s", where, e.text);
	return case_from_json(v, where, out, err);
}

void case_free(struct bench_case *c)
{
	if (!c)
		return;
	json_decref(c->json);
	free(c->pair);
	free(c->name);
	free(c);
}
