// SPDX-License-Identifier: GPL-2.0-only
/*
 * Downloading of packages. apt fetches and verifies; it starts a file that an
 * interrupted run has left from its beginning again, so that such a file is first
 * completed by curl from where it ends. Whatever curl brought is verified by apt
 * as all else is, and fetched by apt when it is wrong.
 */
#include "base/compat.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "harness/apt-internal.h"
#include "harness/kernel.h"

void apt_on_status(const char *data, size_t len, void *payload)
{
	struct apt_status *d = payload;

	for (size_t i = 0; i < len; i++) {
		const char *rest;

		if (data[i] != '\n') {
			if (d->line.len < 4096)
				strbuf_addch(&d->line, data[i]);
			continue;
		}
		if (skip_prefix(d->line.buf, "dlstatus:", &rest) && (rest = strchr(rest, ':'))) {
			double percent = strtod(rest + 1, NULL);

			if (percent > 0 && percent <= 100)
				progress_update(d->p, (uint64_t)(percent / 100 * d->total) >> 20);
		}
		strbuf_reset(&d->line);
	}
}

/* ---- going on where a run ended --------------------------------------------- */

/* Bytes from curl's stdout go behind what the file holds. */
struct append {
	int fd;
	bool failed;
	uint64_t done, base; /* of this file; of those before it */
	struct progress *p;
};

