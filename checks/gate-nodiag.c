/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gate "nodiag": what gcc, sparse and our Coccinelle checks say of the port and did not say
 * of the driver before on its own kernel.
 *
 * gcc's warnings count for every unit; those that the target kernel switched on are
 * compared with what the old driver gives when compiled with the same options. Sparse and
 * Coccinelle look at the files that the port changed (all units when it changed a header): elsewhere
 * only the kernel's headers can have brought something new. Without a driver before, every
 * unit is looked at and every finding counts.
 *
 * The compilers' analysers (analyse.h) are asked for (subject's "analyse") and look at the same files; units that
 * clang cannot compile are left out of its part, and the figures name them.
 *
 * A changed file that a tool cannot judge makes the gate UNKNOWN unless it fails. Headers of the
 * kernel that sparse cannot read leave sparse out; the reason says so.
 */
#include "base/compat.h"
#include "checks/gate.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"
#include "checks/analyse.h"
#include "checks/coccicheck.h"
#include "checks/refflags.h"
#include "checks/sparse.h"
#include "checks/unitfind.h"

struct nodiag {
	const struct gate_subject *s;
	struct gate_report *r;
	struct strvec files;	/* to be looked at, relative, sorted */
	struct strvec unknown;	/* "file: why" */
	struct strvec gave_up;	/* files that sparse gives up on both kernels for the same errors */
	bool sparse_left_out;
	struct strvec not_analysed; /* "file (tool)" */
	json_t *analysed; /* what each analyser says of the driver now, new or not: {"gcc": N, ...} */
	size_t checks;
};

/* ---- which files ---------------------------------------------------------- */

static int same_content(const char *a_dir, const char *b_dir, const char *rel, bool *same,
			struct strbuf *err)
{
	char *a = path_join(a_dir, rel), *b = path_join(b_dir, rel);
	struct hash_hex x = { "" }, y = { "" };
	int ret = 0;

	if (file_exists(a) && file_exists(b)) {
		ret = hash_file(a, &x, err);
		if (ret == 0)
			ret = hash_file(b, &y, err);
	}
	*same = x.hex[0] && !strcmp(x.hex, y.hex);
	free(a);
	free(b);
	return ret;
}

static int header_changed(const struct gate_subject *s, bool *changed, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	int ret = file_list(s->new->tree, &names, err);
	size_t i;

	*changed = false;
	for (i = 0; ret == 0 && i < names.n && !*changed; i++) {
		bool same = true;

		if (ends_with(names.v[i], ".h"))
			ret = same_content(s->old->tree, s->new->tree, names.v[i], &same, err);
		*changed = !same;
	}
	strvec_release(&names);
	return ret;
}

static int add_files(struct nodiag *n, bool all, struct strbuf *err)
{
	const struct gate_subject *s = n->s;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < s->new_build->nunits; i++) {
		const struct kbuild_unit *u = &s->new_build->units[i];
		const char *rel = path_inside(s->new->tree, u->source);
		bool same = false;

		if (!rel || u->probe || !ends_with(rel, ".c") || ends_with(rel, ".mod.c") ||
		    strvec_contains(&n->files, rel))
			continue;
		if (!all)
			ret = same_content(s->old->tree, s->new->tree, rel, &same, err);
		if (!same)
			strvec_push(&n->files, rel);
	}
	strvec_sort(&n->files);
	return ret;
}

static int choose_files(struct nodiag *n, struct strbuf *err)
{
	bool all = !n->s->old;
	int ret = all ? 0 : header_changed(n->s, &all, err);

	if (ret == 0)
		ret = add_files(n, all, err);
	/* A driver that was not changed at all is looked at as a whole. */
	if (ret == 0 && !n->files.n)
		ret = add_files(n, true, err);
	return ret;
}

/* ---- gcc ------------------------------------------------------------------ */

/* Findings inside the driver only: warnings in headers carry paths of their kernel. */
static void drop_outside(struct finding_list *l)
{
	struct finding_list kept = { 0 };
	size_t i;

	for (i = 0; i < l->n; i++) {
		struct finding *f = &l->f[i];

		if (f->file && f->file[0] != '/')
			finding_addf(&kept, f->tool, f->rule, f->file, f->line, f->function, "%s", f->text);
	}
	finding_list_release(l);
	*l = kept;
}

