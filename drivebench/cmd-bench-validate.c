// SPDX-License-Identifier: GPL-2.0-only
/*
 * kport bench validate: each case in a child process of its own, whose record stays in
 * OUT.records/ID.json, so that a run that ended early goes on where it was.
 */
#include "base/compat.h"
#include "drivebench/cmd-bench.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/strmap.h"
#include "base/workdir.h"
#include "drivebench/validate.h"
#include "harness/sandbox.h"

static struct {
	struct bench_choice b;
	const char *out, *gates, *one;
	int64_t jobs;
	bool boot, all;
} o = { .b = BENCH_CHOICE_INIT };

static const struct option options[] = {
	OPTION_STR('o', "out", &o.out, "FILE", "the validated cases go there, one JSON object a line"),
	OPTION_BOOL(0, "all", &o.all, "write what was rejected too"),
	OPTION_STR(0, "gates", &o.gates, "LIST", "gates that decide (default: apply,compile,link,honest)"),
	OPTION_BOOL(0, "boot", &o.boot, "and those that need a machine"),
	OPTION_COUNT('j', "jobs", &o.jobs, "N", "cases at once (default: 1)"),
	OPTION_STR(0, "one", &o.one, "FILE", "validate one case and write its record there (used for the children)"),
	BENCH_CHOICE_OPTIONS(&o.b),
	OPTION_END()
};

struct coordinator {
	struct case_set *s;
	char *records;
	size_t next, done, infra;
	struct progress *p;
	int argc;
	const char **argv;
};

static char *record_path(const struct coordinator *co, const struct bench_case *c)
{
	return xstrfmt("%s/%s.json", co->records, c->id);
}

static bool next_case(struct child *ch, void **task, void *payload)
{
	struct coordinator *co = payload;

	while (co->next < co->s->n) {
		struct bench_case *c = co->s->c[co->next++];
		char *path = record_path(co, c);

		if (file_exists(path)) {
			progress_update(co->p, ++co->done);
			free(path);
			continue;
		}
		strvec_pushl(&ch->argv, "/proc/self/exe", "bench", NULL);
		strvec_pushv(&ch->argv, co->argv);
		strvec_pushl(&ch->argv, "--id", c->id, "--limit", "1", "--one", path, "--quiet", NULL);
		ch->err = xcalloc(1, sizeof(*ch->err));
		strbuf_init(ch->err);
		ch->limits.wall_seconds = 3600;
		*task = c;
		free(path);
		return true;
	}
	return false;
}

static void case_done(struct child *ch, const struct child_result *r, const char *start_error, void *task,
		      void *payload)
{
	struct coordinator *co = payload;
	struct bench_case *c = task;
	char *path = record_path(co, c);

	if (!file_exists(path) && (!r || r->kind != CHILD_INTERRUPTED)) {
		co->infra++;
		strbuf_rtrim(ch->err);
		log_warn("%.12s %s: %s", c->id, c->path ? c->path : c->name,
			 start_error ? start_error : ch->err->len ? ch->err->buf : "ended without an answer");
	}
	progress_update(co->p, ++co->done);
	strbuf_release(ch->err);
	free(ch->err);
	free(path);
}

/* ---- one case -------------------------------------------------------------------------------- */

static int validate_one(const struct bench_case *c, struct strbuf *err)
{
	struct refs refs = REFS_INIT;
	struct strbuf ignored = STRBUF_INIT;
	char *work = NULL;
	json_t *record = NULL;
	int ret = workdir_make("bench-", &work, err);

	if (!ret)
		ret = refs_open(&refs, &o.b.kernels, err);
	if (!ret)
		ret = case_validate(&refs, c, bench_mask(o.gates, o.boot), work, &record, err);
	if (!ret)
		ret = json_write_file(o.one, record, err);
	json_decref(record);
	refs_release(&refs);
	if (work)
		file_remove(work, &ignored);
	strbuf_release(&ignored);
	free(work);
	return ret;
}

/* ---- all --------------------------------------------------------------------------------------- */

struct tally {
	size_t validated, rejected, candidates;
	struct strmap reasons; /* reason -> count */
};

