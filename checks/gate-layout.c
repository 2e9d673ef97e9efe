/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gate "layout": structures that the driver shares with the kernel, user space and hardware lie in memory as
 * they did, or the driver knows. What is compared comes from the debug information of the two builds (layout-dwarf.h) and
 * the kernels' BTF, what it means is decided in layout-judge.h.
 *
 * Without a driver before, or without debug information, there is nothing to compare: SKIP. The kernel's
 * configuration has -g mostly; where it has not, each unit is compiled once more with it. Findings fail the gate; notes are in
 * data.review.
 */
#include "base/compat.h"
#include "checks/gate.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "checks/layout-judge.h"

struct side {
	const struct kernel *k;
	const struct driver *d;
	const struct kbuild_result *build;
	struct dbg g;
	struct use_list uses;
	size_t units, without;	/* read; without debug information */
	size_t again;		/* compiled once more for it */
	char *example;		/* one without */
};

static void side_release(struct side *s)
{
	use_list_release(&s->uses);
	dbg_release(&s->g);
	free(s->example);
}

static bool wanted(const struct side *s, const struct kbuild_unit *u)
{
	const char *rel = path_inside(s->d->tree, u->source);

	return rel && !u->probe && !u->exit_code && u->object && !ends_with(u->source, ".mod.c") &&
	       (ends_with(u->source, ".c"));
}

static bool has_option(const struct kbuild_unit *u, const char *prefix)
{
	for (size_t i = 1; i < u->argv.n; i++)
		if (starts_with(u->argv.v[i], prefix))
			return true;
	return false;
}

/* Options of the driver that leave structures out of where they are looked for. */
static bool hides_structures(const struct kbuild_unit *u)
{
	return has_option(u, "-femit-struct-debug") || has_option(u, "-fdebug-types-section");
}

/* One unit of which the object has nothing to read, or not what is needed. */
static int compile_again(struct side *s, const struct kbuild_unit *u, const char *dir, struct strbuf *err)
{
	static const char *const options[] = { "-g", "-gno-split-dwarf", "-fno-eliminate-unused-debug-types",
					       "-fno-debug-types-section", NULL };
	struct strvec extra = STRVEC_INIT;
	char *object = NULL;
	int ret;

	strvec_pushv(&extra, (const char *const *)options);
	if (has_option(u, "-femit-struct-debug")) /* which clang does not know */
		strvec_push(&extra, "-femit-struct-debug-detailed=any");
	ret = kbuild_object(u, s->k, s->d->tree, &extra, dir, &object, err);
	if (ret == 0)
		ret = dbg_add(&s->g, object, err);
	if (ret == 0)
		s->again++;
	strvec_release(&extra);
	free(object);
	return ret;
}

static int read_unit(struct side *s, const struct kbuild_unit *u, const char *dir, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = hides_structures(u) ? KP_NOTFOUND : dbg_add(&s->g, u->object, &why);

	if (ret == KP_NOTFOUND) {
		strbuf_reset(&why);
		ret = compile_again(s, u, dir, &why);
	}
	s->units++;
	/* Paths that the build rewrote: the driver's structures could not be told from the kernel's. */
	if (ret == 0 && !strmap_has(&s->g.files, path_inside(s->d->tree, u->source)))
		ret = kp_fail(&why, KP_NOTFOUND, "the debug information of '%s' does not name its source", u->object);
	if (ret == KP_NOTFOUND || ret == KP_ERR) {
		s->without++;
		if (!s->example)
			s->example = xstrdup(why.buf);
		ret = 0;
	} else if (ret < 0) {
		strbuf_addbuf(err, &why);
	}
	strbuf_release(&why);
	return ret;
}

/* Types that are only named, in the number of an ioctl, are left out of debug information unless asked for. */
static int read_missing(struct side *s, const char *dir, struct strbuf *err)
{
	bool found = false;
	int ret = 0;

	for (size_t i = 0; i < s->build->nunits && ret == 0 && !found; i++) {
		struct strmap_entry *e;

		if (!wanted(s, &s->build->units[i]))
			continue;
		ret = compile_again(s, &s->build->units[i], dir, err);
		found = true;
		strmap_for_each(&s->uses.missing, e)
			found &= strmap_has(&s->g.structs, e->key);
	}
	return ret;
}

static int side_read(struct side *s, const char *dir, struct strbuf *err)
{
	int ret = 0;

	dbg_init(&s->g, s->d->tree);
	for (size_t i = 0; i < s->build->nunits && ret == 0; i++)
		if (wanted(s, &s->build->units[i]))
			ret = read_unit(s, &s->build->units[i], dir, err);
	if (ret == 0 && s->without < s->units)
		ret = uses_read(&s->g, s->k->version, &s->uses, err);
	if (ret < 0 || !s->uses.missing.live)
		return ret;
	ret = read_missing(s, dir, err);
	use_list_release(&s->uses);
	return ret ? ret : uses_read(&s->g, s->k->version, &s->uses, err);
}

