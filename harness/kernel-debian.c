// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel records from Debian's packages: which packages a version needs, getting
 * them, and putting a record together from its parts.
 */
#include "base/compat.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/progress.h"
#include "harness/apt.h"
#include "harness/kernel-record.h"
#include "harness/kernel-unpack.h"

/* Where to look first; other versions are looked for in all suites. */
static const struct {
	const char *version, *suite;
} recipes[] = {
	{ "5.10", "bullseye" },	       { "6.1", "bookworm" },	    { "6.12", "bookworm-backports" },
	{ "6.12", "trixie" },	       { "7.2", "trixie-backports" }, { "7.3", "trixie-backports" },
};

enum part { PART_BUILD, PART_LIBS, PART_IMAGE, PART_SOURCE, PART_COUNT };

static const char *const part_names[PART_COUNT] = { "build", "libs", "image", "source" };

struct plan {
	const char *name;      /* of the record */
	const char *suite;
	char *base;	       /* "6.12.95+deb12": release without the flavour */
	char *version;	       /* of the packages */
	struct apt_packages pkgs[PART_COUNT];
	char *work, *debs, *fresh; /* directories */
	bool present[PART_COUNT]; /* the record has it already */
};

static void plan_release(struct plan *p)
{
	for (int i = 0; i < PART_COUNT; i++)
		apt_packages_release(&p->pkgs[i]);
	free(p->base);
	free(p->version);
	free(p->work);
	free(p->debs);
	free(p->fresh);
}

/* "6.12": digits with dots, at least two numbers; a full release is accepted, too. */
static bool version_word(const char *w)
{
	size_t n = strspn(w, "0123456789");

	return n && w[n] == '.' && isdigit((unsigned char)w[n + 1]) && kernel_name_valid(w);
}

bool kernel_debian_known(const char *version)
{
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++)
		if (!strcmp(recipes[i].version, version))
			return true;
	return false;
}

/* ---- which packages -------------------------------------------------------- */

/*
 * The package name's release without "-amd64" when it is of the wanted version and of the plain
 * flavour: "linux-headers-6.12.95+deb12-amd64" gives "6.12.95+deb12".
 */
static char *release_of_package(const char *package, const char *word)
{
	const char *p, *rest;
	char *base;

	if (!skip_prefix(package, "linux-headers-", &p) || !ends_with(p, "-amd64"))
		return NULL;
	if (!skip_prefix(p, word, &rest) || isdigit((unsigned char)*rest) || isalpha((unsigned char)*rest))
		return NULL;
	base = xstrndup(p, strlen(p) - strlen("-amd64"));
	if (ends_with(base, "-rt") || ends_with(base, "-cloud")) {
		free(base);
		return NULL;
	}
	return base;
}

/* The newest release of a version in a suite, or NULL. */
static int newest_release(const char *suite, const char *word, char **base, char **version,
			  struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	struct apt_packages found = { 0 };
	char *prefix = xstrfmt("linux-headers-%s", word);
	int ret = apt_names(suite, prefix, &names, err);

	*base = *version = NULL;
	for (size_t i = names.n; ret == 0 && i-- > 0;) {
		char *r = release_of_package(names.v[i], word);

		if (!r)
			strvec_remove(&names, i);
		free(r);
	}
	if (ret == 0)
		ret = apt_show(suite, &names, &found, err);
	for (size_t i = 0; ret == 0 && i < found.n; i++) {
		if (*version && deb_version_cmp(found.p[i].version, *version) <= 0)
			continue;
		free(*base);
		free(*version);
		*base = release_of_package(found.p[i].name, word);
		*version = xstrdup(found.p[i].version);
	}
	strvec_release(&names);
	apt_packages_release(&found);
	free(prefix);
	return ret;
}

/* The suites in which a version may be, most likely first, each once. */
static void suites_for(const char *version, struct strvec *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++)
		if (!strncmp(version, recipes[i].version, strlen(recipes[i].version)) &&
		    !isdigit((unsigned char)version[strlen(recipes[i].version)]))
			strvec_push(out, recipes[i].suite);
	for (const char *const *s = apt_suites(); *s; s++)
		if (!strvec_contains(out, *s))
			strvec_push(out, *s);
}

