/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gate "compile": make ended well; every unit that was compiled for the driver before is
 * compiled now; no error and no dangerous warning that the baseline did not have; the kernel's
 * own warning options are in force for every unit.
 *
 * A unit that is missing is explained when the build files are the same as before: then the
 * driver itself leaves it out for this kernel or configuration. Options that the driver
 * weakened before the port already are named in the figures only.
 */
#include "base/compat.h"
#include "checks/gate.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"
#include "checks/refflags.h"
#include "checks/unitfind.h"

/* ---- make ----------------------------------------------------------------- */

static void judge_make(const struct kbuild_result *b, struct gate_report *r)
{
	struct strbuf how = STRBUF_INIT;
	size_t i;

	if (b->blame) {
		finding_addf(&r->findings, "make", "limit", NULL, 0, NULL, "the build was ended: %s", b->blame);
		return;
	}
	for (i = 0; i < b->missing.n; i++)
		finding_addf(&r->findings, "make", "module", NULL, 0, NULL, "module '%s' did not come out",
			     b->missing.v[i]);
	/* Undefined symbols make make fail too: those are for gate "link". */
	if (r->findings.n || child_ok(&b->child) || b->modpost.n)
		return;
	for (i = 0; i < b->make_errors.n && i < 5; i++)
		finding_addf(&r->findings, "make", NULL, NULL, 0, NULL, "%s", b->make_errors.v[i]);
	if (!b->make_errors.n) {
		child_describe(&b->child, &how);
		finding_addf(&r->findings, "make", NULL, NULL, 0, NULL, "make ended with %s", how.buf);
	}
	strbuf_release(&how);
}

/* ---- units ---------------------------------------------------------------- */

static void failures(const struct gate_subject *s, struct gate_report *r)
{
	struct finding_list now = { 0 }, before = { 0 };
	size_t i;

	unit_findings(s->new_build, s->new->tree, UNIT_FAILURES, &now);
	if (s->old_build)
		unit_findings(s->old_build, s->old->tree, UNIT_FAILURES, &before);
	/* Errors count whatever the baseline says: then nothing was built. */
	for (i = 0; i < now.n; i++)
		if (now.f[i].rule && !strcmp(now.f[i].rule, "error"))
			finding_addf(&r->findings, now.f[i].tool, "error", now.f[i].file, now.f[i].line,
				     now.f[i].function, "%s", now.f[i].text);
	for (i = 0; i < before.n; i++)
		if (before.f[i].rule && !strcmp(before.f[i].rule, "error"))
			before.f[i].text[0] = '\0';
	if (!r->findings.n)
		finding_list_new_ones(&now, &before, &r->findings);
	finding_list_release(&now);
	finding_list_release(&before);
}

static bool is_build_file(const char *path)
{
	const char *base = path_base(path);

	return !strcmp(base, "Makefile") || !strcmp(base, "Kbuild") || !strcmp(base, "dkms.conf") ||
	       ends_with(base, ".mk");
}

/* Everything that says what is built, as one text. */
static int build_files(const char *tree, struct strbuf *out, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	size_t i;
	int ret = file_list(tree, &names, err);

	for (i = 0; ret == 0 && i < names.n; i++) {
		char *path = is_build_file(names.v[i]) ? path_join(tree, names.v[i]) : NULL;

		if (path) {
			strbuf_addf(out, "== %s\n", names.v[i]);
			ret = file_read(path, 16 << 20, out, err);
		}
		free(path);
	}
	strvec_release(&names);
	return ret;
}

static int same_build_files(const struct gate_subject *s, bool *same, struct strbuf *err)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	int ret = build_files(s->old->tree, &a, err);

	if (ret == 0)
		ret = build_files(s->new->tree, &b, err);
	*same = a.len == b.len && !memcmp(a.buf, b.buf, a.len);
	strbuf_release(&a);
	strbuf_release(&b);
	return ret;
}

static bool has_unit(const struct kbuild_result *b, const char *tree, const char *rel)
{
	size_t i;

	for (i = 0; i < b->nunits; i++) {
		const char *other = path_inside(tree, b->units[i].source);

		if (other && !strcmp(other, rel))
			return true;
	}
	return false;
}

static bool has_module(const struct kbuild_result *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->nmodules; i++)
		if (!strcmp(b->modules[i].name, name))
			return true;
	return false;
}

/* Units and modules of the baseline that are not there now. */
static void missing(const struct gate_subject *s, struct strvec *units, struct strvec *modules)
{
	size_t i;

	for (i = 0; i < s->old_build->nunits; i++) {
		const struct kbuild_unit *u = &s->old_build->units[i];
		const char *rel = path_inside(s->old->tree, u->source);

		if (rel && !u->probe && !has_unit(s->new_build, s->new->tree, rel) &&
		    !strvec_contains(units, rel))
			strvec_push(units, rel);
	}
	for (i = 0; i < s->old_build->nmodules; i++)
		if (!has_module(s->new_build, s->old_build->modules[i].name))
			strvec_push(modules, s->old_build->modules[i].name);
}

