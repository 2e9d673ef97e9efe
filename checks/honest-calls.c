/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that release, lock or register something, and error checks. */
#include "base/compat.h"
#include "checks/honest.h"
#include "base/alloc.h"

/* ---- kinds of calls, by the words of their names -------------------------- */

enum call_kind {
	CALL_LOCK = 1 << 0, CALL_UNLOCK = 1 << 1, CALL_PUT = 1 << 2, CALL_FREE = 1 << 3,
	CALL_UNREGISTER = 1 << 4, CALL_STOP = 1 << 5, CALL_UNMAP = 1 << 6, CALL_REGISTER = 1 << 7,
	CALL_ALLOC = 1 << 8, /* may take the place of a "create", is not missed itself */
	CALL_INIT = 1 << 9,
	CALL_RELEASES = CALL_UNLOCK | CALL_PUT | CALL_FREE | CALL_UNREGISTER | CALL_STOP | CALL_UNMAP
};

static const struct {
	const char *word;
	unsigned kinds;
} words[] = {
	{ "lock", CALL_LOCK }, { "trylock", CALL_LOCK }, { "unlock", CALL_UNLOCK },
	{ "put", CALL_PUT }, { "unref", CALL_PUT }, { "dput", CALL_PUT }, { "fput", CALL_PUT },
	{ "iput", CALL_PUT }, { "mntput", CALL_PUT }, { "release", CALL_PUT | CALL_FREE },
	{ "drop", CALL_PUT }, { "free", CALL_FREE }, { "kfree", CALL_FREE }, { "vfree", CALL_FREE },
	{ "kvfree", CALL_FREE }, { "kzfree", CALL_FREE }, { "consume", CALL_FREE },
	{ "destroy", CALL_FREE | CALL_UNREGISTER }, { "cleanup", CALL_FREE | CALL_UNREGISTER },
	{ "unregister", CALL_UNREGISTER }, { "deregister", CALL_UNREGISTER },
	{ "del", CALL_UNREGISTER | CALL_STOP }, { "delete", CALL_UNREGISTER | CALL_STOP },
	{ "remove", CALL_UNREGISTER | CALL_FREE }, { "detach", CALL_UNREGISTER },
	{ "unbind", CALL_UNREGISTER }, { "cancel", CALL_STOP }, { "stop", CALL_STOP },
	{ "kill", CALL_STOP }, { "disable", CALL_STOP }, { "flush", CALL_STOP },
	{ "shutdown", CALL_STOP }, { "iounmap", CALL_UNMAP }, { "unmap", CALL_UNMAP },
	{ "vunmap", CALL_UNMAP }, { "kunmap", CALL_UNMAP }, { "register", CALL_REGISTER },
	{ "request", CALL_REGISTER }, { "add", CALL_REGISTER }, { "create", CALL_REGISTER },
	{ "attach", CALL_REGISTER }, { "alloc", CALL_ALLOC },
};

static unsigned word_kinds(const char *w, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == len && !memcmp(words[i].word, w, len))
			return words[i].kinds;
	return 0;
}

/* "spin_lock_init", "INIT_WORK", "init_completion": nothing else, whatever words are in it. */
static bool is_init(const char *callee)
{
	return ends_with(callee, "_init") || starts_with(callee, "INIT_") || starts_with(callee, "init_");
}

static unsigned call_kinds(const char *callee)
{
	unsigned kinds = 0;

	if (is_init(callee))
		return CALL_INIT;

	while (*callee) {
		size_t n;

		callee += strspn(callee, "_.");
		n = strcspn(callee, "_");
		kinds |= word_kinds(callee, n);
		callee += n;
	}
	return kinds;
}

/* Containers, arithmetic and buffers use the same words for other things. */
static bool other_meaning(const char *callee)
{
	static const char *const prefixes[] = { "list_", "hlist_", "atomic", "refcount_add", "skb_put",
						"__skb_put", "nla_put", "seq_put", "rb_", "test_", "set_",
						"cpu_to", "ether_addr", "local_add", "percpu_",
						"put_user", "__put_user", "put_unaligned", "get_",
						"devlink_info_", "devlink_fmsg_" };
	size_t i;


	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts_with(callee, prefixes[i]))
			return true;
	return false;
}

