// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ladder over a port that was made by hand: builds OLD for FROM and NEW for TO, makes the patch
 * between them with git, runs the gates, prints the ladder as JSON. Exit code 0 when all pass.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "checks/gate.h"
#include "tests/helper/test-tool.h"

struct side {
	struct kernel *k;
	struct driver *d;
	struct kbuild_result build;
	bool built;
};

static int build(struct side *s, const char *input, const char *kernel, const char *dir,
		 const char *name, struct strbuf *err)
{
	char *tree = xstrfmt("%s/work/%s", dir, name), *log = xstrfmt("%s/logs/%s", dir, name);
	struct kbuild_opts opts = { .log_dir = log, .keep_going = true, .no_modpost_errors = true };
	int ret = kernel_resolve(kernel, &s->k, err);

	if (ret == 0)
		ret = file_mkdirs_for(tree, err);
	if (ret == 0)
		ret = driver_load(input, tree, NULL, &s->d, err);
	if (ret == 0)
		ret = driver_dkms_configure(s->d, s->k, err);
	if (ret == 0)
		ret = kbuild_run(s->d, s->k, &opts, &s->build, err);
	s->built = ret == 0;
	free(tree);
	free(log);
	return ret;
}

/* "git diff" of two directories outside of any repository, its paths relative to them. */
static int make_patch(const char *dir, const char *old, const char *new, struct strbuf *err)
{
	char *a = xstrfmt("%s/diff/a", dir), *b = xstrfmt("%s/diff/b", dir);
	char *patch = path_join(dir, "port.patch"), *cwd = path_join(dir, "diff");
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf out = STRBUF_INIT;
	int ret = file_mkdirs_for(a, err);

	if (ret == 0)
		ret = file_copy(old, a, 0, NULL, err);
	if (ret == 0)
		ret = file_copy(new, b, 0, NULL, err);
	strvec_pushl(&c.argv, "git", "diff", "--no-index", "--no-prefix", "--no-color", "a", "b", NULL);
	c.dir = cwd;
	c.out = &out;
	if (ret == 0)
		ret = child_run(&c, &r, err);
	if (ret == 0)
		ret = file_write(patch, out.buf, out.len, err);
	child_release(&c);
	strbuf_release(&out);
	free(a);
	free(b);
	free(patch);
	free(cwd);
	return ret;
}

static int judge(const char *from, const char *to, const char *old, const char *new, unsigned mask,
		 const char *dir, struct strbuf *err)
{
	struct side a = { 0 }, b = { 0 };
	struct gate_ladder l;
	struct strbuf out = STRBUF_INIT;
	char *patch = path_join(dir, "port.patch"), *pristine = file_realpath(old);
	int ret = build(&a, old, from, dir, "old", err);

	gate_ladder_init(&l);
	if (ret == 0)
		ret = build(&b, new, to, dir, "new", err);
	if (ret == 0)
		ret = make_patch(dir, old, new, err);
	if (ret == 0) {
		struct gate_subject s = { .from = a.k, .to = b.k, .old = a.d, .new = b.d, .old_build = &a.build,
					  .new_build = &b.build, .run_dir = dir, .patch_path = patch,
					  .pristine_tree = pristine };

		ret = gates_run(&s, mask, &l, err);
	}
	if (ret == 0) {
		json_t *v = gate_ladder_json(&l);

		json_dump_pretty(v, &out);
		fputs(out.buf, stdout);
		json_decref(v);
		ret = !gate_ladder_ok(&l);
	}
	gate_ladder_release(&l);
	if (a.built)
		kbuild_result_release(&a.build);
	if (b.built)
		kbuild_result_release(&b.build);
	driver_free(a.d);
	driver_free(b.d);
	kernel_free(a.k);
	kernel_free(b.k);
	strbuf_release(&out);
	free(patch);
	free(pristine);
	return ret;
}

int tool_gates(int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT, ignored = STRBUF_INIT;
	char *dir = NULL;
	unsigned mask;
	int ret;

	if (argc != 6) {
		fprintf(stderr, "usage: test-tool gates LIST FROM TO OLD NEW\n");
		return 129;
	}
	ret = gate_mask_parse(argv[1], &mask, &err);
	if (ret == 0)
		ret = file_mkdtemp("/tmp", "kport-gates-", &dir, &err);
	if (ret == 0)
		ret = judge(argv[2], argv[3], argv[4], argv[5], mask, dir, &err);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.buf);
	if (dir)
		file_remove(dir, &ignored);
	free(dir);
	strbuf_release(&err);
	strbuf_release(&ignored);
	return ret < 0 ? kp_exit_code(ret) : ret;
}