static int judge_missing(const struct gate_subject *s, struct gate_report *r, struct strbuf *err)
{
	struct strvec units = STRVEC_INIT, modules = STRVEC_INIT;
	bool same = false;
	size_t i;
	int ret = same_build_files(s, &same, err);

	if (ret == 0)
		missing(s, &units, &modules);
	for (i = 0; i < units.n && !same; i++)
		finding_addf(&r->findings, "make", "unit", units.v[i], 0, NULL,
			     "was compiled before and is not compiled now");
	for (i = 0; i < modules.n && !same; i++)
		finding_addf(&r->findings, "make", "module", NULL, 0, NULL, "module '%s' is no longer built",
			     modules.v[i]);
	if (same && (units.n || modules.n)) {
		json_t *left = json_array();

		for (i = 0; i < units.n; i++)
			json_array_append_new(left, json_str(units.v[i]));
		json_object_set_new(r->data, "left_out_by_the_driver", left);
	}
	strvec_release(&units);
	strvec_release(&modules);
	return ret;
}

/* ---- warning options ------------------------------------------------------ */

static const struct kbuild_unit *old_unit(const struct gate_subject *s, const char *rel)
{
	size_t i;

	for (i = 0; s->old_build && i < s->old_build->nunits; i++) {
		const char *other = path_inside(s->old->tree, s->old_build->units[i].source);

		if (other && !strcmp(other, rel))
			return &s->old_build->units[i];
	}
	return NULL;
}

static void judge_options(const struct gate_subject *s, const struct kbuild_unit *u,
			  const struct strvec *ref, const struct strvec *old_ref, struct gate_report *r,
			  struct strmap *before)
{
	const char *rel = path_inside(s->new->tree, u->source);
	const struct kbuild_unit *old = rel ? old_unit(s, rel) : NULL;
	struct strvec weak = STRVEC_INIT, was = STRVEC_INIT;
	size_t i;

	if (!rel)
		return;
	refflags_weakened(ref, &u->argv, &weak);
	if (old)
		refflags_weakened(old_ref, &old->argv, &was);
	for (i = 0; i < weak.n; i++) {
		if (!s->old || strvec_contains(&was, weak.v[i]))
			strmap_put(before, weak.v[i], NULL);
		else
			finding_addf(&r->findings, "make", "options", rel, 0, NULL,
				     "the kernel's warning '%s' is weakened", weak.v[i]);
	}
	strvec_release(&weak);
	strvec_release(&was);
}

static int options(const struct gate_subject *s, struct gate_report *r, struct strbuf *err)
{
	struct strvec ref = STRVEC_INIT, old_ref = STRVEC_INIT;
	struct strmap before = STRMAP_INIT;
	struct strmap_entry *e;
	json_t *names = json_array();
	char *work = path_join(s->run_dir, "work");
	size_t i;
	int ret = refflags_get(s->to, work, &ref, err);

	if (ret == 0 && s->from && s->old_build)
		ret = refflags_get(s->from, work, &old_ref, err);
	for (i = 0; ret == 0 && i < s->new_build->nunits; i++)
		if (!s->new_build->units[i].probe)
			judge_options(s, &s->new_build->units[i], &ref, &old_ref, r, &before);
	strmap_for_each(&before, e)
		json_array_append_new(names, json_str(e->key));
	json_object_set_new(r->data, "weakened_by_the_driver", names);
	strmap_release(&before, NULL);
	strvec_release(&ref);
	strvec_release(&old_ref);
	free(work);
	return ret;
}

/* ---- the gate ------------------------------------------------------------- */

static size_t compiled_units(const struct kbuild_result *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nunits; i++)
		n += !b->units[i].probe;
	return n;
}

static void conclude(const struct gate_subject *s, struct gate_report *r)
{
	size_t n = compiled_units(s->new_build);

	json_set_int(r->data, "units", n);
	json_set_int(r->data, "modules", s->new_build->nmodules);
	if (r->findings.n) {
		r->verdict = VERDICT_FAIL;
		strbuf_addf(&r->reason, "%zu finding%s, first: ", r->findings.n, r->findings.n == 1 ? "" : "s");
		finding_describe(&r->findings.f[0], &r->reason);
	} else if (!n && s->new_build->nmodules) {
		/* A compiler called by its path, or objects that come ready-made. */
		r->verdict = VERDICT_UNKNOWN;
		strbuf_addstr(&r->reason, "the build succeeded without a run of the compiler that could be seen");
	} else {
		r->verdict = VERDICT_PASS;
		strbuf_addf(&r->reason, "%zu unit%s, %zu module%s", n, n == 1 ? "" : "s",
			    s->new_build->nmodules, s->new_build->nmodules == 1 ? "" : "s");
	}
}

void gate_compile(const struct gate_subject *s, struct gate_report *r)
{
	struct strbuf err = STRBUF_INIT;
	int ret = 0;

	if (!s->new_build) {
		r->verdict = VERDICT_SKIP;
		strbuf_addstr(&r->reason, "nothing was built");
		return;
	}
	r->data = json_object();
	if (s->new_build->log && path_inside(s->run_dir, s->new_build->log))
		r->log = xstrdup(path_inside(s->run_dir, s->new_build->log));
	failures(s, r);
	judge_make(s->new_build, r);
	/* What did not get so far is not missing. */
	if (!r->findings.n && s->old && s->old_build)
		ret = judge_missing(s, r, &err);
	if (ret == 0 && !r->findings.n)
		ret = options(s, r, &err);
	if (!r->findings.n && !compiled_units(s->new_build) && !s->new_build->nmodules)
		finding_addf(&r->findings, "make", "module", NULL, 0, NULL,
			     "make ended well and had built nothing: no unit was compiled, no module came out");
	if (ret < 0) {
		r->verdict = VERDICT_INFRA;
		strbuf_addbuf(&r->reason, &err);
	} else {
		conclude(s, r);
	}
	strbuf_release(&err);
}
