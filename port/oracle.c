// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/oracle.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"
#include "harness/checker.h"
#include "harness/sandbox.h"
#include "port/oracle-deps.h"
#include "port/oracle-pool.h"

struct oracle {
	const struct kernel *k;
	const struct kbuild_unit *units;
	size_t nunits;
	const char **unit_paths; /* relative, into units' strings; NULL: outside */
	struct hash_hex *unit_keys; /* command and kernel */
	char *tree_dir;
	struct kbuild_checker *checker;
	struct oracle_pool *pool; /* NULL: one at a time */
	unsigned jobs;
	struct unit_deps *deps;
	bool *seen;		/* one a file, of the last unit_deps_mark() */
	struct tree *original, *on_disk;
	struct strmap said;	/* key -> struct kbuild_answer that was asked for ahead */
	struct cache *cache;
	struct strmap memory;	/* key -> json_t array of diagnostics */
	const struct strmap *baseline;
	struct oracle_stats stats;
};

/* A change of what is stored or of how diagnostics are read makes old entries invalid. */
#define ORACLE_FORMAT "oracle-3"

static struct hash_hex unit_key(const struct kernel *k, const struct kbuild_unit *u)
{
	struct hash *h = hash_new();

	hash_add_str(h, ORACLE_FORMAT);
	hash_add_str(h, k->release);
	hash_add_str(h, k->build_dir);
	for (size_t i = 0; i < u->argv.n; i++)
		hash_add_str(h, u->argv.v[i]);
	return hash_final(h);
}

static void free_json(void *v)
{
	json_decref(v);
}

static void free_answer(void *v)
{
	struct kbuild_answer *a = v;

	if (a)
		strbuf_release(&a->text);
	free(a);
}

void oracle_free(struct oracle *o)
{
	struct strbuf ignored = STRBUF_INIT;

	if (!o)
		return;
	tree_write(o->original, o->on_disk, o->tree_dir, &ignored);
	strbuf_release(&ignored);
	kbuild_checker_free(o->checker);
	oracle_pool_free(o->pool);
	unit_deps_free(o->deps);
	strmap_release(&o->said, free_answer);
	free(o->seen);
	tree_unref(o->original);
	tree_unref(o->on_disk);
	strmap_release(&o->memory, free_json);
	free(o->unit_paths);
	free(o->unit_keys);
	free(o->tree_dir);
	free(o);
}

void oracle_set_baseline(struct oracle *o, const struct strmap *keys)
{
	o->baseline = keys;
}

size_t oracle_units(const struct oracle *o)
{
	return o->nunits;
}

const struct oracle_stats *oracle_stats(const struct oracle *o)
{
	return &o->stats;
}

static const bool *sees(struct oracle *o, const struct tree *t, size_t unit)
{
	unit_deps_mark(o->deps, t, o->unit_paths[unit], &o->units[unit].argv, o->seen);
	return o->seen;
}

bool oracle_unit_differs(struct oracle *o, struct tree *a, struct tree *b, size_t unit)
{
	const bool *seen = NULL;

	for (size_t i = 0; i < b->n; i++) {
		if (a->files[i] == b->files[i])
			continue;
		if (!seen)
			seen = sees(o, b, unit);
		if (seen[i])
			return true;
	}
	return false;
}

static struct hash_hex check_key(struct oracle *o, struct tree *t, size_t unit)
{
	struct hash *h = hash_new();
	const bool *seen = sees(o, t, unit);

	hash_add_str(h, o->unit_keys[unit].hex);
	for (size_t i = 0; i < t->n; i++) {
		struct srcfile *f = t->files[i];

		if (!seen[i] || !srcfile_is_c(f))
			continue;
		hash_add_str(h, f->path);
		hash_add_str(h, f->hash.hex);
	}
	return hash_final(h);
}

static json_t *diags_json(const struct diag_list *l)
{
	json_t *v = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(v, diag_to_json(&l->d[i]));
	return v;
}

