// SPDX-License-Identifier: GPL-2.0-only
/* kport learn: rules for the changes of the kernel's API, from what its drivers did. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "port/callback-rule.h"
#include "port/learn-store.h"
#include "port/learn.h"
#include "port/smpl.h"

static struct {
	const char *from, *to, *out;
	int64_t top;
	struct strvec symbols, dirs, exclude;
	bool score, markdown;
} o = { .top = 60, .symbols = STRVEC_INIT, .dirs = STRVEC_INIT, .exclude = STRVEC_INIT };

static const struct option options[] = {
	OPTION_STR('f', "from", &o.from, "KERNEL", "the older kernel"),
	OPTION_STR('t', "to", &o.to, "KERNEL", "the newer kernel"),
	OPTION_LIST('s', "symbol", &o.symbols, "SYMBOL", "learn for this symbol or STRUCT.MEMBER (may be repeated)"),
	OPTION_COUNT('n', "top", &o.top, "N", "learn for the N most frequent changes (default: 60)"),
	OPTION_LIST(0, "dir", &o.dirs, "DIR", "read only this directory of the trees (may be repeated)"),
	OPTION_LIST(0, "exclude", &o.exclude, "PATH", "learn nothing from this file or directory (may be repeated)"),
	OPTION_STR('o', "out", &o.out, "DIR", "write a semantic patch for each change there"),
	OPTION_BOOL(0, "score", &o.score, "print only the scores over all changes"),
	OPTION_BOOL(0, "markdown", &o.markdown, "print the table as Markdown"),
	OPTION_END()
};

struct shown {
	const char *title;
	struct progress *p;
};

static void show(uint64_t done, uint64_t total, void *payload)
{
	struct shown *s = payload;

	if (!s->p)
		s->p = progress_start(s->title, total);
	progress_update(s->p, done);
}

/* ---- answers ---------------------------------------------------------------------- */

static void add_share(double v, struct strbuf *out)
{
	if (v < 0)
		strbuf_addstr(out, "-");
	else
		strbuf_addf(out, "%.1f %%", v * 100);
}

static const char *rule_key(const struct learn_rule *r)
{
	return r->t ? r->t->key : r->cb ? r->cb->key : r->header;
}

static size_t count_rules(const struct learn_change *c, bool expressed)
{
	size_t n = 0;

	for (size_t k = 0; k < c->nrules; k++)
		n += c->rule[k].chosen && !c->rule[k].guard && (!expressed || c->rule[k].smpl);
	return n;
}

static void print_scores(const char *what, const struct learn_score *s)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s: precision ", what);
	add_share(learn_precision(s), &sb);
	strbuf_addstr(&sb, ", recall ");
	add_share(learn_recall(s), &sb);
	strbuf_addstr(&sb, ", safety ");
	add_share(learn_safety(s), &sb);
	printf("%s (%zu right, %zu of them the whole statement; %zu wrong, %zu of %zu changed that were left alone, "
	       "%zu missed)\n", sb.buf, learn_right(s), s->exact, s->wrong, s->alone, s->kept, s->missed);
	strbuf_release(&sb);
}

static void print_rule(const struct learn_rule *r)
{
	struct strbuf sb = STRBUF_INIT;

	if (r->guard) {
		printf("    left alone: %s\n", rule_key(r));
		return;
	}
	add_share(learn_precision(&r->score), &sb);
	printf("    %zu files, precision %s, %s%s%s: %s%s%s\n", r->support, sb.buf, risk_name(r->risk),
	       r->why_not ? ", not expressible: " : "", r->why_not ? r->why_not : "",
	       r->object ? r->object : "", r->object ? " " : "", rule_key(r));
	strbuf_release(&sb);
}

static void print_change(const struct learn_change *c)
{
	printf("%s: %s\n", c->title, c->text);
	printf("  %zu files answered it, %zu rules\n", c->files, count_rules(c, false));
	print_scores("  held-out files", &c->score);
	for (size_t k = 0; k < c->nrules; k++)
		if (c->rule[k].chosen)
			print_rule(&c->rule[k]);
}

static void print_row(const struct learn_change *c)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "| `%s` | %s | %zu | %zu | ", c->title, c->text, c->files, count_rules(c, true));
	add_share(learn_precision(&c->score), &sb);
	strbuf_addstr(&sb, " | ");
	add_share(learn_recall(&c->score), &sb);
	strbuf_addstr(&sb, " | ");
	add_share(learn_safety(&c->score), &sb);
	printf("%s |\n", sb.buf);
	strbuf_release(&sb);
}

static json_t *score_json(const struct learn_score *s)
{
	json_t *v = json_object();

	if (learn_precision(s) >= 0)
		json_set_num(v, "precision", learn_precision(s));
	if (learn_recall(s) >= 0)
		json_set_num(v, "recall", learn_recall(s));
	if (learn_safety(s) >= 0)
		json_set_num(v, "safety", learn_safety(s));
	json_set_int(v, "exact", (int64_t)s->exact);
	json_set_int(v, "within", (int64_t)s->within);
	json_set_int(v, "wrong", (int64_t)s->wrong);
	json_set_int(v, "alone", (int64_t)s->alone);
	json_set_int(v, "kept", (int64_t)s->kept);
	json_set_int(v, "missed", (int64_t)s->missed);
	return v;
}