static int find_suite(struct plan *p, const char *word, const char *only, struct strbuf *err)
{
	struct strvec suites = STRVEC_INIT;
	struct strbuf why = STRBUF_INIT;
	int ret = 0, soft = 0;

	if (only)
		strvec_push(&suites, only);
	else
		suites_for(word, &suites);
	for (size_t i = 0; i < suites.n && !p->base; i++) {
		struct strbuf this = STRBUF_INIT;

		ret = apt_refresh(suites.v[i], false, &this);
		if (ret == 0)
			ret = newest_release(suites.v[i], word, &p->base, &p->version, &this);
		if (ret == 0 && p->base)
			for (const char *const *s = apt_suites(); *s; s++)
				if (!strcmp(*s, suites.v[i]))
					p->suite = *s;
		/* A suite that is gone is told when no other has the version. */
		if (ret == KP_NOTFOUND && !soft) {
			soft = ret;
			strbuf_addbuf(&why, &this);
		} else if (ret < 0 && ret != KP_NOTFOUND) {
			strbuf_addbuf(err, &this);
		}
		strbuf_release(&this);
		if (ret < 0 && ret != KP_NOTFOUND)
			goto out;
	}
	ret = p->base ? 0 : KP_NOTFOUND;
	if (ret < 0 && why.len)
		strbuf_addbuf(err, &why);
	else if (ret < 0)
		kp_fail(err, ret, "no suite of Debian that is known to kport has a kernel '%s'; 5.10, 6.1, 6.12, "
			"7.2 and 7.3 are known to work", word);
out:
	strvec_release(&suites);
	strbuf_release(&why);
	return ret;
}

static int show_one(const char *suite, const char *name, const char *version,
		    struct apt_packages *out, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	size_t before = out->n;
	int ret;

	strvec_pushf(&names, version ? "%s=%s" : "%s", name, version);
	ret = apt_show(suite, &names, out, err);
	strvec_release(&names);
	if (ret == 0 && out->n == before)
		ret = kp_fail(err, KP_NOTFOUND, "suite '%s' has no package '%s'%s%s", suite, name,
			      version ? " of version " : "", version ? version : "");
	return ret;
}

static bool starts_with_any(const char *s, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (starts_with(s, *prefixes))
			return true;
	return false;
}

/* Adds what the last package of l depends on and what starts with one of the prefixes. */
static int show_depends(struct plan *p, struct apt_packages *l, const char *const *prefixes,
			struct strbuf *err)
{
	struct strvec deps = STRVEC_INIT;
	int ret = 0;

	deb_depends_names(l->p[l->n - 1].depends, &deps);
	for (size_t i = 0; i < deps.n && ret == 0; i++)
		if (starts_with_any(deps.v[i], prefixes))
			ret = show_one(p->suite, deps.v[i], NULL, l, err);
	strvec_release(&deps);
	return ret;
}

static int plan_build(struct plan *p, struct strbuf *err)
{
	static const char *const prefixes[] = { "linux-headers-", "linux-kbuild-", NULL };
	char *name = xstrfmt("linux-headers-%s-amd64", p->base);
	struct apt_packages *l = &p->pkgs[PART_BUILD];
	int ret = show_one(p->suite, name, p->version, l, err);

	free(name);
	return ret < 0 ? ret : show_depends(p, l, prefixes, err);
}

/* From 6.19 on the image is a metapackage over a binary and a modules package. */
static int plan_image(struct plan *p, struct strbuf *err)
{
	static const char *const prefixes[] = { "linux-binary-", "linux-modules-", NULL };
	char *name = xstrfmt("linux-image-%s-amd64", p->base);
	struct apt_packages *l = &p->pkgs[PART_IMAGE];
	int ret = show_one(p->suite, name, p->version, l, err);

	free(name);
	return ret < 0 ? ret : show_depends(p, l, prefixes, err);
}

static int plan_source(struct plan *p, struct strbuf *err)
{
	const char *dot = strchr(p->base, '.');
	size_t n = dot - p->base + 1 + strspn(dot + 1, "0123456789");
	char *name = xstrfmt("linux-source-%.*s", (int)n, p->base);
	int ret = show_one(p->suite, name, p->version, &p->pkgs[PART_SOURCE], err);

	free(name);
	return ret;
}

static int plan_packages(struct plan *p, unsigned want, struct strbuf *err)
{
	int ret = 0;

	if (!p->present[PART_BUILD])
		ret = plan_build(p, err);
	if (ret == 0 && (want & KERNEL_WANT_IMAGE) && !p->present[PART_IMAGE])
		ret = plan_image(p, err);
	if (ret == 0 && (want & KERNEL_WANT_SOURCE) && !p->present[PART_SOURCE])
		ret = plan_source(p, err);
	return ret;
}