/* The build that captured the units has answered for their present texts already. */
static void seed(struct oracle *o)
{
	for (size_t i = 0; i < o->nunits; i++) {
		const struct kbuild_unit *u = &o->units[i];
		struct hash_hex key;

		if (u->exit_code && !u->diags.n)
			continue;
		key = check_key(o, o->original, i);
		json_decref(strmap_put(&o->memory, key.hex, diags_json(&u->diags)));
	}
}

int oracle_new(const struct kernel *k, const struct kbuild_unit *units, size_t nunits,
	       const char *tree_dir, struct tree *on_disk, struct cache *cache,
	       struct oracle **out, struct strbuf *err)
{
	struct oracle *o = xcalloc(1, sizeof(*o));
	char *scratch = xstrfmt("%s.pch", tree_dir);

	o->k = k;
	o->checker = kbuild_checker_new(k, tree_dir, scratch);
	free(scratch);
	o->units = units;
	o->nunits = nunits;
	o->tree_dir = xstrdup(tree_dir);
	o->original = tree_ref(on_disk);
	o->on_disk = tree_ref(on_disk);
	o->cache = cache;
	o->deps = unit_deps_new();
	o->seen = xcalloc(on_disk->n ? on_disk->n : 1, sizeof(*o->seen));
	o->unit_paths = xcalloc(nunits ? nunits : 1, sizeof(*o->unit_paths));
	o->unit_keys = xcalloc(nunits ? nunits : 1, sizeof(*o->unit_keys));
	for (size_t i = 0; i < nunits; i++) {
		o->unit_paths[i] = path_inside(tree_dir, units[i].source);
		o->unit_keys[i] = unit_key(k, &units[i]);
	}
	seed(o);
	*out = o;
	return 0;
}

/* Diagnostics hold absolute names; stored, the tree is "@" so that another run finds them. */
static void swap_prefix(json_t *v, const char *from, const char *to)
{
	const char *key;
	json_t *child;
	size_t i;

	if (json_is_array(v)) {
		json_array_foreach(v, i, child)
			swap_prefix(child, from, to);
		return;
	}
	if (!json_is_object(v))
		return;
	json_object_foreach(v, key, child) {
		const char *s = json_string_value(child);

		if (s && !strcmp(key, "file") && starts_with(s, from)) {
			struct strbuf sb = STRBUF_INIT;

			strbuf_addf(&sb, "%s%s", to, s + strlen(from));
			json_string_set(child, sb.buf);
			strbuf_release(&sb);
		} else {
			swap_prefix(child, from, to);
		}
	}
}

static json_t *from_cache(struct oracle *o, const struct hash_hex *key)
{
	json_t *v = strmap_get(&o->memory, key->hex);
	struct strbuf sb = STRBUF_INIT, ignored = STRBUF_INIT;

	if (v || !o->cache)
		return v;
	if (!cache_get(o->cache, key, &sb, &ignored)) {
		v = json_loadb(sb.buf, sb.len, 0, NULL);
		if (v) {
			swap_prefix(v, "@/", o->tree_dir);
			strmap_put(&o->memory, key->hex, v);
		}
	}
	strbuf_release(&sb);
	strbuf_release(&ignored);
	return v;
}

static void to_cache(struct oracle *o, const struct hash_hex *key, json_t *v)
{
	struct strbuf sb = STRBUF_INIT, ignored = STRBUF_INIT;

	strmap_put(&o->memory, key->hex, v);
	if (!o->cache)
		return;
	swap_prefix(v, o->tree_dir, "@/");
	json_dump_compact(v, &sb);
	swap_prefix(v, "@/", o->tree_dir);
	/* A cache that cannot be written costs time, not truth. */
	cache_put(o->cache, key, sb.buf, sb.len, &ignored);
	strbuf_release(&sb);
	strbuf_release(&ignored);
}

static int move_to(struct oracle *o, struct tree *t, struct strbuf *err)
{
	int ret;

	if (t == o->on_disk)
		return 0;
	ret = tree_write(t, o->on_disk, o->tree_dir, err);
	if (ret)
		return ret;
	tree_unref(o->on_disk);
	o->on_disk = tree_ref(t);
	return 0;
}

