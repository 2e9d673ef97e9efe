// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/node.h"
#include "port/run.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/strmap.h"
#include "port/cautions.h"
#include "port/copies.h"
#include "port/model.h"
#include "port/record.h"
#include "port/report.h"
#include "port/rules.h"
#include "port/run-link.h"
#include "port/series.h"

void port_run_init(struct port_run *r)
{
	memset(r, 0, sizeof(*r));
	strbuf_init(&r->headline);
	strvec_init(&r->exclude);
	strvec_init(&r->unconfigured);
	strvec_init(&r->without);
	gate_ladder_init(&r->ladder);
}

void port_run_release(struct port_run *r)
{
	for (size_t i = 0; i < r->npatches; i++)
		port_patch_release(&r->patches[i]);
	free(r->patches);
	if (r->have_search)
		search_result_release(&r->search);
	if (r->have_old_build)
		kbuild_result_release(&r->old_build);
	if (r->have_break_build)
		kbuild_result_release(&r->break_build);
	if (r->have_new_build)
		kbuild_result_release(&r->new_build);
	breakage_list_release(&r->breakages);
	tree_unref(r->before);
	tree_unref(r->start);
	for (size_t i = 0; i < r->nfirst; i++)
		step_unref(r->first[i]);
	free(r->first);
	rule_set_free(r->caution_rules);
	free(r->watch);
	finding_list_release(&r->cautions);
	driver_free(r->orig);
	driver_free(r->old);
	driver_free(r->new);
	gate_ladder_release(&r->ladder);
	strbuf_release(&r->headline);
	strvec_release(&r->exclude);
	strvec_release(&r->unconfigured);
	strvec_release(&r->without);
	audit_close(r->audit);
	free(r->work_dir);
}

const char *port_outcome_name(enum port_outcome o)
{
	static const char *const names[] = { "nothing to port", "ported",
					     "ported, review these edits", "not ported" };

	return names[o];
}

/* ---- loading and building ------------------------------------------------ */

/* A copy of the pristine driver in work/NAME, configured for k. */
static int make_copy(struct port_run *r, const char *name, const struct kernel *k,
		     struct driver **out, struct strbuf *err)
{
	char *tree = path_join(r->work_dir, name);
	int ret = file_copy(r->orig->tree, tree, 0, NULL, err);

	if (!ret) {
		*out = driver_clone(r->orig, tree);
		ret = driver_dkms_configure(*out, k, err);
	}
	free(tree);
	return ret;
}

static int build(struct port_run *r, struct driver *d, const struct kernel *k, const char *log,
		 struct kbuild_result *out, bool *have, struct strbuf *err)
{
	char *dir = xstrfmt("%s/logs/%s", r->out_dir, log);
	struct kbuild_opts opts = { .log_dir = dir, .keep_going = true,
				    .wall_seconds = r->build_seconds };
	int ret = kbuild_run(d, k, &opts, out, err);

	*have = !ret;
	free(dir);
	return ret;
}

/* What a person should see first of a failed build. */
static void first_failure(const struct kbuild_result *b, struct strbuf *out)
{
	if (b->blame) {
		strbuf_addstr(out, b->blame);
		return;
	}
	for (size_t u = 0; u < b->nunits; u++) {
		for (size_t i = 0; i < b->units[u].diags.n; i++) {
			const struct diag *d = &b->units[u].diags.d[i];

			if (!diag_is_failure(d))
				continue;
			if (d->loc.file)
				strbuf_addf(out, "%s:%d: ", path_base(d->loc.file), d->loc.line);
			else if (b->units[u].source)
				strbuf_addf(out, "%s: ", path_base(b->units[u].source));
			strbuf_addstr(out, d->message);
			return;
		}
	}
	for (size_t i = 0; i < b->modpost.n; i++) {
		if (diag_is_failure(&b->modpost.d[i])) {
			strbuf_addstr(out, b->modpost.d[i].message);
			return;
		}
	}
	if (b->make_errors.n)
		strbuf_addstr(out, b->make_errors.v[0]);
	else if (!b->nmodules)
		strbuf_addstr(out, "no module came out of it");
	else if (b->missing.n)
		strbuf_addf(out, "no module '%.64s' came out of it", b->missing.v[0]);
	else
		child_describe(&b->child, out);
}

