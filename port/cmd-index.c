// SPDX-License-Identifier: GPL-2.0-only
/* kport index: give what was mined to others as one file, and take such a file. */
#include "base/compat.h"

#include <time.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "mine/cochange.h"
#include "mine/examples.h"
#include "mine/share.h"
#include "port/apiview.h"

static const char *opt_pair, *opt_history, *opt_name;

#define EXPORT_OPTIONS \
	OPTION_STR(0, "pair", &opt_pair, "OLD:NEW", "what is known of these two kernels"), \
	OPTION_STR(0, "history", &opt_history, "REPO", "what was mined of this repository's history"), \
	OPTION_STR(0, "name", &opt_name, "NAME", "call the repository so (default: its directory)")

static const struct option export_table[] = { EXPORT_OPTIONS, OPTION_END() };
/* For the help text of "kport index" alone. */
static const struct option all_table[] = { OPTION_GROUP("Options of 'kport index export'"), EXPORT_OPTIONS,
					   OPTION_END() };

/* ---- output --------------------------------------------------------------------------------- */

static void what_text(const struct share_info *i, struct strbuf *out)
{
	if (i->kind == SHARE_HISTORY)
		strbuf_addf(out, "history of %s", i->repository);
	else
		strbuf_addf(out, "%s -> %s (%s, %s)", i->from_name, i->to_name, i->from_release, i->to_release);
}

static json_t *info_json(const struct share_info *i, const char *file)
{
	json_t *o = json_object();

	json_set_str(o, "kind", i->kind == SHARE_PAIR ? "pair" : "history");
	json_set_str(o, "from", i->from_name);
	json_set_str(o, "from_release", i->from_release);
	json_set_str(o, "to", i->to_name);
	json_set_str(o, "to_release", i->to_release);
	json_set_str(o, "repository", i->repository);
	json_set_int(o, "created", i->created);
	json_set_int(o, "bytes", (int64_t)i->bytes);
	json_set_bool(o, "examples", i->has[SHARE_EXAMPLES]);
	json_set_bool(o, "layout", i->has[SHARE_LAYOUT]);
	json_set_str(o, "dir", i->dir);
	json_set_str(o, "file", file);
	return o;
}

/* ---- export --------------------------------------------------------------------------------- */

static int export_pair(const char *pair, const char *file, struct share_info *info, struct strbuf *err)
{
	const char *colon = strchr(pair, ':');
	char *from = colon ? xstrndup(pair, (size_t)(colon - pair)) : NULL;
	struct share_source s = { .kind = SHARE_PAIR };
	struct api_pair p = { 0 };
	int ret;

	ret = api_pair_open(&p, from, colon + 1, err);
	if (!ret) {
		s.from_name = p.from_name;
		s.to_name = p.to_name;
		s.from_release = api_index_release(p.old_ix);
		s.to_release = api_index_release(p.new_ix);
		s.file[SHARE_OLD] = api_index_file(p.old_ix);
		s.file[SHARE_NEW] = api_index_file(p.new_ix);
		s.file[SHARE_DIFF] = api_diff_file(p.diff);
		s.file[SHARE_EXAMPLES] = p.examples && file_exists(p.examples) ? p.examples : NULL;
		s.file[SHARE_LAYOUT] = p.layout ? layout_diff_file(p.layout) : NULL;
		ret = share_export(&s, file, info, err);
	}
	if (!ret && !info->has[SHARE_EXAMPLES])
		log_warn("no examples of these kernels were mined; 'kport mine --trees' does that");
	if (!ret && !info->has[SHARE_LAYOUT])
		log_warn("no layouts: %s", p.no_layout);
	api_pair_close(&p);
	free(from);
	return ret;
}