/* Warning options of the target that the baseline's kernel does not give. */
static int more_options(const struct gate_subject *s, struct strvec *out, struct strbuf *err)
{
	struct strvec from = STRVEC_INIT, to = STRVEC_INIT;
	char *work = path_join(s->run_dir, "work");
	size_t i;
	int ret = refflags_get(s->from, work, &from, err);

	if (ret == 0)
		ret = refflags_get(s->to, work, &to, err);
	for (i = 0; ret == 0 && i < to.n; i++)
		if (starts_with(to.v[i], "-W") && !starts_with(to.v[i], "-Wno-") &&
		    !starts_with(to.v[i], "-Werror") && !strvec_contains(&from, to.v[i]))
			strvec_push(out, to.v[i]);
	strvec_release(&from);
	strvec_release(&to);
	free(work);
	return ret;
}

static bool has_file(const struct finding_list *l, const char *rel)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->f[i].file, rel))
			return true;
	return false;
}

/* The old units behind new findings once more, with the target's options. */
static int recheck_old(const struct gate_subject *s, const struct finding_list *fresh,
		       struct finding_list *before, struct strbuf *err)
{
	struct strvec extra = STRVEC_INIT;
	size_t i, j;
	int ret = more_options(s, &extra, err);

	for (i = 0; ret == 0 && extra.n && i < s->old_build->nunits; i++) {
		const struct kbuild_unit *u = &s->old_build->units[i];
		const char *rel = path_inside(s->old->tree, u->source);
		struct kbuild_unit copy = *u;
		struct kbuild_result one = { .units = &copy, .nunits = 1 };
		struct diag_list l = { 0 };
		struct finding_list found = { 0 };
		int code;

		if (!rel || u->probe || !has_file(fresh, rel))
			continue;
		ret = kbuild_recheck(u, s->from, s->old->tree, true, &extra, &l, &code, err);
		copy.raw = l;
		if (ret == 0)
			unit_findings(&one, s->old->tree, UNIT_WARNINGS, &found);
		for (j = 0; j < found.n; j++)
			finding_addf(before, found.f[j].tool, found.f[j].rule, found.f[j].file,
				     found.f[j].line, found.f[j].function, "%s", found.f[j].text);
		finding_list_release(&found);
		diag_list_release(&l);
	}
	strvec_release(&extra);
	return ret;
}

static int run_gcc(struct nodiag *n, struct strbuf *err)
{
	const struct gate_subject *s = n->s;
	struct finding_list now = { 0 }, before = { 0 }, fresh = { 0 };
	int ret = 0;

	unit_findings(s->new_build, s->new->tree, UNIT_WARNINGS, &now);
	drop_outside(&now);
	if (s->old_build) {
		unit_findings(s->old_build, s->old->tree, UNIT_WARNINGS, &before);
		drop_outside(&before);
	}
	finding_list_new_ones(&now, &before, &fresh);
	if (fresh.n && s->old_build && s->from)
		ret = recheck_old(s, &fresh, &before, err);
	drop_outside(&before);
	if (ret == 0)
		finding_list_new_ones(&now, &before, &n->r->findings);
	finding_list_release(&now);
	finding_list_release(&before);
	finding_list_release(&fresh);
	return ret;
}

/* ---- sparse --------------------------------------------------------------- */

static int sparse_build(struct nodiag *n, const struct kbuild_result *b, const struct kernel *k,
			const char *tree, struct strvec *gave_up, struct finding_list *out,
			struct strbuf *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < b->nunits && !n->sparse_left_out; i++) {
		const char *rel = path_inside(tree, b->units[i].source);
		enum sparse_answer answer = SPARSE_JUDGED;

		if (!rel || b->units[i].probe || !strvec_contains(&n->files, rel))
			continue;
		ret = sparse_unit(&b->units[i], k, tree, out, &answer, err);
		if (answer == SPARSE_HEADERS_UNREADABLE)
			n->sparse_left_out = true;
		else if (answer == SPARSE_NOT_JUDGED)
			strvec_push(gave_up, rel);
	}
	findings_locate(out, tree);
	return ret;
}

