// SPDX-License-Identifier: GPL-2.0-only
/* Exporting a mined index, importing one, and finding what was imported. */
#include "base/compat.h"
#include "mine/share-internal.h"

#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/lock.h"
#include "mine/cochange-db.h"

#define LOCK_WAIT 600

/* ---- exporting ------------------------------------------------------------------------------ */

/* Where things are on this machine is nobody else's business. */
static int forget_place(const char *path, struct strbuf *err)
{
	sqlite3 *db = NULL;
	int ret = db_open(path, 0, &cc_schema, &db, err);

	if (!ret)
		ret = db_exec(db, "PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON;"
			      "DELETE FROM meta WHERE name = '" COCHANGE_META_REPOSITORY "'", err);
	db_close(db);
	return ret;
}

/* A copy at one moment, without the log that a database in use has beside it. */
static int copy_db(const char *from, const char *to, struct strbuf *err)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int ret = db_open(from, DB_READONLY, NULL, &db, err);

	if (!ret)
		ret = db_prepare(db, "VACUUM INTO ?", &st, err);
	if (!ret) {
		db_bind_text(st, 1, to);
		ret = db_step_done(st, err);
	}
	sqlite3_finalize(st);
	db_close(db);
	return ret;
}

static void fill_info(const struct share_source *s, struct share_info *i)
{
	i->kind = s->kind;
	i->from_name = xstrdup(s->from_name);
	i->from_release = xstrdup(s->from_release);
	i->to_name = xstrdup(s->to_name);
	i->to_release = xstrdup(s->to_release);
	i->repository = xstrdup(s->repository);
	i->created = (int64_t)time(NULL);
}

static int collect(const struct share_source *s, const char *scratch, struct share_manifest *m,
		   struct strvec *paths, struct strbuf *err)
{
	int ret = 0;

	for (int part = 0; part < SHARE_PART_COUNT && !ret; part++) {
		struct share_entry *e = &m->entry[m->n];
		char *copy;

		if (!s->file[part])
			continue;
		copy = path_join(scratch, share_part_name((enum share_part)part));
		ret = copy_db(s->file[part], copy, err);
		if (!ret && part == SHARE_STORE)
			ret = forget_place(copy, err);
		if (!ret)
			ret = share_check_db(copy, (enum share_part)part, err);
		if (!ret)
			ret = hash_file(copy, &e->hash, err);
		e->part = (enum share_part)part;
		e->size = file_size(copy);
		m->info.has[part] = true;
		m->info.bytes += e->size;
		m->n++;
		strvec_push_nodup(paths, copy);
	}
	return ret;
}

int share_export(const struct share_source *s, const char *file, struct share_info *out, struct strbuf *err)
{
	struct share_manifest m = { 0 }, check;
	struct strvec paths = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	char *dir = path_dir(file), *scratch = NULL;
	json_t *o;
	int ret;

	/* The file is made by rename(), which would put it in the place of a device. */
	ret = file_check_out(file, err);
	fill_info(s, &m.info);
	if (!ret)
		ret = file_mkdtemp(*dir ? dir : ".", ".kport-export-", &scratch, err);
	if (!ret)
		ret = collect(s, scratch, &m, &paths, err);
	if (!ret) {
		/* What cannot be imported is not worth writing. */
		o = share_manifest_json(&m);
		json_dump_compact(o, &text);
		json_decref(o);
		ret = share_manifest_parse(text.buf, text.len, &check, err);
		if (!ret)
			share_manifest_release(&check);
	}
	if (!ret)
		ret = share_file_write(file, &m, paths.v, err);
	if (scratch)
		file_remove(scratch, NULL);
	if (ret < 0)
		share_manifest_release(&m);
	else
		*out = m.info;
	strvec_release(&paths);
	strbuf_release(&text);
	free(scratch);
	free(dir);
	return ret;
}

/* ---- importing ------------------------------------------------------------------------------- */

static char *shared_dir(void)
{
	char *cache = kport_cache_dir(), *dir = path_join(cache, "index/shared");

	free(cache);
	return dir;
}

/* Where an index of this pair or repository lives, below the shared directory. */
static char *place_of(const char *shared, const struct share_info *i)
{
	struct hash *h = hash_new();
	struct hash_hex hex;

	hash_add_str(h, i->kind == SHARE_PAIR ? i->from_release : i->repository);
	hash_add_str(h, i->kind == SHARE_PAIR ? i->to_release : "");
	hex = hash_final(h);
	return xstrfmt("%s/%s-%.16s", shared, i->kind == SHARE_PAIR ? "pair" : "history", hex.hex);
}

static int read_installed(const char *dir, struct share_manifest *out)
{
	char *path = path_join(dir, SHARE_MANIFEST);
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	int ret = file_exists(path) ? file_read(path, SHARE_MAX_MANIFEST, &text, &ignored) : KP_NOTFOUND;

	if (!ret)
		ret = share_manifest_parse(text.buf, text.len, out, &ignored);
	for (size_t i = 0; !ret && i < out->n; i++) {
		char *part = path_join(dir, share_part_name(out->entry[i].part));

		if (file_size(part) != out->entry[i].size)
			ret = KP_ERR;
		free(part);
	}
	if (!ret)
		out->info.dir = xstrdup(dir);
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(path);
	return ret;
}

