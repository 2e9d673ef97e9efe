// SPDX-License-Identifier: GPL-2.0-only
/* Loads a driver, builds it for a kernel and prints units, diagnostics and modules as JSON. */
#include "base/compat.h"
#include <time.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "harness/checker.h"
#include "harness/kbuild.h"
#include "tests/helper/test-tool.h"

struct kbuild_args {
	const char *input, *kernel, *keep;
	bool raw;
	int recheck;
	double wall;
};

static json_t *diags_json(const struct diag_list *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(a, diag_to_json(&l->d[i]));
	return a;
}

static json_t *strings_json(const struct strvec *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(a, json_str(v->v[i]));
	return a;
}

static json_t *units_json(const struct kbuild_result *r, bool raw)
{
	json_t *a = json_array();

	for (size_t i = 0; i < r->nunits; i++) {
		const struct kbuild_unit *u = &r->units[i];
		json_t *o = json_object();

		json_set_str(o, "source", u->source);
		json_set_str(o, "object", u->object);
		json_set_int(o, "exit_code", u->exit_code);
		json_set_bool(o, "probe", u->probe);
		json_object_set_new(o, "diags", diags_json(&u->diags));
		if (raw)
			json_object_set_new(o, "raw", diags_json(&u->raw));
		json_array_append_new(a, o);
	}
	return a;
}