static int run_sparse(struct nodiag *n, struct strbuf *err)
{
	const struct gate_subject *s = n->s;
	struct finding_list now = { 0 }, before = { 0 };
	struct strvec gave_up = STRVEC_INIT, gave_up_before = STRVEC_INIT;
	int ret = sparse_build(n, s->new_build, s->to, s->new->tree, &gave_up, &now, err);

	if (ret == 0 && (now.n || gave_up.n) && s->old_build && s->from)
		ret = sparse_build(n, s->old_build, s->from, s->old->tree, &gave_up_before,
				   &before, err);
	if (ret == 0 && !n->sparse_left_out)
		finding_list_new_ones(&now, &before, &n->r->findings);
	/* What the driver's own old errors hide from sparse was hidden from it before. */
	for (size_t i = 0; i < gave_up.n && !n->sparse_left_out; i++) {
		if (strvec_contains(&gave_up_before, gave_up.v[i]))
			strvec_push(&n->gave_up, gave_up.v[i]);
		else
			strvec_pushf(&n->unknown, "%s: sparse gives up on it", gave_up.v[i]);
	}
	strvec_release(&gave_up);
	strvec_release(&gave_up_before);
	finding_list_release(&now);
	finding_list_release(&before);
	return ret;
}

/* ---- Coccinelle ----------------------------------------------------------- */

static int run_cocci(struct nodiag *n, struct strbuf *err)
{
	const struct gate_subject *s = n->s;
	struct coccicheck now = COCCICHECK_INIT, before = COCCICHECK_INIT;
	struct strvec old_files = STRVEC_INIT;
	size_t i;
	int ret = coccicheck_run(&now, s->new->tree, &n->files, err);

	for (i = 0; s->old && i < n->files.n; i++) {
		char *path = path_join(s->old->tree, n->files.v[i]);

		if (file_exists(path))
			strvec_push(&old_files, n->files.v[i]);
		free(path);
	}
	if (ret == 0 && now.findings.n && s->old)
		ret = coccicheck_run(&before, s->old->tree, &old_files, err);
	findings_locate(&now.findings, s->new->tree);
	if (s->old)
		findings_locate(&before.findings, s->old->tree);
	if (ret == 0)
		finding_list_new_ones(&now.findings, &before.findings, &n->r->findings);
	strvec_pushv(&n->unknown, now.unknown.v);
	n->checks = now.checks;
	coccicheck_release(&now);
	coccicheck_release(&before);
	strvec_release(&old_files);
	return ret;
}

/* ---- analysers ------------------------------------------------------------- */

static const struct analyser {
	const char *name;
	int (*unit)(const struct kbuild_unit *u, const struct kernel *k, const char *tree, struct finding_list *out,
		    enum analyse_answer *answer, struct strbuf *err);
} analysers[] = { { "gcc", analyse_gcc }, { "clang", analyse_clang } };

static int analyse_build(const struct nodiag *n, const struct analyser *a, const struct kbuild_result *b,
			 const struct kernel *k, const char *tree, struct strvec *not_judged, struct finding_list *out,
			 struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < b->nunits; i++) {
		const char *rel = path_inside(tree, b->units[i].source);
		enum analyse_answer answer;

		if (!rel || b->units[i].probe || !strvec_contains(&n->files, rel))
			continue;
		ret = a->unit(&b->units[i], k, tree, out, &answer, err);
		if (ret == 0 && answer == ANALYSE_NOT_JUDGED)
			strvec_pushf(not_judged, "%s (%s)", rel, a->name);
	}
	findings_locate(out, tree);
	return ret;
}

/* Of a file that could not be analysed before nothing is known to be new. */
static void add_comparable(const struct finding_list *now, const char *name, const struct strvec *unknown_before,
			   struct finding_list *out)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct finding *f = &now->f[i];
		char *word = xstrfmt("%s (%s)", f->file, name);

		if (!strvec_contains(unknown_before, word))
			finding_addf(out, f->tool, f->rule, f->file, f->line, f->function, "%s", f->text);
		free(word);
	}
}

static int run_analyser(struct nodiag *n, const struct analyser *a, struct strbuf *err)
{
	const struct gate_subject *s = n->s;
	struct finding_list now = { 0 }, before = { 0 }, comparable = { 0 };
	struct strvec unknown_before = STRVEC_INIT;
	int ret = analyse_build(n, a, s->new_build, s->to, s->new->tree, &n->not_analysed, &now, err);

	if (ret == 0 && now.n && s->old_build && s->from)
		ret = analyse_build(n, a, s->old_build, s->from, s->old->tree, &unknown_before, &before, err);
	json_set_int(n->analysed, a->name, now.n);
	add_comparable(&now, a->name, &unknown_before, &comparable);
	if (ret == 0)
		finding_list_new_ones(&comparable, &before, &n->r->findings);
	for (size_t i = 0; i < unknown_before.n; i++)
		if (!strvec_contains(&n->not_analysed, unknown_before.v[i]))
			strvec_push(&n->not_analysed, unknown_before.v[i]);
	strvec_release(&unknown_before);
	finding_list_release(&comparable);
	finding_list_release(&now);
	finding_list_release(&before);
	return ret;
}

