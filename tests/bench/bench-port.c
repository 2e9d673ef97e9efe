// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs kport on real porting cases and prints what came of it: a table by
 * kernel pair, one by error kind, and every failure with its first breakage
 * that is left.
 *
 *	bench-port --kport build/kport --cases DIR --out DIR [--set intree|dkms]
 *		   [--pair 6.1:6.12] [--every N] [--offset N] [--jobs N] [--gates LIST]
 *		   [--json FILE] [--tables-only | --inputs] [--list FILE] [--without LIST]
 *
 * DIR of cases holds intree-dev.tsv and dkms-dev.tsv (a header line names the columns).
 * Kernels must be there ("kport kernel add V --with-source"); packages are
 * downloaded. A case whose result.json exists in OUT is not run again: an
 * interrupted bench goes on where it was. Solved in-tree cases are compared
 * with the newer tree's own file (bench-equiv.h).
 */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/command.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "base/strmap.h"
#include "harness/kernel.h"
#include "tests/bench/bench-equiv.h"

static struct {
	const char *kport, *cases, *out, *set, *pair, *gates, *only, *json, *list, *without;
	int64_t every, offset, jobs;
	bool again, keep, tables_only, inputs;
} o = { .every = 1, .jobs = 2 };

static const struct option options[] = {
	OPTION_STR(0, "kport", &o.kport, "FILE", "the program"),
	OPTION_STR(0, "cases", &o.cases, "DIR", "directory of the case lists"),
	OPTION_STR(0, "out", &o.out, "DIR", "results"),
	OPTION_STR(0, "set", &o.set, "intree|dkms", "one list only"),
	OPTION_STR(0, "pair", &o.pair, "K1:K2", "one kernel pair only"),
	OPTION_STR(0, "only", &o.only, "TEXT", "cases whose name contains the text"),
	OPTION_STR(0, "list", &o.list, "FILE", "only the cases of this list (driver_file, from, to; such as tests/data/coordinated.tsv)"),
	OPTION_STR(0, "without", &o.without, "LIST", "passed on to kport port"),
	OPTION_STR(0, "gates", &o.gates, "LIST", "passed on to kport port"),
	OPTION_INT(0, "every", &o.every, "N", "every Nth case of a pair"),
	OPTION_INT(0, "offset", &o.offset, "N", "start with this one"),
	OPTION_INT('j', "jobs", &o.jobs, "N", "cases at once"),
	OPTION_BOOL(0, "again", &o.again, "run cases that have a result again"),
	OPTION_STR(0, "json", &o.json, "FILE", "write the comparison with the newer files there"),
	OPTION_BOOL(0, "tables-only", &o.tables_only, "run nothing: tables of the results that are there"),
	OPTION_BOOL(0, "inputs", &o.inputs, "run nothing: set, name, kernels, input (packages are downloaded) and what came of it, tab-separated"),
	OPTION_BOOL(0, "keep", &o.keep, "keep the work directories"),
	OPTION_END()
};

static const struct command self = { .name = "bench-port", .usage = "bench-port [options]" };

static struct bcase *cases;
static size_t ncases, cases_alloc, next_case;
static struct strmap chosen = STRMAP_INIT;
static struct strmap pair_seen = STRMAP_INIT; /* pair -> count, to thin by --every */

/* ---- reading the lists ----------------------------------------------------- */

