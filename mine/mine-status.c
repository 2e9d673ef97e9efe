// SPDX-License-Identifier: GPL-2.0-only
/* kport mine status: what was mined and indexed, how much of it, how old. */
#include "base/compat.h"
#include "mine/mine-sub.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "base/strmap.h"
#include "mine/apidiff-internal.h"
#include "mine/cochange-db.h"
#include "mine/examples-db.h"
#include "mine/layout.h"
#include "mine/share.h"

static const struct command command = {
	"mine status", "say what was mined and indexed", "kport mine status [--all] [--json]", NULL
};

static bool opt_all;

static const struct option options[] = {
	OPTION_BOOL(0, "all", &opt_all, "a line for each file instead of one for each kind"),
	OPTION_END()
};

struct status {
	char *dir;		/* CACHE/index */
	struct strmap release;	/* key of an index -> its release */
	json_t *indexes, *diffs, *layouts, *examples, *histories, *imported;
	uint64_t bytes;
	size_t unusable;	/* files of other versions of kport, or damaged */
};

/* ---- collecting --------------------------------------------------------------------------- */

static int64_t number(sqlite3 *db, const char *query)
{
	struct strbuf ignored = STRBUF_INIT;
	sqlite3_stmt *st = NULL;
	int64_t v = 0;

	if (db_prepare(db, query, &st, &ignored) == 0 && sqlite3_step(st) == SQLITE_ROW)
		v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	strbuf_release(&ignored);
	return v;
}

/* The value of a row of a table with two columns; newly allocated or NULL. */
static char *value(sqlite3 *db, const char *table, const char *column, const char *key)
{
	char *query = xstrfmt("SELECT value FROM %s WHERE %s = ?", table, column), *v = NULL;
	struct strbuf ignored = STRBUF_INIT;
	sqlite3_stmt *st = NULL;

	if (db_prepare(db, query, &st, &ignored) == 0) {
		db_bind_text(st, 1, key);
		if (sqlite3_step(st) == SQLITE_ROW)
			v = xstrdup(db_text(st, 0));
	}
	sqlite3_finalize(st);
	strbuf_release(&ignored);
	free(query);
	return v;
}

/* Opens it, counts it, and starts its entry with what all have. */
static sqlite3 *open_one(struct status *s, const char *path, const struct db_migrations *m, json_t **entry)
{
	struct strbuf ignored = STRBUF_INIT;
	sqlite3 *db = NULL;
	struct stat st;

	*entry = NULL;
	if (stat(path, &st) == 0) {
		s->bytes += (uint64_t)st.st_size;
		if (db_open(path, DB_READONLY, m, &db, &ignored) < 0) {
			s->unusable++;
		} else {
			*entry = json_object();
			json_set_str(*entry, "file", path);
			json_set_int(*entry, "bytes", st.st_size);
			json_set_int(*entry, "made", st.st_mtim.tv_sec);
		}
	}
	strbuf_release(&ignored);
	return db;
}

static void add_index(struct status *s, const char *path)
{
	json_t *e;
	sqlite3 *db = open_one(s, path, &index_schema, &e);
	char *key, *release;

	if (!db)
		return;
	key = value(db, "meta", "key", "key");
	release = value(db, "meta", "key", "release");
	json_set_str(e, "release", release);
	json_set_int(e, "symbols", number(db, "SELECT max(id) FROM symbol"));
	json_array_append_new(s->indexes, e);
	if (key && !strmap_has(&s->release, key)) {
		strmap_put(&s->release, key, release);
		release = NULL;
	}
	free(key);
	free(release);
	db_close(db);
}

static void add_diff(struct status *s, const char *path)
{
	json_t *e;
	sqlite3 *db = open_one(s, path, &diff_schema, &e);
	static const char *const ends[] = { "from", "to" };

	if (!db)
		return;
	for (int i = 0; i < 2; i++) {
		char *key = value(db, "meta", "key", ends[i]);

		json_set_str(e, ends[i], key ? strmap_get(&s->release, key) : NULL);
		free(key);
	}
	/* Made by a kport that did not say of what. */
	if (!json_get_str(e, "from")) {
		s->unusable++;
		json_decref(e);
	} else {
		json_set_int(e, "changes", number(db, "SELECT count(*) FROM change"));
		json_array_append_new(s->diffs, e);
	}
	db_close(db);
}