/* ---- what takes a lost call's place --------------------------------------- */

struct calls {
	struct fact_refs gone, came;
	bool *used; /* of came */
};

static bool same_function(const struct honest *h, const struct fact *old, const struct fact *new)
{
	return old->function && new->function &&
	       !strcmp(honest_new_name(h, old->function), new->function);
}

/* A new call of one of the kinds that is not taken yet; in the same function first. */
static bool replaced(const struct honest *h, struct calls *c, const struct fact *gone, unsigned kinds,
		     bool anywhere)
{
	size_t j, pick = c->came.n;

	for (j = 0; j < c->came.n && pick == c->came.n; j++)
		if (!c->used[j] && (call_kinds(c->came.v[j]->key) & kinds) &&
		    same_function(h, gone, c->came.v[j]))
			pick = j;
	for (j = 0; anywhere && j < c->came.n && pick == c->came.n; j++)
		if (!c->used[j] && (call_kinds(c->came.v[j]->key) & kinds))
			pick = j;
	if (pick == c->came.n)
		return false;
	c->used[pick] = true;
	return true;
}

/* Scope-based locks take the place of lock and unlock in the function. */
static bool guarded(const struct honest *h, const struct calls *c, const struct fact *gone)
{
	size_t j;

	for (j = 0; j < c->came.n; j++)
		if ((!strcmp(c->came.v[j]->key, "guard") || !strcmp(c->came.v[j]->key, "scoped_guard")) &&
		    same_function(h, gone, c->came.v[j]))
			return true;
	return false;
}

static bool scope_word(const struct ctoks *ts, uint32_t i)
{
	static const char *const ends[] = { "_scoped", "_scoped_reverse" };

	if (ctok_is(ts, i, "__free"))
		return true;
	for (size_t e = 0; e < ARRAY_SIZE(ends); e++) {
		size_t n = strlen(ends[e]);

		if (ctok_is_ident(ts, i) && ts->t[i].len > n &&
		    !memcmp(ts->text + ts->t[i].off + ts->t[i].len - n, ends[e], n))
			return true;
	}
	return false;
}

static int scope_words(const struct fact *function)
{
	int n = 0;

	for (uint32_t i = function->f->body.first; i < function->f->body.end; i++)
		n += scope_word(&function->file->ts, i);
	return n;
}

/* A put or free that the end of a scope does now: __free(device_node), for_each_..._scoped(). */
static bool freed_by_scope(const struct honest *h, const struct fact *gone)
{
	const struct fact *before = gone->function ? facts_function(&h->old, gone->function) : NULL;
	const struct fact *now = before ? facts_function(&h->new, honest_new_name(h, gone->function)) : NULL;

	return now && scope_words(now) > scope_words(before);
}

/* ---- opposites ------------------------------------------------------------ */

static const struct {
	const char *release, *acquire;
} pairs[] = {
	{ "unlock", "lock" }, { "put", "get" }, { "unref", "ref" }, { "free", "alloc" },
	{ "unregister", "register" }, { "deregister", "register" }, { "disable", "enable" },
	{ "iounmap", "ioremap" }, { "unmap", "map" }, { "del", "add" }, { "delete", "add" },
	{ "del", "setup" }, { "delete", "setup" }, { "remove", "create" }, { "remove", "add" },
	{ "destroy", "create" }, { "destroy", "init" }, { "destroy", "alloc" }, { "release", "request" },
	{ "release", "get" }, { "stop", "start" }, { "cleanup", "init" }, { "cleanup", "alloc" },
	{ "detach", "attach" }, { "unbind", "bind" },
};

