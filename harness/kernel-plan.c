// SPDX-License-Identifier: GPL-2.0-only
/* Which of Debian's packages make a kernel record. */
#include "base/compat.h"
#include "harness/kernel-plan.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/jsonutil.h"
#include "harness/kernel-record.h"

/* Where to look first; other versions are looked for in all suites. */
static const struct {
	const char *version, *suite;
} recipes[] = {
	{ "5.10", "bullseye" }, { "6.1", "bookworm" },	       { "6.12", "bookworm-backports" },
	{ "6.12", "trixie" },	{ "7.2", "trixie-backports" }, { "7.3", "trixie-backports" },
};

void kernel_plan_clear(struct kernel_plan *p)
{
	for (int i = 0; i < PART_COUNT; i++)
		apt_packages_release(&p->pkgs[i]);
	free(p->base);
	free(p->version);
	p->base = p->version = NULL;
	p->suite = NULL;
	p->stale = false;
}

void kernel_plan_release(struct kernel_plan *p)
{
	kernel_plan_clear(p);
	free(p->work);
	free(p->debs);
	free(p->fresh);
}

/* "6.12": digits with dots, at least two numbers; a full release is accepted, too. */
bool kernel_plan_is_version(const char *w)
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
	if (!skip_prefix(p, word, &rest) || isdigit((unsigned char)*rest) ||
	    isalpha((unsigned char)*rest))
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

int kernel_plan_find(struct kernel_plan *p, const char *word, struct strbuf *err)
{
	struct strvec suites = STRVEC_INIT;
	struct strbuf why = STRBUF_INIT;
	int ret = 0, soft = 0;

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
		kp_fail(err, ret,
			"no suite of Debian that is known to kport has a kernel '%s'; 5.10, 6.1, "
			"6.12, "
			"7.2 and 7.3 are known to work",
			word);
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
static int show_depends(struct kernel_plan *p, struct apt_packages *l, const char *const *prefixes,
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

static int plan_build(struct kernel_plan *p, struct strbuf *err)
{
	static const char *const prefixes[] = { "linux-headers-", "linux-kbuild-", NULL };
	char *name = xstrfmt("linux-headers-%s-amd64", p->base);
	struct apt_packages *l = &p->pkgs[PART_BUILD];
	int ret = show_one(p->suite, name, p->version, l, err);

	free(name);
	return ret < 0 ? ret : show_depends(p, l, prefixes, err);
}

/* From 6.19 on the image is a metapackage over a binary and a modules package. */
static int plan_image(struct kernel_plan *p, struct strbuf *err)
{
	static const char *const prefixes[] = { "linux-binary-", "linux-modules-", NULL };
	char *name = xstrfmt("linux-image-%s-amd64", p->base);
	struct apt_packages *l = &p->pkgs[PART_IMAGE];
	int ret = show_one(p->suite, name, p->version, l, err);

	free(name);
	return ret < 0 ? ret : show_depends(p, l, prefixes, err);
}

static int plan_source(struct kernel_plan *p, struct strbuf *err)
{
	const char *dot = strchr(p->base, '.');
	size_t n = dot - p->base + 1 + strspn(dot + 1, "0123456789");
	char *name = xstrfmt("linux-source-%.*s", (int)n, p->base);
	int ret = show_one(p->suite, name, p->version, &p->pkgs[PART_SOURCE], err);

	free(name);
	return ret;
}

int kernel_plan_packages(struct kernel_plan *p, unsigned want, struct strbuf *err)
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

/* ---- libraries of host tools ------------------------------------------------- */

/* One library package from the kernel's suite, or from the suite that backports build on. */
static int show_library(const struct kernel_plan *p, const char *name, struct apt_packages *out,
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
 * downloaded to fetch_to unless that is NULL.
 */
int kernel_plan_libraries(struct kernel_plan *p, const char *fetch_to, struct strbuf *err)
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
		if (ret == 0 && fetch_to)
			ret = apt_fetch(suite, &one, fetch_to, err);
		if (ret == 0)
			deb_depends_names(one.p[0].depends, &todo);
		apt_packages_append(libs, &one);
	}
	strvec_release(&todo);
	return ret;
}

/* ---- a record that is there -------------------------------------------------- */

/* A present record fixes suite, release and version of what is added to it. */
int kernel_plan_from_record(struct kernel_plan *p, const struct kernel *k, const json_t *extra,
			    struct strbuf *err)
{
	const json_t *list = json_object_get(extra, "packages"), *first = json_array_get(list, 0);
	const char *version = json_get_str(first, "version"), *suite;

	if (!version || !skip_prefix(k->origin, "debian:", &suite) ||
	    !ends_with(k->release, "-amd64"))
		return kp_fail(err, KP_ERR,
			       "kernel '%s' is not from Debian's packages (%s) and cannot be "
			       "completed from them",
			       k->name, k->origin);
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
