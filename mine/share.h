/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mined index as one file, to be given to others: "kport index export" and
 * "import". What was imported answers without the kernels' trees or the repository.
 *
 *	share_export(&source, "6.1-6.12.kpi", &info, err);
 *	share_import("6.1-6.12.kpi", &info, err);
 *	share_find_pair("6.1", "6.12", &info, err);	// info.dir holds old.db, new.db, ...
 *	share_info_release(&info);
 *
 * The file is one line, "kport-index 1 sha256:HEX", and behind it a tar archive
 * compressed with zstd. HEX is of all bytes behind the line. The archive holds
 * manifest.json, then the SQLite files that it lists with size and SHA-256, in that order:
 * of a pair of kernels old.db, new.db (API indexes), diff.db, and examples.db and
 * layout.db when there are any; of a history history.db.
 *
 * A file from elsewhere is not believed. Import reads only names that it expects, bounds
 * sizes, compares hashes, and opens each database read-only to see that it is whole and
 * has exactly the tables that this kport makes: no trigger, no view, no other column. It is
 * assembled aside in CACHE/index/shared and renamed; what is there and is
 * newer stays. Errors: KP_ERR the file is no such file, altered, of another version, or
 * older than what is there; KP_NOTFOUND nothing of that name; KP_INFRA no space.
 */
#ifndef KPORT_SHARE_H
#define KPORT_SHARE_H

#include "base/strbuf.h"
#include "base/strvec.h"

enum share_kind { SHARE_PAIR, SHARE_HISTORY };

enum share_part { SHARE_OLD, SHARE_NEW, SHARE_DIFF, SHARE_EXAMPLES, SHARE_LAYOUT, SHARE_STORE, SHARE_PART_COUNT };

struct share_source {
	enum share_kind kind;
	const char *from_name, *from_release;	/* SHARE_PAIR: "6.1", "6.1.176-amd64" */
	const char *to_name, *to_release;
	const char *repository;			/* SHARE_HISTORY: what people call it */
	const char *file[SHARE_PART_COUNT];	/* NULL: there is none */
};

struct share_info {
	enum share_kind kind;
	char *from_name, *from_release, *to_name, *to_release, *repository;
	int64_t created;	/* seconds since 1970 */
	char *dir;		/* of the imported files; NULL after an export */
	bool has[SHARE_PART_COUNT];
	uint64_t bytes;		/* of all files, unpacked */
	bool was_there;		/* import: the same one, nothing was done */
};

int share_export(const struct share_source *s, const char *file, struct share_info *out,
		 struct strbuf *err);
int share_import(const char *file, struct share_info *out, struct strbuf *err);
void share_info_release(struct share_info *info);

struct share_list {
	struct share_info *v;
	size_t n, alloc;
};
/* What was imported and fits this kport, by directory. */
void share_list_imported(struct share_list *out);
void share_list_release(struct share_list *l);

/*
 * The imported pair that two words name: names, releases or the version in front of a
 * release. KP_NOTFOUND.
 */
int share_find_pair(const char *from, const char *to, struct share_info *out, struct strbuf *err);
/* The file of a part of an imported one; newly allocated. */
char *share_part_path(const struct share_info *info, enum share_part part);
/* A name or release: printable, at most 128 bytes, nothing that a path or a terminal could mistake. */
bool share_word_ok(const char *s);
/* "6.1" is "6.1", and any release "6.1.x" or "6.1-x". */
bool share_word_is(const char *word, const char *name, const char *release);

#endif
