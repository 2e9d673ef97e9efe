// SPDX-License-Identifier: GPL-2.0-only
/* Making the index of one kernel: parse all headers, rank the declarations of each name, write. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/index-build.h"

#define MAX_HEADER_BYTES (8u << 20)

/* ---- parsing ------------------------------------------------------------------------ */

static int read_config(struct index_build *b, struct strbuf *err)
{
	char *path = path_join(b->fs->build_dir, "include/generated/autoconf.h");
	struct strbuf sb = STRBUF_INIT;
	int ret = 0;

	header_config_init(&b->cfg, b->fs->srcarch);
	if (file_exists(path)) {
		ret = file_read(path, MAX_HEADER_BYTES, &sb, err);
		if (!ret)
			header_config_autoconf(&b->cfg, sb.buf);
	}
	strbuf_release(&sb);
	free(path);
	return ret;
}

/* Numbers for the distinct names; the files are sorted by name. */
static void number_headers(struct index_build *b)
{
	const struct index_files *fs = b->fs;
	size_t i;

	b->header = xcalloc(fs->n + 1, sizeof(*b->header));
	for (i = 0; i < fs->n; i++) {
		struct index_header *h;

		if (i && !strcmp(fs->f[i].name, fs->f[i - 1].name))
			continue;
		h = &b->header[b->nheaders];
		h->name = fs->f[i].name;
		h->cls = fs->f[i].cls;
		h->shown = b->nheaders;
		strmap_put(&b->header_ids, h->name, (void *)(uintptr_t)(b->nheaders + 1));
		b->nheaders++;
	}
}

uint32_t index_header_find(const struct index_build *b, const char *name)
{
	return (uint32_t)(uintptr_t)strmap_get(&b->header_ids, name);
}

static int parse_files(struct index_build *b, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, problem = STRBUF_INIT;
	size_t i, k, first_sym, first_inc;
	uint32_t id = 0;

	for (i = 0; i < b->fs->n; i++) {
		const struct index_file *f = &b->fs->f[i];

		id += i && strcmp(f->name, b->fs->f[i - 1].name);
		/* The configuration is no API. */
		if (!strcmp(f->name, "generated/autoconf.h"))
			continue;
		strbuf_reset(&text);
		strbuf_reset(&problem);
		if (file_read(f->path, MAX_HEADER_BYTES, &text, &problem) < 0) {
			b->unreadable++;
			continue;
		}
		first_sym = b->hs.n;
		first_inc = b->hs.ninc;
		header_parse(&b->cfg, text.buf, text.len, &b->hs);
		for (k = first_sym; k < b->hs.n; k++)
			b->hs.s[k].header = id;
		for (k = first_inc; k < b->hs.ninc; k++)
			b->hs.inc[k].header = id;
	}
	strbuf_release(&text);
	if (b->unreadable && b->unreadable == b->fs->n) {
		strbuf_addbuf(err, &problem);
		strbuf_release(&problem);
		return KP_ERR;
	}
	strbuf_release(&problem);
	return 0;
}

/* Header number + 1 that an #include means, or 0. */
static uint32_t include_target(const struct index_build *b, const struct header_include *inc)
{
	const char *name = pool_str(&b->pool, inc->name), *from = b->header[inc->header].name;
	const char *slash = strrchr(from, '/');
	uint32_t id = 0;
	char near[512];

	skip_prefix(name, "uapi/", &name);
	if (inc->quoted && slash && !strchr(name, ':')) {
		const char *rest = name;

		while (skip_prefix(rest, "../", &rest)) {
			while (slash > from && *--slash != '/')
				;
		}
		if (slash > from)
			snprintf(near, sizeof(near), "%.*s/%s", (int)(slash - from), from, rest);
		else
			snprintf(near, sizeof(near), "%s", rest);
		id = index_header_find(b, near);
	}
	return id ? id : index_header_find(b, name);
}