/* The word "from" of the callee replaced by "to"; false when it has no such word. */
static bool swap_word(const char *callee, const char *from, const char *to, struct strbuf *out)
{
	const char *p = callee;
	size_t n = strlen(from);

	while ((p = strstr(p, from))) {
		if ((p == callee || p[-1] == '_') && (p[n] == '_' || p[n] == '\0')) {
			strbuf_reset(out);
			strbuf_add(out, callee, p - callee);
			strbuf_addf(out, "%s%s", to, p + n);
			return true;
		}
		p += n;
	}
	return false;
}

enum opposite { NO_OPPOSITE, OPPOSITE_GONE, OPPOSITE_MADE };

/* What became of the call that this one undoes, or that undoes it; its name is left in out. */
static enum opposite find_opposite(const struct honest *h, const char *callee, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;
	enum opposite how = NO_OPPOSITE;
	size_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(pairs) && how != OPPOSITE_MADE; i++) {
		const char *a = pairs[i / 2].release, *b = pairs[i / 2].acquire;

		if (!swap_word(callee, i & 1 ? b : a, i & 1 ? a : b, &name) ||
		    !facts_count(&h->old, FACT_CALL, name.buf))
			continue;
		how = facts_count(&h->new, FACT_CALL, name.buf) ? OPPOSITE_MADE : OPPOSITE_GONE;
		strbuf_reset(out);
		strbuf_addbuf(out, &name);
	}
	strbuf_release(&name);
	return how;
}

static bool is_opposite(const char *a, const char *b)
{
	struct strbuf name = STRBUF_INIT;
	bool yes = false;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(pairs) && !yes; i++) {
		const char *x = pairs[i / 2].release, *y = pairs[i / 2].acquire;

		yes = swap_word(a, i & 1 ? y : x, i & 1 ? x : y, &name) && !strcmp(name.buf, b);
	}
	strbuf_release(&name);
	return yes;
}

size_t honest_words_shared(const char *a, const char *b)
{
	size_t n = 0, len;

	for (; *a; a += len) {
		a += strspn(a, "_");
		len = strcspn(a, "_");
		for (const char *p = b; len && *p; p += strcspn(p, "_")) {
			p += strspn(p, "_");
			if (strcspn(p, "_") == len && !strncmp(a, p, len)) {
				n++;
				break;
			}
		}
	}
	return n;
}

/*
 * The target's own successor of a function that it lacks: another one of the same family (first
 * word of the name), called anew in the same function, that does not undo it:
 * hrtimer_init() -> hrtimer_setup(). With as many words of the name in common as asked for:
 * pci_cleanup_aer_uncorrect_error_status() -> pci_aer_clear_nonfatal_status().
 */
static bool succeeded(const struct honest *h, struct calls *c, const struct fact *gone, size_t shared)
{
	size_t n = strcspn(gone->key, "_");

	for (size_t j = 0; n >= 3 && j < c->came.n; j++) {
		const char *name = c->came.v[j]->key;

		if (c->used[j] || strncmp(name, gone->key, n + 1) || !same_function(h, gone, c->came.v[j]) ||
		    is_opposite(gone->key, name) || !honest_exists(h, name) ||
		    honest_words_shared(gone->key, name) < shared)
			continue;
		c->used[j] = true;
		return true;
	}
	return false;
}

/* ---- judging -------------------------------------------------------------- */

/* The callee is no longer in the target, and nothing of its kind came. */
static void judge_vanished(struct honest *h, struct calls *c, const struct fact *f, unsigned kinds)
{
	struct strbuf other = STRBUF_INIT;
	enum opposite how;

	if ((kinds & CALL_RELEASES) && replaced(h, c, f, CALL_RELEASES, false))
		return;
	if (succeeded(h, c, f, kinds & CALL_RELEASES ? 3 : 1))
		return;
	how = find_opposite(h, f->key, &other);
	if (how == OPPOSITE_MADE)
		honest_fail(h, "call", f, "call of '%s' is gone while '%s' is still called", f->key, other.buf);
	else if (how == OPPOSITE_GONE)
		honest_review(h, "call", f, "calls of '%s' and '%s' are gone: the target kernel lacks the first",
			      f->key, other.buf);
	else
		honest_fail(h, "call", f, "call of '%s' is gone and nothing takes its place", f->key);
	strbuf_release(&other);
}

