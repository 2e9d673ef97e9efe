// SPDX-License-Identifier: GPL-2.0-only
/* Debian packages through apt with private state. */
#include "base/compat.h"

#include <ctype.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/progress.h"
#include "harness/apt-internal.h"
#include "harness/kernel.h"

#define KEYRING_PACKAGE "debian-archive-keyring"
#define INDEX_MAX_AGE	(24 * 3600)

static const char *const keyrings[] = {
	"/usr/share/keyrings/debian-archive-keyring.gpg",
	"/usr/share/keyrings/debian-archive-keyring.pgp",
};

void apt_close(struct apt *a)
{
	lock_release(&a->lock);
	free(a->dir);
	a->dir = NULL;
}

/* Settings of the machine that decide how the mirror is reached: proxy, certificates, dates. */
static int machine_acquire_settings(struct strbuf *conf, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret;

	strvec_pushl(&c.argv, "apt-config", "dump", NULL);
	c.out = &text;
	c.discard = true;
	c.limits.wall_seconds = 120;
	ret = child_run(&c, &r, err);
	if (ret == 0 && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	else if (ret == 0 && !child_ok(&r))
		ret = kp_fail(err, KP_INFRA, "'apt-config dump' does not work: see what it prints");
	if (ret < 0)
		goto out;
	strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *l = lines.v[i];

		if ((starts_with(l, "Acquire::") && !starts_with(l, "Acquire::IndexTargets") &&
		     !starts_with(l, "Acquire::GzipIndexes")) ||
		    starts_with(l, "Dir::Etc::netrc"))
			strbuf_addf(conf, "%s\n", l);
	}
out:
	child_release(&c);
	strbuf_release(&text);
	strvec_release(&lines);
	return ret;
}

static int write_config(const char *dir, struct strbuf *err)
{
	struct strbuf conf = STRBUF_INIT;
	char *path = path_join(dir, "apt.conf");
	int ret = machine_acquire_settings(&conf, err);

	if (ret < 0)
		goto out;
	strbuf_addf(&conf,
		    "Dir::State \"%s/state/\";\nDir::State::lists \"%s/lists/\";\n"
		    "Dir::State::status \"%s/status\";\nDir::Cache \"%s/cache/\";\n"
		    "Dir::Cache::archives \"%s/archives/\";\nDir::Log \"%s/log/\";\n",
		    dir, dir, dir, dir, dir, dir);
	strbuf_addstr(&conf,
		      "Dir::Etc::main \"/dev/null\";\nDir::Etc::parts \"/dev/null\";\n"
		      "Dir::Etc::sourceparts \"/dev/null\";\nDir::Etc::preferences \"/dev/null\";\n"
		      "Dir::Etc::preferencesparts \"/dev/null\";\n"
		      "Acquire::Languages \"none\";\nAcquire::Retries \"3\";\n"
		      "Acquire::http::Timeout \"30\";\nAcquire::https::Timeout \"30\";\n"
		      "Acquire::GzipIndexes \"true\";\n"
		      "APT::Get::List-Cleanup \"false\";\nAPT::Update::Error-Mode \"any\";\n");
	/* root's cache directory is closed to apt's own user. */
	if (geteuid() == 0)
		strbuf_addstr(&conf, "APT::Sandbox::User \"root\";\n");
	ret = file_write(path, conf.buf, conf.len, err);
out:
	strbuf_release(&conf);
	free(path);
	return ret;
}

static int make_state(const char *dir, struct strbuf *err)
{
	static const char *const dirs[] = { "state", "lists/partial", "cache", "archives/partial",
					    "log",   "sources",	      "stamps" };
	char *status = path_join(dir, "status");
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && ret == 0; i++) {
		char *d = path_join(dir, dirs[i]);

		ret = file_mkdirs(d, err);
		free(d);
	}
	if (ret == 0 && !file_exists(status))
		ret = file_write(status, "", 0, err);
	if (ret == 0)
		ret = write_config(dir, err);
	free(status);
	return ret;
}

int apt_open(struct apt *a, struct strbuf *err)
{
	char *cache = kport_cache_dir(), *tool = child_which("apt-get");
	int ret;

	*a = (struct apt){ .dir = path_join(cache, "apt"), .lock = LOCK_INIT };
	free(cache);
	if (!tool) {
		strbuf_addstr(err,
			      "'apt-get' is not installed: kernels of Debian need it; on another "
			      "system use 'kport kernel add --tree DIR'");
		ret = KP_INFRA;
		goto out;
	}
	ret = file_mkdirs(a->dir, err);
	if (ret == 0)
		ret = lock_take(&a->lock, a->dir, 3600, err);
	if (ret == 0)
		ret = make_state(a->dir, err);
out:
	free(tool);
	if (ret < 0)
		apt_close(a);
	return ret;
}