static int baseline(struct port_run *r, struct strbuf *err)
{
	double t = clock_seconds();
	int ret;

	if (!r->from)
		return 0;
	ret = make_copy(r, "old", r->from, &r->old, err);
	if (!ret && r->old->exclusive) {
		strbuf_addf(err, "'%s' says that it is not for kernel %s: %s", r->input,
			    r->from->name, r->old->exclusive);
		ret = KP_ERR;
	}
	if (!ret)
		ret = build(r, r->old, r->from, "baseline", &r->old_build, &r->have_old_build,
			    err);
	if (!ret && !kbuild_built(&r->old_build)) {
		strbuf_addf(err, "'%s' does not build on its own kernel %s: ", r->input,
			    r->from->name);
		first_failure(&r->old_build, err);
		ret = KP_ERR;
	}
	r->times.baseline = clock_seconds() - t;
	return ret;
}

/* Keys of the failures that the old kernel shows as well. */
static void baseline_keys(struct port_run *r, struct tree *old_tree, struct strmap *keys)
{
	for (size_t u = 0; r->have_old_build && u < r->old_build.nunits; u++) {
		struct breakage_list l = { 0 };

		breakages_from_diags(&r->old_build.units[u].diags, (int)u, r->old->tree, old_tree,
				     NULL, &l);
		for (size_t i = 0; i < l.n; i++)
			strmap_put(keys, l.b[i].key, NULL);
		breakage_list_release(&l);
	}
}

static void collect_breakages(struct port_run *r, const struct strmap *keys)
{
	const struct kbuild_result *b = &r->break_build;

	for (size_t u = 0; u < b->nunits; u++) {
		struct diag_list folded = { 0 };

		diag_fold(&b->units[u].diags, &folded);
		breakages_from_diags(&folded, (int)u, r->new->tree, r->before, keys,
				     &r->breakages);
		diag_list_release(&folded);
	}
	breakages_from_diags(&b->modpost, -1, r->new->tree, r->before, keys, &r->breakages);
}

static int break_it(struct port_run *r, struct strmap *keys, struct strbuf *err)
{
	struct tree *old_tree = NULL;
	double t = clock_seconds();
	int ret = make_copy(r, "new", r->to, &r->new, err);

	if (!ret)
		ret = tree_read(r->new->tree, &r->before, err);
	if (!ret)
		tree_set_version(r->before, r->to->version);
	if (!ret)
		ret = build(r, r->new, r->to, "before", &r->break_build, &r->have_break_build,
			    err);
	if (!ret && r->break_build.blame) {
		strbuf_addf(err, "the build of '%s' was stopped: %s", r->input,
			    r->break_build.blame);
		ret = KP_ERR;
	}
	if (!ret)
		units_follow_copies(&r->break_build, r->new->tree, r->before);
	if (!ret && r->old)
		ret = tree_read(r->old->tree, &old_tree, err);
	if (!ret) {
		if (old_tree)
			tree_set_version(old_tree, r->from->version);
		if (old_tree)
			baseline_keys(r, old_tree, keys);
		collect_breakages(r, keys);
	}
	tree_unref(old_tree);
	if (!ret)
		ret = run_kbuild_repair(r, err);
	if (!ret)
		ret = cautions_apply(r, err);
	r->times.breaks = clock_seconds() - t;
	return ret;
}

/* ---- engine -------------------------------------------------------------- */

struct engine {
	struct api_index *old_ix, *new_ix;
	struct api_diff *diff;
	struct rule_set *rules;
	struct examples *examples;
	struct learn_store *learned;
	struct cache *cache;
	struct search_ctx ctx;
	char *scratch, *tree_dir;
	struct progress *progress;
};

static void engine_release(struct engine *e)
{
	oracle_free(e->ctx.oracle);
	api_diff_close(e->diff);
	api_index_close(e->old_ix);
	api_index_close(e->new_ix);
	rule_set_free(e->rules);
	examples_close(e->examples);
	learn_store_close(e->learned);
	cache_close(e->cache);
	free(e->scratch);
	free(e->tree_dir);
}

static int load_rules(struct engine *e, struct strbuf *err)
{
	char *dir = kport_data_path("port/rules");
	int ret = rule_set_load(dir, &e->rules, err);

	free(dir);
	return ret;
}