static json_t *rule_json(const struct learn *l, const struct learn_rule *r)
{
	json_t *v = json_object(), *paths = json_array();

	json_set_str(v, "rule", rule_key(r));
	json_set_str(v, "object", r->object);
	json_set_int(v, "files", (int64_t)r->support);
	json_set_bool(v, "guard", r->guard);
	json_set_str(v, "risk", risk_name(r->risk));
	json_set_str(v, "smpl", r->smpl);
	json_set_str(v, "not_expressible", r->why_not);
	json_object_set_new(v, "score", score_json(&r->score));
	for (size_t i = 0; i < r->support && i < 5; i++)
		json_array_append_new(paths, json_str(l->paths.v[r->files[i]]));
	json_object_set_new(v, "evidence", paths);
	return v;
}

static json_t *change_json(const struct learn *l, const struct learn_change *c)
{
	json_t *v = json_object(), *rules = json_array();

	json_set_str(v, "symbol", c->title);
	json_set_str(v, "change", c->text);
	json_set_int(v, "files", (int64_t)c->files);
	json_object_set_new(v, "score", score_json(&c->score));
	for (size_t k = 0; k < c->nrules; k++)
		if (c->rule[k].chosen)
			json_array_append_new(rules, rule_json(l, &c->rule[k]));
	json_object_set_new(v, "rules", rules);
	return v;
}

static void print_json(const struct learn *l, const struct learn_score *sum)
{
	json_t *v = json_object(), *list = json_array();

	json_set_str(v, "from", l->pair->from->name);
	json_set_str(v, "to", l->pair->to->name);
	json_object_set_new(v, "score", score_json(sum));
	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, change_json(l, l->change[i]));
	json_object_set_new(v, "changes", list);
	json_print(v);
}

static void print_all(const struct learn *l)
{
	struct learn_score sum = { 0 };

	for (size_t i = 0; i < l->n; i++)
		learn_score_add(&sum, &l->change[i]->score);
	if (opt_json) {
		print_json(l, &sum);
		return;
	}
	if (o.markdown)
		printf("| symbol | change | files | rules | precision | recall | safety |\n|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < l->n && !o.score; i++)
		if (o.markdown)
			print_row(l->change[i]);
		else
			print_change(l->change[i]);
	if (!o.markdown)
		print_scores(o.score ? "all changes" : "\nall changes", &sum);
}

static int write_files(const struct learn *l, struct strbuf *err)
{
	int ret = file_mkdirs(o.out, err);

	for (size_t i = 0; i < l->n && !ret; i++) {
		char *name = smpl_name(l->change[i]), *path = xstrfmt("%s/%s.cocci", o.out, name);
		struct strbuf text = STRBUF_INIT;

		if (smpl_file(l, l->change[i], &text))
			ret = file_write(path, text.buf, text.len, err);
		strbuf_release(&text);
		free(name);
		free(path);
	}
	return ret;
}

/* ---- work ------------------------------------------------------------------------------ */

static int mined_examples(const struct api_pair *p, struct examples **out, char **store, struct strbuf *err)
{
	struct shown mining = { "mining both kernels' sources, once", NULL };
	char *path;
	int ret;

	if (!p->from || !p->to)
		return kp_fail(err, KP_ERR, "an imported index has no sources to learn from; add both kernels with "
			       "'kport kernel add VERSION --with-source'");
	if (!p->from->source_dir || !p->to->source_dir)
		return kp_fail(err, KP_ERR, "kernel '%s' has no sources here; add them with 'kport kernel add %s --with-source'",
			       p->from->source_dir ? p->to->name : p->from->name,
			       p->from->source_dir ? p->to->name : p->from->name);
	path = examples_path(p->from->source_dir, p->to->source_dir);
	ret = file_exists(path) ? 0 : examples_mine(p->from->source_dir, p->to->source_dir, NULL, path, show,
						    &mining, err);
	progress_finish(mining.p);
	if (!ret)
		ret = examples_open(path, out, err);
	*store = learn_store_path(path);
	free(path);
	return ret;
}

static int learn(struct strbuf *err)
{
	struct api_pair pair = { 0 };
	struct learn l = { 0 };
	struct examples *ex = NULL;
	struct shown reading = { "reading both kernels' sources", NULL };
	char *store = NULL;
	int ret = api_pair_open(&pair, o.from, o.to, err);

	if (!ret)
		ret = mined_examples(&pair, &ex, &store, err);
	learn_init(&l, &pair, ex, &o.exclude);
	if (!ret)
		ret = learn_choose(&l, &o.symbols, (size_t)o.top, err);
	if (!ret)
		ret = learn_read(&l, &o.dirs, o.symbols.n ? SIZE_MAX : (size_t)o.top, show, &reading, err);
	progress_finish(reading.p);
	if (!ret) {
		learn_rules(&l);
		for (size_t i = 0; i < l.n; i++)
			smpl_rules(&l, l.change[i]);
		print_all(&l);
		if (o.out)
			ret = write_files(&l, err);
	}
	/* What was learned from a part of the trees is not what others ask for. */
	if (!ret && !o.dirs.n && !o.exclude.n)
		ret = learn_store_write(store, &l, err);
	learn_release(&l);
	examples_close(ex);
	api_pair_close(&pair);
	free(store);
	return ret;
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	int ret;

	options_parse(cmd, options, argc, argv, NULL);
	if (!o.from || !o.to)
		usage("learn: give --from KERNEL and --to KERNEL");
	if (o.top < 1)
		usage("learn: --top is at least 1");
	ret = learn(&err);
	if (ret < 0) {
		log_error("%s", err.buf);
		ret = ret == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(ret);
	}
	strbuf_release(&err);
	return ret;
}

const struct command cmd_learn = {
	"learn", "learn rules for API changes from what the kernel's drivers did",
	"kport learn --from KERNEL --to KERNEL [options]", run
};
