// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/grade.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

/* Of a gate's findings in a record, and of the length of each. */
#define MAX_DETAILS 20
#define MAX_DETAIL  600

void grader_init(struct grader *g, const struct material *m, const char *dir, unsigned mask)
{
	memset(g, 0, sizeof(*g));
	g->m = m;
	g->dir = xstrdup(dir);
	g->mask = mask;
}

void grader_release(struct grader *g)
{
	if (g->have_old)
		kbuild_result_release(&g->old_build);
	driver_free(g->old);
	driver_free(g->orig);
	free(g->dir);
}

/* ---- building ------------------------------------------------------------------------------ */

static int copy_tree(struct grader *g, const char *name, const struct kernel *k, struct driver **out,
		     struct strbuf *err)
{
	char *tree = path_join(g->dir, name);
	int ret = file_remove(tree, err);

	if (!ret)
		ret = file_copy(g->orig->tree, tree, 0, NULL, err);
	if (!ret) {
		*out = driver_clone(g->orig, tree);
		ret = driver_dkms_configure(*out, k, err);
	}
	free(tree);
	return ret;
}

static int build(struct grader *g, const char *name, struct driver *d, const struct kernel *k,
		 struct kbuild_result *out, struct strbuf *err)
{
	char *log = xstrfmt("%s/logs/%s", g->dir, name);
	struct kbuild_opts opts = { .log_dir = log, .keep_going = true, .no_modpost_errors = true, .jobs = 1,
				    .wall_seconds = g->build_seconds };
	int ret = kbuild_run(d, k, &opts, out, err);

	free(log);
	return ret;
}

static int load(struct grader *g, struct strbuf *err)
{
	char *tree = path_join(g->dir, "orig");
	int ret = g->orig ? 0 : file_remove(tree, err);

	if (!ret && !g->orig)
		ret = file_mkdirs(g->dir, err);
	if (!ret && !g->orig)
		ret = driver_load(g->m->driver, tree, NULL, &g->orig, err);
	free(tree);
	return ret;
}

static int load_old(struct grader *g, struct strbuf *err)
{
	int ret = load(g, err);

	return ret || g->old ? ret : copy_tree(g, "old", g->m->from, &g->old, err);
}

int grader_before(struct grader *g, bool *built, struct strbuf *err)
{
	int ret = load_old(g, err);

	if (!ret && !g->have_old) {
		ret = build(g, "old", g->old, g->m->from, &g->old_build, err);
		g->have_old = !ret;
	}
	if (!ret)
		*built = kbuild_built(&g->old_build);
	return ret;
}

/* ---- putting on ------------------------------------------------------------------------------ */

