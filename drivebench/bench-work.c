// SPDX-License-Identifier: GPL-2.0-only
/* One case and attempt: from the key of its result to the record. */
#include "base/compat.h"
#include "drivebench/bench-run.h"

#include "base/alloc.h"
#include "base/cache.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"
#include "base/workdir.h"
#include "drivebench/bundle.h"
#include "drivebench/equiv.h"
#include "drivebench/similar.h"
#include "drivebench/validate.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static int add_kernels(struct hash *h, const struct bench_run *r, const struct bench_case *c, struct strbuf *err)
{
	const json_t *refs[] = { c->from, c->to };

	for (int i = 0; i < 2; i++) {
		const struct kernel *k;
		int ret = refs_kernel(&r->refs, refs[i], &k, err);

		if (ret)
			return KP_INFRA;
		hash_add_str(h, k->release);
		hash_add_str(h, k->build_dir);
		hash_add_str(h, k->cc ? k->cc : "");
	}
	return 0;
}

static void prediction_hash(const struct bench_run *r, const struct bench_case *c, int attempt, struct hash *h)
{
	char *file = xstrfmt("%s/%s.%d.patch", r->solver.predictions, c->id, attempt);
	struct strbuf ignored = STRBUF_INIT;
	struct hash_hex hex = { "" };

	hash_file(file, &hex, &ignored);
	hash_add_str(h, hex.hex);
	strbuf_release(&ignored);
	free(file);
}

/* Of a result: settings, program, case, kernels, attempt, and what is predicted. */
static int result_key(const struct bench_run *r, const struct bench_case *c, int attempt, struct hash_hex *out,
		      struct strbuf *err)
{
	struct hash *h = hash_new();
	struct strbuf text = STRBUF_INIT;
	char *n = xstrfmt("%d", attempt);
	int ret;

	json_dump_compact(r->settings, &text);
	hash_add_str(h, "bench result 1");
	hash_add_str(h, text.buf);
	hash_add_str(h, r->program.hex);
	hash_add_str(h, c->id);
	hash_add_str(h, n);
	ret = add_kernels(h, r, c, err);
	if (r->solver.kind == SOLVER_PREDICTIONS)
		prediction_hash(r, c, attempt, h);
	*out = hash_final(h);
	strbuf_release(&text);
	free(n);
	return ret;
}

/* Of what the gates say to one patch, whoever made it. */
static int grade_key(const struct bench_run *r, const struct bench_case *c, const struct strbuf *patch,
		     struct hash_hex *out, struct strbuf *err)
{
	struct hash *h = hash_new();
	char *mask = xstrfmt("%u", r->mask);
	int ret;

	hash_add_str(h, "bench grade 1");
	hash_add_str(h, r->program.hex);
	hash_add_str(h, c->id);
	hash_add_str(h, mask);
	hash_add_str(h, hash_buf(patch->buf, patch->len).hex);
	ret = add_kernels(h, r, c, err);
	*out = hash_final(h);
	free(mask);
	return ret;
}

bool bench_result_current(const struct bench_run *r, const struct bench_case *c, int attempt)
{
	char *path = bench_result_path(r, c, attempt);
	struct strbuf ignored = STRBUF_INIT;
	struct hash_hex key;
	json_t *v = NULL;
	const char *old;
	bool yes;

	yes = file_exists(path) && !json_read_file(path, 0, &v, &ignored) && !result_key(r, c, attempt, &key, &ignored);
	old = yes ? json_get_str(v, "key") : NULL;
	/* A fault of the machine is tried again. */
	yes = old && !strcmp(old, key.hex) && strcmp(json_get_str(v, "status"), "infra");
	json_decref(v);
	strbuf_release(&ignored);
	free(path);
	return yes;
}

/* ---- judging ---------------------------------------------------------------------------------- */

/* What was said before about this very patch, or NULL. */
static json_t *cached(struct cache *cache, const struct hash_hex *key)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	json_t *v = NULL;

	if (cache && !cache_get(cache, key, &text, &ignored))
		v = json_loadb(text.buf, text.len, 0, NULL);
	strbuf_release(&text);
	strbuf_release(&ignored);
	return v;
}

static void remember(struct cache *cache, const struct hash_hex *key, const json_t *v)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;

	json_dump_compact(v, &text);
	if (cache)
		cache_put(cache, key, text.buf, text.len, &ignored);
	strbuf_release(&text);
	strbuf_release(&ignored);
}

