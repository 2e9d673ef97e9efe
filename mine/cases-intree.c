// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drivers of one C file in a kernel's own Makefiles: "obj-$(CONFIG_FOO) += foo.o"
 * without a "foo-y" or "foo-objs". Facts: Documentation/kbuild/makefiles.rst.
 */
#include "base/compat.h"
#include "mine/cases.h"

#include <ctype.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"

#define MAX_MAKEFILE (1u << 20)
#define MAX_SOURCE (2u << 20)

struct search {
	const char *src;
	struct intree_list *out;
};

void intree_list_release(struct intree_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].path);
		free(l->v[i].object);
		free(l->v[i].config);
	}
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* Lines that end in a backslash go on: made one. */
static void join_lines(struct strbuf *text)
{
	for (size_t i = 0; i + 1 < text->len; i++)
		if (text->buf[i] == '\\' && text->buf[i + 1] == '\n')
			text->buf[i] = text->buf[i + 1] = ' ';
}

/* "foo" of "foo-y +=", "foo-objs :=", "foo-$(CONFIG_X) +="; newly allocated or NULL. */
static char *composite(const char *line)
{
	static const char *const ends[] = { "y", "objs", "m", "$(" };
	size_t len = strcspn(line, " \t:+=?");
	char *word = xstrndup(line, len), *dash = NULL;

	for (char *p = word; *p && *p != '$'; p++)
		if (*p == '-')
			dash = p;
	if (dash && dash != word)
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
			if (starts_with(dash + 1, ends[i]) && (i == 3 || !strcmp(dash + 1, ends[i]))) {
				*dash = '\0';
				return word;
			}
	free(word);
	return NULL;
}

/* Does the file include a header with quotes that lies beside it? */
static bool has_own_header(const char *path)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	char *dir = path_dir(path);
	bool own = file_read(path, MAX_SOURCE, &text, &ignored) < 0;

	for (const char *p = text.buf; !own && (p = strstr(p, "#include \"")) != NULL;) {
		size_t len;
		char *name, *file;

		p += strlen("#include \"");
		len = strcspn(p, "\"\n");
		name = xstrndup(p, len);
		file = path_join(dir, name);
		own = file_exists(file);
		free(name);
		free(file);
	}
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(dir);
	return own;
}

static void add_driver(struct search *s, const char *dir, const char *object, const char *config)
{
	char *rel = xstrfmt("%s/%.*s.c", dir, (int)(strlen(object) - 2), object), *path = path_join(s->src, rel);
	struct intree_driver *d;

	if (path_is_safe(rel) && file_exists(path) && !has_own_header(path)) {
		ALLOC_GROW(s->out->v, s->out->n + 1, s->out->alloc);
		d = &s->out->v[s->out->n++];
		d->path = rel;
		d->object = xstrdup(object);
		d->config = xstrdup(config);
		rel = NULL;
	}
	free(rel);
	free(path);
}

/* Called for each "name.o" that is a module or object of its own. */
typedef void (*object_fn)(const char *object, const char *config, void *payload);

/* "CONFIG_FOO" of "CONFIG_$(PHASE_)FOO" up to the closing bracket, which *end gets; NULL: there is none. */
static char *config_name(const char *p, const char **end)
{
	struct strbuf name = STRBUF_INIT;
	int depth = 0;

	for (; *p && (depth || *p != ')'); p++) {
		depth += *p == '(';
		depth -= *p == ')';
		if (!depth && *p != ')' && *p != '$')
			strbuf_addch(&name, *p);
	}
	*end = p;
	if (*p && starts_with(name.buf, "CONFIG_") && name.len > strlen("CONFIG_"))
		return strbuf_detach(&name, NULL);
	strbuf_release(&name);
	return NULL;
}

/* The objects of one "obj-$(CONFIG_FOO) += a.o b.o" line. */
static void one_line(const char *line, const struct strmap *composites, object_fn fn, void *payload)
{
	const char *end, *list;
	struct strvec words = STRVEC_INIT;
	char *config = config_name(line + strlen("obj-$("), &end);

	if (!config || !(list = strchr(end, '='))) {
		free(config);
		return;
	}
	strvec_split(&words, list + 1, " \t");
	for (size_t i = 0; i < words.n && *words.v[i] != '#'; i++) {
		char *name;

		if (!ends_with(words.v[i], ".o") || strchr(words.v[i], '/') || strchr(words.v[i], '$'))
			continue;
		name = xstrndup(words.v[i], strlen(words.v[i]) - 2);
		if (*name && !strmap_has(composites, name))
			fn(words.v[i], config, payload);
		free(name);
	}
	strvec_release(&words);
	free(config);
}

static void each_object(struct strbuf *makefile, object_fn fn, void *payload)
{
	struct strvec lines = STRVEC_INIT;
	struct strmap composites;

	strmap_init(&composites);
	join_lines(makefile);
	strvec_split(&lines, makefile->buf, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		char *name = starts_with(lines.v[i], "obj-") ? NULL : composite(lines.v[i]);

		if (name)
			strmap_put(&composites, name, NULL);
		free(name);
	}
	for (size_t i = 0; i < lines.n; i++)
		if (starts_with(lines.v[i], "obj-$("))
			one_line(lines.v[i], &composites, fn, payload);
	strmap_release(&composites, NULL);
	strvec_release(&lines);
}

struct wanted {
	const char *object;
	char *config;
};

static void note_config(const char *object, const char *config, void *payload)
{
	struct wanted *w = payload;

	if (!w->config && !strcmp(object, w->object))
		w->config = xstrdup(config);
}

char *intree_config(const char *makefile, size_t len, const char *object)
{
	struct wanted w = { object, NULL };
	struct strbuf text = STRBUF_INIT;

	strbuf_add(&text, makefile, len);
	each_object(&text, note_config, &w);
	strbuf_release(&text);
	return w.config;
}

struct in_dir {
	struct search *s;
	const char *dir;
};

static void note_driver(const char *object, const char *config, void *payload)
{
	struct in_dir *d = payload;

	add_driver(d->s, d->dir, object, config);
}

static int visit(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	struct search *s = payload;
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	struct in_dir in;
	char *path, *dir;

	if (!S_ISREG(st->st_mode) || (strcmp(path_base(rel), "Makefile") && strcmp(path_base(rel), "Kbuild")))
		return 0;
	path = path_join(s->src, rel);
	dir = path_dir(rel);
	in = (struct in_dir){ s, dir };
	if (file_read(path, MAX_MAKEFILE, &text, &ignored) == 0)
		each_object(&text, note_driver, &in);
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(path);
	free(dir);
	return 0;
}

/* file_walk() gives paths below the directory it walks: put the directory in front. */
struct below {
	struct search s;
	const char *dir;
};

static int visit_below(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	struct below *b = payload;
	char *full = *rel ? path_join(b->dir, rel) : xstrdup(b->dir);
	int ret = visit(full, st, &b->s, err);

	free(full);
	return ret;
}

int intree_find(const char *src, const char *dir, struct intree_list *out, struct strbuf *err)
{
	struct below b = { { src, out }, dir };
	char *top = path_join(src, dir);
	int ret = 0;

	if (file_is_dir(top))
		ret = file_walk(top, visit_below, &b, err);
	free(top);
	return ret;
}
