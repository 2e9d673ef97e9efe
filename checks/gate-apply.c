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
#include <git2.h>
#include "checks/gate.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define MAX_FILE (256u << 20)
#define MAX_PATCH (64u << 20)

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

static void check_delta(struct gate_report *r, const git_diff_delta *d, json_t *paths)
{
	const char *path = d->new_file.path ? d->new_file.path : d->old_file.path;

	json_array_append_new(paths, json_str(path));
	if (d->old_file.path)
		check_path(r, d->old_file.path);
	if (d->new_file.path && (!d->old_file.path || strcmp(d->new_file.path, d->old_file.path)))
		check_path(r, d->new_file.path);
	if (d->new_file.mode == GIT_FILEMODE_LINK || d->new_file.mode == GIT_FILEMODE_COMMIT)
		fail(r, "kind", path, "the patch makes something other than a file");
	if (d->flags & GIT_DIFF_FLAG_BINARY)
		fail(r, "kind", path, "the patch changes a file that is no text");
}

static int check_patch(const struct gate_subject *s, struct gate_report *r, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	json_t *paths = json_array();
	git_diff *diff = NULL;
	size_t i;
	int ret;

	git_libgit2_init();
	ret = file_read(s->patch_path, MAX_PATCH, &text, err);
	if (ret == 0 && text.len && git_diff_from_buffer(&diff, text.buf, text.len) < 0)
		fail(r, "syntax", NULL, "the patch cannot be read: %s",
		     git_error_last() ? git_error_last()->message : "unknown");
	for (i = 0; diff && i < git_diff_num_deltas(diff); i++)
		check_delta(r, git_diff_get_delta(diff, i), paths);
	r->data = json_object();
	json_object_set_new(r->data, "paths", paths);
	git_diff_free(diff);
	git_libgit2_shutdown();
	strbuf_release(&text);
	return ret;
}

/* ---- putting it on -------------------------------------------------------- */

/* git's view must be the copy alone, not a repository around it. */
static void git_environment(struct child *c, const char *copy)
{
	char *parent = path_dir(copy);

	strvec_pushf(&c->env, "GIT_CEILING_DIRECTORIES=%s", parent);
	strvec_pushl(&c->env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		     "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", NULL);
	free(parent);
}

static int put_on(const struct gate_subject *s, const char *copy, struct gate_report *r,
		  struct strbuf *err)
{
	char *patch = file_realpath(s->patch_path);
	struct strbuf out = STRBUF_INIT;
	struct child c = CHILD_INIT;
	struct child_result cr = { 0 };
	int ret;

	out.max = 64 << 10;
	strvec_pushl(&c.argv, "git", "apply", "-v", "--whitespace=nowarn", patch, NULL);
	git_environment(&c, copy);
	c.dir = copy;
	c.out = &out;
	c.err_to_out = true;
	c.limits.wall_seconds = 120;
	ret = file_size(patch) ? child_run(&c, &cr, err) : 0;
	if (ret == 0 && file_size(patch) && !child_ok(&cr))
		fail(r, "hunk", NULL, "the patch does not apply to the pristine tree: %.400s", out.buf);
	else if (ret == 0 && strstr(out.buf, "(offset "))
		fail(r, "hunk", NULL, "a hunk of the patch applies only at another line than it says");
	child_release(&c);
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
		r->verdict = VERDICT_PASS;
		strbuf_addf(&r->reason, "%zu files", json_array_size(json_object_get(r->data, "paths")));
	}
	strbuf_release(&err);
}