/* ---- getting and unpacking ------------------------------------------------- */

static char *part_dir(const struct plan *p, enum part part)
{
	return path_join(p->fresh, part_names[part]);
}

/* Downloads and what they become, with the compressed source in between. */
static int check_disk(const struct plan *p, struct strbuf *err)
{
	uint64_t need = 0, room = disk_free(p->work);

	for (int i = 0; i < PART_COUNT; i++) {
		char *done = part_dir(p, i);

		for (size_t j = 0; j < p->pkgs[i].n && !file_exists(done); j++) {
			need += p->pkgs[i].p[j].size + p->pkgs[i].p[j].installed;
			if (i == PART_SOURCE) /* an archive in the package: 9 to 12 times its size */
				need += 11 * p->pkgs[i].p[j].size;
		}
		free(done);
	}
	if (need <= room)
		return 0;
	return kp_fail(err, KP_INFRA, "kernel '%s' needs about %.0f MiB in '%s', but only %.0f MiB are "
		       "free there", p->name, need / 1048576.0, p->work, room / 1048576.0);
}

/*
 * Removes what killed runs were unpacking. Their tar may go on for a moment: what it still writes
 * to is left for the next time, under a name that is not used again.
 */
static void sweep_unpacked(const char *work)
{
	DIR *d = opendir(work);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path = path_join(work, e->d_name);

		if (starts_with(e->d_name, "unpack-"))
			file_remove(path, NULL);
		free(path);
	}
	if (d)
		closedir(d);
}