static char *sources_path(const struct apt *a, const char *suite)
{
	return xstrfmt("%s/sources/%s.list", a->dir, suite);
}

void apt_child(const struct apt *a, const char *program, const char *suite, struct child *c)
{
	child_init(c);
	strvec_push(&c->argv, program);
	strvec_pushf(&c->argv, "-oDir::Etc::sourcelist=%s/sources/%s.list", a->dir, suite);
	strvec_pushf(&c->argv, "-oDir::Cache::pkgcache=%s/cache/%s.bin", a->dir, suite);
	strvec_push(&c->argv, "-oDir::Cache::srcpkgcache=");
	strvec_pushf(&c->env, "APT_CONFIG=%s/apt.conf", a->dir);
	strvec_push(&c->env, "LC_ALL=C");
	strvec_push(&c->env, "DEBIAN_FRONTEND=noninteractive");
}

/* apt's own last error line without its prefix. */
static void add_apt_reason(const char *text, struct strbuf *out)
{
	struct strvec lines = STRVEC_INIT;
	const char *why = NULL, *rest;

	strvec_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.n; i++)
		if (skip_prefix(lines.v[i], "E: ", &rest) &&
		    (!why || !starts_with(rest, "Some index files failed")))
			why = rest;
	strbuf_addstr(out, why ? why : "apt gave no reason");
	strvec_release(&lines);
}

/* Turns a failed run of apt into one message and a code. */
static int apt_failure(const char *suite, const char *text, struct strbuf *err)
{
	static const char *const offline[] = {
		"Temporary failure resolving", "Could not resolve",
		"Could not connect",	       "Connection failed",
		"Connection timed out",	       "Network is unreachable",
		"Unable to connect",	       "Cannot initiate the connection"
	};

	for (size_t i = 0; i < ARRAY_SIZE(offline); i++) {
		if (strstr(text, offline[i])) {
			strbuf_addf(err,
				    "Debian's mirror cannot be reached (%s); packages that were "
				    "fetched so far are kept, run again to resume",
				    offline[i]);
			return KP_INFRA;
		}
	}
	if (strstr(text, "No space left on device")) {
		strbuf_addstr(err, "no space left on device while downloading packages");
		return KP_INFRA;
	}
	if (strstr(text, "does not have a Release file"))
		return kp_fail(err, KP_NOTFOUND,
			       "this machine's Debian mirror has no suite '%s' (or not any more: "
			       "old suites are archived); set kernel.mirror in kport.conf to a "
			       "mirror that has it",
			       suite);
	if (strstr(text, "404"))
		return kp_fail(err, KP_NOTFOUND,
			       "the mirror no longer has a package that the index of suite '%s' "
			       "names",
			       suite);
	if (strstr(text, "is not signed") || strstr(text, "NO_PUBKEY") || strstr(text, "BADSIG") ||
	    strstr(text, "signatures were invalid")) {
		strbuf_addf(err,
			    "the index of suite '%s' is not signed with a key of this "
			    "machine's " KEYRING_PACKAGE "; upgrade that package",
			    suite);
		return KP_INFRA;
	}
	strbuf_addf(err, "suite '%s': ", suite);
	add_apt_reason(text, err);
	if (strstr(text, "Failed to fetch"))
		strbuf_addstr(err, "; what was fetched so far is kept, run again to resume");
	return KP_INFRA;
}

int apt_run(struct child *c, const char *suite, struct strbuf *out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct child_result r = { 0 };
	int ret;

	c->out = out;
	c->err = &text;
	c->discard = true;
	ret = child_run(c, &r, err);
	if (ret < 0)
		goto out;
	if (r.kind == CHILD_INTERRUPTED) {
		strbuf_addstr(err, "interrupted");
		ret = KP_INTERRUPTED;
	} else if (!child_ok(&r)) {
		if (!text.len)
			child_describe(&r, &text);
		log_debug("%s: %s", c->argv.v[0], text.buf);
		ret = apt_failure(suite, text.buf, err);
	}
out:
	strbuf_release(&text);
	return ret;
}

/* ---- suites and their indexes ---------------------------------------------- */

static const char *const all_suites[] = { "bookworm", "bookworm-backports", "bullseye",
					  "trixie",   "trixie-backports",   "sid" };

static void os_codename(char *out, size_t size)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	const char *p;

	*out = '\0';
	if (file_read("/etc/os-release", 1 << 16, &text, &ignored) == 0) {
		p = strstr(text.buf, "VERSION_CODENAME=");
		if (p)
			snprintf(out, size, "%.*s", (int)strcspn(p + 17, "\"\n"), p + 17);
	}
	strbuf_release(&text);
	strbuf_release(&ignored);
}

