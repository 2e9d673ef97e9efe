// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/driver-internal.h"

#define MAX_MAKEFILE (4u << 20)

static const char *const kind_names[] = { "kbuild", "dkms", "in-tree" };

const char *driver_kind_name(enum driver_kind k)
{
	return k >= 0 && k < (int)ARRAY_SIZE(kind_names) ? kind_names[k] : "?";
}

void driver_free(struct driver *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nmodules; i++) {
		free(d->modules[i].name);
		free(d->modules[i].location);
	}
	free(d->modules);
	free(d->name);
	free(d->version);
	free(d->origin);
	free(d->tree);
	free(d->kbuild_subdir);
	free(d->make_target);
	free(d->configured);
	free(d->make_command);
	free(d->clean_command);
	free(d->pre_build);
	free(d->exclusive);
	free(d->intree_path);
	free(d->intree_root);
	strvec_release(&d->make_vars);
	strvec_release(&d->patches);
	strvec_release(&d->skipped);
	free(d);
}

struct driver *driver_clone(const struct driver *d, const char *tree)
{
	struct driver *c = xcalloc(1, sizeof(*c));

	*c = *d;
	c->name = xstrdup(d->name);
	c->version = xstrdup(d->version);
	c->origin = xstrdup(d->origin);
	c->tree = xstrdup(tree);
	c->kbuild_subdir = xstrdup(d->kbuild_subdir);
	c->make_target = xstrdup(d->make_target);
	c->configured = xstrdup(d->configured);
	c->make_command = xstrdup(d->make_command);
	c->clean_command = xstrdup(d->clean_command);
	c->pre_build = xstrdup(d->pre_build);
	c->exclusive = xstrdup(d->exclusive);
	c->intree_path = xstrdup(d->intree_path);
	c->intree_root = xstrdup(d->intree_root);
	strvec_init(&c->make_vars);
	strvec_pushv(&c->make_vars, d->make_vars.v);
	strvec_init(&c->skipped);
	strvec_pushv(&c->skipped, d->skipped.v);
	strvec_init(&c->patches);
	strvec_pushv(&c->patches, d->patches.v);
	c->modules = NULL;
	c->nmodules = 0;
	for (size_t i = 0; i < d->nmodules; i++)
		driver_add_module(c, d->modules[i].name, d->modules[i].location);
	return c;
}

void driver_add_module(struct driver *d, const char *name, const char *location)
{
	d->modules = xrealloc(d->modules, (d->nmodules + 1) * sizeof(*d->modules));
	d->modules[d->nmodules].name = xstrdup(name);
	d->modules[d->nmodules].location = xstrdup(location);
	d->nmodules++;
}

int driver_copy_tree(const char *src, const char *dst, struct strbuf *err)
{
	int ret = file_mkdirs_for(dst, err);

	if (ret < 0)
		return ret;
	return file_copy(src, dst, FILE_COPY_REFLINK | FILE_COPY_NO_GIT | FILE_COPY_INSIDE_LINKS, NULL,
			 err);
}

static bool has_entry(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	bool found = file_exists(path);

	free(path);
	return found;
}

static bool is_kernel_root(const char *dir)
{
	return has_entry(dir, "Kconfig") && has_entry(dir, "Makefile") &&
	       has_entry(dir, "include/linux/kernel.h") && has_entry(dir, "drivers") &&
	       has_entry(dir, "scripts");
}

char *driver_kernel_root(const char *path)
{
	char *dir = path_dir(path);

	while (!is_kernel_root(dir)) {
		char *up = strcmp(dir, "/") ? path_dir(dir) : NULL;

		free(dir);
		dir = up;
		if (!dir || !strcmp(dir, ".")) {
			free(dir);
			return NULL;
		}
	}
	return dir;
}

/* Kbuild and make split words at blanks and give ':' and '#' a meaning: such work trees cannot be built. */
static const char *bad_for_make(const char *path)
{
	while (isalnum((unsigned char)*path) || (*path && strchr("/._-+,@", *path)))
		path++;
	return *path ? path : NULL;
}

bool driver_tree_path_ok(const char *path)
{
	return !bad_for_make(path);
}

static int check_work_tree(const char *tree, struct strbuf *err)
{
	const char *p = bad_for_make(tree);

	if (p)
		return kp_fail(err, KP_ERR,
			       "the work directory '%s' cannot be used: make does not build below a path "
			       "with '%c'; choose another one", tree, *p);
	if (*tree != '/')
		return kp_fail(err, KP_ERR, "the work directory '%s' is not absolute", tree);
	if (file_exists(tree))
		return kp_fail(err, KP_ERR, "the work directory '%s' exists already", tree);
	return 0;
}

static char *default_name(const char *path)
{
	char *name = xstrdup(path_base(path));
	size_t n = strlen(name);

	if (n > 2 && !strcmp(name + n - 2, ".c"))
		name[n - 2] = '\0';
	return name;
}

