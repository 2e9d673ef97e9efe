/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing the store of examples (examples.h) and choosing the pairs of files; for
 * examples-mine.c alone.
 *
 * The writer works on PATH.part and commits now and then, so a killed run goes on
 * where it was. What it does not find there it takes from PATH itself, or from
 * the newest store of the same two versions: a pair of files whose contents are
 * those of the pair that was mined then is not mined again.
 */
#ifndef KPORT_EXAMPLES_DB_H
#define KPORT_EXAMPLES_DB_H

#include "base/db.h"
#include "base/hash.h"
#include "mine/examples.h"

extern const struct db_migrations examples_schema;
/* Made when a store is complete. */
#define EXAMPLES_LAST_INDEX "CREATE UNIQUE INDEX ident_name ON ident(name);"

struct examples_writer;

/* versions: "6.1-6.12", of the trees; "" when unknown. */
int examples_writer_open(const char *path, const char *versions, struct examples_writer **out,
			 struct strbuf *err);
/* Is the pair with this content there already? It is then kept. */
bool examples_writer_has(struct examples_writer *w, const char *path, const struct hash_hex *content);
/* Begins a pair; what an older content of it gave goes. */
int examples_writer_file(struct examples_writer *w, const char *path, const char *new_path,
			 const struct hash_hex *content, struct strbuf *err);
int examples_writer_add(struct examples_writer *w, const char *function, const char *before,
			const char *after, int line, const struct strvec *idents,
			struct strbuf *err);
/* Drops the pairs that were neither kept nor begun, sets st->hunks, renames. Frees. */
int examples_writer_finish(struct examples_writer *w, struct examples_stats *st,
			   struct strbuf *err);
/* Keeps what was done for the next run. Frees; NULL is fine. */
void examples_writer_stop(struct examples_writer *w);

struct file_pair {
	char *old_path, *new_path; /* relative to the trees */
};
struct file_pairs {
	struct file_pair *p;
	size_t n, alloc, renamed;
};

/*
 * C sources and headers of the directories that both trees have; files that are
 * only in the old tree are paired with a file that is only in the new one when most of
 * their functions have the same names.
 */
int file_pairs_find(const char *old_src, const char *new_src, const char *const *dirs, size_t ndirs,
		    struct file_pairs *out, struct strbuf *err);
void file_pairs_release(struct file_pairs *fp);

#endif
