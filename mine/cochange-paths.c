// SPDX-License-Identifier: GPL-2.0-only
/* Which files of a commit are interfaces, which are users, and whose a header is. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/file.h"
#include "mine/cochange-internal.h"

/* Trees that are programs of their own, text, or data. */
static bool is_elsewhere(const char *path)
{
	static const char *const tops[] = { "tools/", "scripts/", "Documentation/", "doc/", "LICENSES/",
					    "Licenses/", "usr/", "include/dt-bindings/", "dts/" };

	for (size_t i = 0; i < ARRAY_SIZE(tops); i++)
		if (starts_with(path, tops[i]))
			return true;
	return strstr(path, "/dt-bindings/") || strstr(path, "/generated/") || strstr(path, "/asic_reg/");
}

bool cc_is_header(const char *path)
{
	return ends_with(path, ".h") && !is_elsewhere(path);
}

bool cc_is_source(const char *path)
{
	return ends_with(path, ".c") && !is_elsewhere(path);
}

/* Length of the first n components, without the slash behind; the whole when there are fewer. */
static size_t components(const char *path, int n)
{
	const char *p = path;

	while (n-- > 0) {
		p += strcspn(p, "/");
		if (!*p || !n)
			break;
		p++;
	}
	return (size_t)(p - path);
}

static int depth_of(const char *dir)
{
	int n = *dir != '\0';

	for (; *dir; dir++)
		n += *dir == '/';
	return n;
}

/* How deep the directory of one driver, file system or protocol may be. */
static int driver_depth(const char *dir)
{
	static const struct {
		const char *top;
		int depth;
	} known[] = {
		{ "drivers/", 4 }, { "sound/", 3 },    { "fs/", 2 },	 { "net/", 2 },	    { "security/", 2 },
		{ "board/", 2 },   { "arch/", 99 },    { "kernel/", 99 }, { "mm/", 99 },	    { "lib/", 99 },
		{ "block/", 99 },  { "common/", 99 },  { "cmd/", 99 },	 { "crypto/", 99 }, { "cpu/", 99 },
		{ "virt/", 99 },   { "lib_", 99 },     { "examples/", 99 }, { "test/", 99 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (starts_with(dir, known[i].top))
			return known[i].depth;
	return 1;
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n] && a[n] != '.')
		n++;
	return n;
}

/*
 * A directory of many drivers ("drivers/net") may hold the header of a framework:
 * its users there are named like neither it nor each other.
 */
static bool is_collection(const struct cc_commit *cc, const char *header, const char *dir)
{
	const char *stem = path_base(header), *first = NULL;
	size_t others = 0;

	if ((!starts_with(dir, "drivers/") && !starts_with(dir, "sound/")) || depth_of(dir) > 3 ||
	    common_prefix(path_base(dir), stem) >= 3 || ends_with(dir, "/core"))
		return false;
	for (size_t i = 0; i < cc->nsrc; i++) {
		const char *rest = path_inside(dir, cc->src[i].f->path);

		if (!rest || strchr(rest, '/') || common_prefix(rest, stem) >= 3)
			continue;
		if (first && common_prefix(first, rest) >= 3)
			continue;
		first = rest;
		others++;
	}
	return others >= 2;
}

/* The directory whose files a header belongs to; NULL for one of everybody's. */
static char *owner_of(const struct cc_commit *cc, const char *path)
{
	const char *inner = strstr(path, "/include/");
	char *dir, *cut;
	int depth;

	if (starts_with(path, "include/") || starts_with(path, "arch/") || starts_with(path, "linuxkpi/") ||
	    starts_with(path, "asm/"))
		if (inner || starts_with(path, "include/"))
			return NULL;
	dir = inner ? xstrndup(path, (size_t)(inner - path)) : path_dir(path);
	if (!inner && is_collection(cc, path, dir)) {
		free(dir);
		return NULL;
	}
	if (ends_with(dir, "/inc"))
		dir[strlen(dir) - 4] = '\0';
	depth = driver_depth(path);
	cut = xstrndup(dir, components(dir, depth));
	free(dir);
	return cut;
}

bool cc_implements(const char *source, const char *header)
{
	const char *s = path_base(source), *h = path_base(header);

	for (;;) {
		while (*s == '-' || *s == '_')
			s++;
		while (*h == '-' || *h == '_')
			h++;
		if (*s == '.' || *h == '.')
			return *s == *h;
		if (*s != *h)
			return false;
		s++;
		h++;
	}
}

static void add_file(struct cc_file *list, size_t *n, const struct history_file *f)
{
	struct cc_file *cf = &list[(*n)++];

	memset(cf, 0, sizeof(*cf));
	cf->f = f;
	cf->added = git_oid_is_zero(&f->old_id);
	cf->removed = git_oid_is_zero(&f->new_id);
}

/* The settings of one board or two are no interface; what changes in more may be. */
#define FEW_CONFIGS 3

/* Is there a user whose edit would count for the header? */
static bool has_outside_user(const struct cc_commit *cc, const struct cc_file *h)
{
	for (size_t i = 0; i < cc->nsrc; i++) {
		const char *path = cc->src[i].f->path;

		if (h->config ? !starts_with(path, "board/") : !h->owner || !path_inside(h->owner, path))
			return true;
	}
	return false;
}

void cc_paths(struct cc_commit *cc)
{
	const struct history_commit *c = cc->c;
	size_t kept = 0, nconfigs = 0;

	cc->hdr = xcalloc(c->nfiles + 1, sizeof(*cc->hdr));
	cc->src = xcalloc(c->nfiles + 1, sizeof(*cc->src));
	for (size_t i = 0; i < c->nfiles; i++) {
		if (cc_is_header(c->files[i].path))
			add_file(cc->hdr, &cc->nhdr, &c->files[i]);
		else if (cc_is_source(c->files[i].path))
			add_file(cc->src, &cc->nsrc, &c->files[i]);
	}
	for (size_t i = 0; i < cc->nsrc; i++) {
		cc->nmodified += !cc->src[i].added && !cc->src[i].removed;
		cc->nadded += cc->src[i].added;
	}
	cc->nheaders = cc->nhdr;
	for (size_t i = 0; i < cc->nhdr; i++)
		nconfigs += starts_with(cc->hdr[i].f->path, "include/configs/");
	for (size_t i = 0; i < cc->nhdr; i++) {
		struct cc_file *h = &cc->hdr[i];

		h->config = starts_with(h->f->path, "include/configs/");
		h->owner = owner_of(cc, h->f->path);
		if ((!has_outside_user(cc, h) && (h->owner || h->config)) || (h->config && nconfigs < FEW_CONFIGS)) {
			free(h->owner);
			continue;
		}
		cc->hdr[kept++] = *h;
	}
	cc->nhdr = kept;
}