static void show_mining(uint64_t done, uint64_t total, void *payload)
{
	struct engine *e = payload;

	if (!e->progress)
		e->progress = progress_start("mining both kernels' sources, once", total);
	progress_update(e->progress, done);
}

/* Scores of "kport learn", where it was run. */
static int open_learned(const char *examples, struct engine *e, struct strbuf *err)
{
	char *path = learn_store_path(examples);
	int ret = file_exists(path) ? learn_store_open(path, &e->learned, err) : 0;

	free(path);
	return ret;
}

/* What other drivers did, when the sources of both kernels are here; mined on first use. */
static int open_examples(struct port_run *r, struct engine *e, struct strbuf *err)
{
	char *path;
	int ret = 0;

	if (!r->from || !r->from->source_dir || !r->to->source_dir)
		return 0;
	path = examples_path(r->from->source_dir, r->to->source_dir);
	if (!file_exists(path))
		ret = examples_mine(r->from->source_dir, r->to->source_dir, NULL, path,
				    show_mining, e, err);
	progress_finish(e->progress);
	e->progress = NULL;
	if (!ret)
		ret = examples_open(path, &e->examples, err);
	if (!ret)
		ret = open_learned(path, e, err);
	free(path);
	return ret;
}

static int engine_open(struct port_run *r, struct engine *e, struct strbuf *err)
{
	char *home = kport_cache_dir(), *dir = path_join(home, "oracle");
	int ret = cache_open(dir, &e->cache, err);

	free(dir);
	free(home);
	e->scratch = path_join(r->work_dir, "scratch");
	e->tree_dir = xstrdup(r->new->tree);
	if (!ret)
		ret = file_mkdirs(e->scratch, err);
	if (!ret && r->from)
		ret = api_index_open(r->from->common_dir, r->from->build_dir, r->from->symvers,
				     &e->old_ix, err);
	if (!ret)
		ret = api_index_open(r->to->common_dir, r->to->build_dir, r->to->symvers,
				     &e->new_ix, err);
	if (!ret && r->from)
		ret = api_diff_open(e->old_ix, e->new_ix, &e->diff, err);
	if (!ret)
		ret = load_rules(e, err);
	if (!ret)
		ret = open_examples(r, e, err);
	if (!ret)
		ret = oracle_new(r->to, r->break_build.units, r->break_build.nunits, r->new->tree,
				 r->start, e->cache, &e->ctx.oracle, err);
	if (ret)
		return ret;
	e->ctx.propose = (struct propose_ctx){ .from = r->from, .to = r->to,
		.old_ix = e->old_ix, .new_ix = e->new_ix, .diff = e->diff,
		.tree_dir = e->tree_dir, .scratch = e->scratch, .rules = e->rules,
		.only_model = r->model && r->model->policy == MODEL_ONLY,
		.examples = e->examples, .learned = e->learned, .exclude = &r->exclude, .without = &r->without };
	return 0;
}

static void show_progress(size_t left, size_t done, void *payload)
{
	struct engine *e = payload;

	progress_note(e->progress, "%zu left, %zu repaired", left, done);
	progress_update(e->progress, done);
}

static int search(struct port_run *r, const struct strmap *keys, struct strbuf *err)
{
	struct engine e = { 0 };
	double t = clock_seconds();
	int ret = engine_open(r, &e, err);

	r->times.index = clock_seconds() - t;
	if (!ret) {
		t = clock_seconds();
		oracle_set_baseline(e.ctx.oracle, keys);
		oracle_set_jobs(e.ctx.oracle, search_jobs(&r->search_opts));
		e.progress = progress_start("searching", 0);
		r->search_opts.interrupted = child_interrupted;
		r->search_opts.progress = show_progress;
		r->search_opts.payload = &e;
		ret = search_run(&e.ctx, r->start, &r->search_opts, &r->search, err);
		r->have_search = !ret;
		if (!ret && r->model && r->search.tree)
			ret = model_continue(r, &e.ctx, err);
		if (!ret)
			ret = search_minimise(&e.ctx, &r->search, err) < 0 ? KP_INFRA : 0;
		if (!ret)
			run_put_first(r);
		progress_finish(e.progress);
		r->times.search = clock_seconds() - t;
	}
	/* The linker judges whole builds: the oracle lets go of the tree. */
	if (e.ctx.oracle)
		r->oracle = *oracle_stats(e.ctx.oracle);
	oracle_free(e.ctx.oracle);
	e.ctx.oracle = NULL;
	if (!ret && r->search.complete) {
		t = clock_seconds();
		ret = run_link_repairs(r, &e.ctx, err);
		r->times.build = clock_seconds() - t;
	}
	engine_release(&e);
	return ret;
}