static int collect(const struct coordinator *co, struct tally *t, struct strbuf *err)
{
	struct case_set out = CASE_SET_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < co->s->n; i++) {
		struct bench_case *c = co->s->c[i], *with;
		char *path = record_path(co, c);
		const char *verdict, *reason;
		json_t *record = NULL;

		if (!file_exists(path))
			t->candidates++;
		else
			ret = json_read_file(path, 0, &record, err);
		verdict = record ? json_get_str(record, "verdict") : NULL;
		reason = record ? json_get_str(record, "reason") : NULL;
		if (reason)
			strmap_put(&t->reasons, reason, (void *)((uintptr_t)strmap_get(&t->reasons, reason) + 1));
		if (verdict && !strcmp(verdict, "validated"))
			t->validated++;
		else if (verdict)
			t->rejected++;
		if (verdict && (o.all || !strcmp(verdict, "validated")))
			ret = case_from_json(case_with_record(c, record), path, &with, err);
		else
			with = NULL;
		if (!ret && with) {
			ALLOC_GROW(out.c, out.n + 1, out.alloc);
			out.c[out.n++] = with;
		}
		json_decref(record);
		free(path);
	}
	if (!ret)
		ret = case_set_write(&out, o.out, err);
	case_set_release(&out);
	return ret;
}

static void print_tally(const struct coordinator *co, struct tally *t)
{
	json_t *v = json_object(), *reasons = json_object();
	struct strmap_entry *e;

	json_set_int(v, "cases", (int64_t)co->s->n);
	json_set_int(v, "validated", (int64_t)t->validated);
	json_set_int(v, "rejected", (int64_t)t->rejected);
	json_set_int(v, "candidates", (int64_t)t->candidates);
	strmap_for_each(&t->reasons, e)
		json_set_int(reasons, e->key, (int64_t)(uintptr_t)e->value);
	json_object_set_new(v, "reasons", reasons);
	if (opt_json) {
		json_print(v);
		return;
	}
	printf("%zu cases: %zu validated, %zu rejected, %zu stay candidates\n", co->s->n, t->validated, t->rejected,
	       t->candidates);
	strmap_for_each(&t->reasons, e)
		printf("%6zu  %s\n", (size_t)(uintptr_t)e->value, e->key);
	json_decref(v);
}

static int validate_all(struct coordinator *co, struct strbuf *err)
{
	const struct child_task task = { .next = next_case, .done = case_done, .payload = co };
	struct tally t = { .reasons = STRMAP_INIT };
	struct lock lock = LOCK_INIT;
	int ret = file_check_out(o.out, err), ran;

	co->records = xstrfmt("%s.records", o.out);
	if (!ret)
		ret = file_mkdirs(co->records, err);
	if (!ret)
		ret = lock_take(&lock, co->records, 0, err);
	if (!ret) {
		co->p = progress_start("validating", co->s->n);
		ran = child_run_parallel(&task, o.jobs ? (int)o.jobs : 1, err);
		progress_finish(co->p);
		/* What is finished is written even so. */
		ret = collect(co, &t, err);
		if (!ret)
			print_tally(co, &t);
		if (!ret)
			ret = ran;
	}
	lock_release(&lock);
	strmap_release(&t.reasons, NULL);
	free(co->records);
	return ret;
}

int bench_validate(const struct command *cmd, int argc, const char **argv)
{
	struct case_set s = CASE_SET_INIT;
	struct strbuf err = STRBUF_INIT;
	struct coordinator co = { .s = &s, .argc = argc, .argv = argv };
	int ret, code;

	options_parse(cmd, options, argc, argv, NULL);
	if ((!o.out || !*o.out) && !o.one)
		usage("say where the validated cases go: --out FILE");
	if (o.jobs < 0)
		usage("--jobs cannot be negative");
	bench_mask(o.gates, o.boot);
	ret = sandbox_probe(&err);
	/* The coordinator's own choice stands in front of the child's. */
	while (o.one && o.b.ids.n > 1)
		strvec_remove(&o.b.ids, 0);
	if (!ret)
		ret = bench_choose(&o.b, &s, &err);
	if (!ret && o.one && s.n == 1)
		ret = validate_one(s.c[0], &err);
	else if (!ret && o.one)
		ret = kp_fail(&err, KP_ERR, "no such case");
	else if (!ret)
		ret = validate_all(&co, &err);
	code = ret ? kp_exit_code(ret) : co.infra ? EXIT_INFRA : EXIT_YES;
	command_end(ret, &err);
	case_set_release(&s);
	bench_choice_release(&o.b);
	return code;
}