/* Names of directories that say nothing of what is in them. */
static bool says_nothing(const char *name)
{
	static const char *const words[] = { "repo", "repository", "git", "bare", "mirror", "clone", "checkout",
					     "src", "source", "tree", "upstream" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

/* The last part of path without ".git", which path loses; newly allocated. */
static char *take_last(char *path)
{
	char *slash, *name;
	size_t len;

	while ((slash = strrchr(path, '/')) != NULL && slash != path && !slash[1])
		*slash = '\0';
	name = xstrdup(path_base(path));
	if (slash)
		slash[slash == path] = '\0';
	else
		*path = '\0';
	len = strlen(name);
	if (len > 4 && ends_with(name, ".git"))
		name[len - 4] = '\0';
	return name;
}

/* "linux" of "/src/linux", "/src/linux/.git", "/src/linux.git" and "/src/linux/repo.git"; newly allocated. */
static char *repo_name(const char *repo)
{
	char *path = file_realpath(repo), *name, *first;

	if (!path)
		path = xstrdup(repo);
	first = name = take_last(path);
	while (*path && strcmp(path, "/") && (!strcmp(name, ".git") || says_nothing(name))) {
		char *outer = take_last(path);

		if (name != first)
			free(name);
		name = outer;
	}
	/* Nothing better above it. */
	if (!*name || says_nothing(name) || !strcmp(name, ".git")) {
		if (name != first)
			free(name);
		name = first;
	} else if (name != first) {
		free(first);
	}
	free(path);
	return name;
}

static int export_history(const char *repo, const char *file, struct share_info *info, struct strbuf *err)
{
	char *path = cochange_path(repo), *name = opt_name ? xstrdup(opt_name) : repo_name(repo);
	struct share_source s = { .kind = SHARE_HISTORY, .repository = name };
	int ret;

	s.file[SHARE_STORE] = path;
	if (!share_word_ok(name))
		ret = kp_fail(err, KP_ERR, "'%s' cannot be the name of a repository: choose one with --name", name);
	else if (!file_exists(path))
		ret = kp_fail(err, KP_NOTFOUND, "the history of '%s' was not mined; 'kport mine %s' does that", repo, repo);
	else
		ret = share_export(&s, file, info, err);
	free(path);
	free(name);
	return ret;
}

static bool is_pair(const char *s)
{
	const char *colon = strchr(s, ':');

	return colon && colon != s && colon[1];
}

static int run_export(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct share_info info = { 0 };
	int ret;

	options_parse(cmd, export_table, argc, argv, &operands);
	if (operands.n != 1 || !*operands.v[0])
		usage("name one FILE to write");
	if (!opt_pair == !opt_history || (opt_pair && !is_pair(opt_pair)))
		usage("say what to export: --pair OLD:NEW or --history REPO");
	if (opt_name && !opt_history)
		usage("--name goes with --history");
	if (opt_name && !share_word_ok(opt_name))
		usage("--name: up to 128 letters, digits and signs, no blank and no slash, and not beginning with '.' or '-'");
	ret = file_check_out(operands.v[0], &err);
	if (!ret)
		ret = opt_pair ? export_pair(opt_pair, operands.v[0], &info, &err) :
				 export_history(opt_history, operands.v[0], &info, &err);
	if (!ret && opt_json) {
		json_print(info_json(&info, operands.v[0]));
	} else if (!ret) {
		struct strbuf what = STRBUF_INIT;

		what_text(&info, &what);
		printf("%s: %s, %" PRIu64 " MiB of %" PRIu64 "\n", operands.v[0], what.buf,
		       file_size(operands.v[0]) >> 20, info.bytes >> 20);
		strbuf_release(&what);
	}
	share_info_release(&info);
	strvec_release(&operands);
	return command_end(ret, &err);
}

/* ---- import, list ---------------------------------------------------------------------------- */

static int run_import(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct share_info info = { 0 };
	int ret;

	options_parse(cmd, NULL, argc, argv, &operands);
	if (operands.n != 1)
		usage("name one FILE that 'kport index export' made");
	ret = share_import(operands.v[0], &info, &err);
	if (ret == KP_NOTFOUND)
		ret = KP_ERR;
	if (!ret && opt_json) {
		json_print(info_json(&info, operands.v[0]));
	} else if (!ret) {
		struct strbuf what = STRBUF_INIT;

		what_text(&info, &what);
		printf("%s: %s\n", info.was_there ? "there already" : "imported", what.buf);
		strbuf_release(&what);
	}
	share_info_release(&info);
	strvec_release(&operands);
	return command_end(ret, &err);
}

static void print_one(const struct share_info *i)
{
	struct strbuf what = STRBUF_INIT;
	char day[32] = "";
	time_t t = (time_t)i->created;
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	what_text(i, &what);
	printf("%s%s%s, made %s, %" PRIu64 " MiB\n", what.buf, i->has[SHARE_EXAMPLES] ? ", with examples" : "",
	       i->has[SHARE_LAYOUT] ? ", with layouts" : "", day, i->bytes >> 20);
	strbuf_release(&what);
}

static int run_list(const struct command *cmd, int argc, const char **argv)
{
	struct share_list l;
	json_t *a;

	options_parse(cmd, NULL, argc, argv, NULL);
	share_list_imported(&l);
	if (opt_json) {
		a = json_array();
		for (size_t i = 0; i < l.n; i++)
			json_array_append_new(a, info_json(&l.v[i], NULL));
		json_print(a);
	} else {
		for (size_t i = 0; i < l.n; i++)
			print_one(&l.v[i]);
		if (!l.n)
			printf("nothing was imported\n");
	}
	share_list_release(&l);
	return EXIT_YES;
}

/* ---- the command ------------------------------------------------------------------------------ */

static const struct command subcommands[] = {
	{ "index export", "write what was mined to one file",
	  "kport index export FILE --pair OLD:NEW\n"
	  "kport index export FILE --history REPO [--name NAME]", run_export },
	{ "index import", "take a file that was exported", "kport index import FILE", run_import },
	{ "index list", "list what was imported", "kport index list", run_list },
};

static int run_index(const struct command *cmd, int argc, const char **argv)
{
	return command_dispatch(cmd, subcommands, ARRAY_SIZE(subcommands), all_table, argc, argv);
}

const struct command cmd_index = {
	"index", "share what was mined: export it to one file, import such a file",
	"kport index export FILE --pair OLD:NEW | --history REPO\n"
	"kport index import FILE\n"
	"kport index list",
	run_index
};