/* ---- verdict ------------------------------------------------------------- */

static size_t count_risk(const struct port_run *r, enum risk risk)
{
	size_t n = 0;

	for (size_t i = 0; r->have_search && i < r->search.nsteps; i++)
		n += r->search.steps[i]->group->risk == risk;
	return n;
}

static const struct gate_report *first_bad_gate(const struct port_run *r, enum gate_id *id)
{
	for (int g = 0; g < GATE_COUNT; g++) {
		const struct gate_report *rep = &r->ladder.gate[g];

		if (rep->verdict == VERDICT_FAIL || rep->verdict == VERDICT_INFRA ||
		    rep->verdict == VERDICT_UNKNOWN) {
			*id = (enum gate_id)g;
			return rep;
		}
	}
	return NULL;
}

bool port_run_lacks_machine(const struct port_run *r)
{
	bool infra = false;

	if (r->outcome != PORT_NOT || (r->have_search && r->search.left.n) || count_risk(r, RISK_SHOWN))
		return false;
	for (int i = 0; i < GATE_COUNT; i++) {
		if (r->ladder.gate[i].verdict == VERDICT_FAIL)
			return false;
		infra |= r->ladder.gate[i].verdict == VERDICT_INFRA;
	}
	return infra;
}

/* What was not asked for proves nothing; whoever reads one line is told. */
static void add_not_run(struct port_run *r)
{
	const char *sep = "; not run: ";

	for (int g = 0; g < GATE_COUNT; g++)
		if (r->ladder.gate[g].verdict == VERDICT_NONE) {
			strbuf_addf(&r->headline, "%s%s", sep, gate_name((enum gate_id)g));
			sep = " ";
		}
}

static void decide(struct port_run *r)
{
	size_t shown = count_risk(r, RISK_SHOWN), review = count_risk(r, RISK_REVIEW);
	size_t steps = r->have_search ? r->search.nsteps : 0;
	enum gate_id id = GATE_COUNT;
	const struct gate_report *bad;

	strbuf_reset(&r->headline);
	r->outcome = PORT_NOT;
	if (r->have_search && r->search.left.n) {
		strbuf_addf(&r->headline, "%zu of %zu breakages are left, the first: %s",
			    r->search.left.n, r->breakages.n, r->search.left.b[0].diag.message);
		return;
	}
	bad = first_bad_gate(r, &id);
	if (bad && id == GATE_LINK && r->unconfigured.n) {
		strbuf_addf(&r->headline, "a matter of configuration, not of drift: '%s' is exported "
			    "by %s, which %s is built without", r->unconfigured.v[0],
			    r->unconfigured.v[1], r->to->name);
		return;
	}
	if (bad) {
		strbuf_addf(&r->headline, "gate %s is %s: %s", gate_name(id),
			    verdict_name(bad->verdict), bad->reason.buf);
		return;
	}
	if (shown) {
		strbuf_addf(&r->headline, "it builds only with %zu edits that a person has to decide",
			    shown);
		return;
	}
	if (!steps) {
		r->outcome = r->cautions.n ? PORT_REVIEW : PORT_NOTHING;
		strbuf_addf(&r->headline, "builds on %s as it is", r->to->name);
	} else if (review) {
		r->outcome = PORT_REVIEW;
		strbuf_addf(&r->headline, "%zu of %zu edit%s want%s a look", review, steps,
			    steps == 1 ? "" : "s", review == 1 ? "s" : "");
	} else {
		r->outcome = r->cautions.n ? PORT_REVIEW : PORT_PORTED;
		strbuf_addf(&r->headline, "%zu edit%s of the safe kinds", steps,
			    steps == 1 ? "" : "s");
	}
	if (r->cautions.n)
		strbuf_addf(&r->headline, "; %zu place%s behave%s otherwise there, the first: %s:%d", r->cautions.n,
			    r->cautions.n == 1 ? "" : "s", r->cautions.n == 1 ? "s" : "", r->cautions.f[0].file,
			    r->cautions.f[0].line);
	add_not_run(r);
}