static int run_analysers(struct nodiag *n, struct strbuf *err)
{
	int ret = 0;

	n->analysed = json_object();
	for (size_t i = 0; ret == 0 && i < ARRAY_SIZE(analysers); i++)
		ret = run_analyser(n, &analysers[i], err);
	return ret;
}

/* ---- the gate ------------------------------------------------------------- */

static void figures(struct nodiag *n)
{
	json_t *files = json_array(), *unknown = json_array(), *gave_up = json_array();
	size_t i;

	for (i = 0; i < n->files.n; i++)
		json_array_append_new(files, json_str(n->files.v[i]));
	for (i = 0; i < n->unknown.n; i++)
		json_array_append_new(unknown, json_str(n->unknown.v[i]));
	n->r->data = json_object();
	json_object_set_new(n->r->data, "files", files);
	json_object_set_new(n->r->data, "not_judged", unknown);
	for (i = 0; i < n->gave_up.n; i++)
		json_array_append_new(gave_up, json_str(n->gave_up.v[i]));
	json_object_set_new(n->r->data, "sparse_gives_up_on_both", gave_up);
	if (n->analysed) {
		json_t *left = json_array();

		for (i = 0; i < n->not_analysed.n; i++)
			json_array_append_new(left, json_str(n->not_analysed.v[i]));
		json_object_set_new(n->r->data, "not_analysed", left);
		json_object_set_new(n->r->data, "analyser_findings", n->analysed);
	}
	json_set_bool(n->r->data, "sparse", !n->sparse_left_out);
	json_set_int(n->r->data, "semantic_checks", n->checks);
}

static void conclude(struct nodiag *n)
{
	struct gate_report *r = n->r;
	size_t k = r->findings.n;

	finding_list_sort(&r->findings);
	if (k) {
		r->verdict = VERDICT_FAIL;
		strbuf_addf(&r->reason, "%zu %sfinding%s, first: ", k, n->s->old_build ? "new " : "",
			    k == 1 ? "" : "s");
		finding_describe(&r->findings.f[0], &r->reason);
	} else if (n->unknown.n) {
		r->verdict = VERDICT_UNKNOWN;
		strbuf_addf(&r->reason, "%s%s", n->unknown.v[0], n->unknown.n > 1 ? ", and more" : "");
	} else if (!n->files.n) {
		r->verdict = VERDICT_UNKNOWN;
		strbuf_addstr(&r->reason, "no source file of the driver was seen to be compiled");
	} else {
		r->verdict = VERDICT_PASS;
		strbuf_addf(&r->reason, "%zu file%s by %s%zu Coccinelle checks", n->files.n,
			    n->files.n == 1 ? "" : "s",
			    n->sparse_left_out ? "(sparse cannot read this kernel's headers) " : "sparse and ",
			    n->checks);
		if (n->s->analyse)
			strbuf_addf(&r->reason, ", analysed by gcc and clang%s",
				    n->not_analysed.n ? " as far as they can" : "");
		if (n->gave_up.n)
			strbuf_addf(&r->reason, "; sparse gives up on %s%s on both kernels",
				    n->gave_up.v[0], n->gave_up.n > 1 ? " and more" : "");
	}
}

void gate_nodiag(const struct gate_subject *s, struct gate_report *r)
{
	struct nodiag n = { .s = s, .r = r, .files = STRVEC_INIT, .unknown = STRVEC_INIT,
			    .gave_up = STRVEC_INIT, .not_analysed = STRVEC_INIT };
	struct strbuf err = STRBUF_INIT;
	int ret;

	if (!s->new_build) {
		r->verdict = VERDICT_SKIP;
		strbuf_addstr(&r->reason, "nothing was built");
		return;
	}
	ret = choose_files(&n, &err);
	if (ret == 0)
		ret = run_gcc(&n, &err);
	if (ret == 0 && n.files.n)
		ret = run_sparse(&n, &err);
	if (ret == 0 && n.files.n)
		ret = run_cocci(&n, &err);
	if (ret == 0 && n.files.n && s->analyse)
		ret = run_analysers(&n, &err);
	figures(&n);
	if (ret < 0) {
		r->verdict = VERDICT_INFRA;
		strbuf_addbuf(&r->reason, &err);
	} else {
		conclude(&n);
	}
	strvec_release(&n.files);
	strvec_release(&n.unknown);
	strvec_release(&n.gave_up);
	strvec_release(&n.not_analysed);
	strbuf_release(&err);
}