static int by_edge(const void *a, const void *b)
{
	const struct index_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Includes as edges between headers, each once; what the configuration excludes is left out. */
static void make_edges(struct index_build *b)
{
	size_t i, n = 0;

	b->edge = xcalloc(b->hs.ninc + 1, sizeof(*b->edge));
	for (i = 0; i < b->hs.ninc; i++) {
		const struct header_include *inc = &b->hs.inc[i];
		uint32_t to = include_target(b, inc);

		if (!to || to - 1 == inc->header)
			continue;
		if (inc->state == HEADER_OFF) {
			b->header[to - 1].unwanted = true;
			continue;
		}
		b->header[to - 1].wanted = true;
		b->edge[n].from = inc->header;
		b->edge[n].to = to - 1;
		b->edge[n++].order = i;
	}
	sort_items(b->edge, n, sizeof(*b->edge), by_edge);
	for (i = 0; i < n; i++) {
		struct index_edge *e = &b->edge[i];
		size_t k = b->nedges;

		while (k > 0 && b->edge[k - 1].from == e->from && b->edge[k - 1].to != e->to)
			k--;
		if (k == 0 || b->edge[k - 1].from != e->from)
			b->edge[b->nedges++] = *e;
	}
}

/* What asm/X.h takes from asm-generic/X.h is had by including asm/X.h. */
static void show_generic(struct index_build *b)
{
	const char *rest;
	char name[300];
	size_t i;

	for (i = 0; i < b->nedges; i++) {
		struct index_header *to = &b->header[b->edge[i].to];

		if (!skip_prefix(to->name, "asm-generic/", &rest))
			continue;
		snprintf(name, sizeof(name), "asm/%s", rest);
		if (!strcmp(b->header[b->edge[i].from].name, name)) {
			to->shown = b->edge[i].from;
			to->cls = HEADER_CLASS_ARCH;
		}
	}
}

/* ---- ranking -------------------------------------------------------------------------- */

static int kind_rank(enum api_kind k)
{
	switch (k) {
	case API_INLINE:
	case API_STRUCT:
	case API_UNION:
	case API_ENUM:
		return 0;
	case API_FUNCTION:
	case API_TYPEDEF:
	case API_ENUMERATOR:
		return 1;
	case API_MACRO_FN:
		return 2;
	default:
		return 3;
	}
}

/* Smaller is better; see apiindex.h. */
static uint32_t rank_of(const struct index_build *b, const struct header_sym *s)
{
	const struct index_header *h = &b->header[s->header];
	/* "#ifdef CONFIG_X86_32 / #include <asm/string_32.h>": nobody sees it. */
	int state = h->unwanted && !h->wanted ? HEADER_OFF : s->state;

	return (uint32_t)(1 - state) * 64 + h->cls * 8 + kind_rank(s->kind) * 2 +
	       (s->expanded ? 1 : 0);
}

struct sort_name {
	const char *s;
	uint32_t id;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct sort_name *)a)->s, ((const struct sort_name *)b)->s);
}

/* place[pool number of a name] = its position among all names in byte order. */
static uint32_t *name_places(struct index_build *b)
{
	uint32_t *place = xcalloc(b->pool.n, sizeof(*place)), i;
	struct sort_name *names = xcalloc(b->pool.n, sizeof(*names));
	size_t n = 0, k;

	for (k = 0; k < b->hs.n; k++) {
		uint32_t id = b->hs.s[k].name;

		if (place[id])
			continue;
		place[id] = 1;
		names[n].s = pool_str(&b->pool, id);
		names[n++].id = id;
	}
	sort_items(names, n, sizeof(*names), by_text);
	for (i = 0; i < n; i++)
		place[names[i].id] = i;
	free(names);
	return place;
}

static int by_place(const void *a, const void *b)
{
	const struct index_place *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->sym < y->sym ? -1 : x->sym > y->sym;
}

static void sort_symbols(struct index_build *b)
{
	uint32_t *place = name_places(b);
	size_t i;

	b->order = xcalloc(b->hs.n + 1, sizeof(*b->order));
	b->id = xcalloc(b->hs.n + 1, sizeof(*b->id));
	for (i = 0; i < b->hs.n; i++) {
		b->order[i].name = place[b->hs.s[i].name];
		b->order[i].rank = rank_of(b, &b->hs.s[i]);
		b->order[i].sym = i;
	}
	sort_items(b->order, b->hs.n, sizeof(*b->order), by_place);
	for (i = 0; i < b->hs.n; i++)
		b->id[b->order[i].sym] = i + 1;
	free(place);
}

/* ---- exports --------------------------------------------------------------------------- */

/* Next field of a tab separated line; *p moves behind it. */
static char *next_field(char **p)
{
	char *s = *p;

	if (!s)
		return NULL;
	*p = strchr(s, '\t');
	if (*p)
		*(*p)++ = '\0';
	return s;
}

static int read_exports(struct index_build *b, struct strbuf *err)
{
	struct strbuf sb = STRBUF_INIT;
	char *line, *next;
	int ret;

	if (!b->fs->symvers)
		return 0;
	ret = file_read(b->fs->symvers, 0, &sb, err);
	for (line = sb.buf; !ret && line && *line; line = next) {
		struct index_export *x;
		char *name, *type, *ns;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		next_field(&line);
		name = next_field(&line);
		next_field(&line);
		type = next_field(&line);
		ns = next_field(&line);
		if (!name || !type)
			continue;
		x = xcalloc(1, sizeof(*x));
		x->gpl = ends_with(type, "_GPL");
		x->ns = ns && *ns ? pool_addstr(&b->pool, ns) : 0;
		free(strmap_put(&b->exports, name, x));
	}
	strbuf_release(&sb);
	return ret;
}

int index_build(const struct index_files *fs, const char *path, struct strbuf *err)
{
	struct index_build b = { .fs = fs };
	int ret;

	pool_init(&b.pool);
	b.hs.pool = &b.pool;
	strmap_init(&b.header_ids);
	strmap_init(&b.exports);
	ret = read_config(&b, err);
	if (!ret)
		ret = read_exports(&b, err);
	if (!ret) {
		number_headers(&b);
		ret = parse_files(&b, err);
	}
	if (!ret) {
		make_edges(&b);
		show_generic(&b);
		sort_symbols(&b);
		ret = index_write(&b, path, err);
	}
	free(b.header);
	free(b.edge);
	free(b.order);
	free(b.id);
	strmap_release(&b.header_ids, NULL);
	strmap_release(&b.exports, free);
	header_config_release(&b.cfg);
	header_syms_release(&b.hs);
	pool_release(&b.pool);
	return ret;
}