/* One part: unpacked next to its final name and renamed, so that a part that is there is whole. */
static int make_part(const struct plan *p, enum part part, struct strbuf *err)
{
	char *done = part_dir(p, part), *raw = NULL;
	int ret = 0;

	if (!p->pkgs[part].n || file_exists(done))
		goto out;
	ret = file_mkdtemp(p->work, "unpack-", &raw, err);
	if (ret == 0 && chmod(raw, 0755) < 0)
		ret = kp_fail_errno(err, "cannot open up '%s'", raw);
	if (ret == 0)
		ret = kernel_unpack_debs(p->debs, &p->pkgs[part], raw, err);
	if (ret == 0 && part == PART_IMAGE)
		ret = kernel_arrange_image(raw, err);
	if (ret == 0 && part == PART_SOURCE)
		ret = kernel_arrange_source(raw, err);
	if (ret == 0)
		ret = file_mkdirs(p->fresh, err);
	if (ret == 0 && rename(raw, done) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s'", raw);
	/* Half a part is of no use to the next run; its downloads are. */
	if (ret < 0 && raw)
		file_remove(raw, NULL);
out:
	free(done);
	free(raw);
	return ret;
}

/*
 * What is in .work/NAME belongs to certain versions; when the suite has moved on since an
 * interrupted run, it is of no use.
 */
static int claim_work(const struct plan *p, struct strbuf *err)
{
	char *path = path_join(p->work, "version");
	struct strbuf had = STRBUF_INIT, ignored = STRBUF_INIT;
	int ret = 0;

	if (file_read(path, 4096, &had, &ignored) < 0 || strcmp(had.buf, p->version)) {
		ret = file_remove(p->fresh, err);
		if (ret == 0)
			ret = file_remove(p->debs, err);
		if (ret == 0)
			ret = file_write(path, p->version, strlen(p->version), err);
	}
	free(path);
	strbuf_release(&had);
	strbuf_release(&ignored);
	return ret;
}

static int fetch_all(struct plan *p, struct strbuf *err)
{
	struct apt_packages all = { 0 };
	int ret;

	for (int i = 0; i < PART_COUNT; i++) {
		char *done = part_dir(p, i);

		for (size_t j = 0; j < p->pkgs[i].n && !file_exists(done); j++) {
			ALLOC_GROW(all.p, all.n + 1, all.alloc);
			all.p[all.n++] = p->pkgs[i].p[j];
		}
		free(done);
	}
	ret = apt_fetch(p->suite, &all, p->debs, err);
	free(all.p); /* the elements stay the plan's */
	return ret;
}

/* Where the packages put the two halves and the host tools. */
struct layout {
	char *build, *common, *tools;
};

static void layout_release(struct layout *l)
{
	free(l->build);
	free(l->common);
	free(l->tools);
}

static struct layout layout_of(const struct plan *p, const char *root)
{
	struct layout l;
	const char *kbuild = "";

	for (size_t i = 0; i < p->pkgs[PART_BUILD].n; i++)
		if (starts_with(p->pkgs[PART_BUILD].p[i].name, "linux-kbuild-"))
			kbuild = p->pkgs[PART_BUILD].p[i].name;
	l.build = xstrfmt("%s/usr/src/linux-headers-%s-amd64", root, p->base);
	l.common = xstrfmt("%s/usr/src/linux-headers-%s-common", root, p->base);
	l.tools = xstrfmt("%s/usr/lib/%s", root, kbuild);
	return l;
}

/* One library package from the kernel's suite, or from the suite that backports build on. */
static int show_library(const struct plan *p, const char *name, struct apt_packages *out,
			const char **suite, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	const char *suites[] = { apt_suite_base(p->suite), p->suite };
	size_t before = out->n;
	int ret = 0;

	strvec_push(&names, name);
	for (size_t i = 0; i < ARRAY_SIZE(suites) && ret == 0 && out->n == before; i++) {
		ret = apt_refresh(suites[i], false, err);
		if (ret == 0)
			ret = apt_show(suites[i], &names, out, err);
		*suite = suites[i];
	}
	if (ret == 0 && out->n == before)
		ret = kp_fail(err, KP_NOTFOUND, "suite '%s' has no package '%s'", p->suite, name);
	strvec_release(&names);
	return ret;
}

static bool is_library(const char *name)
{
	return starts_with(name, "lib") || starts_with(name, "zlib1g");
}

/*
 * The libraries of the host tools' package, with what they depend on themselves;
 * downloaded when fetch is set.
 */
static int plan_libraries(struct plan *p, bool fetch, struct strbuf *err)
{
	struct apt_packages *libs = &p->pkgs[PART_LIBS];
	struct strvec todo = STRVEC_INIT;
	int ret = 0;

	for (size_t i = 0; i < p->pkgs[PART_BUILD].n; i++)
		if (starts_with(p->pkgs[PART_BUILD].p[i].name, "linux-kbuild-"))
			deb_depends_names(p->pkgs[PART_BUILD].p[i].depends, &todo);
	for (size_t i = 0; i < todo.n && i < 64 && ret == 0; i++) {
		struct apt_packages one = { 0 };
		const char *suite = p->suite;
		bool again = !is_library(todo.v[i]);

		for (size_t j = 0; j < i && !again; j++)
			again = !strcmp(todo.v[j], todo.v[i]);
		if (again)
			continue;
		ret = show_library(p, todo.v[i], &one, &suite, err);
		if (ret == 0 && fetch)
			ret = apt_fetch(suite, &one, p->debs, err);
		if (ret == 0)
			deb_depends_names(one.p[0].depends, &todo);
		apt_packages_append(libs, &one);
	}
	strvec_release(&todo);
	return ret;
}

/* Host tools that this machine cannot load get the libraries of their own suite. */
static int add_libraries(struct plan *p, struct strbuf *err)
{
	char *root = part_dir(p, PART_BUILD), *libs = part_dir(p, PART_LIBS);
	struct layout l = layout_of(p, root);
	struct strvec unfit = STRVEC_INIT;
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	if (!p->pkgs[PART_BUILD].n)
		goto out;
	ret = kernel_tools_unfit(l.tools, &unfit, &why, err);
	if (ret < 0 || !unfit.n)
		goto out;
	log_debug("host tools need libraries: %s", why.buf);
	ret = plan_libraries(p, !file_exists(libs), err);
	if (ret == 0)
		ret = make_part(p, PART_LIBS, err);
out:
	layout_release(&l);
	strvec_release(&unfit);
	strbuf_release(&why);
	free(root);
	free(libs);
	return ret;
}

/* ---- the record ------------------------------------------------------------ */

static json_t *packages_json(const struct plan *p, json_t *had)
{
	json_t *a = had ? json_incref(had) : json_array();

	for (int i = 0; i < PART_COUNT; i++)
		for (size_t j = 0; j < p->pkgs[i].n; j++)
			json_array_append_new(a, json_pack("{s:s, s:s}", "name", p->pkgs[i].p[j].name,
							   "version", p->pkgs[i].p[j].version));
	return a;
}

static void set_if_there(char **field, char *path)
{
	if (file_exists(path)) {
		free(*field);
		*field = path;
	} else {
		free(path);
	}
}

/* Paths of the optional parts below dir, where they are. */
static void add_parts(struct kernel *k, const char *dir)
{
	set_if_there(&k->image, xstrfmt("%s/image/vmlinuz", dir));
	set_if_there(&k->modules_dir, xstrfmt("%s/image/lib/modules/%s", dir, k->release));
	set_if_there(&k->source_dir, xstrfmt("%s/source/linux", dir));
}

/* The build part in p->fresh becomes a record there; *out is as it will be when installed. */
static int fit_and_check(struct plan *p, struct kernel *k, json_t *notes, struct strbuf *err)
{
	char *root = part_dir(p, PART_BUILD), *libs = part_dir(p, PART_LIBS);
	struct layout l = layout_of(p, root);
	struct kernel_fit fit = { .build_dir = l.build, .common_dir = l.common,
				  .tools_dir = l.tools, .notes = STRVEC_INIT };
	int ret;

	fit.libs_dir = file_is_dir(libs) ? libs : NULL;
	ret = kernel_fit(&fit, err);
	if (ret == 0)
		ret = kernel_inspect_tree(l.build, k, err);
	if (ret < 0)
		goto out;
	free(k->cc);
	k->cc = xstrdup(fit.cc);
	free(k->common_dir);
	k->common_dir = xstrdup(l.common);
	ret = kernel_self_check(k, p->work, err);
	for (size_t i = 0; i < fit.notes.n; i++)
		json_array_append_new(notes, json_str(fit.notes.v[i]));
out:
	layout_release(&l);
	strvec_release(&fit.notes);
	free(fit.cc);
	free(root);
	free(libs);
	return ret;
}

static int new_record(struct plan *p, struct strbuf *err)
{
	struct kernel *k = kernel_new();
	char *records = kernel_records_dir(), *dir = path_join(records, p->name);
	json_t *notes = json_array(), *extra;
	int ret = fit_and_check(p, k, notes, err);

	extra = json_pack("{s:o, s:o}", "packages", packages_json(p, NULL), "notes", notes);
	if (ret < 0)
		goto out;
	k->name = xstrdup(p->name);
	k->origin = xstrfmt("debian:%s", p->suite);
	k->dir = xstrdup(dir);
	add_parts(k, p->fresh);
	kernel_rebase(k, p->fresh, dir);
	ret = kernel_record_write(k, p->fresh, extra, err);
	if (ret == 0)
		ret = kernel_record_install(p->name, p->fresh, err);
out:
	json_decref(extra);
	kernel_free(k);
	free(records);
	free(dir);
	return ret;
}

/* Parts that a present record lacks are moved into it, then its description names them. */
static int complete_record(struct plan *p, const struct kernel *had, json_t *extra, struct strbuf *err)
{
	struct kernel *k = NULL;
	int ret = 0;

	for (int i = PART_IMAGE; i < PART_COUNT && ret == 0; i++) {
		char *from = part_dir(p, i), *to = path_join(had->dir, part_names[i]);

		if (p->pkgs[i].n) {
			ret = file_remove(to, err);
			if (ret == 0 && rename(from, to) < 0)
				ret = kp_fail_errno(err, "cannot rename '%s' to '%s'", from, to);
		}
		free(from);
		free(to);
	}
	if (ret == 0)
		ret = kernel_record_read(p->name, &k, NULL, err);
	if (ret < 0)
		return ret;
	add_parts(k, k->dir);
	json_object_set_new(extra, "packages", packages_json(p, json_object_get(extra, "packages")));
	ret = kernel_record_write(k, k->dir, extra, err);
	kernel_free(k);
	return ret;
}

/* ---- the whole ------------------------------------------------------------- */

static bool lacks(const struct kernel *k, unsigned want)
{
	return ((want & KERNEL_WANT_IMAGE) && !k->image) ||
	       ((want & KERNEL_WANT_SOURCE) && !k->source_dir);
}

/* A present record fixes suite, release and version of what is added to it. */
static int plan_from_record(struct plan *p, const struct kernel *k, const json_t *extra,
			    struct strbuf *err)
{
	const json_t *list = json_object_get(extra, "packages"), *first = json_array_get(list, 0);
	const char *version = json_get_str(first, "version"), *suite;

	if (!version || !skip_prefix(k->origin, "debian:", &suite) || !ends_with(k->release, "-amd64"))
		return kp_fail(err, KP_ERR, "kernel '%s' is not from Debian's packages (%s) and cannot be "
			       "completed from them", k->name, k->origin);
	for (const char *const *s = apt_suites(); *s; s++)
		if (!strcmp(*s, suite))
			p->suite = *s;
	if (!p->suite)
		return kp_fail(err, KP_ERR, "kernel '%s' is from a suite that is not known: '%s'",
			       k->name, suite);
	p->base = xstrndup(k->release, strlen(k->release) - strlen("-amd64"));
	p->version = xstrdup(version);
	p->present[PART_BUILD] = true;
	p->present[PART_IMAGE] = k->image != NULL;
	p->present[PART_SOURCE] = k->source_dir != NULL;
	return apt_refresh(p->suite, false, err);
}

static int run_plan(struct plan *p, unsigned want, struct strbuf *err)
{
	int ret = plan_packages(p, want, err);

	if (ret == KP_NOTFOUND && p->present[PART_BUILD])
		strbuf_addf(err, "; it has moved on since kernel '%s' was added: run 'kport kernel remove "
				 "%s' and add it again", p->name, p->name);
	sweep_unpacked(p->work);
	if (ret == 0)
		ret = claim_work(p, err);
	if (ret == 0)
		ret = check_disk(p, err);
	if (ret == 0)
		ret = fetch_all(p, err);
	for (int i = 0; i < PART_COUNT && ret == 0; i++)
		ret = i == PART_LIBS ? add_libraries(p, err) : make_part(p, i, err);
	return ret;
}

/* Everything in the working directory but its lock. */
static void clear_work(const char *work)
{
	static const char *const names[] = { "new", "old", "debs", "version" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = path_join(work, names[i]);

		file_remove(path, NULL);
		free(path);
	}
	sweep_unpacked(work);
}

static int add_locked(struct plan *p, const char *word, unsigned want, struct strbuf *err)
{
	struct kernel *had = NULL;
	json_t *extra = NULL;
	struct strbuf why = STRBUF_INIT;
	int ret = kernel_record_read(p->name, &had, &extra, &why);

	if (ret < 0 && ret != KP_NOTFOUND) {
		strbuf_addbuf(err, &why);
		goto out;
	}
	ret = 0;
	if (had && !lacks(had, want))
		goto out;
	ret = had ? plan_from_record(p, had, extra, err) : find_suite(p, word, NULL, err);
	if (ret == 0)
		ret = run_plan(p, want, err);
	if (ret == 0)
		ret = had ? complete_record(p, had, extra, err) : new_record(p, err);
	if (ret == 0)
		clear_work(p->work);
out:
	kernel_free(had);
	json_decref(extra);
	strbuf_release(&why);
	return ret;
}

static int take_work_lock(struct lock *l, const char *work, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = lock_take(l, work, 0, &why);

	if (ret == KP_ERR && strstr(why.buf, "in use")) {
		log_info("waiting: %s", why.buf);
		ret = lock_take(l, work, 6 * 3600, err);
	} else if (ret < 0) {
		strbuf_addbuf(err, &why);
	}
	strbuf_release(&why);
	return ret;
}

int kernel_add_debian(const char *version, unsigned want, struct kernel **out, struct strbuf *err)
{
	struct plan p = { .name = version };
	struct lock lock = LOCK_INIT;
	char *word = NULL;
	int ret;

	if (!version_word(version))
		return kp_fail(err, KP_ERR, "'%s' is not a kernel version; give one like '6.12', or "
			       "'--tree DIR', or '--source DIR --config FILE'", version);
	word = ends_with(version, "-amd64") ? xstrndup(version, strlen(version) - 6) : xstrdup(version);
	p.work = kernel_work_dir(version);
	p.debs = path_join(p.work, "debs");
	p.fresh = path_join(p.work, "new");
	ret = kernel_check_path(p.work, err);
	if (ret == 0)
		ret = take_work_lock(&lock, p.work, err);
	if (ret == 0)
		ret = add_locked(&p, word, want, err);
	lock_release(&lock);
	if (ret == 0)
		ret = kernel_record_read(version, out, NULL, err);
	plan_release(&p);
	free(word);
	return ret;
}