/*
 * A function that the target lacks, no longer called here, may have returned what
 * was freed.
 */
static bool source_vanished(const struct honest *h, const struct calls *c, const struct fact *f)
{
	size_t i;

	for (i = 0; i < c->gone.n; i++) {
		const struct fact *g = c->gone.v[i];

		if (g->function == f->function && g->key[0] != '.' && !call_kinds(g->key) &&
		    !facts_is_log_call(g->key) && !honest_exists(h, g->key))
			return true;
	}
	return false;
}

/*
 * A call of any other kind, dropped without another one in its place: what the line did (a
 * limit, a mask, a flag) may be lost.
 */
static void judge_other(struct honest *h, struct calls *c, const struct fact *f)
{
	size_t j;

	if (!f->bare || f->key[0] == '.' || !f->function || facts_is_log_call(f->key) ||
	    facts_function(&h->old, f->key))
		return;
	for (j = 0; j < c->came.n; j++) {
		if (c->used[j] || !same_function(h, f, c->came.v[j]))
			continue;
		c->used[j] = true;
		return;
	}
	honest_review(h, "call", f, "call of '%s' is gone and none takes its place", f->key);
}

static void judge_call(struct honest *h, struct calls *c, const struct fact *f)
{
	unsigned kinds = call_kinds(f->key);

	/* Calls of functions that are gone were judged with them. */
	if (f->function && !facts_function(&h->new, honest_new_name(h, f->function)))
		return;
	if (!(kinds & ~CALL_ALLOC) || other_meaning(f->key)) {
		judge_other(h, c, f);
		return;
	}
	if (replaced(h, c, f, kinds & CALL_REGISTER ? kinds | CALL_ALLOC : kinds, true))
		return;
	if ((kinds & (CALL_LOCK | CALL_UNLOCK)) && guarded(h, c, f))
		return;
	if ((kinds & (CALL_PUT | CALL_FREE)) && freed_by_scope(h, f)) {
		honest_review(h, "call", f, "call of '%s' is gone: the end of a scope may do it", f->key);
		return;
	}
	if (facts_function(&h->old, f->key) && strmap_has(&h->excused, f->key))
		return;
	if (!honest_exists(h, f->key))
		judge_vanished(h, c, f, kinds);
	else if (!(kinds & CALL_RELEASES) && succeeded(h, c, f, 3))
		return; /* kthread_create_worker_on_cpu() -> kthread_run_worker_on_cpu() */
	else if ((kinds & (CALL_FREE | CALL_PUT)) && source_vanished(h, c, f))
		honest_review(h, "call", f,
			      "call of '%s' is gone together with a function that the target kernel lacks",
			      f->key);
	else
		honest_fail(h, "call", f, "call of '%s' is gone", f->key);
}

void honest_calls(struct honest *h)
{
	struct calls c = { 0 };
	size_t i;

	facts_lost(&h->old, &h->new, FACT_CALL, &c.gone);
	facts_lost(&h->new, &h->old, FACT_CALL, &c.came);
	c.used = xcalloc(c.came.n + 1, sizeof(*c.used));
	for (i = 0; i < c.gone.n; i++)
		if (strcmp(honest_new_name(h, c.gone.v[i]->key), c.gone.v[i]->key) == 0)
			judge_call(h, &c, c.gone.v[i]);
	free(c.used);
	fact_refs_release(&c.gone);
	fact_refs_release(&c.came);
}

/* ---- error checks --------------------------------------------------------- */

struct count {
	int before, now;
	const struct fact *at; /* an old check */
};

static struct fact_refs checks_of(const struct facts *fa, const char *function)
{
	struct fact_refs r = { 0 };

	facts_find(fa, FACT_CHECK, function, &r);
	return r;
}

/* What explains lost checks in a function; void callees excuse, vanished ones ask for review. */
struct excuse {
	int voids, vanished;
};