static struct cache *open_cache(void)
{
	char *dir = kport_cache_dir(), *path = path_join(dir, "bench-grades");
	struct strbuf ignored = STRBUF_INIT;
	struct cache *c = NULL;

	if (!file_mkdirs(path, &ignored))
		cache_open(path, &c, &ignored);
	strbuf_release(&ignored);
	free(dir);
	free(path);
	return c;
}

/* {"gates", "details", "resolved", "text": the file as the patch leaves it} */
static int judge(const struct bench_run *r, const struct material *m, const struct strbuf *patch, const char *work,
		 json_t **out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	char *tree = path_join(work, "answer"), *file = m->file ? path_join(tree, m->file) : NULL;
	struct gate_ladder l;
	struct grader g;
	int ret;

	gate_ladder_init(&l);
	grader_init(&g, m, work, r->mask);
	ret = grader_judge(&g, "answer", patch->buf, patch->len, &l, err);
	if (!ret && ladder_infra(&l))
		ret = kp_fail(err, KP_INFRA, "a gate could not run here");
	if (!ret) {
		/* A file that the patch removes is empty. */
		file ? file_read(file, 0, &text, &ignored) : bundle_read(tree, &text, &ignored);
		*out = json_object();
		json_object_set_new(*out, "gates", ladder_verdicts(&l));
		json_object_set_new(*out, "details", ladder_details(&l));
		json_set_bool(*out, "resolved", ladder_resolved(&l, r->mask));
		json_object_set_new(*out, "text", json_str(text.buf));
	}
	gate_ladder_release(&l);
	grader_release(&g);
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(tree);
	free(file);
	return ret;
}

static int judge_cached(const struct bench_run *r, const struct bench_case *c, const struct material *m,
			const struct strbuf *patch, const char *work, json_t **out, struct strbuf *err)
{
	struct cache *cache = open_cache();
	struct hash_hex key;
	int ret = grade_key(r, c, patch, &key, err);

	if (!ret && !(*out = cached(cache, &key))) {
		ret = judge(r, m, patch, work, out, err);
		if (!ret)
			remember(cache, &key, *out);
	}
	cache_close(cache);
	return ret;
}

/* ---- comparing --------------------------------------------------------------------------------- */

static void case_names(const struct bench_case *c, struct strvec *out)
{
	json_t *s;
	size_t i;

	json_array_foreach(json_object_get(c->json, "symbols"), i, s) {
		const char *both[] = { json_get_str(s, "name"), json_get_str(s, "to") };

		for (int k = 0; k < 2; k++) {
			const char *dot = both[k] ? strrchr(both[k], '.') : NULL;

			if (both[k] && !strchr(both[k], '/'))
				strvec_push(out, dot ? dot + 1 : both[k]);
		}
	}
}

static int compare(const struct bench_run *r, const struct bench_case *c, const char *ours, json_t *rec,
		   struct strbuf *err)
{
	struct strbuf old = STRBUF_INIT, gold = STRBUF_INIT;
	struct strvec names = STRVEC_INIT;
	int ret = refs_text(&r->refs, c, false, &old, err);

	if (!ret)
		ret = refs_text(&r->refs, c, true, &gold, err);
	if (!ret) {
		struct similar s;
		struct equiv q;

		case_names(c, &names);
		similar_compare(old.buf, ours ? ours : old.buf, gold.buf, names.v, names.n, &s);
		json_object_set_new(rec, "similar", similar_json(&s));
		equiv_compare(old.buf, ours ? ours : old.buf, gold.buf, &q);
		json_set_str(rec, "equivalence", equiv_class_name(q.cls));
		equiv_release(&q);
	}
	strvec_release(&names);
	strbuf_release(&old);
	strbuf_release(&gold);
	return ret;
}

/* ---- the record --------------------------------------------------------------------------------- */

static json_t *start_record(const struct bench_run *r, const struct bench_case *c, int attempt, const char *key)
{
	json_t *o = json_object();

	json_set_int(o, "schema_version", 1);
	json_set_str(o, "case", c->id);
	json_set_int(o, "attempt", attempt);
	json_set_str(o, "key", key);
	json_set_str(o, "solver", solver_name(r->solver.kind));
	json_set_str(o, "kport", bench_version());
	json_set_str(o, "track", c->track);
	json_set_str(o, "pair", c->pair);
	json_set_str(o, "driver", c->path ? c->path : c->name);
	json_set_str(o, "group", c->group);
	json_set_str(o, "taxonomy", c->taxonomy);
	json_set_str(o, "date", c->date);
	json_set_str(o, "split", case_split(c));
	json_set_bool(o, "resolved", false);
	return o;
}

