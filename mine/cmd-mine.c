// SPDX-License-Identifier: GPL-2.0-only
/* kport mine: what the kernel's own sources did between two trees. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "mine/examples.h"
#include "mine/mine-sub.h"

static struct {
	bool trees, again;
	const char *out;
	struct strvec dirs;
} o = { .dirs = STRVEC_INIT };

static const struct option options[] = {
	OPTION_BOOL(0, "trees", &o.trees, "the operands are two source trees, the older first"),
	OPTION_LIST(0, "dir", &o.dirs, "DIR", "compare only this directory of the trees (may be repeated)"),
	OPTION_STR('o', "out", &o.out, "FILE", "write the index there instead of the cache"),
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
		struct strbuf out = STRBUF_INIT;
		json_t *v = json_object();

		json_set_str(v, "index", path);
		json_set_int(v, "files", (int64_t)st.files);
		json_set_int(v, "changed", (int64_t)st.changed);
		json_set_int(v, "renamed", (int64_t)st.renamed);
		json_set_int(v, "reused", (int64_t)st.reused);
		json_set_int(v, "unreadable", (int64_t)st.unreadable);
		json_set_int(v, "examples", (int64_t)st.hunks);
		json_dump_pretty(v, &out);
		fputs(out.buf, stdout);
		strbuf_release(&out);
		json_decref(v);
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

static int mine(const char *old_src, const char *new_src, struct strbuf *err)
{
	char *path = o.out ? xstrdup(o.out) : examples_path(old_src, new_src);
	struct progress *p = NULL;
	int ret = 0;

	if (!file_is_dir(old_src) || !file_is_dir(new_src)) {
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
	if (!o.trees || operands.n != 2)
		usage("name two source trees: kport mine --trees OLD NEW");
	ret = mine(operands.v[0], operands.v[1], &err);
	if (ret) {
		log_error("%s", err.buf);
		ret = ret == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(ret);
	}
	strbuf_release(&err);
	strvec_release(&operands);
	return ret;
}

const struct command cmd_mine = {
	.name = "mine",
	.summary = "learn from two kernel source trees how drivers followed its changes",
	.usage = "kport mine --trees OLD NEW [options]\n"
		 "kport mine cases --trees OLD NEW --out FILE [--dir DIR]\n"
		 "kport mine status",
	.run = run,
};