/* ---- the gate ------------------------------------------------------------- */

static json_t *figures(const struct side *a, const struct side *b, const struct layout_judge *j)
{
	json_t *o = json_object(), *shared = json_array();

	for (size_t i = 0; i < j->shared.n; i++)
		json_array_append_new(shared, json_str(j->shared.v[i]));
	json_object_set_new(o, "shared", shared);
	json_set_int(o, "units", b->units);
	json_set_int(o, "units_before", a->units);
	json_set_int(o, "compiled_for_debug_information", a->again + b->again);
	json_set_int(o, "private_copies", j->copies);
	json_set_int(o, "member_uses", j->members);
	json_set_bool(o, "kernel_btf", !j->no_btf);
	json_object_set_new(o, "review", finding_list_json(j->review));
	return o;
}

static void conclude(struct gate_report *r, const struct layout_judge *j)
{
	size_t n = r->findings.n, notes = j->review->n;

	finding_list_sort(&r->findings);
	if (n) {
		r->verdict = VERDICT_FAIL;
		strbuf_addf(&r->reason, "%zu finding%s, first: ", n, n == 1 ? "" : "s");
		finding_describe(&r->findings.f[0], &r->reason);
		return;
	}
	r->verdict = VERDICT_PASS;
	strbuf_addf(&r->reason, "%zu shared structure%s, %zu private cop%s", j->shared.n, j->shared.n == 1 ? "" : "s",
		    j->copies, j->copies == 1 ? "y" : "ies");
	if (j->no_btf)
		strbuf_addstr(&r->reason, "; without the kernels' BTF, copies of what no header has are not seen");
	if (notes) {
		strbuf_addf(&r->reason, "; %zu place%s to review, first: ", notes, notes == 1 ? "" : "s");
		finding_describe(&j->review->f[0], &r->reason);
	}
}

static int judge(const struct gate_subject *s, struct gate_report *r, struct side *a, struct side *b,
		 struct strbuf *err)
{
	struct finding_list review = { 0 };
	struct layout_judge j = { .a = &a->g, .b = &b->g, .ua = &a->uses, .ub = &b->uses, .from = s->from->name,
		.to = s->to->name, .ka = s->from, .kb = s->to, .findings = &r->findings, .review = &review };
	int ret;

	layout_judge_init(&j);
	judge_shared(&j);
	judge_kernel(&j);
	judge_swaps(&j);
	ret = judge_copies(&j, err);
	if (ret == 0) {
		finding_list_sort(&review);
		r->data = figures(a, b, &j);
		conclude(r, &j);
	}
	layout_judge_release(&j);
	finding_list_release(&review);
	return ret;
}

static void skip(struct gate_report *r, const char *why)
{
	r->verdict = VERDICT_SKIP;
	strbuf_addstr(&r->reason, why);
}

static bool unreadable(struct gate_report *r, const struct side *s, const char *which)
{
	if (!s->without && s->units)
		return false;
	r->verdict = VERDICT_SKIP;
	if (s->units)
		strbuf_addf(&r->reason, "not testable here: no debug information for %zu of %zu units of the %s "
			    "driver: %s", s->without, s->units, which, s->example);
	else
		strbuf_addf(&r->reason, "not testable here: no unit of the %s driver was seen to be compiled", which);
	return true;
}

void gate_layout(const struct gate_subject *s, struct gate_report *r)
{
	struct side a = { .k = s->from, .d = s->old, .build = s->old_build };
	struct side b = { .k = s->to, .d = s->new, .build = s->new_build };
	struct strbuf err = STRBUF_INIT;
	char *dir;
	int ret;

	if (!s->new_build || !s->old || !s->old_build || !s->from) {
		skip(r, "there is no driver before, built on its kernel, to compare with");
		return;
	}
	dir = path_join(s->run_dir, "work/layout");
	ret = side_read(&a, dir, &err);
	if (ret == 0)
		ret = side_read(&b, dir, &err);
	if (ret == 0 && !unreadable(r, &a, "old") && !unreadable(r, &b, "new"))
		ret = judge(s, r, &a, &b, &err);
	if (ret < 0) {
		r->verdict = VERDICT_INFRA;
		strbuf_reset(&r->reason);
		strbuf_addbuf(&r->reason, &err);
	}
	side_release(&a);
	side_release(&b);
	free(dir);
	strbuf_release(&err);
}
