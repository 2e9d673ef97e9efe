// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/cautions.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "checks/coccicheck.h"
#include "checks/unitfind.h"
#include "port/model.h"
#include "port/rules.h"
#include "port/run-link.h"
#include "port/usage.h"

bool caution_concerns(const struct rule *c, struct tree *t)
{
	bool uses = false;

	for (size_t i = 0; i < c->replaces.n && !uses; i++)
		uses = tree_uses_ident(t, c->replaces.v[i]);
	for (size_t i = 0; i < c->unless.n && uses; i++)
		uses = !tree_uses_ident(t, c->unless.v[i]);
	return uses;
}

/* "6.16" as LINUX_VERSION_CODE has it */
static unsigned version_code(const char *s)
{
	char *end;
	unsigned long major = strtoul(s, &end, 10), minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

	return (unsigned)(major << 16 | minor << 8);
}

static bool item_holds(const char *item, const struct kernel *k, struct api_index *ix)
{
	const char *version;
	bool not = *item == '!';

	if (skip_prefix(item + not, "kernel>=", &version))
		return (k->version >= version_code(version)) != not;
	return rule_item_holds(item, ix);
}

bool caution_items_hold(const struct strvec *items, const struct kernel *k, struct api_index *ix)
{
	if (!k || !ix)
		return true;
	for (size_t i = 0; i < items->n; i++)
		if (!item_holds(items->v[i], k, ix))
			return false;
	return true;
}

/* ---- which ones -------------------------------------------------------------- */

static int load(struct port_run *r, struct strbuf *err)
{
	char *dir = kport_data_path("port/cautions");
	int ret = rule_set_load(dir, &r->caution_rules, err);

	free(dir);
	return ret;
}

struct kernels {
	struct api_index *old_ix, *new_ix;
};

/* Opened for the first caution that the driver's text calls for. */
static int open_kernels(const struct port_run *r, struct kernels *k, struct strbuf *err)
{
	int ret = 0;

	if (k->new_ix)
		return 0;
	if (r->from)
		ret = api_index_open(r->from->common_dir, r->from->build_dir, r->from->symvers, &k->old_ix, err);
	return ret ? ret : api_index_open(r->to->common_dir, r->to->build_dir, r->to->symvers, &k->new_ix, err);
}

/* ---- edits ----------------------------------------------------------------- */

static int apply_one(struct port_run *r, const struct rule *c, struct api_index *ix, struct strbuf *err)
{
	char *scratch = path_join(r->work_dir, "scratch");
	struct edit_group *g = NULL;
	struct tree *t = NULL;
	int ret = file_mkdirs(scratch, err);

	if (!ret)
		ret = rule_apply(c, r->start, ix, scratch, &g, err);
	if (g) {
		edit_group_why(g, "It compiles without this, too: no declaration tells.");
		t = tree_apply(r->start, g, err);
		ret = t ? 0 : KP_INFRA;
	}
	if (t)
		run_add_first(r, g, t, NULL);
	else
		edit_group_free(g);
	tree_unref(t);
	free(scratch);
	return ret;
}

int cautions_apply(struct port_run *r, struct strbuf *err)
{
	struct kernels k = { 0 };
	int ret;

	if (strvec_contains(&r->without, "cautions") || (r->model && r->model->policy == MODEL_ONLY))
		return 0;
	ret = load(r, err);
	for (size_t i = 0; !ret && i < r->caution_rules->n; i++) {
		const struct rule *c = &r->caution_rules->r[i];

		if (!caution_concerns(c, r->before))
			continue;
		ret = open_kernels(r, &k, err);
		if (ret || !caution_items_hold(&c->before, r->from, k.old_ix) ||
		    !caution_items_hold(&c->needs, r->to, k.new_ix))
			continue;
		if (!c->reports) {
			ret = apply_one(r, c, k.new_ix, err);
			continue;
		}
		r->watch = xrealloc(r->watch, (r->nwatch + 1) * sizeof(*r->watch));
		r->watch[r->nwatch++] = c;
	}
	api_index_close(k.old_ix);
	api_index_close(k.new_ix);
	return ret;
}

/* ---- reports ---------------------------------------------------------------- */

static bool holds_name(const struct rule *c, struct srcfile *f)
{
	for (size_t i = 0; i < c->replaces.n; i++)
		if (file_uses_ident(f, c->replaces.v[i]))
			return true;
	return false;
}

static int report_one(struct port_run *r, const struct rule *c, struct tree *t, struct strbuf *err)
{
	struct coccicheck cc = COCCICHECK_INIT;
	struct strvec files = STRVEC_INIT;
	int ret = 0;

	for (size_t i = 0; i < t->n; i++)
		if (srcfile_is_c(t->files[i]) && holds_name(c, t->files[i]))
			strvec_push(&files, t->files[i]->path);
	if (files.n && caution_concerns(c, t))
		ret = coccicheck_one(&cc, c->path, r->new->tree, &files, err);
	findings_locate(&cc.findings, r->new->tree);
	for (size_t i = 0; i < cc.findings.n; i++) {
		const struct finding *f = &cc.findings.f[i];

		finding_addf(&r->cautions, "caution", f->rule, f->file, f->line, f->function, "%s%s%s", f->text,
			     c->since ? "; since " : "", c->since ? c->since : "");
	}
	strvec_release(&files);
	coccicheck_release(&cc);
	return ret;
}

int cautions_report(struct port_run *r, struct strbuf *err)
{
	struct tree *t = r->have_search ? r->search.tree : r->before;
	int ret = 0;

	for (size_t i = 0; !ret && i < r->nwatch; i++)
		ret = report_one(r, r->watch[i], t, err);
	finding_list_sort(&r->cautions);
	return ret;
}