static void add_layout(struct status *s, const char *path)
{
	json_t *e, *kinds;
	sqlite3 *db = open_one(s, path, &layout_schema, &e);
	struct strbuf ignored = STRBUF_INIT;
	struct layout_diff *ld = NULL;
	struct layout_figures f;

	if (!db)
		return;
	kinds = json_object();
	if (layout_diff_open_file(path, &ld, &ignored) == 0 && layout_diff_figures(ld, &f, &ignored) == 0) {
		json_set_str(e, "from", f.from);
		json_set_str(e, "to", f.to);
		json_set_int(e, "structures", (int64_t)f.both);
		json_set_int(e, "changed", (int64_t)f.changed);
		for (int i = 0; i < LAYOUT_KIND_COUNT; i++)
			json_set_int(kinds, layout_kind_name((enum layout_kind)i), (int64_t)f.changes[i]);
		layout_figures_release(&f);
	}
	json_object_set_new(e, "changes", kinds);
	layout_diff_close(ld);
	strbuf_release(&ignored);
	json_array_append_new(s->layouts, e);
	db_close(db);
}

static void add_examples(struct status *s, const char *path)
{
	json_t *e;
	sqlite3 *db = open_one(s, path, &examples_schema, &e);
	char *versions;

	if (!db)
		return;
	versions = value(db, "origin", "name", "versions");
	json_set_str(e, "versions", versions && *versions ? versions : NULL);
	json_set_int(e, "files", number(db, "SELECT value FROM figure WHERE name = 'files'"));
	json_set_int(e, "changed", number(db, "SELECT value FROM figure WHERE name = 'changed'"));
	json_set_int(e, "examples", number(db, "SELECT value FROM figure WHERE name = 'hunks'"));
	json_array_append_new(s->examples, e);
	free(versions);
	db_close(db);
}

/* The newest commits that were walked, as hex. */
static json_t *tips_of(sqlite3 *db)
{
	struct strbuf ignored = STRBUF_INIT;
	json_t *a = json_array();
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(db, "SELECT lower(hex(substr(tips, 1, 20))) FROM walked_range ORDER BY id", &st, &ignored);

	while (!ret && sqlite3_step(st) == SQLITE_ROW)
		json_array_append_new(a, json_str(db_text(st, 0)));
	sqlite3_finalize(st);
	strbuf_release(&ignored);
	return a;
}

/* What the run left in "meta"; stores of an earlier kport have none of it. */
static void add_run(json_t *e, sqlite3 *db)
{
	static const char *const texts[] = { COCHANGE_META_REPOSITORY, COCHANGE_META_RANGE };
	static const char *const numbers[] = { COCHANGE_META_MINED, COCHANGE_META_CUT, COCHANGE_META_SHALLOW };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *v = value(db, "meta", "name", texts[i]);

		json_set_str(e, texts[i], v);
		free(v);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		char *v = value(db, "meta", "name", numbers[i]);

		json_set_int(e, numbers[i], v ? strtoll(v, NULL, 10) : 0);
		free(v);
	}
}

static void add_cochanges(json_t *e, const char *path)
{
	struct strbuf ignored = STRBUF_INIT;
	struct cochange_figures f = { 0 };
	struct cochanges *co = NULL;
	uint64_t found = 0, filtered = 0;

	if (cochange_open(path, &co, &ignored) == 0)
		cochange_figures(co, &f, &ignored);
	for (int i = COCHANGE_NONE + 1; i < COCHANGE_CLASS_COUNT; i++)
		found += f.cls[i];
	for (int i = FILTER_NONE + 1; i < FILTER_COUNT; i++)
		filtered += f.filter[i];
	json_set_int(e, "cochanges", (int64_t)found);
	json_set_int(e, "filtered", (int64_t)filtered);
	json_set_int(e, "examples", (int64_t)f.examples);
	cochange_close(co);
	strbuf_release(&ignored);
}

static void add_history(struct status *s, const char *path)
{
	json_t *e;
	sqlite3 *db = open_one(s, path, &cc_schema, &e);

	if (!db)
		return;
	add_run(e, db);
	json_set_int(e, "commits", number(db, "SELECT sum(commits) FROM walked_range"));
	add_cochanges(e, path);
	json_set_bool(e, "unfinished", number(db, "SELECT count(*) FROM walked_part") > 0);
	json_object_set_new(e, "tips", tips_of(db));
	json_array_append_new(s->histories, e);
	db_close(db);
}

