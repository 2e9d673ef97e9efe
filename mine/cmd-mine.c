// SPDX-License-Identifier: GPL-2.0-only
/* kport mine: what the kernel's own sources did, commit by commit or between two trees. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "mine/cochange.h"
#include "mine/examples.h"
#include "mine/mine-sub.h"

#define UNSET INT64_MIN

static struct {
	bool trees, again, first_parent, all, no_examples;
	int64_t jobs;
	const char *out;
	struct strvec dirs;
} o = { .jobs = UNSET, .dirs = STRVEC_INIT };

static const struct option options[] = {
	OPTION_STR('o', "out", &o.out, "FILE", "write the index there instead of the cache"),
	OPTION_GROUP("A repository"),
	OPTION_BOOL(0, "all", &o.all, "all branches and tags instead of a range"),
	OPTION_BOOL(0, "first-parent", &o.first_parent, "follow first parents only: a merge is one change"),
	OPTION_BOOL(0, "no-examples", &o.no_examples, "classify only, keep no before/after examples"),
	OPTION_COUNT('j', "jobs", &o.jobs, "N", "threads (default: number of processors)"),
	OPTION_GROUP("Two trees"),
	OPTION_BOOL(0, "trees", &o.trees, "the operands are two source trees, the older first"),
	OPTION_LIST(0, "dir", &o.dirs, "DIR", "compare only this directory of the trees (may be repeated)"),
	OPTION_BOOL(0, "again", &o.again, "mine even when there is an index already"),
	OPTION_END()
};

static void show(uint64_t done, uint64_t total, void *payload)
{
	struct progress **p = payload;

	if (!*p)
		*p = progress_start("mining", total);
	progress_update(*p, done);
}

static int print_stats(const char *path, struct strbuf *err)
{
	struct examples *ex;
	struct examples_stats st;
	int ret = examples_open(path, &ex, err);

	if (ret)
		return ret;
	ret = examples_stats(ex, &st, err);
	examples_close(ex);
	if (ret)
		return ret;
	if (opt_json) {
		json_t *v = json_object();

		json_set_str(v, "index", path);
		json_set_int(v, "files", (int64_t)st.files);
		json_set_int(v, "changed", (int64_t)st.changed);
		json_set_int(v, "renamed", (int64_t)st.renamed);
		json_set_int(v, "reused", (int64_t)st.reused);
		json_set_int(v, "unreadable", (int64_t)st.unreadable);
		json_set_int(v, "examples", (int64_t)st.hunks);
		json_print(v);
		return 0;
	}
	printf("%" PRIu64 " examples from %" PRIu64 " changed of %" PRIu64 " files, %" PRIu64
	       " of them renamed", st.hunks, st.changed, st.files, st.renamed);
	if (st.reused)
		printf(", %" PRIu64 " mined before", st.reused);
	if (st.unreadable)
		printf(" (%" PRIu64 " could not be read)", st.unreadable);
	printf("\nindex  %s\n", path);
	return 0;
}

static int mine_trees(const char *old_src, const char *new_src, struct strbuf *err)
{
	char *path = o.out ? xstrdup(o.out) : examples_path(old_src, new_src);
	struct progress *p = NULL;
	int ret = o.out ? file_check_out(path, err) : 0;

	if (ret) {
		/* Said before anything is read. */
	} else if (!file_is_dir(old_src) || !file_is_dir(new_src)) {
		strbuf_addf(err, "'%s' is no directory", file_is_dir(old_src) ? new_src : old_src);
		ret = KP_ERR;
	} else if (o.again || !file_exists(path)) {
		ret = examples_mine(old_src, new_src, o.dirs.n ? &o.dirs : NULL, path, show, &p, err);
	}
	progress_finish(p);
	if (!ret)
		ret = print_stats(path, err);
	free(path);
	return ret;
}

/* ---- a repository ------------------------------------------------------------ */

static const char *class_name(unsigned i)
{
	return cochange_class_name((enum cochange_class)i);
}

static const char *filter_name(unsigned i)
{
	return cochange_filter_name((enum cochange_filter)i);
}

static const char *link_name(unsigned i)
{
	return cochange_link_name((enum cochange_link)i);
}