/* Says what is kept there, not what it drives. */
static bool is_vague(const char *name)
{
	static const char *const words[] = { "tree", "repo", "repository", "src", "source", "sources", "driver", "drivers",
					     "module", "modules", "kernel", "linux", "code", "trunk", "master", "main",
					     "git", "build", "work", "." };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcasecmp(name, words[i]))
			return true;
	}
	return false;
}

/* A directory "src" is called like the one around it. */
static void name_better(struct driver *d, const char *path)
{
	char *up = path_dir(path);
	const char *name = path_base(up);

	if (is_vague(d->name) && *name && strcmp(name, "/") && !is_vague(name)) {
		free(d->name);
		d->name = xstrdup(name);
	}
	free(up);
}

static int load(struct driver *d, const char *path, const struct driver_load_opts *opts,
		struct strbuf *err)
{
	bool dir = file_is_dir(path);
	char *root;
	int ret;

	if (!dir && ends_with(path, ".deb"))
		return driver_load_deb(d, path, err);
	if (dir && has_entry(path, "dkms.conf"))
		return driver_load_dkms(d, path, err);
	root = driver_kernel_root(path);
	if (root)
		ret = driver_load_intree(d, root, path, opts ? opts->config : NULL, err);
	else if (dir)
		ret = driver_load_kbuild(d, path, err);
	else
		ret = kp_fail(err, KP_ERR,
			      "'%s' is not a driver: expected a directory with a Makefile, Kbuild or dkms.conf, a "
			      "*-dkms .deb, or a file of a kernel source tree", d->origin);
	if (!ret && !root)
		name_better(d, path);
	free(root);
	return ret;
}

int driver_load(const char *input, const char *work_tree, const struct driver_load_opts *opts,
		struct driver **out, struct strbuf *err)
{
	struct driver *d = xcalloc(1, sizeof(*d));
	char *path = file_realpath(input);
	int ret;

	strvec_init(&d->make_vars);
	strvec_init(&d->patches);
	strvec_init(&d->skipped);
	d->origin = xstrdup(input);
	d->tree = xstrdup(work_tree);
	if (!path)
		ret = kp_fail(err, KP_NOTFOUND, "there is no driver '%s'", input);
	else
		ret = check_work_tree(work_tree, err);
	if (!ret) {
		d->name = default_name(path);
		ret = load(d, path, opts, err);
	}
	free(path);
	if (ret < 0) {
		driver_free(d);
		return ret;
	}
	if (!d->kbuild_subdir)
		d->kbuild_subdir = xstrdup("");
	*out = d;
	return 0;
}

/* Cuts a comment; a '#' behind a backslash or inside $( ) of a shell call is kept. */
static void cut_comment(char *line)
{
	int depth = 0;

	for (char *p = line; *p; p++) {
		if (*p == '(' && p > line && p[-1] == '$')
			depth++;
		else if (*p == '(' && depth)
			depth++;
		else if (*p == ')' && depth)
			depth--;
		else if (*p == '#' && !depth && (p == line || p[-1] != '\\')) {
			*p = '\0';
			return;
		}
	}
}

int makefile_lines(const char *path, struct strvec *out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	int ret = file_read(path, MAX_MAKEFILE, &text, err);
	char *p = text.buf, *end = text.buf + text.len;

	while (!ret && p < end) {
		char *nl = memchr(p, '\n', end - p);
		size_t len = (nl ? nl : end) - p;
		bool more;

		p[len] = '\0';
		if (len && p[len - 1] == '\r')
			p[--len] = '\0';
		more = len && p[len - 1] == '\\';
		strbuf_add(&line, p, len - more);
		p = nl ? nl + 1 : end;
		if (more && p < end) {
			strbuf_addch(&line, ' ');
			continue;
		}
		cut_comment(line.buf);
		strvec_push(out, line.buf);
		strbuf_reset(&line);
	}
	strbuf_release(&text);
	strbuf_release(&line);
	return ret;
}

bool makefile_assignment(const char *line, char **var, char **value)
{
	const char *p = line, *name, *op;
	int depth = 0;

	while (*p == ' ')
		p++;
	skip_prefix(p, "override ", &p);
	skip_prefix(p, "export ", &p);
	for (name = p; *p && (depth || !strchr(" \t=:+?", *p)); p++)
		depth += *p == '(' || *p == '{' ? 1 : *p == ')' || *p == '}' ? -1 : 0;
	if (p == name)
		return false;
	op = p + strspn(p, " \t");
	if (*op == ':' && op[1] == ':')
		op++;
	if (*op == ':' || *op == '+' || *op == '?')
		op++;
	if (*op != '=')
		return false;
	*var = xstrndup(name, p - name);
	op++;
	*value = xstrdup(op + strspn(op, " \t"));
	return true;
}