/* "implicit-function:1 no-member:2": errors of all units, sorted by name. */
static void error_kinds(const struct kbuild_result *r, struct strbuf *out)
{
	struct strvec words = STRVEC_INIT;
	int count[DIAG_KIND_COUNT] = { 0 };

	for (size_t i = 0; i < r->nunits; i++)
		for (size_t j = 0; j < r->units[i].raw.n && !r->units[i].probe; j++)
			count[r->units[i].raw.d[j].kind] += r->units[i].raw.d[j].level >= DIAG_ERROR;
	for (int k = 0; k < DIAG_KIND_COUNT; k++)
		if (count[k])
			strvec_pushf(&words, "%s:%d", diag_kind_name(k), count[k]);
	strvec_sort(&words);
	for (size_t i = 0; i < words.n; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", words.v[i]);
	strvec_release(&words);
}

static json_t *result_json(const struct kbuild_result *r, const struct driver *d, bool raw)
{
	struct strbuf how = STRBUF_INIT, kinds = STRBUF_INIT;
	json_t *o = json_object(), *modules = json_array();

	error_kinds(r, &kinds);
	json_set_str(o, "errors", kinds.buf);
	child_describe(&r->child, &how);
	json_set_str(o, "make", how.buf);
	json_set_num(o, "wall", r->child.wall);
	json_set_num(o, "cpu", r->child.cpu);
	json_set_bool(o, "succeeded", kbuild_succeeded(r));
	json_set_bool(o, "built", kbuild_built(r));
	json_set_str(o, "kind", driver_kind_name(d->kind));
	json_set_str(o, "name", d->name);
	json_set_str(o, "version", d->version);
	json_set_str(o, "exclusive", d->exclusive);
	json_set_str(o, "make_command", d->make_command);
	json_set_str(o, "blame", r->blame);
	for (size_t i = 0; i < r->nmodules; i++)
		json_array_append_new(modules, json_str(r->modules[i].name));
	json_object_set_new(o, "modules", modules);
	json_object_set_new(o, "units", units_json(r, raw));
	json_object_set_new(o, "modpost", diags_json(&r->modpost));
	json_object_set_new(o, "missing", strings_json(&r->missing));
	json_object_set_new(o, "patches", strings_json(&d->patches));
	json_object_set_new(o, "skipped", strings_json(&d->skipped));
	json_object_set_new(o, "make_errors", strings_json(&r->make_errors));
	if (!kbuild_succeeded(r))
		json_set_str(o, "tail", r->tail);
	strbuf_release(&how);
	strbuf_release(&kinds);
	return o;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int compare(const struct diag_list *k, const struct diag_list *l)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	json_t *x = diags_json(k), *y = diags_json(l);
	int different;

	json_dump_compact(x, &a);
	json_dump_compact(y, &b);
	different = strcmp(a.buf, b.buf) != 0;
	json_decref(x);
	json_decref(y);
	strbuf_release(&a);
	strbuf_release(&b);
	return different;
}

/* Checks one unit n times; the diagnostics must be those of a plain check. */
static int recheck_unit(struct kbuild_checker *c, const struct kbuild_unit *u,
			const struct kernel *k, const char *tree, int n, int *different,
			struct strbuf *err)
{
	struct diag_list plain = { 0 };
	int code = 0, ret = kbuild_recheck(u, k, tree, false, NULL, &plain, &code, err);

	for (int i = 0; i < n && !ret; i++) {
		struct diag_list diags = { 0 };
		int again = 0;

		ret = kbuild_checker_run(c, u, &diags, &again, err);
		*different += !ret && (compare(&plain, &diags) || again != code);
		diag_list_release(&diags);
	}
	diag_list_release(&plain);
	return ret;
}

static int recheck(const struct kbuild_result *r, const struct kernel *k, const struct driver *d,
		   const struct kbuild_args *a, const char *work, json_t *o, struct strbuf *err)
{
	char *scratch = path_join(work, "pch");
	struct kbuild_checker *c = kbuild_checker_new(k, d->tree, scratch);
	double start = now();
	int ret = 0, different = 0;

	for (size_t i = 0; i < r->nunits && !ret && a->recheck; i++)
		ret = recheck_unit(c, &r->units[i], k, d->tree, a->recheck, &different, err);
	if (a->recheck) {
		json_set_num(o, "recheck_seconds", now() - start);
		json_set_int(o, "recheck_different", different);
		json_set_int(o, "recheck_plain", kbuild_checker_stats(c)->plain);
		json_set_int(o, "recheck_fast", kbuild_checker_stats(c)->fast);
	}
	kbuild_checker_free(c);
	free(scratch);
	return ret;
}

static int build(const struct kbuild_args *a, const char *work, struct strbuf *err)
{
	struct kbuild_opts opts = { .keep_going = true, .wall_seconds = a->wall };
	struct kbuild_result r = { 0 };
	struct kernel *k = NULL;
	struct driver *d = NULL;
	struct strbuf text = STRBUF_INIT;
	char *tree = path_join(work, "tree"), *logs = path_join(work, "log");
	json_t *o = NULL;
	int ret = kernel_resolve(a->kernel, &k, err);

	opts.log_dir = logs;
	if (!ret)
		ret = driver_load(a->input, tree, NULL, &d, err);
	if (!ret)
		ret = driver_dkms_configure(d, k, err);
	if (!ret)
		ret = kbuild_run(d, k, &opts, &r, err);
	if (!ret) {
		o = result_json(&r, d, a->raw);
		ret = recheck(&r, k, d, a, work, o, err);
	}
	if (!ret) {
		json_dump_pretty(o, &text);
		fputs(text.buf, stdout);
		ret = kbuild_succeeded(&r) ? 0 : 1;
	}
	json_decref(o);
	kbuild_result_release(&r);
	driver_free(d);
	kernel_free(k);
	strbuf_release(&text);
	free(tree);
	free(logs);
	return ret;
}

static int parse(int argc, const char **argv, struct kbuild_args *a)
{
	for (int i = 1; i < argc; i++) {
		bool value = i + 1 < argc;

		if (!strcmp(argv[i], "--raw"))
			a->raw = true;
		else if (!strcmp(argv[i], "--recheck") && value)
			a->recheck = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--keep") && value)
			a->keep = argv[++i];
		else if (!strcmp(argv[i], "--wall") && value)
			a->wall = atof(argv[++i]);
		else if (!a->input)
			a->input = argv[i];
		else if (!a->kernel)
			a->kernel = argv[i];
		else
			return -1;
	}
	return a->kernel ? 0 : -1;
}

int tool_kbuild(int argc, const char **argv)
{
	struct kbuild_args a = { 0 };
	struct strbuf err = STRBUF_INIT;
	char *work = NULL;
	int ret;

	if (parse(argc, argv, &a) < 0) {
		fprintf(stderr, "usage: test-tool kbuild [options] INPUT KERNEL\n");
		return 129;
	}
	if (a.keep) {
		ret = file_mkdirs(a.keep, &err);
		work = file_realpath(a.keep);
	} else {
		ret = file_mkdtemp("/tmp", "kport-test", &work, &err);
	}
	if (!ret)
		ret = build(&a, work, &err);
	if (ret < 0)
		fprintf(stderr, "test-tool kbuild: %s\n", err.buf);
	if (work && !a.keep)
		file_remove(work, &err);
	free(work);
	strbuf_release(&err);
	return ret < 0 ? kp_exit_code(ret) : ret;
}