int run_fresh_build(struct port_run *r, struct tree *t, struct kbuild_result *out,
		    struct strbuf *err)
{
	char *dir = xstrfmt("%s/logs/after", r->out_dir);
	struct kbuild_opts opts = { .log_dir = dir, .keep_going = true,
				    .wall_seconds = r->build_seconds };
	int ret = file_remove(r->new->tree, err);

	/* A new copy: objects of the attempts before must not hide what is not rebuilt. */
	driver_free(r->new);
	r->new = NULL;
	if (!ret)
		ret = make_copy(r, "new", r->to, &r->new, err);
	if (!ret)
		ret = tree_write(t, NULL, r->new->tree, err);
	if (!ret)
		ret = kbuild_run(r->new, r->to, &opts, out, err);
	free(dir);
	return ret;
}

/* What run_link_repairs() has built already is not built again. */
static int final_build(struct port_run *r, struct strbuf *err)
{
	double t = clock_seconds();
	int ret = 0;

	if (!r->have_search) {
		r->new_build = r->break_build;
		r->have_new_build = true;
		r->have_break_build = false;
	} else if (!r->have_new_build) {
		ret = run_fresh_build(r, r->search.tree, &r->new_build, err);
		r->have_new_build = !ret;
	}
	r->times.build += clock_seconds() - t;
	return ret;
}

static int run_gates(struct port_run *r, unsigned mask, struct strbuf *err)
{
	struct gate_subject s = { .from = r->from, .to = r->to, .old = r->old, .new = r->new,
		.old_build = r->have_old_build ? &r->old_build : NULL,
		.new_build = &r->new_build, .run_dir = r->out_dir,
		.pristine_tree = r->orig->tree, .boot_seconds = r->boot_seconds,
		.boot_runs = r->boot_runs, .boot_from = r->boot_from, .analyse = r->analyse };
	char *patch = xstrfmt("%s/port.patch", r->out_dir);
	double t = clock_seconds();
	int ret;

	s.patch_path = file_exists(patch) ? patch : NULL;
	ret = gates_run(&s, mask, &r->ladder, err);
	r->times.gates += clock_seconds() - t;
	free(patch);
	return ret;
}

/* The ported sources (without objects) for the user: pristine copy plus the new texts. */
static int write_tree(struct port_run *r, struct strbuf *err)
{
	char *dir = xstrfmt("%s/tree", r->out_dir);
	int ret = file_remove(dir, err);

	if (!ret)
		ret = file_copy(r->orig->tree, dir, 0, NULL, err);
	if (!ret)
		ret = tree_write(r->have_search ? r->search.tree : r->before, NULL, dir, err);
	free(dir);
	return ret;
}

static void audit_outcome(struct port_run *r)
{
	struct strbuf ignored = STRBUF_INIT;
	json_t *o = json_object();

	json_set_str(o, "outcome", port_outcome_name(r->outcome));
	json_set_str(o, "headline", r->headline.buf);
	json_object_set_new(o, "gates", gate_ladder_json(&r->ladder));
	audit_add(r->audit, "outcome", o, &ignored);
	strbuf_release(&ignored);
}

static int outputs(struct port_run *r, struct strbuf *err)
{
	int ret = write_tree(r, err);

	if (!ret)
		ret = report_write(r, err);
	/* The record keeps the trail's last line, so that is written first. */
	if (!ret)
		audit_outcome(r);
	if (!ret)
		ret = record_write(r, err);
	return ret;
}

/* In the output directory, so that a later run clears it away; elsewhere when make cannot build below its path. */
static int make_work_dir(struct port_run *r, struct strbuf *err)
{
	char *logs = path_join(r->out_dir, "logs");
	int ret = file_remove(logs, err);

	free(logs);
	if (ret)
		return ret;
	if (!driver_tree_path_ok(r->out_dir))
		return file_mkdtemp("/tmp", "kport-work", &r->work_dir, err);
	r->work_dir = path_join(r->out_dir, "work");
	ret = file_remove(r->work_dir, err);
	return ret ? ret : file_mkdirs(r->work_dir, err);
}

