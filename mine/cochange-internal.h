/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files that find co-changes (mine/cochange*.c) only.
 *
 * A commit goes through: cc_paths (which of its files are interfaces, which are
 * users), cc_headers (the changed declarations of both sides, compared), cc_users
 * (do the users' edits concern them), cc_judge (class or filter). All of it works
 * on one struct cc_commit in a worker; the result is a struct cc_result, which the
 * storing thread writes.
 */
#ifndef KPORT_COCHANGE_INTERNAL_H
#define KPORT_COCHANGE_INTERNAL_H

#include "mine/cochange.h"
#include "mine/header-parse.h"
#include "mine/hunks.h"
#include "mine/pool.h"

#define CC_MAX_BLOB	(2u << 20)
#define CC_MAX_HEADERS	20	/* read of one commit */
#define CC_MAX_CHANGES	400	/* kept of one commit while it is examined */
#define CC_MAX_STORED	48	/* written of one commit */
#define CC_MAX_MESSAGE	(64u << 10)

/* ---- files --------------------------------------------------------------------- */

struct cc_file {
	const struct history_file *f;
	bool added, removed;	/* whole */
	char *owner;		/* of a header: only users outside this directory count; NULL: all */
	bool config;		/* include/configs: a board's own settings */
};

/* ---- changes of the interface ------------------------------------------------------ */

enum cc_kind {
	CC_REMOVED, CC_ADDED, CC_RENAMED, CC_SIGNATURE, CC_RETURN, CC_CONST, CC_MUST_CHECK, CC_TYPE,
	CC_KIND, CC_ARITY, CC_VALUE, CC_BODY, CC_ORDER, CC_MOVED, CC_INCLUDE, CC_EXPORT_GPL,
	CC_NAMESPACE, CC_KIND_COUNT
};

struct cc_change {
	enum cc_kind kind;
	uint32_t api;		/* enum api_kind of the symbol */
	const char *symbol;	/* "del_timer", "struct foo"; of the pool */
	const char *member;	/* or NULL */
	const char *to_name;	/* or NULL */
	size_t header, to_header; /* in hdr[] */
	const struct header_sym *from, *to;
	bool callback;		/* a member or typedef that is a pointer to a function */
	uint32_t watch;		/* number of the watched name */
	uint32_t to_watch;
	unsigned strong, weak;	/* users whose edits concern it, or may */
	unsigned impl;		/* files that implement it and change */
	const char *impl_path;	/* the first of them */
	bool impl_spread;	/* they lie in several directories */
	bool impl_gained;	/* one defines it that did not */
	unsigned given;		/* users that had declared it themselves and leave that to the header */
	unsigned reincluded;	/* users that include another header for what is gone from this one */
	const char *moved_to;	/* of a member that is gone: the structure that has it now; of a typedef: the tag */
	unsigned lost, gained;	/* sums of the counts over the users */
	int net;		/* used more or less, over all files read */
	double similarity;	/* of a rename */
};

/* What the versions of one file say of one watched name. */
struct cc_uses {
	int32_t count[2], member[2], calls[2], defs[2];
	int32_t macros[2], tags[2]; /* "#define NAME"; "struct NAME {", enumerators */
	uint64_t stmts[2], args[2], params[2];
};

struct cc_export {
	uint32_t name;
	int how[2];	/* 0 none, 1 plain, 2 GPL; | 4: namespace */
};

struct cc_commit {
	git_repository *repo;
	git_odb *odb;
	const struct history_commit *c;
	bool examples;
	struct cc_file *hdr, *src;
	size_t nhdr, nsrc;
	size_t nheaders;	/* with those that are private */
	size_t nmodified, nadded; /* of src, those that both sides have, or the new one only */
	struct pool pool;
	struct header_syms side[2];
	struct cc_change *ch;
	size_t nch, ch_alloc;
	struct pool names;	/* watched names; number -> changes through ch[].watch */

	/* of the headers */
	size_t nread, nunreadable, ncode, ncomment, nspdx, nsame;
	/* of the users */
	size_t users_read, users_confirm, users_total, impl_only;
	size_t adopters;	/* use something new */
	bool want_gained;	/* something callable is removed */
	struct strmap gained;	/* called names gained by users -> count */

};

/* cochange-paths.c */
bool cc_is_header(const char *path);
bool cc_is_source(const char *path);
void cc_paths(struct cc_commit *cc);
/* Is the .c file the implementation of the header ("lib/foo.c" of "include/linux/foo.h")? */
bool cc_implements(const char *source, const char *header);

/* cochange-read.c: one side of a file; always to be put back, what could not be read too. */
struct cc_blob {
	const char *text;	/* a NUL follows */
	size_t len;
	struct object *held;	/* of the worker's cache */
	git_odb_object *other;
};
int cc_read(struct cc_commit *cc, const git_oid *id, struct cc_blob *b);
void cc_put(struct cc_commit *cc, struct cc_blob *b);

/* cochange-chunks.c */
enum cc_difference { CC_SAME, CC_WHITESPACE, CC_SPDX, CC_COMMENTS, CC_CODE };
/*
 * The top-level paragraphs of each text that the other does not have, appended; and how
 * they differ.
 */
enum cc_difference cc_chunks(const char *a, size_t alen, const char *b, size_t blen,
			     struct strbuf *only_a, struct strbuf *only_b);

/* What the code of two texts has that differs: bits. */
enum cc_part { CC_PART_INCLUDE = 1, CC_PART_CONDITION = 2, CC_PART_OTHER = 4 };
unsigned cc_parts(const struct strbuf *a, const struct strbuf *b);

/* The paragraphs alone. */
void cc_changed_paragraphs(const char *a, size_t alen, const char *b, size_t blen, struct strbuf *only_a,
			   struct strbuf *only_b);

/* cochange-headers.c: fills side[], ch[] and the counts of headers. */
void cc_headers(struct cc_commit *cc);
/* Headers that were read and declare the same: which parts of their code differ (enum cc_part). */
unsigned cc_header_parts(struct cc_commit *cc);
void cc_compare_symbols(struct cc_commit *cc);

/* cochange-users.c: fills strong, weak, ... of ch[] from the users' edits. */
void cc_watch(struct cc_commit *cc);
void cc_users(struct cc_commit *cc);

/* ---- result -------------------------------------------------------------------------- */

struct cc_stored {
	enum cc_kind kind;
	enum cochange_class cls;
	double confidence;
	char *symbol, *to_name, *header, *old_decl, *new_decl;
	bool confirmed;
};

struct cc_examples {
	char *path;
	struct hunks hunks;
};

struct cc_result {
	bool candidate;		/* has a row */
	bool sources;		/* it changes C files that are there before and after */
	enum cochange_class cls;
	enum cochange_filter filter;
	double confidence;
	char *reason;
	size_t nusers;
	struct cc_stored *st;	/* the first is what the commit is about */
	size_t nst;
	struct cc_examples *ex;
	size_t nex;
	uint32_t *words;	/* hashes of the names that the message mentions */
	size_t nwords;
	struct strvec fixes;	/* abbreviated hashes */
	char revert[41];	/* "" none; "0" a revert that does not say of what */
};

/* cochange-users.c: hunks of all users that follow; returns how many do. */
size_t cc_user_examples(struct cc_commit *cc, struct cc_result *r);
/* The same for a commit whose headers are not looked at; see cc_follows(). */
size_t cc_users_of(struct cc_commit *cc, const char *from, const char *to, bool by_args, struct cc_result *r);
void cc_judge(struct cc_commit *cc, struct cc_result *r);
void cc_result_free(struct cc_result *r);
/* cochange-message.c: fills words, fixes, revert. */
void cc_message(const char *message, struct cc_result *r);
uint32_t cc_word_hash(const char *s, size_t len);

/* cochange-exports.c: for commits without headers whose message speaks of exports. */
bool cc_speaks_of_exports(const char *message);
void cc_exports(struct cc_commit *cc, struct cc_result *r);

/* cochange-examine.c */
/*
 * How many of the commit's source files follow the change (from, to: names as they stand in
 * code; to may be NULL; by_args: the arguments of its calls change); examples may be NULL.
 */
size_t cc_follows(git_repository *repo, const struct history_commit *c, const char *from, const char *to,
		  bool by_args, struct cc_result *examples);
struct cc_result *cc_examine(git_repository *repo, const struct history_commit *c, bool examples);

/* One more string of a hash (FNV-1a); its end counts. */
static inline uint64_t cc_mix(uint64_t h, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)p[i]) * 1099511628211ull;
	return (h ^ 0xff) * 1099511628211ull;
}

#endif
