// SPDX-License-Identifier: GPL-2.0-only
/* One commit from its list of files to its result, in a worker. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/cochange-internal.h"

#define TREEWIDE_FILES 100
#define MAX_LONE_HEADERS 3

void cc_result_free(struct cc_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nst; i++) {
		free(r->st[i].symbol);
		free(r->st[i].to_name);
		free(r->st[i].header);
		free(r->st[i].old_decl);
		free(r->st[i].new_decl);
	}
	for (size_t i = 0; i < r->nex; i++) {
		free(r->ex[i].path);
		hunks_release(&r->ex[i].hunks);
	}
	free(r->st);
	free(r->ex);
	free(r->reason);
	free(r->words);
	strvec_release(&r->fixes);
	free(r);
}

static void release(struct cc_commit *cc)
{
	for (size_t i = 0; i < cc->nhdr; i++)
		free(cc->hdr[i].owner);
	free(cc->hdr);
	free(cc->src);
	header_syms_release(&cc->side[0]);
	header_syms_release(&cc->side[1]);
	pool_release(&cc->pool);
	pool_release(&cc->names);
	strmap_release(&cc->gained, NULL);
	free(cc->ch);
	git_odb_free(cc->odb);
}

static bool drop(struct cc_result *r, enum cochange_filter f, const char *why)
{
	r->filter = f;
	r->reason = xstrdup(why);
	return true;
}

/* What paths and message tell alone. */
static bool by_paths(struct cc_commit *cc, struct cc_result *r)
{
	if (cc->c->nparents > 1)
		return drop(r, FILTER_MERGE, "it is a merge");
	if (r->revert[0])
		return drop(r, FILTER_REVERT, "it takes an earlier commit back");
	if (!cc->nhdr)
		return drop(r, FILTER_PRIVATE, "the headers belong to the drivers that change with them");
	if (cc->nsrc && !cc->nmodified) {
		bool added = false, removed = false;

		for (size_t i = 0; i < cc->nsrc; i++) {
			added = added || cc->src[i].added;
			removed = removed || cc->src[i].removed;
		}
		if (added && removed)
			return drop(r, FILTER_MOVED, "its sources are moved as they are or replaced whole");
		return drop(r, FILTER_NEW_CODE, added ? "its sources are all new" : "its sources are all removed");
	}
	return false;
}

static bool moved_only(const struct cc_commit *cc)
{
	for (size_t i = 0; i < cc->nch; i++)
		if (cc->ch[i].kind != CC_MOVED && cc->ch[i].kind != CC_INCLUDE)
			return false;
	return cc->nch > 0;
}

/* The code of the headers differs, what they declare does not. */
static const char *why_unchanged(struct cc_commit *cc)
{
	switch (cc_header_parts(cc)) {
	case CC_PART_INCLUDE:
		return "the headers differ in what they include, and lose nothing of it";
	case CC_PART_CONDITION:
	case CC_PART_CONDITION | CC_PART_INCLUDE:
		return "the headers differ in conditions (#if): the same is declared, under others";
	default:
		return "what the headers declare stays as it is";
	}
}

/* What the headers tell alone. */
static bool by_headers(struct cc_commit *cc, struct cc_result *r)
{
	if (!cc->nread)
		return drop(r, FILTER_UNREADABLE, "no header could be read");
	if (!cc->ncode && cc->nspdx)
		return drop(r, FILTER_SPDX, "the headers differ in licence texts only");
	if (!cc->ncode && cc->ncomment)
		return drop(r, FILTER_COMMENTS, "the headers differ in comments only");
	if (!cc->ncode)
		return drop(r, FILTER_WHITESPACE, "the headers differ in blanks or order only");
	if (!cc->nch && cc->c->nfiles >= TREEWIDE_FILES)
		return drop(r, FILTER_TREEWIDE, "an edit of many files that changes no declaration");
	if (!cc->nch)
		return drop(r, FILTER_UNRELATED, why_unchanged(cc));
	return false;
}

static void examine(struct cc_commit *cc, struct cc_result *r)
{
	if (by_paths(cc, r))
		return;
	/* Without users it can only be what a series begins with, and that is no edit of many headers. */
	if (!cc->nsrc && cc->nhdr > MAX_LONE_HEADERS)
		return;
	cc_headers(cc);
	if (by_headers(cc, r))
		return;
	cc_users(cc);
	cc_judge(cc, r);
	if (r->cls == COCHANGE_NONE && moved_only(cc)) {
		r->filter = FILTER_MOVED;
		free(r->reason);
		r->reason = xstrdup("declarations move between headers, no user follows");
	}
	if (r->cls != COCHANGE_NONE && cc->examples)
		r->nusers = cc_user_examples(cc, r);
}

struct cc_result *cc_examine(git_repository *repo, const struct history_commit *c, bool examples)
{
	struct cc_commit cc = { .repo = repo, .c = c, .examples = examples };
	struct cc_result *r = xcalloc(1, sizeof(*r));

	strvec_init(&r->fixes);
	strmap_init(&cc.gained);
	cc_message(c->message, r);
	cc_paths(&cc);
	r->candidate = cc.nheaders && cc.nsrc;
	r->sources = cc.nmodified > 0;
	if (cc.nhdr || r->candidate) {
		git_repository_odb(&cc.odb, repo);
		examine(&cc, r);
	} else if (cc.nmodified && cc_speaks_of_exports(c->message) && !r->revert[0]) {
		git_repository_odb(&cc.odb, repo);
		cc_exports(&cc, r);
	}
	release(&cc);
	if (r->candidate || r->nst || (r->nwords && r->sources) || r->fixes.n || r->revert[0])
		return r;
	cc_result_free(r);
	return NULL;
}

size_t cc_follows(git_repository *repo, const struct history_commit *c, const char *from, const char *to,
		  bool by_args, struct cc_result *examples)
{
	struct cc_commit cc = { .repo = repo, .c = c, .examples = examples != NULL };
	size_t n;

	strmap_init(&cc.gained);
	cc_paths(&cc);
	git_repository_odb(&cc.odb, repo);
	n = cc_users_of(&cc, from, to, by_args, examples);
	release(&cc);
	return n;
}