/* Keys "driver from to" of --list. */
static void read_chosen(void)
{
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	char *save = NULL;

	if (!o.list)
		return;
	if (file_read(o.list, 0, &text, &err))
		die("%s", err.buf);
	for (char *line = strtok_r(text.buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct strvec col = STRVEC_INIT;

		strvec_split(&col, line, "\t");
		if (col.n >= 3) {
			char *key = xstrfmt("%s %s %s", col.v[0], col.v[1], col.v[2]);

			strmap_put(&chosen, key, NULL);
			free(key);
		}
		strvec_release(&col);
	}
	strbuf_release(&text);
}

static bool is_chosen(const char *id, const char *from, const char *to)
{
	char *key = xstrfmt("%s %s %s", id, from, to);
	bool yes = !o.list || strmap_has(&chosen, key);

	free(key);
	return yes;
}

static bool wanted(const char *set, const char *id, const char *from, const char *to)
{
	char *pair = xstrfmt("%s:%s", from, to), *key = xstrfmt("%s %s", set, pair);
	uintptr_t n = (uintptr_t)strmap_get(&pair_seen, key);
	bool ok = (!o.set || !strcmp(o.set, set)) && (!o.pair || !strcmp(o.pair, pair)) &&
		  (!o.only || strstr(id, o.only)) && is_chosen(id, from, to);

	if (ok) {
		strmap_put(&pair_seen, key, (void *)(n + 1));
		ok = (int64_t)(n % (uintptr_t)o.every) == o.offset;
	}
	free(pair);
	free(key);
	return ok;
}

static void add_case(const char *set, char **col, bool dkms)
{
	struct bcase *c;
	const char *from = col[dkms ? 3 : 1], *to = col[dkms ? 4 : 2];
	char *id = dkms ? xstrfmt("%s_%s", col[0], col[1]) : xstrdup(col[0]);

	if (!wanted(set, id, from, to)) {
		free(id);
		return;
	}
	for (char *p = id; *p; p++) {
		if (*p == '/' || *p == ':' || *p == '~')
			*p = '-';
	}
	ALLOC_GROW(cases, ncases + 1, cases_alloc);
	c = &cases[ncases++];
	memset(c, 0, sizeof(*c));
	c->id = id;
	c->dkms = dkms;
	c->from = xstrdup(from);
	c->to = xstrdup(to);
	c->kinds = xstrdup(col[dkms ? 8 : 4]);
	c->dir = xstrfmt("%s/%s/%s-%s/%s", o.out, set, from, to, id);
	if (dkms) {
		c->package = xstrdup(col[0]);
		c->version = xstrdup(col[1]);
		c->suites = xstrdup(col[2]);
	} else {
		c->input = xstrdup(col[0]);
	}
}

static void read_list(const char *name, const char *set, bool dkms)
{
	char *path = path_join(o.cases, name), *save = NULL;
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;

	if (file_read(path, 0, &text, &err))
		die("%s", err.buf);
	for (char *line = strtok_r(text.buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *col[12] = { 0 };
		int n = 0;

		for (char *p = line; p && n < 12; n++) {
			col[n] = p;
			p = strchr(p, '\t');
			if (p)
				*p++ = '\0';
		}
		if (n >= (dkms ? 9 : 5) && strcmp(col[dkms ? 3 : 1], "from"))
			add_case(set, col, dkms);
	}
	strbuf_release(&text);
	strbuf_release(&err);
	free(path);
}

/* ---- inputs ---------------------------------------------------------------- */

static void find_intree(struct bcase *c, struct strbuf *err)
{
	struct kernel *k;
	char *rel = c->input;

	if (kernel_resolve(c->from, &k, err))
		return;
	if (!k->source_dir)
		strbuf_addf(err, "kernel %s has no source; add it with --with-source", c->from);
	else
		c->input = path_join(k->source_dir, rel);
	free(rel);
	kernel_free(k);
}

static void find_dkms(struct bcase *c, struct strbuf *err)
{
	char *cache = kport_cache_dir(), *dir = path_join(cache, "packages");
	struct strvec suites = STRVEC_INIT;
	int ret = file_mkdirs(dir, err);

	strvec_split(&suites, c->suites, ",");
	for (size_t i = 0; !ret && i < suites.n && !c->input; i++) {
		strbuf_reset(err);
		if (!apt_download(suites.v[i], c->package, c->version, dir, &c->input, err))
			strbuf_reset(err);
	}
	strvec_release(&suites);
	free(dir);
	free(cache);
}

static void find_input(struct bcase *c, struct strbuf *err)
{
	if (c->dkms)
		find_dkms(c, err);
	else
		find_intree(c, err);
}

static void print_inputs(void)
{
	for (size_t i = 0; i < ncases; i++) {
		struct bcase *b = &cases[i];
		char *path = path_join(b->dir, "result.json");
		struct strbuf err = STRBUF_INIT;
		json_t *rec = NULL;

		json_read_file(path, 0, &rec, &err);
		strbuf_reset(&err);
		find_input(b, &err);
		printf("%s\t%s\t%s\t%s\t%s\t%s\n", b->dkms ? "dkms" : "intree", b->id, b->from, b->to,
		       err.len || !b->input ? "" : b->input, rec ? json_get_str(rec, "outcome") : "");
		json_decref(rec);
		strbuf_release(&err);
		free(path);
	}
}

/* ---- running ---------------------------------------------------------------- */

static bool next(struct child *c, void **task, void *payload)
{
	while (next_case < ncases) {
		struct bcase *b = &cases[next_case++];
		struct strbuf err = STRBUF_INIT;
		char *record = path_join(b->dir, "result.json");
		bool have = file_exists(record) && !o.again;

		free(record);
		if (have)
			continue;
		find_input(b, &err);
		if (err.len) {
			b->error = strbuf_detach(&err, NULL);
			continue;
		}
		strvec_pushl(&c->argv, o.kport, "port", b->input, "--from", b->from, "--to", b->to,
			     "--out", b->dir, "--no-boot", "--quiet", "--force", NULL);
		if (o.gates)
			strvec_pushl(&c->argv, "--gates", o.gates, NULL);
		if (o.without)
			strvec_pushl(&c->argv, "--without", o.without, NULL);
		if (o.keep)
			strvec_push(&c->argv, "--keep-work");
		c->out = xcalloc(1, sizeof(*c->out));
		strbuf_init(c->out);
		c->err_to_out = true;
		c->limits.wall_seconds = 1800;
		*task = b;
		return true;
	}
	return false;
}

static void done(struct child *c, const struct child_result *r, const char *start_error,
		 void *task, void *payload)
{
	struct bcase *b = task;
	static size_t finished;
	char *record = path_join(b->dir, "result.json");

	if (start_error)
		b->error = xstrdup(start_error);
	else if (!file_exists(record))
		b->error = xstrdup(c->out->len ? c->out->buf : "no result");
	if (r) {
		b->seconds = r->wall;
		b->rss = r->max_rss;
	}
	fprintf(stderr, "[%zu] %s %s->%s: %s (%.1f s)\n", ++finished, b->id, b->from, b->to,
		b->error ? b->error : r && r->code == 0 ? "ported" : "not", b->seconds);
	strbuf_release(c->out);
	free(c->out);
	free(record);
}

/* ---- tables ------------------------------------------------------------------ */

struct tally {
	size_t n, compile, link, honest, safe, review, error;
};

static void count(struct tally *t, const json_t *rec)
{
	const char *outcome = rec ? json_get_str(rec, "outcome") : NULL;
	bool link = rec && bench_passed(rec, "compile") && bench_passed(rec, "link");

	t->n++;
	t->error += !rec;
	if (!rec)
		return;
	t->compile += bench_passed(rec, "compile");
	t->link += link;
	t->honest += link && bench_passed(rec, "honest");
	t->safe += outcome && !strcmp(outcome, "ported");
	t->review += outcome && starts_with(outcome, "ported,");
}

static void print_tally(const char *name, const struct tally *t)
{
	printf("%-34s %5zu %5zu %5zu %5zu (%3.0f %%) %6zu %6zu %6zu\n", name, t->n, t->compile,
	       t->link, t->honest, t->n ? 100.0 * (double)t->honest / (double)t->n : 0, t->safe,
	       t->review, t->error);
}

static void print_map(const char *title, struct strmap *m)
{
	struct strmap_entry *e;

	printf("\n%-34s %5s %5s %5s %13s %6s %6s %6s\n", title, "cases", "comp", "link",
	       "+honest", "safe", "review", "error");
	strmap_for_each(m, e)
		print_tally(e->key, e->value);
}

static struct tally *tally_of(struct strmap *m, const char *key)
{
	struct tally *t = strmap_get(m, key);

	if (!t) {
		t = xcalloc(1, sizeof(*t));
		strmap_put(m, key, t);
	}
	return t;
}

static void print_failure(const struct bcase *b, const json_t *rec)
{
	const json_t *left = rec ? json_array_get(json_object_get(rec, "left"), 0) : NULL;

	if (b->error || !rec) {
		printf("E %s %s->%s: %s\n", b->id, b->from, b->to, b->error ? b->error : "no record");
	} else if (!bench_passed(rec, "compile") || !bench_passed(rec, "link") || !bench_passed(rec, "honest")) {
		if (left)
			printf("F %s %s->%s: %s: %s\n", b->id, b->from, b->to,
			       json_get_str(left, "kind"), json_get_str(left, "message"));
		else
			printf("F %s %s->%s: %s\n", b->id, b->from, b->to,
			       json_get_str(rec, "headline"));
	}
}

static void tables(void)
{
	struct strmap pairs = STRMAP_INIT, kinds = STRMAP_INIT;

	for (size_t i = 0; i < ncases; i++) {
		struct bcase *b = &cases[i];
		char *path = path_join(b->dir, "result.json");
		char *pair = xstrfmt("%s %s -> %s", b->dkms ? "dkms" : "in-tree", b->from, b->to);
		struct strvec ks = STRVEC_INIT;
		struct strbuf err = STRBUF_INIT;
		json_t *rec = NULL;

		json_read_file(path, 0, &rec, &err);
		count(tally_of(&pairs, pair), rec);
		strvec_split(&ks, b->kinds, ",");
		for (size_t k = 0; k < ks.n; k++) {
			char *kind = xstrndup(ks.v[k], strcspn(ks.v[k], ":"));

			count(tally_of(&kinds, kind), rec);
			free(kind);
		}
		print_failure(b, rec);
		if (rec && !b->dkms)
			bench_equiv_case(b, rec);
		json_decref(rec);
		strvec_release(&ks);
		strbuf_release(&err);
		free(pair);
		free(path);
	}
	print_map("error kind (cases that show it)", &kinds);
	print_map("kernel pair", &pairs);
	bench_equiv_tables(o.json);
	strmap_release(&pairs, free);
	strmap_release(&kinds, free);
}

static int by_seconds(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print_cost(void)
{
	double *s = xcalloc(ncases ? ncases : 1, sizeof(*s));
	size_t n = 0;
	uint64_t rss = 0;

	for (size_t i = 0; i < ncases; i++) {
		if (cases[i].seconds <= 0)
			continue;
		s[n++] = cases[i].seconds;
		if (cases[i].rss > rss)
			rss = cases[i].rss;
	}
	sort_items(s, n, sizeof(*s), by_seconds);
	if (n)
		printf("\ntime of the %zu cases run now: median %.1f s, 95 %% %.1f s, max %.1f s; "
		       "largest process %" PRIu64 " MiB\n", n, s[n / 2], s[n * 95 / 100], s[n - 1],
		       rss >> 20);
	free(s);
}

int main(int argc, char **argv)
{
	const struct child_task task = { .next = next, .done = done };
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;

	options_parse(&self, options, argc, (const char **)argv, &operands);
	if (!o.kport || !o.cases || !o.out || o.every < 1)
		usage("bench-port: --kport, --cases and --out are needed");
	child_catch_signals();
	read_chosen();
	read_list("intree-dev.tsv", "intree", false);
	read_list("dkms-dev.tsv", "dkms", true);
	if (o.inputs) {
		print_inputs();
		return 0;
	}
	if (!o.tables_only && child_run_parallel(&task, (int)o.jobs, &err))
		die("%s", err.buf);
	tables();
	print_cost();
	return 0;
}
