// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/solve.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "drivebench/sibling.h"
#include "harness/sandbox.h"
#include "port/series.h"
#include "port/tree.h"

#define MAX_PATCH (16u << 20)

static const char *const names[SOLVER_COUNT] = { "engine", "rules", "noop", "sibling", "gold", "agent", "predictions" };

const char *solver_name(enum solver_kind k)
{
	return names[k];
}

int solver_parse(const char *name, enum solver_kind *out)
{
	for (int i = 0; i < SOLVER_COUNT; i++)
		if (!strcmp(names[i], name)) {
			*out = (enum solver_kind)i;
			return 0;
		}
	return KP_ERR;
}

void bench_answer_release(struct bench_answer *a)
{
	strbuf_release(&a->patch);
	strbuf_release(&a->note);
	json_decref(a->cost);
}

/* A regular file that somebody else may have put there; absent is no error. */
static int read_plain(const char *path, size_t max, struct strbuf *out, struct strbuf *err)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	return file_read(path, max, out, err);
}

static int run_child(const struct sandbox *sb, struct child *c, struct bench_answer *a, struct strbuf *err)
{
	struct child_result r = { 0 };
	struct strbuf out = STRBUF_INIT;
	int ret;

	c->out = &out;
	c->err_to_out = true;
	c->limits.output_bytes = 4 << 20;
	ret = sb ? sandbox_run(sb, c, &r, err) : child_run(c, &r, err);
	if (!ret && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	if (!ret && !child_ok(&r)) {
		child_describe(&r, &a->note);
		strbuf_rtrim(&out);
		if (out.len)
			strbuf_addf(&a->note, ": %s", out.buf + (out.len > 300 ? out.len - 300 : 0));
	}
	if (!ret && !sb && r.kind == CHILD_EXITED && r.code == EXIT_INFRA)
		ret = kp_fail(err, KP_INFRA, "%s", a->note.buf);
	strbuf_release(&out);
	return ret;
}

/* ---- the engine ------------------------------------------------------------------------------- */

static const char *word_of(const struct kernel *k)
{
	return k->dir ? k->name : k->build_dir;
}

static int solve_engine(const struct solver *s, const struct bench_case *c, const struct material *m,
			const char *work, struct bench_answer *a, struct strbuf *err)
{
	struct child ch = CHILD_INIT;
	char *out = path_join(work, "port"), *patch = path_join(out, "port.patch");
	int ret;

	strvec_pushl(&ch.argv, "/proc/self/exe", "port", m->driver, "--from", word_of(m->from), "--to", word_of(m->to),
		     "--out", out, "--no-boot", "--gates", "apply,compile,link,honest",
		     "--jobs", "1", "--quiet", NULL);
	if (c->path)
		strvec_pushl(&ch.argv, "--exclude", c->path, NULL);
	if (s->kind == SOLVER_RULES)
		strvec_pushl(&ch.argv, "--without", "mined,group,include,rename,callback,args,member,const,section,"
			     "misc,entry,ifdef", NULL);
	ch.limits.wall_seconds = s->seconds;
	ret = run_child(NULL, &ch, a, err);
	if (!ret)
		ret = read_plain(patch, MAX_PATCH, &a->patch, err);
	child_release(&ch);
	free(out);
	free(patch);
	return ret;
}

/* ---- agents ------------------------------------------------------------------------------------- */

/* The build tree and its other half; never the record, which has the sources. */
static void show_kernel(struct sandbox *sb, const struct kernel *k)
{
	char *build = k->dir ? path_join(k->dir, "build") : NULL;

	strvec_push(&sb->ro, build && file_is_dir(build) ? build : k->build_dir);
	if (!build && strcmp(k->common_dir, k->build_dir))
		strvec_push(&sb->ro, k->common_dir);
	free(build);
}

/* Sources only, and none that a build leaves behind. */
static int changes(const struct material *m, const char *tree, struct strbuf *out, struct strbuf *err)
{
	struct tree *before = NULL, *after = NULL;
	int ret = tree_read(m->driver, &before, err);
	size_t kept = 0;

	if (!ret)
		ret = tree_read(tree, &after, err);
	for (size_t i = 0; !ret && i < after->n; i++) {
		if (ends_with(after->files[i]->path, ".mod.c"))
			srcfile_unref(after->files[i]);
		else
			after->files[kept++] = after->files[i];
	}
	if (!ret) {
		after->n = kept;
		ret = tree_diff(before, after, out, err);
	}
	tree_unref(before);
	tree_unref(after);
	return ret;
}

static int agent_workspace(const struct material *m, const char *ws, const char *tree, struct strbuf *err)
{
	char *task = xstrfmt("%s/../task.json", m->driver), *copy = path_join(ws, "task.json");
	int ret = file_mkdirs(ws, err);

	if (!ret)
		ret = file_copy(m->driver, tree, 0, NULL, err);
	if (!ret)
		ret = file_copy(task, copy, 0, NULL, err);
	free(task);
	free(copy);
	return ret;
}

static void agent_env(struct strvec *env, const struct material *m, const char *ws, const char *tree, int attempt)
{
	strvec_pushf(env, "KPORT_TASK=%s/task.json", ws);
	strvec_pushf(env, "KPORT_DRIVER=%s", tree);
	strvec_pushf(env, "KPORT_PATCH=%s/answer.patch", ws);
	strvec_pushf(env, "KPORT_COST=%s/cost.json", ws);
	strvec_pushf(env, "KPORT_KERNEL_FROM=%s", m->from->build_dir);
	strvec_pushf(env, "KPORT_KERNEL_TO=%s", m->to->build_dir);
	strvec_pushf(env, "KPORT_ATTEMPT=%d", attempt);
}

/* What the agent says that it used; only the known keys, and only when they are numbers. */
static void read_cost(const char *ws, struct bench_answer *a)
{
	static const char *const keys[] = { "tokens_in", "tokens_out", "money" };
	char *path = path_join(ws, "cost.json");
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	json_t *v = NULL;

	if (!read_plain(path, 1 << 16, &text, &ignored) && text.len)
		v = json_loadb(text.buf, text.len, 0, NULL);
	for (size_t i = 0; json_is_object(v) && i < ARRAY_SIZE(keys); i++) {
		double n = json_get_num(v, keys[i], -1);

		if (n < 0)
			continue;
		a->cost = a->cost ? a->cost : json_object();
		json_set_num(a->cost, keys[i], n);
	}
	json_decref(v);
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(path);
}

static int solve_agent(const struct solver *s, const struct material *m, int attempt, const char *work,
		       struct bench_answer *a, struct strbuf *err)
{
	char *ws = path_join(work, "workspace"), *tree = path_join(ws, path_base(m->driver));
	char *patch = path_join(ws, "answer.patch");
	struct sandbox sb = SANDBOX_INIT;
	struct child c = CHILD_INIT;
	int ret = agent_workspace(m, ws, tree, err);

	strvec_pushl(&c.argv, "/bin/sh", "-c", s->command, NULL);
	c.secrets = s->network; /* trusted, and it may have a model to ask */
	c.dir = ws;
	c.limits.wall_seconds = s->seconds;
	agent_env(s->network ? &c.env : &sb.env, m, ws, tree, attempt);
	strvec_push(&sb.rw, ws);
	show_kernel(&sb, m->from);
	show_kernel(&sb, m->to);
	sb.max_memory_bytes = s->memory;
	if (!ret)
		ret = run_child(s->network ? NULL : &sb, &c, a, err);
	/* An answer is taken even when the agent was ended by its limit. */
	if (!ret)
		ret = read_plain(patch, MAX_PATCH, &a->patch, err);
	if (!ret && !a->patch.len)
		ret = changes(m, tree, &a->patch, err);
	if (ret == KP_ERR) {	/* what it left behind cannot be read */
		strbuf_addf(&a->note, "%s%s", a->note.len ? "; " : "", err->buf);
		strbuf_reset(err);
		strbuf_reset(&a->patch);
		ret = 0;
	}
	read_cost(ws, a);
	sandbox_release(&sb);
	child_release(&c);
	free(ws);
	free(tree);
	free(patch);
	return ret;
}

int solve(const struct solver *s, const struct refs *r, const struct bench_case *c, const struct material *m,
	  int attempt, const char *work, struct bench_answer *out, struct strbuf *err)
{
	double t = clock_seconds();
	char *file = NULL;
	int ret = file_mkdirs(work, err);

	memset(out, 0, sizeof(*out));
	strbuf_init(&out->patch);
	strbuf_init(&out->note);
	if (ret)
		return ret;
	switch (s->kind) {
	case SOLVER_ENGINE:
	case SOLVER_RULES:
		ret = solve_engine(s, c, m, work, out, err);
		break;
	case SOLVER_AGENT:
		ret = solve_agent(s, m, attempt, work, out, err);
		break;
	case SOLVER_SIBLING:
		ret = sibling_answer(r, s->pool, c, m, &out->patch, err);
		break;
	case SOLVER_GOLD:
		ret = material_gold(r, c, m, &out->patch, err);
		break;
	case SOLVER_PREDICTIONS:
		file = xstrfmt("%s/%s.%d.patch", s->predictions, c->id, attempt);
		ret = read_plain(file, MAX_PATCH, &out->patch, err);
		break;
	case SOLVER_NOOP:
	case SOLVER_COUNT:
		break;
	}
	free(file);
	out->seconds = clock_seconds() - t;
	return ret;
}