/* Whether git could put it on does not matter here: the gate says what came of it. */
static int put_on(const char *tree, const char *patch, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf out = STRBUF_INIT;
	char *parent = path_dir(tree);
	int ret;

	strvec_pushl(&c.argv, "git", "apply", "--whitespace=nowarn", patch, NULL);
	strvec_pushf(&c.env, "GIT_CEILING_DIRECTORIES=%s", parent);
	strvec_pushl(&c.env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C", "GIT_DIR",
		     "GIT_WORK_TREE", "GIT_INDEX_FILE", NULL);
	c.dir = tree;
	c.out = &out;
	c.err_to_out = true;
	c.limits.wall_seconds = 120;
	ret = child_run(&c, &r, err);
	if (!ret && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	child_release(&c);
	strbuf_release(&out);
	free(parent);
	return ret;
}

/* The patch alone: when it is not what it says, nothing is built. */
static int judge_patch(struct gate_subject *s, struct gate_ladder *out, bool *ok, struct strbuf *err)
{
	struct gate_ladder first;
	int ret;

	gate_ladder_init(&first);
	ret = gates_run(s, GATE_BIT(GATE_APPLY), &first, err);
	*ok = !ret && (first.gate[GATE_APPLY].verdict == VERDICT_PASS || first.gate[GATE_APPLY].verdict == VERDICT_SKIP);
	if (!ret && !*ok) {
		gate_ladder_release(out);
		*out = first;
		return 0;
	}
	gate_ladder_release(&first);
	return ret;
}

static int judge_tree(struct grader *g, const char *name, struct driver *d, const char *patch,
		      struct gate_ladder *out, struct strbuf *err)
{
	char *run_dir = xstrfmt("%s/run-%s", g->dir, name);
	struct kbuild_result res;
	bool have = false, ok = false;
	struct gate_subject s = { .from = g->m->from, .to = g->m->to, .old = g->old, .new = d,
		.old_build = &g->old_build, .run_dir = run_dir, .patch_path = patch,
		.pristine_tree = g->orig->tree, .boot_runs = g->boot_runs };
	int ret = file_mkdirs(run_dir, err);

	memset(&res, 0, sizeof(res));
	s.new_build = &res;
	if (!ret)
		ret = judge_patch(&s, out, &ok, err);
	if (!ret && ok) {
		ret = build(g, name, d, g->m->to, &res, err);
		have = !ret;
	}
	if (have)
		ret = gates_run(&s, g->mask, out, err);
	if (have)
		kbuild_result_release(&res);
	free(run_dir);
	return ret;
}

/* A copy of the driver with the patch on it, and the patch as a file. */
static int answer_tree(struct grader *g, const char *name, const char *patch, size_t len, const char *file,
		       struct driver **d, struct strbuf *err)
{
	int ret = copy_tree(g, name, g->m->to, d, err);

	if (!ret && len)
		ret = file_write(file, patch, len, err);
	if (!ret && len)
		ret = put_on((*d)->tree, file, err);
	return ret;
}

int grader_judge(struct grader *g, const char *name, const char *patch, size_t len, struct gate_ladder *out,
		 struct strbuf *err)
{
	char *file = xstrfmt("%s/%s.patch", g->dir, name);
	struct driver *d = NULL;
	bool built;
	int ret = grader_before(g, &built, err);

	if (!ret)
		ret = answer_tree(g, name, patch, len, file, &d, err);
	if (!ret)
		ret = judge_tree(g, name, d, len ? file : NULL, out, err);
	driver_free(d);
	free(file);
	return ret;
}

int grader_read(struct grader *g, const char *name, const char *patch, size_t len, struct gate_ladder *out,
		struct strbuf *err)
{
	char *file = xstrfmt("%s/%s.patch", g->dir, name);
	struct gate_subject s = { .from = g->m->from, .to = g->m->to, .run_dir = g->dir, .patch_path = len ? file : NULL };
	int ret = load_old(g, err);

	if (!ret)
		ret = answer_tree(g, name, patch, len, file, &s.new, err);
	if (!ret) {
		s.old = g->old;
		s.pristine_tree = g->orig->tree;
		ret = gates_run(&s, g->mask & (GATE_BIT(GATE_APPLY) | GATE_BIT(GATE_HONEST)), out, err);
	}
	driver_free(s.new);
	free(file);
	return ret;
}

/* ---- patches ----------------------------------------------------------------------------------- */

static bool belongs(const struct material *m, const char *rel)
{
	char *path = path_join(m->driver, rel), *dir = m->file ? path_dir(m->file) : NULL, *here = path_dir(rel), *there;
	bool yes = path_is_safe(rel);

	there = path_join(m->driver, here);
	/* A file of the driver, or a new one beside it; in a package, in any directory of it. */
	yes = yes && (file_exists(path) || (dir ? !strcmp(dir, here) : file_is_dir(there)));
	free(path);
	free(dir);
	free(here);
	free(there);
	return yes;
}

/* "a/drivers/x.c<TAB>..." as it is meant; NULL for /dev/null. */
static char *header_path(const char *p, size_t len)
{
	const char *tab = memchr(p, '\t', len);

	len = tab ? (size_t)(tab - p) : len;
	while (len && (p[len - 1] == '\r' || p[len - 1] == ' '))
		len--;
	if (len == 9 && !memcmp(p, "/dev/null", 9))
		return NULL;
	if (len > 2 && (*p == 'a' || *p == 'b') && p[1] == '/')
		p += 2, len -= 2;
	return xstrndup(p, len);
}

/* Lines of a hunk that "@@ -1,2 +3,4 @@" announces; false: no such line. */
static bool hunk_lines(const char *line, long *old, long *new)
{
	const char *p = line;
	char *end;

	if (!skip_prefix(p, "@@ -", &p))
		return false;
	*old = *new = 1;
	strtol(p, &end, 10);
	if (*end == ',')
		*old = strtol(end + 1, &end, 10);
	if (!skip_prefix(end, " +", &p))
		return false;
	strtol(p, &end, 10);
	if (*end == ',')
		*new = strtol(end + 1, &end, 10);
	return true;
}

char *patch_stranger(const struct material *m, const char *patch, size_t len)
{
	static const char *const heads[] = { "--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to " };
	const char *end = patch + len;
	long old = 0, new = 0;
	char *hit = NULL;

	for (const char *p = patch; !hit && p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *name = NULL;
		char *path;

		if (old > 0 || new > 0) {
			old -= *p != '+' && *p != '\\';
			new -= *p != '-' && *p != '\\';
		} else if (!hunk_lines(p, &old, &new)) {
			for (size_t i = 0; !name && i < ARRAY_SIZE(heads); i++)
				if (!skip_prefix(p, heads[i], &name))
					name = NULL;
		}
		path = name ? header_path(name, (size_t)((nl ? nl : end) - name)) : NULL;
		if (path && !belongs(m, path))
			hit = path;
		else
			free(path);
		p = nl ? nl + 1 : end;
	}
	return hit;
}

/* ---- answers ----------------------------------------------------------------------------------- */

bool ladder_resolved(const struct gate_ladder *l, unsigned mask)
{
	return gate_ladder_ok(l) && (!(mask & GATE_BIT(GATE_COMPILE)) || l->gate[GATE_COMPILE].verdict == VERDICT_PASS);
}

bool ladder_infra(const struct gate_ladder *l)
{
	bool infra = false;

	for (int i = 0; i < GATE_COUNT; i++) {
		if (l->gate[i].verdict == VERDICT_FAIL)
			return false;
		infra |= l->gate[i].verdict == VERDICT_INFRA;
	}
	return infra;
}

json_t *ladder_verdicts(const struct gate_ladder *l)
{
	json_t *o = json_object();

	for (int i = 0; i < GATE_COUNT; i++)
		if (l->gate[i].verdict != VERDICT_NONE)
			json_set_str(o, gate_name((enum gate_id)i), verdict_name(l->gate[i].verdict));
	return o;
}

json_t *ladder_details(const struct gate_ladder *l)
{
	json_t *o = json_object();

	for (int i = 0; i < GATE_COUNT; i++) {
		const struct gate_report *g = &l->gate[i];
		json_t *one = json_object(), *list = json_array();

		for (size_t k = 0; k < g->findings.n && k < MAX_DETAILS; k++) {
			struct strbuf text = STRBUF_INIT;

			finding_describe(&g->findings.f[k], &text);
			json_array_append_new(list, json_strn(text.buf, text.len < MAX_DETAIL ? text.len : MAX_DETAIL));
			strbuf_release(&text);
		}
		json_object_set_new(one, "reason", json_strn(g->reason.buf, g->reason.len < MAX_DETAIL ? g->reason.len : MAX_DETAIL));
		json_object_set_new(one, "findings", list);
		if (g->reason.len || g->findings.n)
			json_object_set(o, gate_name((enum gate_id)i), one);
		json_decref(one);
	}
	return o;
}