static bool same_files(const struct share_manifest *a, const struct share_manifest *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->entry[i].part != b->entry[i].part || strcmp(a->entry[i].hash.hex, b->entry[i].hash.hex))
			return false;
	return true;
}

static int check_parts(const char *dir, const struct share_manifest *m, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < m->n && !ret; i++) {
		char *path = path_join(dir, share_part_name(m->entry[i].part));

		ret = share_check_db(path, m->entry[i].part, err);
		free(path);
	}
	return ret;
}

static int install(const char *aside, const char *place, struct strbuf *err)
{
	char *old = xstrfmt("%s.old", place);
	int ret = file_remove(old, err);

	if (!ret && file_exists(place) && rename(place, old) < 0)
		ret = kp_fail_errno(err, "cannot move '%s' away", place);
	if (!ret && rename(aside, place) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s'", aside);
	file_remove(old, NULL);
	free(old);
	return ret;
}

/* Puts what was unpacked and checked in its place, unless that holds a newer one. */
static int settle(const char *shared, const char *aside, struct share_manifest *m, struct strbuf *err)
{
	char *place = place_of(shared, &m->info), *manifest = path_join(aside, SHARE_MANIFEST);
	struct share_manifest there = { 0 };
	json_t *o = share_manifest_json(m);
	int ret = json_write_file(manifest, o, err);

	json_decref(o);
	if (!ret && read_installed(place, &there) == 0) {
		if (there.info.created == m->info.created && same_files(&there, m))
			m->info.was_there = true;
		else if (there.info.created >= m->info.created)
			ret = kp_fail(err, KP_ERR, "what was imported before is newer; remove '%s' to go back",
				      place);
	}
	if (!ret && !m->info.was_there)
		ret = install(aside, place, err);
	if (!ret)
		m->info.dir = xstrdup(place);
	share_manifest_release(&there);
	free(place);
	free(manifest);
	return ret;
}

int share_import(const char *file, struct share_info *out, struct strbuf *err)
{
	char *shared = shared_dir(), *aside = NULL;
	struct share_manifest m = { 0 };
	struct lock lock = LOCK_INIT;
	int ret = file_mkdirs(shared, err);

	if (!ret)
		ret = file_mkdtemp(shared, ".import-", &aside, err);
	if (!ret)
		ret = share_file_read(file, aside, &m, err);
	if (!ret)
		ret = check_parts(aside, &m, err);
	if (!ret)
		ret = lock_take(&lock, shared, LOCK_WAIT, err);
	if (!ret)
		ret = settle(shared, aside, &m, err);
	lock_release(&lock);
	if (aside)
		file_remove(aside, NULL);
	if (ret < 0)
		share_manifest_release(&m);
	else
		*out = m.info;
	free(aside);
	free(shared);
	return ret;
}

/* ---- finding ---------------------------------------------------------------------------------- */

static int take_dir(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	struct share_list *l = payload;
	struct share_manifest m = { 0 };
	char *shared, *dir;

	if (!S_ISDIR(st->st_mode) || !*rel)
		return 0;
	if (*rel == '.' || ends_with(rel, ".old"))
		return FILE_WALK_SKIP;
	shared = shared_dir();
	dir = path_join(shared, rel);
	if (read_installed(dir, &m) == 0) {
		ALLOC_GROW(l->v, l->n + 1, l->alloc);
		l->v[l->n++] = m.info;
	} else {
		share_manifest_release(&m);
	}
	free(shared);
	free(dir);
	return FILE_WALK_SKIP;
}

void share_list_imported(struct share_list *out)
{
	char *shared = shared_dir();
	struct strbuf ignored = STRBUF_INIT;

	memset(out, 0, sizeof(*out));
	if (file_is_dir(shared))
		file_walk(shared, take_dir, out, &ignored);
	strbuf_release(&ignored);
	free(shared);
}

void share_list_release(struct share_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		share_info_release(&l->v[i]);
	free(l->v);
	memset(l, 0, sizeof(*l));
}

bool share_word_is(const char *word, const char *name, const char *release)
{
	const char *rest;

	return !strcmp(word, name) || !strcmp(word, release) ||
	       (*word && skip_prefix(release, word, &rest) && (*rest == '.' || *rest == '-'));
}

int share_find_pair(const char *from, const char *to, struct share_info *out, struct strbuf *err)
{
	struct share_info *best = NULL;
	struct share_list l;

	share_list_imported(&l);
	for (size_t i = 0; i < l.n; i++) {
		struct share_info *s = &l.v[i];

		if (s->kind == SHARE_PAIR && share_word_is(from, s->from_name, s->from_release) &&
		    share_word_is(to, s->to_name, s->to_release) && (!best || s->created > best->created))
			best = s;
	}
	if (best) {
		*out = *best;
		memset(best, 0, sizeof(*best));
	}
	share_list_release(&l);
	if (!best)
		return kp_fail(err, KP_NOTFOUND, "no index of '%s' and '%s' was imported", from, to);
	return 0;
}

char *share_part_path(const struct share_info *info, enum share_part part)
{
	return path_join(info->dir, share_part_name(part));
}
