/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gate "apply": the port's patch, put on a copy of the pristine tree, gives the tree that
 * the other gates judge. Every path of the patch lies inside the driver, is a plain text
 * file and no build product; hunks apply where they say, without fuzz or offset. Then
 * each file is compared bytewise. A DKMS package's own patches for the target are put
 * on the copy first, as its build does.
 *
 * Files that the build itself changes are known from the driver before: what differs
 * between the pristine tree and the old built tree is not compared. Files that only the
 * built tree has are products of the build, unless they look like sources and
 * the old build did not leave them too.
 */
#include "base/compat.h"
#include "checks/gate.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define MAX_FILE (256u << 20)

static void fail(struct gate_report *r, const char *rule, const char *file, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

static void fail(struct gate_report *r, const char *rule, const char *file, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	finding_addf(&r->findings, "apply", rule, file, 0, NULL, "%s", sb.buf);
	strbuf_release(&sb);
}

/* ---- the patch by itself -------------------------------------------------- */

static bool build_product(const char *path)
{
	static const char *const ends[] = { ".o", ".ko", ".mod", ".mod.c", ".cmd", ".a", ".so", ".order",
					    "Module.symvers", ".symtypes" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_with(path, ends[i]))
			return true;
	return false;
}

static void check_path(struct gate_report *r, const char *path)
{
	if (!path_is_safe(path))
		fail(r, "outside", path, "the patch names a path outside of the driver");
	else if (build_product(path))
		fail(r, "product", path, "the patch touches a product of the build");
}

/* git's view must be the copy alone, not a repository around it. */
static void git_environment(struct child *c, const char *dir)
{
	char *parent = path_dir(dir);

	strvec_pushf(&c->env, "GIT_CEILING_DIRECTORIES=%s", parent);
	strvec_pushl(&c->env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		     "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", NULL);
	free(parent);
}

/* "git apply OPTION... PATCH" in dir; false when git says no, with its words in out. */
static int git_apply(const char *dir, const char *patch, const char *option, const char *option2,
		     struct strbuf *out, bool *ok, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	int ret;

	strvec_pushl(&c.argv, "git", "apply", option, option2, patch, NULL);
	git_environment(&c, dir);
	c.dir = dir;
	c.out = out;
	c.err_to_out = true;
	c.limits.wall_seconds = 600;
	ret = child_run(&c, &r, err);
	if (ret == 0 && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted in git apply");
	else if (ret == 0 && r.kind != CHILD_EXITED)
		ret = kp_fail(err, KP_INFRA, "git apply did not end by itself");
	*ok = ret == 0 && child_ok(&r);
	child_release(&c);
	return ret;
}

/* "12\t3\tpath" or "-\t-\tpath" for a file that is no text; entries end with NUL. */
static void read_numstat(const struct strbuf *out, struct gate_report *r, json_t *paths)
{
	size_t at = 0;

	while (at < out->len) {
		const char *entry = out->buf + at, *tab = strchr(entry, '\t');
		const char *path = tab ? strchr(tab + 1, '\t') : NULL;

		if (path && path[1]) {
			json_array_append_new(paths, json_str(path + 1));
			check_path(r, path + 1);
			if (entry[0] == '-')
				fail(r, "kind", path + 1, "the patch changes a file that is no text");
		}
		at += strlen(entry) + 1;
	}
}

/* " create mode 120000 name": links and submodules are no sources. */
static void read_summary(const char *text, struct gate_report *r)
{
	struct strvec lines = STRVEC_INIT;
	size_t i;

	strvec_split(&lines, text, "\n");
	for (i = 0; i < lines.n; i++) {
		const char *mode = strstr(lines.v[i], "mode 1");

		if (mode && (starts_with(mode, "mode 120000") || starts_with(mode, "mode 160000")))
			fail(r, "kind", strchr(mode + 5, ' ') ? strchr(mode + 5, ' ') + 1 : NULL,
			     "the patch makes something other than a file");
	}
	strvec_release(&lines);
}

static int check_patch(const struct gate_subject *s, struct gate_report *r, struct strbuf *err)
{
	char *patch = file_realpath(s->patch_path);
	struct strbuf out = STRBUF_INIT;
	json_t *paths = json_array();
	bool ok = true;
	int ret = 0;

	r->data = json_object();
	json_object_set_new(r->data, "paths", paths);
	if (patch && file_size(patch))
		ret = git_apply(s->run_dir, patch, "--numstat", "-z", &out, &ok, err);
	else
		goto out;
	if (ret == 0 && ok)
		read_numstat(&out, r, paths);
	strbuf_reset(&out);
	if (ret == 0 && ok)
		ret = git_apply(s->run_dir, patch, "--summary", "--whitespace=nowarn", &out, &ok, err);
	if (ret == 0 && ok)
		read_summary(out.buf, r);
	else if (ret == 0)
		fail(r, "syntax", NULL, "the patch cannot be read: %.400s", out.buf);
out:
	strbuf_release(&out);
	free(patch);
	return ret;
}

/* ---- putting it on -------------------------------------------------------- */

static int put_on(const struct gate_subject *s, const char *copy, struct gate_report *r,
		  struct strbuf *err)
{
	char *patch = file_realpath(s->patch_path);
	struct strbuf out = STRBUF_INIT;
	bool ok = true;
	int ret = 0;

	if (patch && file_size(patch))
		ret = git_apply(copy, patch, "-v", "--whitespace=nowarn", &out, &ok, err);
	strbuf_rtrim(&out);
	if (ret == 0 && !ok)
		fail(r, "hunk", NULL, "the patch does not apply to the pristine tree: %.400s", out.buf);
	else if (ret == 0 && strstr(out.buf, "(offset "))
		fail(r, "hunk", NULL, "a hunk of the patch applies only at another line than it says");
	strbuf_release(&out);
	free(patch);
	return ret;
}

/* ---- comparing ------------------------------------------------------------ */

struct trees {
	const char *copy, *built, *pristine, *old; /* old NULL: none */
	struct gate_report *r;
	size_t compared;
};

/* 1 equal, 0 different, negative: cannot be read; absent on one side counts as different. */
static int same_file(const char *a_dir, const char *b_dir, const char *rel, struct strbuf *err)
{
	char *pa = path_join(a_dir, rel), *pb = path_join(b_dir, rel);
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT, why = STRBUF_INIT;
	int ra = file_read(pa, MAX_FILE, &a, &why), rb = ra < 0 ? ra : file_read(pb, MAX_FILE, &b, &why);
	int ret;

	if (ra == KP_NOTFOUND || rb == KP_NOTFOUND) {
		ret = 0;
	} else if (ra < 0 || rb < 0) {
		strbuf_addbuf(err, &why);
		ret = ra < 0 ? ra : rb;
	} else {
		ret = a.len == b.len && !memcmp(a.buf, b.buf, a.len);
	}
	strbuf_release(&a);
	strbuf_release(&b);
	strbuf_release(&why);
	free(pa);
	free(pb);
	return ret;
}

/* Does the build of the driver before change the file too? */
static int changed_by_build(const struct trees *t, const char *rel, struct strbuf *err)
{
	int same;

	if (!t->old)
		return 0;
	same = same_file(t->pristine, t->old, rel, err);
	return same < 0 ? same : !same;
}

static int compare_file(struct trees *t, const char *rel, struct strbuf *err)
{
	int same = build_product(rel) ? 1 : same_file(t->copy, t->built, rel, err), by_build;

	t->compared++;
	if (same != 0)
		return same < 0 ? same : 0;
	by_build = changed_by_build(t, rel, err);
	if (by_build == 0)
		fail(t->r, "differs", rel, "the ported tree's file is not what the patch gives");
	return by_build < 0 ? by_build : 0;
}

static bool looks_like_source(const char *path)
{
	const char *base = path_base(path);

	if (build_product(path))
		return false;
	return ends_with(path, ".c") || ends_with(path, ".h") || ends_with(path, ".S") ||
	       !strcmp(base, "Makefile") || !strcmp(base, "Kbuild") || !strcmp(base, "dkms.conf");
}

/* A source that stands in the built tree alone. */
static void judge_extra(struct trees *t, const char *rel)
{
	char *old = t->old ? path_join(t->old, rel) : NULL;

	if (looks_like_source(rel) && !(old && file_exists(old)))
		fail(t->r, "undeclared", rel, "the ported tree has a source that the patch does not bring");
	free(old);
}

static int compare(struct trees *t, struct strbuf *err)
{
	struct strvec want = STRVEC_INIT, have = STRVEC_INIT;
	size_t i, j = 0;
	int ret = file_list(t->copy, &want, err);

	if (ret == 0)
		ret = file_list(t->built, &have, err);
	for (i = 0; ret == 0 && i < want.n; i++)
		ret = compare_file(t, want.v[i], err);
	/* Both lists are sorted. */
	for (i = 0; ret == 0 && i < have.n; i++) {
		while (j < want.n && strcmp(want.v[j], have.v[i]) < 0)
			j++;
		if (j >= want.n || strcmp(want.v[j], have.v[i]))
			judge_extra(t, have.v[i]);
	}
	strvec_release(&want);
	strvec_release(&have);
	return ret;
}

/* ---- the gate ------------------------------------------------------------- */

static int apply_and_compare(const struct gate_subject *s, struct gate_report *r, struct strbuf *err)
{
	char *copy = xstrfmt("%s/work/apply", s->run_dir);
	struct trees t = { copy, s->new->tree, s->pristine_tree, s->old ? s->old->tree : NULL, r, 0 };
	struct driver *d = NULL;
	int ret = file_remove(copy, err);

	if (ret == 0)
		ret = file_mkdirs_for(copy, err);
	if (ret == 0)
		ret = file_copy(s->pristine_tree, copy, FILE_COPY_REFLINK, NULL, err);
	if (ret == 0 && s->to) {
		d = driver_clone(s->new, copy);
		d->patched = false;
		ret = driver_dkms_configure(d, s->to, err);
	}
	if (ret == 0)
		ret = put_on(s, copy, r, err);
	if (ret == 0 && r->findings.n == 0)
		ret = compare(&t, err);
	json_set_int(r->data, "compared_files", t.compared);
	driver_free(d);
	file_remove(copy, err);
	free(copy);
	return ret;
}

void gate_apply(const struct gate_subject *s, struct gate_report *r)
{
	struct strbuf err = STRBUF_INIT;
	int ret;

	if (!s->patch_path || !s->pristine_tree) {
		r->verdict = VERDICT_SKIP;
		strbuf_addstr(&r->reason, "there is no patch: the driver is judged as it is");
		return;
	}
	ret = check_patch(s, r, &err);
	if (ret == 0 && r->findings.n == 0)
		ret = apply_and_compare(s, r, &err);
	if (ret < 0) {
		r->verdict = VERDICT_INFRA;
		strbuf_addbuf(&r->reason, &err);
	} else if (r->findings.n) {
		r->verdict = VERDICT_FAIL;
		finding_describe(&r->findings.f[0], &r->reason);
	} else {
		size_t n = json_array_size(json_object_get(r->data, "paths"));

		r->verdict = VERDICT_PASS;
		strbuf_addf(&r->reason, "%zu file%s", n, n == 1 ? "" : "s");
	}
	strbuf_release(&err);
}