const char *const *apt_suites(void)
{
	static const char *order[ARRAY_SIZE(all_suites) + 1];
	char own[32];
	size_t n = 0;

	if (order[0])
		return order;
	os_codename(own, sizeof(own));
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < ARRAY_SIZE(all_suites); i++)
			if ((*own && !strcmp(apt_suite_base(all_suites[i]), own)) == (pass == 0))
				order[n++] = all_suites[i];
	return order;
}

const char *apt_suite_base(const char *suite)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_suites); i++) {
		const char *rest;

		if (skip_prefix(suite, all_suites[i], &rest) && !strcmp(rest, "-backports"))
			return all_suites[i];
	}
	return suite;
}

const char *apt_keyring(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(keyrings); i++)
		if (file_exists(keyrings[i]))
			return keyrings[i];
	return NULL;
}

/* Drivers are often packaged outside main; a mirror may leave the other components out. */
#define ALL_COMPONENTS "main contrib non-free"

/* What the index was made from: a change of either makes it again. */
static char *stamp_text(const char *mirror)
{
	return xstrfmt("%s " ALL_COMPONENTS, mirror);
}

static int update_components(const struct apt *a, const char *suite, const char *mirror,
			     const char *components, struct strbuf *err)
{
	struct child c;
	char *path = sources_path(a, suite), *stamp = xstrfmt("%s/stamps/%s", a->dir, suite);
	char *line = xstrfmt("deb [signed-by=%s] %s %s %s\n", apt_keyring(), mirror, suite,
			     components);
	char *text = stamp_text(mirror);
	struct apt_status d = { .line = STRBUF_INIT };
	int ret;

	apt_child(a, "apt-get", suite, &c);
	ret = file_write(path, line, strlen(line), err);
	if (ret < 0)
		goto out;
	d.p = progress_start("package index", 0);
	progress_note(d.p, "%s", suite);
	c.on_output = apt_on_status;
	c.payload = &d;
	c.limits.wall_seconds = 1800;
	strvec_pushl(&c.argv, "-q=2", "update", NULL);
	ret = apt_run(&c, suite, NULL, err);
	progress_finish(d.p);
	if (ret == 0)
		ret = file_write(stamp, text, strlen(text), err);
	else
		unlink(stamp);
out:
	strbuf_release(&d.line);
	child_release(&c);
	free(path);
	free(stamp);
	free(line);
	free(text);
	return ret;
}

static int update_from(const struct apt *a, const char *suite, const char *mirror,
		       struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = update_components(a, suite, mirror, ALL_COMPONENTS, &why);

	if (ret < 0 && ret != KP_INTERRUPTED)
		ret = update_components(a, suite, mirror, "main", err);
	else if (ret < 0)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret;
}

/* Is there an index from one of these mirrors, and is it younger than a day? */
static bool index_present(const struct apt *a, const char *suite, const struct strvec *mirrors,
			  bool *fresh)
{
	char *stamp = xstrfmt("%s/stamps/%s", a->dir, suite);
	struct strbuf from = STRBUF_INIT, ignored = STRBUF_INIT;
	struct stat st;
	bool have = false;

	if (stat(stamp, &st) == 0 && file_read(stamp, 4096, &from, &ignored) == 0) {
		for (size_t i = 0; !have && i < mirrors->n; i++) {
			char *text = stamp_text(mirrors->v[i]);

			have = !strcmp(text, from.buf);
			free(text);
		}
	}
	*fresh = have && time(NULL) - st.st_mtime < INDEX_MAX_AGE && st.st_mtime <= time(NULL);
	free(stamp);
	strbuf_release(&from);
	strbuf_release(&ignored);
	return have;
}

static int refresh_locked(const struct apt *a, const char *suite, bool force, struct strbuf *err)
{
	struct strvec mirrors = STRVEC_INIT;
	struct strbuf why = STRBUF_INIT;
	bool fresh, have;
	int ret;

	if (!apt_keyring()) {
		strbuf_addstr(err, "the keys of Debian's archive are missing; run: apt-get "
				   "install " KEYRING_PACKAGE);
		return KP_INFRA;
	}
	ret = apt_mirrors(&mirrors, err);
	if (ret < 0)
		goto out;
	have = index_present(a, suite, &mirrors, &fresh);
	if (fresh && !force)
		goto out;
	for (size_t i = 0; i < mirrors.n; i++) {
		strbuf_reset(&why);
		ret = update_from(a, suite, mirrors.v[i], &why);
		if (ret == 0 || ret == KP_INTERRUPTED)
			break;
	}
	if (ret < 0 && ret != KP_INTERRUPTED && have && !force) {
		log_debug("index of '%s' is not refreshed: %s", suite, why.buf);
		ret = 0;
	}
	if (ret < 0)
		strbuf_addbuf(err, &why);
out:
	strvec_release(&mirrors);
	strbuf_release(&why);
	return ret;
}

