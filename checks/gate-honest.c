/* SPDX-License-Identifier: GPL-2.0-only */
/* Gate "honest": see honest.h for what it decides, facts.h for what it compares. */
#include "base/compat.h"
#include "checks/gate.h"
#include "base/jsonutil.h"
#include "base/strmap.h"
#include "checks/elfmod.h"
#include "checks/honest.h"

/* ---- modinfo -------------------------------------------------------------- */

/* "key=value" strings of all modules of a build, as a set; names of global functions too. */
static int read_modules(const struct kbuild_result *b, struct strmap *info, struct strmap *functions,
			struct strbuf *err)
{
	size_t i, j;

	for (i = 0; i < b->nmodules; i++) {
		struct elfmod m;
		int ret = elfmod_read(b->modules[i].path, &m, err);

		for (j = 0; ret == 0 && j < m.info.n; j++)
			strmap_put(info, m.info.v[j], NULL);
		for (j = 0; ret == 0 && j < m.functions.n; j++)
			strmap_put(functions, m.functions.v[j], NULL);
		elfmod_release(&m);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static bool info_matters(const char *s)
{
	return starts_with(s, "alias=") || starts_with(s, "parm=") || starts_with(s, "parmtype=") ||
	       starts_with(s, "firmware=") || starts_with(s, "license=");
}

static void compare_modules(struct honest *h, const struct gate_subject *s, struct strbuf *err)
{
	struct strmap old_info = STRMAP_INIT, new_info = STRMAP_INIT;
	struct strmap old_fn = STRMAP_INIT, new_fn = STRMAP_INIT;
	struct strmap_entry *e;

	if (read_modules(s->old_build, &old_info, &old_fn, err) < 0 ||
	    read_modules(s->new_build, &new_info, &new_fn, err) < 0)
		goto out;
	strmap_for_each(&old_info, e)
		if (info_matters(e->key) && !strmap_has(&new_info, e->key))
			honest_fail(h, "modinfo", NULL, "modinfo '%.200s' is gone", e->key);
	/* Functions that no source names: made by macros, such as init_module. */
	strmap_for_each(&old_fn, e)
		if (!strmap_has(&new_fn, e->key) && !facts_function(&h->old, e->key))
			honest_fail(h, "function", NULL, "global function '%s' of the module is gone", e->key);
out:
	strmap_release(&old_info, NULL);
	strmap_release(&new_info, NULL);
	strmap_release(&old_fn, NULL);
	strmap_release(&new_fn, NULL);
}

/* ---- the gate ------------------------------------------------------------- */

static json_t *figures(const struct honest *h)
{
	static const struct { const char *name; enum fact_kind kind; } kinds[] = {
		{ "functions", FACT_FUNCTION }, { "calls", FACT_CALL }, { "checks", FACT_CHECK },
		{ "members", FACT_MEMBER }, { "ids", FACT_ID }, { "macros", FACT_MACRO },
		{ "ioctls", FACT_IOCTL }, { "objects", FACT_OBJECT },
	};
	json_t *o = json_object(), *compared = json_object();
	size_t i, changed = 0;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		json_set_int(compared, kinds[i].name, facts_count(&h->old, kinds[i].kind, NULL));
	for (i = 0; i < h->new.nfiles; i++)
		changed += h->new.files[i]->changed;
	json_object_set_new(o, "compared", compared);
	json_set_int(o, "changed_files", changed);
	json_object_set_new(o, "review", finding_list_json(h->review));
	return o;
}

static void conclude(struct gate_report *r, const struct finding_list *review)
{
	if (r->findings.n) {
		r->verdict = VERDICT_FAIL;
		strbuf_addf(&r->reason, "%zu thing%s the driver did before %s gone or faked, first: ",
			    r->findings.n, r->findings.n == 1 ? "" : "s", r->findings.n == 1 ? "is" : "are");
		finding_describe(&r->findings.f[0], &r->reason);
		return;
	}
	r->verdict = VERDICT_PASS;
	if (review->n)
		strbuf_addf(&r->reason, "nothing is lost; %zu difference%s to know of, first: ", review->n,
			    review->n == 1 ? "" : "s");
	if (review->n)
		finding_describe(&review->f[0], &r->reason);
}

void gate_honest(const struct gate_subject *s, struct gate_report *r)
{
	struct finding_list review = { 0 };
	struct strbuf err = STRBUF_INIT;
	struct honest h;
	int ret;

	if (!s->old || !s->new) {
		r->verdict = VERDICT_SKIP;
		strbuf_addstr(&r->reason, "there is no driver before to compare with");
		return;
	}
	honest_init(&h, &r->findings, &review);
	ret = facts_read(s->old->tree, s->from ? s->from->version : 0, &h.old, &err);
	if (ret == 0)
		ret = facts_read(s->new->tree, s->to ? s->to->version : 0, &h.new, &err);
	if (ret == 0 && s->to)
		ret = ktarget_open(s->to, &h.target, &err);
	if (ret == 0) {
		honest_compare(&h);
		/* Modules that did not come out are gate "compile"'s to judge. */
		if (s->old_build && s->new_build && s->new_build->nmodules &&
		    s->new_build->nmodules >= s->old_build->nmodules)
			compare_modules(&h, s, &err);
		r->data = figures(&h);
		conclude(r, &review);
	}
	if (err.len) {
		r->verdict = VERDICT_INFRA;
		strbuf_reset(&r->reason);
		strbuf_addbuf(&r->reason, &err);
	}
	honest_release(&h);
	finding_list_release(&review);
	strbuf_release(&err);
}