static int load(struct port_run *r, struct strbuf *err)
{
	struct driver_load_opts opts = { 0 };
	double t = clock_seconds();
	int ret = make_work_dir(r, err);
	char *tree = ret ? NULL : path_join(r->work_dir, "orig");

	if (!ret)
		ret = driver_load(r->input, tree, &opts, &r->orig, err);
	/* What the kernel's developers did to this very driver is not for us to see. */
	if (!ret && r->orig->intree_path)
		strvec_push(&r->exclude, r->orig->intree_path);
	free(tree);
	r->times.load = clock_seconds() - t;
	return ret;
}

/* Captured commands and shims are of use while it runs; the logs stay. */
static void drop_captures(const struct port_run *r)
{
	static const char *const builds[] = { "baseline", "before", "after" };
	static const char *const what[] = { "commands", "shims" };
	struct strbuf ignored = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(builds) * ARRAY_SIZE(what); i++) {
		char *dir = xstrfmt("%s/logs/%s/%s", r->out_dir, builds[i / 2], what[i % 2]);

		file_remove(dir, &ignored);
		free(dir);
	}
	strbuf_release(&ignored);
}

/* One search, and the gates over what it gave. */
static int prove(struct port_run *r, bool searched, unsigned mask, struct strbuf *err)
{
	int ret = searched ? search(r, r->keys, err) : 0;

	if (!ret && r->have_search)
		ret = series_make(r, err);
	if (!ret)
		ret = series_write(r, err);
	if (!ret)
		ret = final_build(r, err);
	return ret ? ret : run_gates(r, mask, err);
}

/* Back to where the search begins. */
static int take_back(struct port_run *r, struct strbuf *err)
{
	struct kbuild_result built = { 0 };
	int ret;

	for (size_t i = 0; i < r->npatches; i++)
		port_patch_release(&r->patches[i]);
	r->npatches = 0;
	search_result_release(&r->search);
	memset(&r->search, 0, sizeof(r->search));
	r->have_search = false;
	kbuild_result_release(&r->new_build);
	memset(&r->new_build, 0, sizeof(r->new_build));
	r->have_new_build = false;
	gate_ladder_release(&r->ladder);
	gate_ladder_init(&r->ladder);
	strvec_clear(&r->unconfigured);
	ret = run_fresh_build(r, r->start, &built, err);
	if (!ret)
		kbuild_result_release(&built);
	return ret;
}

/* A model may amend what the gates say no to; machines come last. */
static int prove_all(struct port_run *r, struct strbuf *err)
{
	bool searched = r->nfirst || !kbuild_succeeded(&r->break_build);
	unsigned first = r->model ? r->gate_mask & ~GATE_MASK_MACHINE : r->gate_mask;
	int ret = prove(r, searched, first, err);

	while (!ret && r->model && r->have_search && model_refuse(r)) {
		ret = take_back(r, err);
		if (!ret)
			ret = prove(r, searched, first, err);
	}
	if (!ret && r->gate_mask != first)
		ret = run_gates(r, r->gate_mask & ~first, err);
	return ret;
}

int port_run_execute(struct port_run *r, struct strbuf *err)
{
	struct strmap keys = STRMAP_INIT;
	double t = clock_seconds();
	int ret = load(r, err);

	r->keys = &keys;
	if (!ret)
		ret = baseline(r, err);
	if (!ret)
		ret = break_it(r, &keys, err);
	if (!ret)
		ret = prove_all(r, err);
	if (!ret && r->model && r->model->review && r->have_search && !r->search.left.n)
		ret = model_review(r, err);
	if (!ret)
		ret = cautions_report(r, err);
	if (!ret) {
		decide(r);
		r->times.total = clock_seconds() - t;
		ret = outputs(r, err);
	}
	if (!r->keep_work && r->work_dir) {
		struct strbuf ignored = STRBUF_INIT;

		drop_captures(r);

		file_remove(r->work_dir, &ignored);
		strbuf_release(&ignored);
	}
	r->keys = NULL;
	strmap_release(&keys, NULL);
	return ret;
}