static int grade_answer(struct bench_run *r, const struct bench_case *c, const struct material *m,
			struct bench_answer *a, const char *work, json_t *rec, struct strbuf *err)
{
	char *stranger = a->patch.len ? patch_stranger(m, a->patch.buf, a->patch.len) : NULL;
	json_t *grade = NULL;
	int ret = 0;

	if (stranger) {
		json_set_str(rec, "status", "refused");
		strbuf_reset(&a->note);
		strbuf_addf(&a->note, "the patch touches '%.200s', which is no part of the driver", stranger);
	} else {
		json_set_str(rec, "status", a->patch.len ? "answered" : "none");
		ret = judge_cached(r, c, m, &a->patch, work, &grade, err);
	}
	if (grade) {
		json_object_set(rec, "gates", json_object_get(grade, "gates"));
		json_object_set(rec, "details", json_object_get(grade, "details"));
		json_object_set(rec, "resolved", json_object_get(grade, "resolved"));
	}
	if (!ret)
		ret = compare(r, c, grade ? json_get_str(grade, "text") : NULL, rec, err);
	json_decref(grade);
	free(stranger);
	return ret;
}

static void put_cost(json_t *rec, const struct bench_answer *a, double graded)
{
	json_t *cost = a->cost ? json_deep_copy(a->cost) : json_object(), *seconds = json_object();

	json_set_num(seconds, "solve", a->seconds);
	json_set_num(seconds, "grade", graded);
	json_object_set_new(cost, "seconds", seconds);
	json_object_set_new(rec, "cost", cost);
}

static int keep_patch(const struct bench_run *r, const struct bench_case *c, int attempt, const struct bench_answer *a,
		      json_t *rec, struct strbuf *err)
{
	char *path = xstrfmt("%s/patches/%s.%d.patch", r->dir, c->id, attempt);
	json_t *p = json_object();
	int ret = file_mkdirs_for(path, err);

	json_set_int(p, "bytes", (int64_t)a->patch.len);
	json_set_str(p, "sha256", hash_buf(a->patch.buf, a->patch.len).hex);
	json_object_set_new(rec, "patch", p);
	if (!ret)
		ret = file_write(path, a->patch.buf, a->patch.len, err);
	free(path);
	return ret;
}

static int work_in(struct bench_run *r, const struct bench_case *c, int attempt, const char *work, json_t *rec,
		   struct strbuf *err)
{
	char *dirs[] = { path_join(work, "case"), path_join(work, "solve"), path_join(work, "grade") };
	struct material m = { 0 };
	struct bench_answer a = { .patch = STRBUF_INIT, .note = STRBUF_INIT };
	int ret = materialise(&r->refs, c, r->hints ? HINTS_SYMBOLS : HINTS_NONE, dirs[0], &m, err);
	double t;

	if (!ret)
		ret = solve(&r->solver, &r->refs, c, &m, attempt, dirs[1], &a, err);
	t = clock_seconds();
	if (!ret)
		ret = grade_answer(r, c, &m, &a, dirs[2], rec, err);
	if (!ret) {
		put_cost(rec, &a, clock_seconds() - t);
		json_object_set_new(rec, "note", a.note.len ? json_str(a.note.buf) : json_null());
		ret = keep_patch(r, c, attempt, &a, rec, err);
	}
	bench_answer_release(&a);
	material_release(&m);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		free(dirs[i]);
	return ret;
}

int bench_work_case(struct bench_run *r, const struct bench_case *c, int attempt, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT, ignored = STRBUF_INIT;
	char *path = bench_result_path(r, c, attempt), *work = NULL;
	struct hash_hex key = { "" };
	json_t *rec;
	int ret = result_key(r, c, attempt, &key, &why);

	rec = start_record(r, c, attempt, key.hex);
	if (!ret)
		ret = workdir_make("bench-", &work, &why);
	if (!ret)
		ret = work_in(r, c, attempt, work, rec, &why);
	if (ret && ret != KP_INTERRUPTED) {
		json_set_str(rec, "status", "infra");
		json_set_bool(rec, "resolved", false);
		json_set_str(rec, "note", why.buf);
		ret = 0;
	}
	if (!ret)
		ret = file_mkdirs_for(path, err);
	if (!ret)
		ret = json_write_file(path, rec, err);
	else
		strbuf_addbuf(err, &why);
	if (work)
		file_remove(work, &ignored);
	json_decref(rec);
	strbuf_release(&why);
	strbuf_release(&ignored);
	free(path);
	free(work);
	return ret;
}
