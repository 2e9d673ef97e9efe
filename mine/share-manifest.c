// SPDX-License-Identifier: GPL-2.0-only
/* The manifest of a shared index: written, and read with distrust. */
#include "base/compat.h"
#include "mine/share-internal.h"

#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/jsonutil.h"
#include "mine/apidiff-internal.h"
#include "mine/layout-internal.h"

#define MANIFEST_VERSION 1
#define MAX_WORD 128
#define CLOCKS_DIFFER (24 * 3600)

static const struct {
	const char *name, *format;
	enum share_kind kind;
	bool needed;
} parts[SHARE_PART_COUNT] = {
	[SHARE_OLD] = { "old.db", INDEX_FORMAT, SHARE_PAIR, true },
	[SHARE_NEW] = { "new.db", INDEX_FORMAT, SHARE_PAIR, true },
	[SHARE_DIFF] = { "diff.db", DIFF_FORMAT, SHARE_PAIR, true },
	[SHARE_EXAMPLES] = { "examples.db", "kport-examples-2", SHARE_PAIR, false },
	[SHARE_LAYOUT] = { "layout.db", LAYOUT_FORMAT, SHARE_PAIR, false },
	[SHARE_STORE] = { "history.db", "kport-history-1", SHARE_HISTORY, true },
};

const char *share_part_name(enum share_part part)
{
	return parts[part].name;
}

json_t *share_manifest_json(const struct share_manifest *m)
{
	const struct share_info *i = &m->info;
	json_t *o = json_object(), *files = json_array();

	json_set_int(o, "version", MANIFEST_VERSION);
	json_set_str(o, "kind", i->kind == SHARE_PAIR ? "pair" : "history");
	json_set_int(o, "created", i->created);
	json_set_str(o, "from", i->from_name);
	json_set_str(o, "from_release", i->from_release);
	json_set_str(o, "to", i->to_name);
	json_set_str(o, "to_release", i->to_release);
	json_set_str(o, "repository", i->repository);
	for (size_t k = 0; k < m->n; k++) {
		json_t *f = json_object();

		json_set_str(f, "name", parts[m->entry[k].part].name);
		json_set_str(f, "format", parts[m->entry[k].part].format);
		json_set_int(f, "size", (int64_t)m->entry[k].size);
		json_set_str(f, "sha256", m->entry[k].hash.hex);
		json_array_append_new(files, f);
	}
	json_object_set_new(o, "files", files);
	return o;
}

/* ---- reading -------------------------------------------------------------------------- */

static int bad(struct strbuf *err, const char *what)
{
	return kp_fail(err, KP_ERR, "the manifest of the index is not usable: %s", what);
}

bool share_word_ok(const char *s)
{
	if (!s || !*s || *s == '.' || *s == '-' || strlen(s) > MAX_WORD)
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s >= 127 || *s == '/' || *s == '\\')
			return false;
	return true;
}

static int take_word(const json_t *o, const char *key, char **out, struct strbuf *err)
{
	const char *s = json_get_str(o, key);

	if (!share_word_ok(s))
		return bad(err, key);
	*out = xstrdup(s);
	return 0;
}

static bool hex_ok(const char *s)
{
	return s && strlen(s) == HASH_HEX_LEN && strspn(s, "0123456789abcdef") == HASH_HEX_LEN;
}

static int take_file(const json_t *f, struct share_manifest *m, struct strbuf *err)
{
	const char *name = json_get_str(f, "name"), *format = json_get_str(f, "format");
	const char *hex = json_get_str(f, "sha256");
	int64_t size = json_get_int(f, "size", -1);
	struct share_entry *e;
	int part;

	for (part = 0; part < SHARE_PART_COUNT; part++)
		if (name && !strcmp(name, parts[part].name))
			break;
	if (part == SHARE_PART_COUNT || parts[part].kind != m->info.kind || m->info.has[part])
		return bad(err, "a file that does not belong there");
	if (!hex_ok(hex) || size <= 0 || (uint64_t)size > SHARE_MAX_FILE)
		return bad(err, "size or SHA-256 of a file");
	if (!format || strcmp(format, parts[part].format))
		return kp_fail(err, KP_ERR, "'%s' was made by another version of kport (its form is '%.40s', "
			       "this one reads '%s')", name, format && share_word_ok(format) ? format : "unknown",
			       parts[part].format);
	e = &m->entry[m->n++];
	e->part = (enum share_part)part;
	e->size = (uint64_t)size;
	memcpy(e->hash.hex, hex, sizeof(e->hash.hex));
	m->info.has[part] = true;
	m->info.bytes += e->size;
	return 0;
}

static int take_all(const json_t *o, struct share_manifest *m, struct strbuf *err)
{
	const char *kind = json_get_str(o, "kind");
	const json_t *files = json_object_get(o, "files");
	struct share_info *i = &m->info;
	size_t k;
	int ret = 0;

	if (json_get_int(o, "version", 0) != MANIFEST_VERSION)
		return kp_fail(err, KP_ERR, "the index was made by another version of kport");
	if (!kind || (strcmp(kind, "pair") && strcmp(kind, "history")))
		return bad(err, "kind");
	i->kind = !strcmp(kind, "pair") ? SHARE_PAIR : SHARE_HISTORY;
	i->created = json_get_int(o, "created", -1);
	if (i->created < 0)
		return bad(err, "created");
	/* It would pass for newer than all that follows. */
	if (i->created > (int64_t)time(NULL) + CLOCKS_DIFFER)
		return kp_fail(err, KP_ERR, "the index was made in the future: one of the two clocks is wrong");
	if (i->kind == SHARE_HISTORY)
		ret = take_word(o, "repository", &i->repository, err);
	else if ((ret = take_word(o, "from", &i->from_name, err)) == 0 &&
		 (ret = take_word(o, "from_release", &i->from_release, err)) == 0 &&
		 (ret = take_word(o, "to", &i->to_name, err)) == 0)
		ret = take_word(o, "to_release", &i->to_release, err);
	if (!ret && (!json_is_array(files) || json_array_size(files) > SHARE_PART_COUNT))
		ret = bad(err, "files");
	for (k = 0; !ret && k < json_array_size(files); k++)
		ret = take_file(json_array_get(files, k), m, err);
	for (k = 0; !ret && k < SHARE_PART_COUNT; k++)
		if (parts[k].kind == i->kind && parts[k].needed && !i->has[k])
			ret = bad(err, "a file is missing");
	return ret;
}

int share_manifest_parse(const char *text, size_t len, struct share_manifest *out, struct strbuf *err)
{
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	int ret;

	memset(out, 0, sizeof(*out));
	ret = json_is_object(o) ? take_all(o, out, err) : bad(err, "it is no JSON object");
	json_decref(o);
	if (ret < 0)
		share_manifest_release(out);
	return ret;
}

void share_info_release(struct share_info *i)
{
	free(i->from_name);
	free(i->from_release);
	free(i->to_name);
	free(i->to_release);
	free(i->repository);
	free(i->dir);
	memset(i, 0, sizeof(*i));
}

void share_manifest_release(struct share_manifest *m)
{
	share_info_release(&m->info);
	m->n = 0;
}