/* The answer that was asked for ahead, or the compiler's now. */
static int compile(struct oracle *o, struct tree *t, size_t unit, const struct hash_hex *key,
		   json_t **out, struct strbuf *err)
{
	struct kbuild_answer *a = strmap_remove(&o->said, key->hex);
	struct diag_list diags = { 0 };
	int ret = move_to(o, t, err);
	double start = clock_seconds();

	if (!ret && !a) {
		a = xcalloc(1, sizeof(*a));
		strbuf_init(&a->text);
		ret = kbuild_checker_ask(o->checker, &o->units[unit], a, err);
		o->stats.compiled++;
		o->stats.wall += clock_seconds() - start;
	}
	if (!ret) {
		kbuild_answer_read(a, &o->units[unit], o->tree_dir, &diags);
		*out = diags_json(&diags);
	}
	diag_list_release(&diags);
	free_answer(a);
	return ret;
}

void oracle_set_jobs(struct oracle *o, unsigned jobs)
{
	/* A copy in the tree's place is what the sandbox makes possible. */
	o->jobs = jobs && !sandbox_is_disabled() ? jobs : 1;
	oracle_pool_free(o->pool);
	o->pool = o->jobs > 1 ? oracle_pool_new(o->k, o->tree_dir, o->original, o->jobs) : NULL;
}

unsigned oracle_jobs(const struct oracle *o)
{
	return o->jobs ? o->jobs : 1;
}

static bool job_is_new(struct oracle *o, const struct hash_hex *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(keys[i].hex, keys[n].hex))
			return false;
	return !strmap_has(&o->said, keys[n].hex) && !from_cache(o, &keys[n]);
}

int oracle_prefetch(struct oracle *o, const struct oracle_request *r, size_t n, struct strbuf *err)
{
	struct oracle_job *jobs = xcalloc(n ? n : 1, sizeof(*jobs));
	struct hash_hex *keys = xcalloc(n ? n : 1, sizeof(*keys));
	size_t k = 0;
	double start = clock_seconds();
	int ret = 0;

	for (size_t i = 0; o->pool && i < n; i++) {
		keys[k] = check_key(o, r[i].tree, r[i].unit);
		if (!job_is_new(o, keys, k))
			continue;
		jobs[k] = (struct oracle_job){ .tree = r[i].tree, .unit = &o->units[r[i].unit],
					       .answer = KBUILD_ANSWER_INIT, .err = STRBUF_INIT };
		k++;
	}
	/* One alone is as soon there when it is asked for. */
	if (k > 1)
		ret = oracle_pool_run(o->pool, jobs, k, err);
	for (size_t i = 0; i < k; i++) {
		if (!ret && k > 1 && !jobs[i].ret) {
			strmap_put(&o->said, keys[i].hex, xmemdup(&jobs[i].answer, sizeof(jobs[i].answer)));
			o->stats.compiled++;
		} else {
			strbuf_release(&jobs[i].answer.text);
		}
		strbuf_release(&jobs[i].err);
	}
	if (k > 1)
		o->stats.wall += clock_seconds() - start;
	free(jobs);
	free(keys);
	return ret;
}

int oracle_check(struct oracle *o, struct tree *t, size_t unit, struct breakage_list *out,
		 struct strbuf *err)
{
	struct hash_hex key = check_key(o, t, unit);
	json_t *v = from_cache(o, &key), *one;
	struct diag_list diags = { 0 };
	size_t i;

	o->stats.checks++;
	if (!v) {
		int ret = compile(o, t, unit, &key, &v, err);

		if (ret)
			return ret;
		to_cache(o, &key, v);
	}
	json_array_foreach(v, i, one)
		diag_from_json(one, diag_list_add(&diags));
	breakages_from_diags(&diags, (int)unit, o->tree_dir, t, o->baseline, out);
	diag_list_release(&diags);
	return 0;
}