/* Numbers by name; "first" leaves out the ones before it. */
static void add_counts(json_t *to, const char *key, const uint64_t *v, unsigned first, unsigned n,
		       const char *(*name)(unsigned))
{
	json_t *counts = json_object();

	for (unsigned i = first; i < n; i++)
		json_set_int(counts, name(i), (int64_t)v[i]);
	json_object_set_new(to, key, counts);
}

static void print_json(const char *path, const struct cochange_figures *f)
{
	json_t *v = json_object(), *w = json_object();

	json_set_str(v, "index", path);
	json_set_int(w, "commits", (int64_t)f->walk.commits);
	json_set_int(w, "known", (int64_t)f->walk.known);
	json_set_int(w, "merges", (int64_t)f->walk.merges);
	json_set_int(w, "broken", (int64_t)f->walk.broken);
	json_set_int(w, "missing", (int64_t)f->walk.missing);
	json_set_int(w, "oversize", (int64_t)f->walk.oversize);
	json_set_int(w, "shallow", (int64_t)f->walk.shallow);
	json_set_int(w, "cut", (int64_t)f->walk.cut);
	json_set_int(w, "long_messages", (int64_t)f->walk.long_message);
	json_set_int(w, "damaged_packs", (int64_t)f->walk.bad_packs);
	json_set_bool(w, "kernel", f->walk.kernel);
	json_object_set_new(v, "walk", w);
	add_counts(v, "classes", f->cls, COCHANGE_NONE + 1, COCHANGE_CLASS_COUNT, class_name);
	add_counts(v, "filtered", f->filter, FILTER_NONE + 1, FILTER_COUNT, filter_name);
	add_counts(v, "links", f->link, 0, LINK_COUNT, link_name);
	json_set_int(v, "changes", (int64_t)f->changes);
	json_set_int(v, "groups", (int64_t)f->groups);
	json_set_int(v, "fixed", (int64_t)f->fixed);
	json_set_int(v, "examples", (int64_t)f->examples);
	json_print(v);
}

/* "12 things: 7 one, 5 other", the most first. */
static void print_counts(const char *what, const uint64_t *v, unsigned first, unsigned n,
			 const char *(*name)(unsigned))
{
	uint64_t total = 0, last = UINT64_MAX;
	const char *sep = ": ";

	for (unsigned i = first; i < n; i++)
		total += v[i];
	printf("%" PRIu64 " %s", total, what);
	while (last) {
		uint64_t next = 0;

		for (unsigned i = first; i < n; i++)
			if (v[i] < last && v[i] > next)
				next = v[i];
		for (unsigned i = first; i < n && next; i++) {
			if (v[i] != next)
				continue;
			printf("%s%" PRIu64 " %s", sep, v[i], name(i));
			sep = ", ";
		}
		last = next;
	}
	printf("\n");
}

static void print_walk(const struct history_figures *w)
{
	const struct {
		uint64_t n;
		const char *what;
	} left[] = {
		{ w->broken, "broken" }, { w->missing, "missing" }, { w->oversize, "too large" },
		{ w->shallow, "where the clone ends" },
	};
	const char *sep = "; passed over: ";

	printf("%" PRIu64 " commits walked", w->commits);
	if (w->known)
		printf(", %" PRIu64 " mined before", w->known);
	if (w->merges)
		printf(", %" PRIu64 " merges", w->merges);
	for (size_t i = 0; i < ARRAY_SIZE(left); i++) {
		if (!left[i].n)
			continue;
		printf("%s%" PRIu64 " %s", sep, left[i].n, left[i].what);
		sep = ", ";
	}
	printf("\n");
}

/* What a reader of the figures would not guess: that there was more. */
static void warn_of_gaps(const char *repo, const char *path, const struct history_figures *w)
{
	if (w->bad_packs)
		log_warn("%" PRIu64 " packs of '%s' are damaged; 'git -C %s fsck' names them", w->bad_packs, repo, repo);
	if (w->cut)
		log_warn("the history is cut off: %" PRIu64 " commits cannot be read and what lies behind them was not "
			 "looked at; 'git -C %s fsck' says what is wrong; once it is mended, remove '%s' and mine again",
			 w->cut, repo, path);
	if (w->shallow)
		log_warn("the history is cut off at %" PRIu64 " commits: the clone is shallow; "
			 "'git -C %s fetch --unshallow' brings the rest, then remove '%s' and mine again",
			 w->shallow, repo, path);
	if (w->long_message)
		log_info("of %" PRIu64 " commits only the beginning of a very long message was looked at",
			 w->long_message);
}

