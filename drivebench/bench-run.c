// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/bench-run.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"

int bench_run_create(const char *dir, json_t *settings, const struct case_set *cases, struct strbuf *err)
{
	char *file = path_join(dir, "run.json"), *list = path_join(dir, "cases.jsonl");
	json_t *old = NULL;
	int ret = file_mkdirs(dir, err);
	struct strbuf ids = STRBUF_INIT;

	for (size_t i = 0; i < cases->n; i++)
		strbuf_addf(&ids, "%s\n", cases->c[i]->id);
	json_set_str(settings, "cases_sha256", hash_buf(ids.buf, ids.len).hex);
	if (!ret && file_exists(file)) {
		ret = json_read_file(file, 0, &old, err);
		if (!ret && !json_equal(old, settings))
			ret = kp_fail(err, KP_ERR, "'%s' holds a run with other settings or cases; choose another directory", dir);
	} else if (!ret) {
		ret = case_set_write(cases, list, err);
		if (!ret)
			ret = json_write_file(file, settings, err);
	}
	json_decref(old);
	json_decref(settings);
	strbuf_release(&ids);
	free(file);
	free(list);
	return ret;
}

static int take_settings(struct bench_run *r, struct strbuf *err)
{
	const char *solver = json_get_str(r->settings, "solver"), *gates = json_get_str(r->settings, "gates");
	json_t *k;
	size_t i;

	if (json_get_int(r->settings, "schema_version", 0) != 1 || !solver || !gates ||
	    solver_parse(solver, &r->solver.kind) < 0)
		return kp_fail(err, KP_ERR, "'%s/run.json' is no run of this version", r->dir);
	r->solver.command = json_get_str(r->settings, "command");
	r->solver.network = json_get_bool(r->settings, "network", false);
	r->solver.seconds = json_get_num(r->settings, "seconds", 900);
	r->solver.memory = (uint64_t)json_get_int(r->settings, "memory_mib", 0) << 20;
	r->attempts = json_get_int(r->settings, "attempts", 1);
	r->hints = json_get_bool(r->settings, "hints", false);
	json_array_foreach(json_object_get(r->settings, "kernels"), i, k)
		if (json_is_string(k))
			strvec_push(&r->kernels, json_string_value(k));
	if (r->solver.kind == SOLVER_PREDICTIONS)
		r->solver.predictions = xstrfmt("%s/predictions", r->dir);
	if (r->solver.kind == SOLVER_AGENT && !r->solver.command)
		return kp_fail(err, KP_ERR, "'%s/run.json' names no command", r->dir);
	return gate_mask_parse(gates, &r->mask, err);
}

/* A case in both is there twice: that changes nothing. */
static int read_pool(struct bench_run *r, const char *list, struct strbuf *err)
{
	char *shipped = kport_data_path("drivebench/cases");
	struct case_set all = CASE_SET_INIT;
	int ret = case_set_read(&r->pool, list, err);

	if (!ret && file_is_dir(shipped))
		ret = case_set_read(&all, shipped, err);
	for (size_t i = 0; !ret && i < all.n; i++) {
		ALLOC_GROW(r->pool.c, r->pool.n + 1, r->pool.alloc);
		r->pool.c[r->pool.n++] = all.c[i];
		all.c[i] = NULL;
	}
	all.n = ret ? all.n : 0;
	case_set_release(&all);
	r->solver.pool = &r->pool;
	free(shipped);
	return ret;
}

int bench_run_open(const char *dir, bool for_work, struct bench_run *out, struct strbuf *err)
{
	char *file, *list;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->kernels);
	out->dir = file_realpath(dir);
	if (!out->dir)
		return kp_fail(err, KP_NOTFOUND, "there is no run '%s'", dir);
	file = path_join(out->dir, "run.json");
	list = path_join(out->dir, "cases.jsonl");
	ret = json_read_file(file, 0, &out->settings, err);
	if (!ret)
		ret = take_settings(out, err);
	if (!ret)
		ret = case_set_read(&out->cases, list, err);
	if (!ret && for_work && out->solver.kind == SOLVER_SIBLING)
		ret = read_pool(out, list, err);
	if (!ret && for_work)
		ret = refs_open(&out->refs, &out->kernels, err);
	if (!ret && for_work)
		ret = hash_file("/proc/self/exe", &out->program, err);
	free(file);
	free(list);
	return ret;
}

void bench_run_close(struct bench_run *r)
{
	if (r->solver.kind == SOLVER_PREDICTIONS)
		free((char *)r->solver.predictions);
	case_set_release(&r->cases);
	case_set_release(&r->pool);
	refs_release(&r->refs);
	strvec_release(&r->kernels);
	json_decref(r->settings);
	free(r->dir);
}

char *bench_result_path(const struct bench_run *r, const struct bench_case *c, int attempt)
{
	return xstrfmt("%s/results/%s.%d.json", r->dir, c->id, attempt);
}
