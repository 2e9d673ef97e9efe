// SPDX-License-Identifier: GPL-2.0-only
/* The form of a candidate case: identity, siblings, JSON. */
#include "base/compat.h"
#include "mine/cases.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define MAX_SIBLINGS 20
#define MAX_MAKEFILE (1u << 20)

static const char *track_name(enum case_track t)
{
	static const char *const names[] = { "history", "release", "out-of-tree" };

	return names[t];
}

struct candidate *case_add(struct case_list *l, enum case_track track)
{
	struct candidate *c;

	ALLOC_GROW(l->c, l->n + 1, l->alloc);
	c = &l->c[l->n++];
	memset(c, 0, sizeof(*c));
	c->track = track;
	return c;
}

void case_add_symbol(struct candidate *c, const char *name, const char *kind, const char *taxonomy,
		     const char *to, double confidence)
{
	struct case_symbol *s;

	for (size_t i = 0; i < c->nsymbols; i++)
		if (!strcmp(c->symbol[i].name, name) && !strcmp(c->symbol[i].kind, kind))
			return;
	ALLOC_GROW(c->symbol, c->nsymbols + 1, c->symbols_alloc);
	s = &c->symbol[c->nsymbols++];
	s->name = xstrdup(name);
	s->kind = xstrdup(kind);
	s->taxonomy = xstrdup(taxonomy);
	s->to = xstrdup(to);
	s->confidence = confidence;
}

static void candidate_release(struct candidate *c)
{
	for (size_t k = 0; k < c->nsymbols; k++) {
		free(c->symbol[k].name);
		free(c->symbol[k].kind);
		free(c->symbol[k].taxonomy);
		free(c->symbol[k].to);
	}
	free(c->symbol);
	json_decref(c->from);
	json_decref(c->to);
	free(c->path);
	free(c->old_version);
	free(c->gold_version);
	free(c->object);
	free(c->config);
	free(c->subject);
}

void case_drop_last(struct case_list *l)
{
	candidate_release(&l->c[--l->n]);
}

void case_list_release(struct case_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		candidate_release(&l->c[i]);
	free(l->c);
	memset(l, 0, sizeof(*l));
}

/* ---- references -------------------------------------------------------------------------- */

/* VERSION.PATCHLEVEL.SUBLEVEL of the top Makefile; newly allocated or NULL. */
static char *tree_version(const char *text)
{
	static const char *const keys[] = { "\nVERSION =", "\nPATCHLEVEL =", "\nSUBLEVEL =" };
	int v[3] = { 0 };

	for (int i = 0; i < 3; i++) {
		const char *p = strstr(text, keys[i]);

		if (!p && i < 2)
			return NULL;
		v[i] = p ? atoi(p + strlen(keys[i])) : 0;
	}
	return xstrfmt("%d.%d.%d", v[0], v[1], v[2]);
}

/* The linux-source package of the kernel record that the tree is part of, or NULL. */
static json_t *debian_ref(const char *src)
{
	char *real = file_realpath(src), *file = real ? path_join(real, "../../kernel.json") : NULL;
	struct strbuf ignored = STRBUF_INIT;
	json_t *o = NULL, *ref = NULL;
	const json_t *list, *p;
	size_t i;

	if (file && file_exists(file))
		json_read_file(file, 1 << 20, &o, &ignored);
	list = json_object_get(o, "packages");
	json_array_foreach(list, i, p) {
		const char *name = json_get_str(p, "name"), *version = json_get_str(p, "version");

		if (!name || !version || !starts_with(name, "linux-source-"))
			continue;
		ref = json_object();
		json_set_str(ref, "kind", "debian");
		json_set_str(ref, "package", name);
		json_set_str(ref, "version", version);
		break;
	}
	json_decref(o);
	strbuf_release(&ignored);
	free(file);
	free(real);
	return ref;
}

json_t *case_tree_ref(const char *src)
{
	json_t *ref = debian_ref(src);
	char *file = path_join(src, "Makefile"), *version;
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;

	if (!ref && file_read(file, MAX_MAKEFILE, &text, &ignored) == 0) {
		strbuf_splice(&text, 0, 0, "\n", 1);
		version = tree_version(text.buf);
		if (version) {
			ref = json_object();
			json_set_str(ref, "kind", "release");
			json_set_str(ref, "version", version);
			json_set_str(ref, "makefile_sha256", hash_buf(text.buf + 1, text.len - 1).hex);
		}
		free(version);
	}
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(file);
	return ref;
}

/* ---- identity and order -------------------------------------------------------------------- */

static struct hash_hex hash_json(json_t *v)
{
	struct strbuf text = STRBUF_INIT;
	struct hash_hex hex;

	json_dump_compact(v, &text);
	while (text.len && text.buf[text.len - 1] == '\n')
		strbuf_setlen(&text, text.len - 1);
	hex = hash_buf(text.buf, text.len);
	strbuf_release(&text);
	json_decref(v);
	return hex;
}

static json_t *driver_json(const struct candidate *c, bool gold)
{
	json_t *o = json_object();

	if (c->track == CASE_OUT_OF_TREE) {
		json_set_str(o, "package", c->path);
		json_set_str(o, "version", gold ? c->gold_version : c->old_version);
	} else {
		json_set_str(o, "path", c->path);
	}
	json_set_str(o, "sha256", gold ? c->gold_hash.hex : c->old_hash.hex);
	return o;
}

