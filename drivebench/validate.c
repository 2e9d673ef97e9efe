// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/validate.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#ifndef KPORT_VERSION
#define KPORT_VERSION "0.1"
#endif

const char *bench_version(void)
{
	return KPORT_VERSION;
}

struct validation {
	struct grader *g;
	struct strbuf old, gold; /* texts */
	json_t *states;
	struct strbuf reason;	/* why it is rejected; empty: not yet */
};

typedef int (*judge_fn)(struct grader *, const char *, const char *, size_t, struct gate_ladder *, struct strbuf *);

/* One state; *l has to be released by the caller. */
static int state(struct validation *v, judge_fn judge, const char *name, const struct strbuf *patch,
		 struct gate_ladder *l, struct strbuf *err)
{
	int ret;

	gate_ladder_init(l);
	ret = judge(v->g, name, patch->buf, patch->len, l, err);
	if (!ret && ladder_infra(l))
		ret = kp_fail(err, KP_INFRA, "state '%s': a gate could not run here", name);
	if (!ret)
		json_object_set_new(v->states, name, ladder_verdicts(l));
	return ret;
}

static enum verdict of(const struct gate_ladder *l, enum gate_id id)
{
	return l->gate[id].verdict;
}

static int try_before(struct validation *v, struct strbuf *err)
{
	struct strbuf nothing = STRBUF_INIT;
	struct gate_ladder l;
	int ret = state(v, grader_judge, "before", &nothing, &l, err);

	if (!ret && of(&l, GATE_COMPILE) != VERDICT_FAIL && of(&l, GATE_LINK) != VERDICT_FAIL)
		strbuf_addstr(&v->reason, "before: builds on the new kernel");
	if (!ret)
		json_object_set(v->states, "empty", json_object_get(v->states, "before"));
	gate_ladder_release(&l);
	return ret;
}

static int try_old(struct validation *v, struct strbuf *err)
{
	bool built = false;
	int ret = grader_before(v->g, &built, err);

	if (!ret) {
		json_t *o = json_object();

		json_set_str(o, "compile", built ? "PASS" : "FAIL");
		json_object_set_new(v->states, "old", o);
	}
	if (!ret && !built)
		strbuf_addstr(&v->reason, "old: does not build on its own kernel");
	return ret;
}

static int try_gold(struct validation *v, judge_fn judge, struct strbuf *err)
{
	struct strbuf patch = STRBUF_INIT;
	struct gate_ladder l;
	int ret = material_patch(v->g->m, v->gold.buf, v->gold.len, &patch, err);

	if (ret)
		return ret;
	ret = state(v, judge, "gold", &patch, &l, err);
	for (int i = 0; !ret && i < GATE_COUNT && !v->reason.len; i++) {
		enum verdict w = l.gate[i].verdict;

		if (w == VERDICT_FAIL || w == VERDICT_UNKNOWN)
			strbuf_addf(&v->reason, "gold: %s is %s", gate_name((enum gate_id)i), verdict_name(w));
	}
	if (!ret && !v->reason.len && judge == grader_judge && !ladder_resolved(&l, v->g->mask))
		strbuf_addstr(&v->reason, "gold: is not resolved");
	gate_ladder_release(&l);
	strbuf_release(&patch);
	return ret;
}

/* An answer that gate honest has to fail by its text is never resolved: it is not built. */
static int try_wrong(struct validation *v, const char *name, void (*make)(const char *, size_t, struct strbuf *),
		     struct strbuf *err)
{
	judge_fn judge = v->g->mask & GATE_BIT(GATE_HONEST) ? grader_read : grader_judge;
	struct strbuf text = STRBUF_INIT, patch = STRBUF_INIT;
	struct gate_ladder l;
	int ret;

	make(v->old.buf, v->old.len, &text);
	ret = material_patch(v->g->m, text.buf, text.len, &patch, err);
	if (!ret) {
		ret = state(v, judge, name, &patch, &l, err);
		if (!ret && judge == grader_read && of(&l, GATE_HONEST) != VERDICT_FAIL)
			strbuf_addf(&v->reason, "%s: honest is %s", name, verdict_name(of(&l, GATE_HONEST)));
		else if (!ret && judge == grader_judge && ladder_resolved(&l, v->g->mask))
			strbuf_addf(&v->reason, "%s: passes", name);
		gate_ladder_release(&l);
	}
	strbuf_release(&text);
	strbuf_release(&patch);
	return ret;
}

/* What costs least comes first: texts, then builds. The first disproof ends it. */
static int try_all(struct validation *v, struct strbuf *err)
{
	int ret = try_gold(v, grader_read, err);

	if (!ret && !v->reason.len)
		ret = try_wrong(v, "stub", material_stub, err);
	if (!ret && !v->reason.len)
		ret = try_wrong(v, "delete", material_delete, err);
	if (!ret && !v->reason.len)
		ret = try_before(v, err);
	if (!ret && !v->reason.len)
		ret = try_old(v, err);
	if (!ret && !v->reason.len)
		ret = try_gold(v, grader_judge, err);
	return ret;
}

static json_t *make_record(const struct validation *v)
{
	json_t *o = json_object(), *kernels = json_object();
	struct strbuf gates = STRBUF_INIT;

	for (int i = 0; i < GATE_COUNT; i++)
		if (v->g->mask & GATE_BIT(i))
			strbuf_addf(&gates, "%s%s", gates.len ? "," : "", gate_name((enum gate_id)i));
	json_set_str(o, "verdict", v->reason.len ? "rejected" : "validated");
	json_set_str(o, "reason", v->reason.len ? v->reason.buf : NULL);
	json_set_str(o, "gates", gates.buf);
	json_set_str(o, "kport", bench_version());
	json_set_str(kernels, "from", v->g->m->from->release);
	json_set_str(kernels, "to", v->g->m->to->release);
	json_object_set_new(o, "kernels", kernels);
	json_object_set(o, "states", v->states);
	strbuf_release(&gates);
	return o;
}

int case_validate(const struct refs *r, const struct bench_case *c, unsigned mask, const char *work,
		  json_t **record, struct strbuf *err)
{
	struct validation v = { .old = STRBUF_INIT, .gold = STRBUF_INIT, .states = json_object(), .reason = STRBUF_INIT };
	struct material m = { 0 };
	struct grader g;
	char *dir = path_join(work, "case"), *builds = path_join(work, "builds");
	int ret = materialise(r, c, HINTS_NONE, dir, &m, err);

	grader_init(&g, &m, builds, mask);
	v.g = &g;
	if (!ret)
		ret = refs_text(r, c, false, &v.old, err);
	if (!ret)
		ret = refs_text(r, c, true, &v.gold, err);
	if (!ret)
		ret = try_all(&v, err);
	if (!ret)
		*record = make_record(&v);
	grader_release(&g);
	material_release(&m);
	strbuf_release(&v.old);
	strbuf_release(&v.gold);
	strbuf_release(&v.reason);
	json_decref(v.states);
	free(dir);
	free(builds);
	return ret;
}

json_t *case_with_record(const struct bench_case *c, const json_t *record)
{
	json_t *o = json_deep_copy(c->json);

	json_object_set_new(o, "validation", record ? json_deep_copy(record) : json_null());
	return o;
}