static void add_imported(struct status *s)
{
	struct share_list l;

	share_list_imported(&l);
	for (size_t i = 0; i < l.n; i++) {
		json_t *e = json_object();

		json_set_str(e, "dir", l.v[i].dir);
		json_set_str(e, "from", l.v[i].from_release);
		json_set_str(e, "to", l.v[i].to_release);
		json_set_str(e, "repository", l.v[i].repository);
		json_set_int(e, "made", l.v[i].created);
		json_set_int(e, "bytes", (int64_t)l.v[i].bytes);
		s->bytes += l.v[i].bytes;
		json_array_append_new(s->imported, e);
	}
	share_list_release(&l);
}

static void visit(struct status *s, const struct strvec *names, const char *prefix, const char *file,
		  void (*add)(struct status *s, const char *path))
{
	for (size_t i = 0; i < names->n; i++) {
		char *path;
		bool dir = *file != '\0';

		if (prefix ? !starts_with(names->v[i], prefix) : strchr(names->v[i], '-') != NULL)
			continue;
		if (!dir && !ends_with(names->v[i], ".db"))
			continue;
		path = dir ? xstrfmt("%s/%s/%s", s->dir, names->v[i], file) : path_join(s->dir, names->v[i]);
		if (file_exists(path))
			add(s, path);
		free(path);
	}
}