static json_t *build_json(const struct candidate *c)
{
	json_t *o = json_object(), *objects = json_array();

	if (c->object)
		json_array_append_new(objects, json_str(c->object));
	json_set_str(o, "kind", c->track == CASE_OUT_OF_TREE ? "dkms" : "in-tree");
	json_object_set_new(o, "objects", objects);
	json_set_str(o, "config", c->config);
	return o;
}

static json_t *identity(const struct candidate *c)
{
	json_t *o = json_object();

	json_set_int(o, "schema_version", CASE_SCHEMA_VERSION);
	json_set_str(o, "track", track_name(c->track));
	json_object_set(o, "from", c->from);
	json_object_set(o, "to", c->to);
	json_object_set_new(o, "driver", driver_json(c, false));
	return o;
}

static json_t *group_identity(const struct candidate *c)
{
	json_t *o = json_object();

	json_set_str(o, "track", track_name(c->track));
	/* In a history others follow the same change in other commits. */
	if (c->track != CASE_HISTORY) {
		json_object_set(o, "from", c->from);
		json_object_set(o, "to", c->to);
	}
	json_set_str(o, "symbol", c->nsymbols ? c->symbol[0].name : "");
	return o;
}

/* What stops a build for certain comes before what may not. */
static int weight(const struct case_symbol *s)
{
	if (!strcmp(s->taxonomy, "hardening"))
		return 2;
	return !strcmp(s->taxonomy, "member") && strcmp(s->kind, "member-removed");
}

static int by_confidence(const void *a, const void *b)
{
	const struct case_symbol *x = a, *y = b;

	if (weight(x) != weight(y))
		return weight(x) - weight(y);
	if (x->confidence != y->confidence)
		return x->confidence > y->confidence ? -1 : 1;
	return strcmp(x->name, y->name) ? strcmp(x->name, y->name) : strcmp(x->kind, y->kind);
}

static int by_path(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	return c ? c : strcmp(x->id.hex, y->id.hex);
}

void cases_finish(struct case_list *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct candidate *c = &l->c[i];

		if (c->nsymbols)
			sort_items(c->symbol, c->nsymbols, sizeof(*c->symbol), by_confidence);
		c->id = hash_json(identity(c));
		c->group = hash_json(group_identity(c));
	}
	if (l->n)
		sort_items(l->c, l->n, sizeof(*l->c), by_path);
	/* A file may stand in two lines of a Makefile. */
	for (size_t i = 0; i < l->n; i++) {
		if (kept && !strcmp(l->c[kept - 1].id.hex, l->c[i].id.hex))
			candidate_release(&l->c[i]);
		else
			l->c[kept++] = l->c[i];
	}
	l->n = kept;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static json_t *symbols_json(const struct candidate *c)
{
	json_t *a = json_array();

	for (size_t i = 0; i < c->nsymbols; i++) {
		json_t *o = json_object();

		json_set_str(o, "name", c->symbol[i].name);
		json_set_str(o, "kind", c->symbol[i].kind);
		json_set_str(o, "taxonomy", c->symbol[i].taxonomy);
		json_set_str(o, "to", c->symbol[i].to);
		json_set_num(o, "confidence", c->symbol[i].confidence);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *siblings_json(const struct case_list *l, size_t at)
{
	json_t *o = json_object(), *ids = json_array();

	for (size_t i = 0; i < l->n && json_array_size(ids) < MAX_SIBLINGS; i++)
		if (i != at && !strcmp(l->c[i].group.hex, l->c[at].group.hex))
			json_array_append_new(ids, json_str(l->c[i].id.hex));
	json_set_str(o, "group", l->c[at].group.hex);
	json_object_set_new(o, "ids", ids);
	return o;
}

/* What each kind of answer has to give; a stub is an emptied function that compiles. */
static json_t *expect_json(void)
{
	return json_pack("{s:{s:s,s:s}, s:{s:s,s:s,s:s,s:s,s:s}, s:{s:s,s:s}, s:{s:s}}",
			 "before", "apply", "PASS", "compile_or_link", "FAIL",
			 "gold", "apply", "PASS", "compile", "PASS", "link", "PASS", "nodiag", "PASS", "honest", "PASS",
			 "empty", "apply", "PASS", "compile_or_link", "FAIL",
			 "stub", "honest", "FAIL");
}

json_t *case_json(const struct case_list *l, size_t i)
{
	const struct candidate *c = &l->c[i];
	json_t *o = identity(c);

	json_set_str(o, "id", c->id.hex);
	json_set_str(o, "subject", c->subject);
	json_object_set_new(o, "symbols", symbols_json(c));
	json_object_set_new(o, "siblings", siblings_json(l, i));
	json_object_set_new(o, "gold", driver_json(c, true));
	json_object_set_new(o, "build", build_json(c));
	json_object_set_new(o, "boot", json_null());
	json_object_set_new(o, "expect", expect_json());
	json_object_set_new(o, "validation", json_null());
	return o;
}

int cases_write(const struct case_list *l, const char *path, struct strbuf *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < l->n; i++) {
		json_t *o = case_json(l, i);

		json_dump_compact(o, &out);
		while (out.len && out.buf[out.len - 1] == '\n')
			strbuf_setlen(&out, out.len - 1);
		strbuf_addch(&out, '\n');
		json_decref(o);
	}
	ret = file_write(path, out.buf, out.len, err);
	strbuf_release(&out);
	return ret;
}