static void print_figures(const char *path, const struct cochange_figures *f)
{
	if (opt_json) {
		print_json(path, f);
		return;
	}
	print_walk(&f->walk);
	print_counts("co-changes", f->cls, COCHANGE_NONE + 1, COCHANGE_CLASS_COUNT, class_name);
	print_counts("candidates filtered", f->filter, FILTER_NONE + 1, FILTER_COUNT, filter_name);
	printf("%" PRIu64 " changes of interfaces in %" PRIu64 " groups, %" PRIu64
	       " co-changes corrected later, %" PRIu64 " examples\n",
	       f->changes, f->groups, f->fixed, f->examples);
	if (!f->walk.kernel)
		printf("no Linux kernel: co-changes of its own headers and sources are found as in any C "
		       "project; exports, namespaces and kernel releases are not\n");
	printf("index  %s\n", path);
}

static int mine_repo(const char *repo, const char *range, struct strbuf *err)
{
	char *path = o.out ? xstrdup(o.out) : cochange_path(repo);
	struct progress *p = NULL;
	struct cochange_options opts = {
		.all = o.all,
		.first_parent = o.first_parent,
		.no_examples = o.no_examples,
		.jobs = o.jobs == UNSET ? 0 : (int)o.jobs,
		.progress = show,
		.payload = &p,
	};
	struct cochange_figures f;
	int ret = o.out ? file_check_out(path, err) : 0;

	if (!ret)
		ret = cochange_mine(repo, range, &opts, path, &f, err);
	progress_finish(p);
	if (!ret) {
		warn_of_gaps(repo, path, &f.walk);
		print_figures(path, &f);
	}
	free(path);
	return ret;
}

/* ---- the command --------------------------------------------------------------- */

static void check_usage(const struct strvec *operands)
{
	if (o.trees && operands->n != 2)
		usage("name two source trees: kport mine --trees OLD NEW");
	if (!o.trees && (!operands->n || operands->n > 2))
		usage("name a repository and a range, or two source trees with --trees");
	if (o.trees && (o.all || o.first_parent || o.no_examples || o.jobs != UNSET))
		usage("--trees compares two trees: there is no history to follow");
	if (!o.trees && (o.again || o.dirs.n))
		usage("--again and --dir belong to --trees");
	if (o.all && operands->n == 2)
		usage("--all or a range, not both");
	if (o.jobs != UNSET && (o.jobs < 1 || o.jobs > 1024))
		usage("--jobs: a number from 1 to 1024");
	if (o.out && !*o.out)
		usage("--out names no file");
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	int ret;

	if (argc > 1 && !strcmp(argv[1], "status"))
		return mine_status(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "cases"))
		return mine_cases(argc - 1, argv + 1);
	options_parse(cmd, options, argc, argv, &operands);
	check_usage(&operands);
	if (o.trees)
		ret = mine_trees(operands.v[0], operands.v[1], &err);
	else
		ret = mine_repo(operands.v[0], operands.n > 1 ? operands.v[1] : NULL, &err);
	if (ret) {
		log_error("%s", err.buf);
		/* No commits in a range is an answer; no trees are not. */
		ret = ret == KP_NOTFOUND && o.trees ? EXIT_FATAL : kp_exit_code(ret);
	}
	strbuf_release(&err);
	strvec_release(&operands);
	return ret;
}

const struct command cmd_mine = {
	.name = "mine",
	.summary = "learn from the kernel's history, or from two source trees, how drivers followed",
	.usage = "kport mine REPO [RANGE] [options]\n"
		 "kport mine --trees OLD NEW [options]\n"
		 "kport mine cases --trees OLD NEW --out FILE [--dir DIR]\n"
		 "kport mine cases REPO --out FILE\n"
		 "kport mine status [--json]",
	.run = run,
};