static void collect(struct status *s)
{
	struct strvec names = STRVEC_INIT;
	DIR *d = opendir(s->dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (*e->d_name != '.')
			strvec_push(&names, e->d_name);
	if (d)
		closedir(d);
	strvec_sort(&names);
	visit(s, &names, NULL, "api.db", add_index);
	visit(s, &names, "diff-", "diff.db", add_diff);
	visit(s, &names, "layout-", "", add_layout);
	visit(s, &names, "examples-", "", add_examples);
	visit(s, &names, "history-", "", add_history);
	add_imported(s);
	strvec_release(&names);
}

/* ---- printing ------------------------------------------------------------------------------ */

static void size_and_age(const json_t *e)
{
	double days = difftime(time(NULL), (time_t)json_get_int(e, "made", 0)) / 86400;
	double mib = (double)json_get_int(e, "bytes", 0) / (1 << 20);

	if (days >= 1)
		printf(", %.1f MiB, %.0f days old\n", mib, days);
	else
		printf(", %.1f MiB, %.0f hours old\n", mib, days > 0 ? days * 24 : 0);
}

static const char *or_unknown(const char *s)
{
	return s ? s : "(unknown)";
}

static void history_text(const json_t *e, const char *tip)
{
	int64_t cut = json_get_int(e, COCHANGE_META_CUT, 0), shallow = json_get_int(e, COCHANGE_META_SHALLOW, 0);
	time_t mined = (time_t)json_get_int(e, COCHANGE_META_MINED, 0);
	char day[32] = "";
	struct tm tm;

	printf("history of ");
	print_shown(or_unknown(json_get_str(e, COCHANGE_META_REPOSITORY)));
	if (json_get_str(e, COCHANGE_META_RANGE)) {
		printf(", last ");
		print_shown(json_get_str(e, COCHANGE_META_RANGE));
	}
	if (mined && gmtime_r(&mined, &tm) && strftime(day, sizeof(day), "%Y-%m-%d %H:%M", &tm))
		printf(" at %s UTC", day);
	printf(", up to %.12s: %" PRId64 " commits, %" PRId64 " co-changes, %" PRId64 " examples%s",
	       tip ? tip : "(nothing yet)", json_get_int(e, "commits", 0), json_get_int(e, "cochanges", 0),
	       json_get_int(e, "examples", 0), json_get_bool(e, "unfinished", false) ? ", unfinished" : "");
	if (cut)
		printf(", cut off at %" PRId64 " commits that cannot be read", cut);
	if (shallow)
		printf(", cut off at %" PRId64 " commits where the clone ends", shallow);
	size_and_age(e);
}

/* How many, of how much, and for what; nothing when there are none. */
static void summary(const json_t *list, const char *name, const char *what)
{
	double bytes = 0;
	size_t i;
	json_t *e;

	json_array_foreach(list, i, e)
		bytes += (double)json_get_int(e, "bytes", 0);
	if (json_array_size(list))
		printf("%-12s %3zu %8.1f MiB  %s\n", name, json_array_size(list), bytes / (1 << 20), what);
}

static void print_summaries(const struct status *s)
{
	summary(s->indexes, "headers", "kernels: what their headers declare");
	summary(s->diffs, "differences", "pairs of kernels: what changed in the headers");
	summary(s->layouts, "layouts", "pairs: structures whose members lie elsewhere");
	summary(s->examples, "snapshots", "pairs: what the kernel's own drivers did between them");
	summary(s->imported, "imported", "made elsewhere (kport index import)");
}

static void print_each(const struct status *s)
{
	size_t i;
	json_t *e;

	json_array_foreach(s->indexes, i, e) {
		printf("headers of %s: %" PRId64 " symbols", or_unknown(json_get_str(e, "release")),
		       json_get_int(e, "symbols", 0));
		size_and_age(e);
	}
	json_array_foreach(s->diffs, i, e) {
		printf("difference %s -> %s: %" PRId64 " changes", or_unknown(json_get_str(e, "from")),
		       or_unknown(json_get_str(e, "to")), json_get_int(e, "changes", 0));
		size_and_age(e);
	}
	json_array_foreach(s->layouts, i, e) {
		printf("layouts %s -> %s: %" PRId64 " of %" PRId64 " structures differ",
		       or_unknown(json_get_str(e, "from")), or_unknown(json_get_str(e, "to")),
		       json_get_int(e, "changed", 0), json_get_int(e, "structures", 0));
		size_and_age(e);
	}
	json_array_foreach(s->examples, i, e) {
		printf("snapshots %s: %" PRId64 " examples from %" PRId64 " changed of %" PRId64 " files",
		       or_unknown(json_get_str(e, "versions")), json_get_int(e, "examples", 0),
		       json_get_int(e, "changed", 0), json_get_int(e, "files", 0));
		size_and_age(e);
	}
	json_array_foreach(s->imported, i, e) {
		if (json_get_str(e, "repository"))
			printf("imported: history of %s", json_get_str(e, "repository"));
		else
			printf("imported: %s -> %s", json_get_str(e, "from"), json_get_str(e, "to"));
		size_and_age(e);
	}
}

static void print_text(const struct status *s)
{
	size_t i;
	json_t *e;

	if (opt_all)
		print_each(s);
	else
		print_summaries(s);
	json_array_foreach(s->histories, i, e)
		history_text(e, json_string_value(json_array_get(json_object_get(e, "tips"), 0)));
	printf("%.1f MiB in %s", (double)s->bytes / (1 << 20), s->dir);
	if (s->unusable)
		printf("; %zu file%s of other versions of kport, which may be removed", s->unusable,
		       s->unusable == 1 ? "" : "s");
	if (!opt_all && s->bytes)
		printf("; --all lists each");
	putchar('\n');
}

static void print_json(struct status *s)
{
	json_t *o = json_object();

	json_set_str(o, "dir", s->dir);
	json_set_int(o, "bytes", (int64_t)s->bytes);
	json_set_int(o, "unusable", (int64_t)s->unusable);
	json_object_set(o, "indexes", s->indexes);
	json_object_set(o, "differences", s->diffs);
	json_object_set(o, "layouts", s->layouts);
	json_object_set(o, "snapshots", s->examples);
	json_object_set(o, "histories", s->histories);
	json_object_set(o, "imported", s->imported);
	json_print(o);
}

int mine_status(int argc, const char **argv)
{
	struct status s = { .indexes = json_array(), .diffs = json_array(), .layouts = json_array(),
			    .examples = json_array(), .histories = json_array(), .imported = json_array() };
	char *cache = kport_cache_dir();

	options_parse(&command, options, argc, argv, NULL);
	s.dir = path_join(cache, "index");
	strmap_init(&s.release);
	collect(&s);
	if (opt_json)
		print_json(&s);
	else
		print_text(&s);
	strmap_release(&s.release, free);
	json_decref(s.indexes);
	json_decref(s.diffs);
	json_decref(s.layouts);
	json_decref(s.examples);
	json_decref(s.histories);
	json_decref(s.imported);
	free(s.dir);
	free(cache);
	return EXIT_YES;
}