int apt_refresh(const char *suite, bool force, struct strbuf *err)
{
	struct apt a;
	int ret = apt_open(&a, err);

	if (ret < 0)
		return ret;
	ret = refresh_locked(&a, suite, force, err);
	apt_close(&a);
	return ret;
}

/* ---- packages -------------------------------------------------------------- */

void apt_packages_release(struct apt_packages *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->p[i].name);
		free(l->p[i].version);
		free(l->p[i].depends);
		free(l->p[i].file);
	}
	free(l->p);
	*l = (struct apt_packages){ 0 };
}

void apt_packages_append(struct apt_packages *dst, struct apt_packages *src)
{
	for (size_t i = 0; i < src->n; i++) {
		ALLOC_GROW(dst->p, dst->n + 1, dst->alloc);
		dst->p[dst->n++] = src->p[i];
	}
	free(src->p);
	*src = (struct apt_packages){ 0 };
}

int apt_names(const char *suite, const char *prefix, struct strvec *out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct child c;
	struct apt a;
	int ret = apt_open(&a, err);

	if (ret < 0)
		return ret;
	apt_child(&a, "apt-cache", suite, &c);
	strvec_pushl(&c.argv, "pkgnames", prefix, NULL);
	c.limits.wall_seconds = 300;
	ret = apt_run(&c, suite, &text, err);
	if (ret == 0) {
		strvec_split(out, text.buf, "\n");
		strvec_sort(out);
	}
	child_release(&c);
	strbuf_release(&text);
	apt_close(&a);
	return ret;
}

/* "1:2.3" becomes "1%3a2.3" in apt's file names. */
static char *deb_file_name(const char *name, const char *version, const char *arch)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s_", name);
	for (; *version; version++) {
		if (*version == ':')
			strbuf_addstr(&sb, "%3a");
		else
			strbuf_addch(&sb, *version);
	}
	strbuf_addf(&sb, "_%s.deb", arch);
	return strbuf_detach(&sb, NULL);
}

/* One stanza of "apt-cache show". */
static void take_stanza(char *stanza, struct apt_packages *out)
{
	struct apt_package p = { 0 };
	char *arch = NULL;
	struct strvec lines = STRVEC_INIT;
	const char *v;

	strvec_split(&lines, stanza, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *l = lines.v[i];

		if (skip_prefix(l, "Package: ", &v) && !p.name)
			p.name = xstrdup(v);
		else if (skip_prefix(l, "Version: ", &v) && !p.version)
			p.version = xstrdup(v);
		else if (skip_prefix(l, "Depends: ", &v) && !p.depends)
			p.depends = xstrdup(v);
		else if (skip_prefix(l, "Architecture: ", &v) && !arch)
			arch = xstrdup(v);
		else if (skip_prefix(l, "Size: ", &v))
			p.size = strtoull(v, NULL, 10);
		else if (skip_prefix(l, "Installed-Size: ", &v))
			p.installed = strtoull(v, NULL, 10) * 1024;
	}
	if (p.name && p.version && arch) {
		p.file = deb_file_name(p.name, p.version, arch);
		if (!p.depends)
			p.depends = xstrdup("");
		ALLOC_GROW(out->p, out->n + 1, out->alloc);
		out->p[out->n++] = p;
	} else {
		free(p.name);
		free(p.version);
		free(p.depends);
	}
	free(arch);
	strvec_release(&lines);
}

int apt_show(const char *suite, const struct strvec *names, struct apt_packages *out,
	     struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	struct child_result r = { 0 };
	struct child c;
	struct apt a;
	char *p, *end;
	int ret;

	if (!names->n)
		return 0;
	ret = apt_open(&a, err);
	if (ret < 0)
		return ret;
	apt_child(&a, "apt-cache", suite, &c);
	strvec_pushl(&c.argv, "--no-all-versions", "show", "--", NULL);
	strvec_pushv(&c.argv, (const char *const *)names->v);
	c.out = &text;
	c.err = &ignored; /* names that are not known make the exit code 100 */
	c.limits.wall_seconds = 300;
	ret = child_run(&c, &r, err);
	if (ret == 0 && r.kind != CHILD_EXITED)
		ret = child_interrupted() ? kp_fail(err, KP_INTERRUPTED, "interrupted") :
					    kp_fail(err, KP_INFRA, "'apt-cache show' did not end");
	for (p = text.buf; ret == 0 && p && *p; p = end) {
		end = strstr(p, "\n\n");
		if (end) {
			*end = '\0';
			end += 2;
		}
		take_stanza(p, out);
	}
	child_release(&c);
	strbuf_release(&text);
	strbuf_release(&ignored);
	apt_close(&a);
	return ret;
}