static bool calls_in(const struct fact_refs *calls, const char *function, const char *callee)
{
	size_t i;

	for (i = 0; i < calls->n; i++)
		if (calls->v[i]->function && !strcmp(calls->v[i]->function, function) &&
		    !strcmp(calls->v[i]->key, callee))
			return true;
	return false;
}

static struct excuse excuses(const struct honest *h, const char *before, const char *now)
{
	struct fact_refs old = { 0 }, new = { 0 };
	struct excuse e = { 0 };
	size_t i, j;

	facts_find(&h->old, FACT_CALL, NULL, &old);
	facts_find(&h->new, FACT_CALL, NULL, &new);
	for (i = 0; i < new.n; i++) {
		const struct fact *c = new.v[i];
		bool was_bare = false;

		if (!c->function || strcmp(c->function, now) || !c->bare || !honest_void_function(h, c->key))
			continue;
		for (j = 0; j < old.n; j++)
			was_bare |= old.v[j]->function && !strcmp(old.v[j]->function, before) &&
				    !strcmp(old.v[j]->key, c->key) && old.v[j]->bare;
		e.voids += !was_bare;
	}
	for (j = 0; j < old.n; j++) {
		const struct fact *c = old.v[j];

		if (c->function && !strcmp(c->function, before) && !facts_is_log_call(c->key) &&
		    c->key[0] != '.' && !honest_exists(h, c->key) && !facts_function(&h->old, c->key) &&
		    !calls_in(&new, now, c->key))
			e.vanished++;
	}
	fact_refs_release(&old);
	fact_refs_release(&new);
	return e;
}

/* The callback cannot return an error any more. */
static bool became_void(const struct fact *before, const struct fact *now)
{
	return !honest_returns_void(before) && honest_returns_void(now);
}

static void judge_checks(struct honest *h, const struct fact *before, const struct fact *now, int lost,
			 const struct fact *at)
{
	struct excuse e = excuses(h, before->key, now->key);

	if (lost <= e.voids)
		return;
	if (lost <= e.voids + e.vanished)
		honest_review(h, "check", at, "%d error check%s gone with the function%s checked", lost,
			      lost == 1 ? " is" : "s are", lost == 1 ? " it" : "s they");
	else if (became_void(before, now))
		honest_review(h, "check", at, "%d error check%s gone: '%s' returns nothing now", lost,
			      lost == 1 ? " is" : "s are", now->key);
	else
		honest_fail(h, "check", at, "%d error check%s gone, first 'if (%.100s)'", lost,
			    lost == 1 ? " is" : "s are", at->value);
}

/* The first check of "before" whose condition "now" lacks, else the first. */
static const struct fact *lost_check(const struct fact_refs *before, const struct fact_refs *now)
{
	size_t i, j;

	for (i = 0; i < before->n; i++) {
		for (j = 0; j < now->n && strcmp(now->v[j]->value, before->v[i]->value); j++)
			;
		if (j == now->n)
			return before->v[i];
	}
	return before->v[0];
}

void honest_checks(struct honest *h)
{
	size_t i, all_before = facts_count(&h->old, FACT_CHECK, NULL);
	size_t all_now = facts_count(&h->new, FACT_CHECK, NULL);

	/* As many as before: they moved, if anything. */
	if (all_now >= all_before)
		return;
	for (i = 0; i < h->old.n; i++) {
		const struct fact *before = &h->old.f[i], *now;
		struct fact_refs a, b;

		if (before->kind != FACT_FUNCTION || !before->file->changed ||
		    facts_function(&h->old, before->key) != before)
			continue;
		now = facts_function(&h->new, honest_new_name(h, before->key));
		if (!now)
			continue;
		a = checks_of(&h->old, before->key);
		b = checks_of(&h->new, now->key);
		if (b.n < a.n)
			judge_checks(h, before, now, (int)(a.n - b.n), lost_check(&a, &b));
		fact_refs_release(&a);
		fact_refs_release(&b);
	}
}