static void on_bytes(const char *data, size_t len, void *payload)
{
	struct append *a = payload;

	while (len && !a->failed) {
		ssize_t n = write(a->fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		a->failed = n <= 0;
		if (a->failed)
			return;
		data += n;
		len -= (size_t)n;
		a->done += (uint64_t)n;
	}
	progress_update(a->p, (a->base + a->done) >> 20);
}

/* Proxy of apt's configuration for this scheme, as curl's environment. */
static void add_proxy(const struct apt *a, const char *uri, struct child *c)
{
	bool https = starts_with(uri, "https:");
	const char *key = https ? "Acquire::https::Proxy" : "Acquire::http::Proxy";
	struct child ask = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	const char *value;

	strvec_pushl(&ask.argv, "apt-config", "shell", "P", key, NULL);
	strvec_pushf(&ask.env, "APT_CONFIG=%s/apt.conf", a->dir);
	ask.out = &text;
	ask.discard = true;
	ask.limits.wall_seconds = 30;
	if (child_run(&ask, &r, &ignored) == 0 && skip_prefix(text.buf, "P='", &value) &&
	    !starts_with(value, "DIRECT"))
		strvec_pushf(&c->env, "%s_proxy=%.*s", https ? "https" : "http",
			     (int)strcspn(value, "'"), value);
	child_release(&ask);
	strbuf_release(&text);
	strbuf_release(&ignored);
}

/* Appends the rest of uri to the file part; true when it has its full size then. */
static bool complete_part(const struct apt *a, const char *uri, const char *part, uint64_t size,
			  struct progress *p, uint64_t base)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf why = STRBUF_INIT;
	struct append ap = { .done = file_size(part), .base = base, .p = p };
	bool ok = false;

	ap.fd = open(part, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (ap.fd < 0)
		return false;
	strvec_pushl(&c.argv, "curl", "--silent", "--show-error", "--fail", "--location",
		     "--connect-timeout", "30", "--speed-limit", "100", "--speed-time", "60", NULL);
	/* With an offset curl fails when the server answers with the whole file. */
	strvec_pushl(&c.argv, "--continue-at", NULL);
	strvec_pushf(&c.argv, "%" PRIu64, ap.done);
	strvec_pushl(&c.argv, "--output", "-", "--", uri, NULL);
	add_proxy(a, uri, &c);
	c.on_output = on_bytes;
	c.payload = &ap;
	c.discard = true;
	c.err = &why;
	c.limits.output_bytes = size - ap.done + (1 << 20);
	c.limits.wall_seconds = 6 * 3600;
	if (child_run(&c, &r, &why) == 0 && child_ok(&r) && !ap.failed)
		ok = ap.done == size;
	if (!ok)
		log_debug("'%s' is not completed: %s", path_base(part), why.buf);
	close(ap.fd);
	child_release(&c);
	strbuf_release(&why);
	return ok;
}

/* Lines "'URI' FILE SIZE HASH" of "apt-get --print-uris download": the URI for one file. */
static char *uri_of(const char *lines, const char *file)
{
	struct strvec all = STRVEC_INIT;
	char *uri = NULL, *mark = xstrfmt("' %s ", file);

	strvec_split(&all, lines, "\n");
	for (size_t i = 0; i < all.n && !uri; i++) {
		const char *end = strstr(all.v[i], mark);

		if (*all.v[i] == '\'' && end &&
		    (starts_with(all.v[i] + 1, "http://") || starts_with(all.v[i] + 1, "https://")))
			uri = xstrndup(all.v[i] + 1, end - all.v[i] - 1);
	}
	strvec_release(&all);
	free(mark);
	return uri;
}

/* Aside what is there of a file; true when there is something to go on with. */
static bool set_aside(const char *path, const char *part, uint64_t size)
{
	uint64_t have = file_size(path);

	if (have && have < size && have > file_size(part))
		rename(path, part);
	else if (have < size)
		unlink(path);
	return file_size(part) > 0 && file_size(part) < size && !file_exists(path);
}

static void resume_parts(const struct apt *a, const char *suite, const struct apt_packages *pkgs,
			 const char *dir, const struct strvec *names, struct progress *p)
{
	struct strbuf uris = STRBUF_INIT, ignored = STRBUF_INIT;
	char *curl = child_which("curl");
	uint64_t base = 0;
	struct child c;

	apt_child(a, "apt-get", suite, &c);
	strvec_pushl(&c.argv, "-q=2", "--print-uris", "download", NULL);
	strvec_pushv(&c.argv, (const char *const *)names->v);
	c.dir = dir;
	for (size_t i = 0; i < pkgs->n; i++) {
		char *path = path_join(dir, pkgs->p[i].file), *part = xstrfmt("%s.part", path),
		     *uri;

		if (set_aside(path, part, pkgs->p[i].size) && curl && !child_interrupted() &&
		    (uris.len || apt_run(&c, suite, &uris, &ignored) == 0)) {
			uri = uri_of(uris.buf, pkgs->p[i].file);
			if (uri && complete_part(a, uri, part, pkgs->p[i].size, p, base))
				rename(part, path);
			free(uri);
		}
		base += file_size(path);
		free(path);
		free(part);
	}
	child_release(&c);
	strbuf_release(&uris);
	strbuf_release(&ignored);
	free(curl);
}

/* After apt: nothing aside is needed, or the longer of both is what the next run goes on with. */
static void settle_parts(const struct apt_packages *pkgs, const char *dir, bool ok)
{
	for (size_t i = 0; i < pkgs->n; i++) {
		char *path = path_join(dir, pkgs->p[i].file), *part = xstrfmt("%s.part", path);

		if (!ok && file_size(part) > file_size(path))
			rename(part, path);
		else
			unlink(part);
		free(path);
		free(part);
	}
}

/* ---- apt ------------------------------------------------------------------- */

/* With the room for unpacking left to the caller. */
static int check_room(const char *dir, uint64_t need, struct strbuf *err)
{
	uint64_t room = disk_free(dir);

	if (need <= room)
		return 0;
	strbuf_addf(err, "downloads need %.0f MiB in '%s', but only %.0f MiB are free there",
		    need / 1048576.0, dir, room / 1048576.0);
	return KP_INFRA;
}

static int fetch_locked(const struct apt *a, const char *suite, const struct apt_packages *pkgs,
			const char *dir, struct strbuf *err)
{
	struct apt_status d = { .line = STRBUF_INIT };
	struct strvec names = STRVEC_INIT;
	struct child c;
	uint64_t need = 0;
	int ret;

	apt_child(a, "apt-get", suite, &c);
	strvec_pushl(&c.argv, "-q=2", "-oAPT::Status-Fd=1", "download", NULL);
	for (size_t i = 0; i < pkgs->n; i++) {
		char *path = path_join(dir, pkgs->p[i].file);
		uint64_t have = file_size(path);

		free(path);
		d.total += pkgs->p[i].size;
		need += have < pkgs->p[i].size ? pkgs->p[i].size - have : 0;
		strvec_pushf(&names, "%s=%s", pkgs->p[i].name, pkgs->p[i].version);
	}
	ret = check_room(dir, need, err);
	if (ret < 0)
		goto out;
	strvec_pushv(&c.argv, (const char *const *)names.v);
	c.dir = dir;
	c.on_output = apt_on_status;
	c.payload = &d;
	c.limits.wall_seconds = 6 * 3600;
	d.p = progress_start("downloading MiB", d.total >> 20);
	progress_note(d.p, "%zu packages from %s", pkgs->n, suite);
	resume_parts(a, suite, pkgs, dir, &names, d.p);
	ret = apt_run(&c, suite, NULL, err);
	settle_parts(pkgs, dir, ret == 0);
	if (ret == 0)
		progress_update(d.p, d.total >> 20);
	progress_finish(d.p);
out:
	strvec_release(&names);
	strbuf_release(&d.line);
	child_release(&c);
	return ret;
}

int apt_fetch(const char *suite, const struct apt_packages *pkgs, const char *dir,
	      struct strbuf *err)
{
	struct apt a;
	int ret;

	if (!pkgs->n)
		return 0;
	ret = file_mkdirs(dir, err);
	if (ret == 0)
		ret = apt_open(&a, err);
	if (ret < 0)
		return ret;
	ret = fetch_locked(&a, suite, pkgs, dir, err);
	apt_close(&a);
	return ret;
}

/* In one suite; *path is set when it has the package. */
static int download_from(const char *suite, const char *package, const char *version,
			 const char *dir, char **path, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	struct apt_packages pkgs = { 0 };
	int ret = apt_refresh(suite, false, err);

	if (ret < 0)
		goto out;
	strvec_pushf(&names, version ? "%s=%s" : "%s", package, version);
	ret = apt_show(suite, &names, &pkgs, err);
	if (ret < 0 || !pkgs.n)
		goto out;
	ret = apt_fetch(suite, &pkgs, dir, err);
	if (ret == 0)
		*path = path_join(dir, pkgs.p[0].file);
out:
	strvec_release(&names);
	apt_packages_release(&pkgs);
	return ret;
}

int apt_download(const char *suite, const char *package, const char *version, const char *dir,
		 char **path, struct strbuf *err)
{
	const char *one[] = { suite, NULL };
	const char *const *s = suite ? one : apt_suites();
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	*path = NULL;
	for (; *s && !*path; s++) {
		strbuf_reset(&why);
		ret = download_from(*s, package, version, dir, path, &why);
		if (ret < 0 && ret != KP_NOTFOUND)
			break;
	}
	if (ret < 0 && ret != KP_NOTFOUND) {
		strbuf_addbuf(err, &why);
	} else if (!*path) {
		strbuf_addf(err, "no package '%s'%s%s in %s%s", package,
			    version ? " of version " : "", version ? version : "",
			    suite ? "suite " : "any suite known to kport", suite ? suite : "");
		ret = KP_NOTFOUND;
	}
	strbuf_release(&why);
	return *path ? 0 : ret;
}
