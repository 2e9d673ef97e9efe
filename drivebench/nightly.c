// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/nightly.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/progress.h"
#include "checks/gate.h"

#define MAX_LIST (4u << 20)

static const char *const changes[NIGHT_CHANGES] = {
	[NIGHT_SAME] = "as before", [NIGHT_NEW_FAILURE] = "new failure", [NIGHT_FIXED] = "fixed",
	[NIGHT_STILL_FAILING] = "still failing", [NIGHT_KNOWN] = "known failure",
	[NIGHT_KNOWN_PASSES] = "known failure passes", [NIGHT_FLAKY] = "flaky", [NIGHT_INFRA] = "infrastructure",
	[NIGHT_FIRST] = "first time",
};

const char *night_change_name(enum night_change c)
{
	return changes[c];
}

bool night_passes(const char *outcome)
{
	return outcome && (!strcmp(outcome, "ported") || !strcmp(outcome, "review"));
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* Calls take() with the words of each line that is no comment. */
static int each_line(const char *file, int (*take)(struct nightly *, const struct strvec *, const char *where, struct strbuf *),
		     struct nightly *n, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(file, MAX_LIST, &text, err), nr = 0;

	for (char *p = text.buf, *end; !ret && *p; p = end) {
		struct strvec words = STRVEC_INIT;
		char *line, *where = xstrfmt("%s:%d", file, ++nr);

		end = p + strcspn(p, "\n");
		line = xstrndup(p, (size_t)(end - p));
		line[strcspn(line, "#")] = '\0';
		ret = strvec_split_shell(&words, line, err);
		if (ret)
			kp_fail(err, KP_ERR, "%s: a quote is not closed", where);
		if (!ret && words.n)
			ret = take(n, &words, where, err);
		end += *end == '\n';
		strvec_release(&words);
		free(line);
		free(where);
	}
	strbuf_release(&text);
	return ret;
}

static bool good_name(const char *s)
{
	size_t len = strlen(s);

	return len && len < 100 && s[0] != '.' && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == len;
}

static int hash_input(const char *path, struct hash_hex *out, struct strbuf *err)
{
	return file_is_dir(path) ? hash_tree(path, out, err) : hash_file(path, out, err);
}

static int take_driver(struct nightly *n, const struct strvec *w, const char *where, struct strbuf *err)
{
	struct night_driver *d;
	int ret;

	if (w->n != 3)
		return kp_fail(err, KP_ERR, "%s: a line is NAME INPUT FROM-KERNEL", where);
	if (!good_name(w->v[0]))
		return kp_fail(err, KP_ERR, "%s: '%s' is no name (letters, digits, . _ -)", where, w->v[0]);
	for (size_t i = 0; i < n->ndrivers; i++)
		if (!strcmp(n->drivers[i].name, w->v[0]))
			return kp_fail(err, KP_ERR, "%s: the name '%s' was there before", where, w->v[0]);
	n->drivers = xrealloc(n->drivers, (n->ndrivers + 1) * sizeof(*n->drivers));
	d = &n->drivers[n->ndrivers++];
	memset(d, 0, sizeof(*d));
	d->name = xstrdup(w->v[0]);
	d->input = file_realpath(w->v[1]);
	d->from_word = xstrdup(w->v[2]);
	if (!d->input)
		return kp_fail(err, KP_ERR, "%s: there is no '%s'", where, w->v[1]);
	ret = kernel_resolve(d->from_word, &d->from, err);
	return ret ? ret : hash_input(d->input, &d->hash, err);
}

static int take_known(struct nightly *n, const struct strvec *w, const char *where, struct strbuf *err)
{
	if (w->n < 2)
		return kp_fail(err, KP_ERR, "%s: a line is NAME KERNEL-PATTERN [why]", where);
	strvec_push(&n->known, w->v[0]);
	strvec_push(&n->known, w->v[1]);
	return 0;
}

static bool is_known(const struct nightly *n, const struct night_unit *u)
{
	for (size_t i = 0; i + 1 < n->known.n; i += 2)
		if (!fnmatch(n->known.v[i], u->driver->name, 0) &&
		    (!fnmatch(n->known.v[i + 1], u->kernel->release, 0) || !fnmatch(n->known.v[i + 1], u->kernel->name, 0)))
			return true;
	return false;
}

/* Everything that a unit's outcome depends on. */
static int unit_key(const struct nightly *n, struct night_unit *u, struct strbuf *err)
{
	const struct kernel *both[] = { u->driver->from, u->kernel };
	struct hash *h = hash_new();
	int ret = 0;

	hash_add_str(h, n->program.hex);
	hash_add_str(h, u->driver->hash.hex);
	for (int i = 0; i < 2; i++) {
		struct hash_hex symvers = { "" };

		if (!ret && both[i]->symvers && file_exists(both[i]->symvers))
			ret = hash_file(both[i]->symvers, &symvers, err);
		hash_add_str(h, both[i]->release);
		hash_add_str(h, symvers.hex);
	}
	hash_add_str(h, n->o.gates ? n->o.gates : "");
	hash_add_str(h, n->o.no_boot ? "no-boot" : n->o.boot_runs > 1 ? "several" : "");
	u->key = hash_final(h);
	return ret;
}

static int make_units(struct nightly *n, struct strbuf *err)
{
	int ret = 0;

	n->units = xcalloc(n->ndrivers * n->nkernels + 1, sizeof(*n->units));
	for (size_t d = 0; !ret && d < n->ndrivers; d++)
		for (size_t k = 0; !ret && k < n->nkernels; k++) {
			struct night_unit *u = &n->units[n->nunits];

			if (n->kernels[k]->version < n->drivers[d].from->version ||
			    !strcmp(n->kernels[k]->release, n->drivers[d].from->release))
				continue;
			u->driver = &n->drivers[d];
			u->kernel = n->kernels[k];
			ret = unit_key(n, u, err);
			n->nunits++;
		}
	if (!ret && !n->nunits)
		ret = kp_fail(err, KP_ERR, "no kernel is newer than those that the drivers are for");
	return ret;
}

int nightly_load(struct nightly *n, const struct nightly_opts *o, struct strbuf *err)
{
	int ret;

	memset(n, 0, sizeof(*n));
	n->o = *o;
	n->lock = (struct lock)LOCK_INIT;
	strvec_init(&n->known);
	ret = each_line(o->drivers, take_driver, n, err);
	if (!ret && !n->ndrivers)
		ret = kp_fail(err, KP_ERR, "'%s' names no driver", o->drivers);
	if (!ret && o->known)
		ret = each_line(o->known, take_known, n, err);
	if (!ret)
		ret = file_mkdirs(o->dir, err);
	n->dir = ret ? NULL : file_realpath(o->dir);
	if (!ret)
		ret = lock_take(&n->lock, n->dir, 0, err);
	if (!ret)
		ret = nightly_kernels(n, err);
	if (!ret)
		ret = hash_file("/proc/self/exe", &n->program, err);
	if (!ret)
		ret = make_units(n, err);
	if (!ret)
		ret = nightly_store_open(n, err);
	return ret ? ret : nightly_store_begin(n, err);
}

void nightly_release(struct nightly *n)
{
	for (size_t i = 0; i < n->nunits; i++) {
		free(n->units[i].outcome);
		free(n->units[i].words);
		free(n->units[i].dir);
		free(n->units[i].before);
		free(n->units[i].before_kernel);
	}
	for (size_t i = 0; i < n->ndrivers; i++) {
		free(n->drivers[i].name);
		free(n->drivers[i].input);
		free(n->drivers[i].from_word);
		kernel_free(n->drivers[i].from);
	}
	for (size_t i = 0; i < n->nkernels; i++)
		kernel_free(n->kernels[i]);
	free(n->units);
	free(n->drivers);
	free(n->kernels);
	strvec_release(&n->known);
	db_close(n->db);
	lock_release(&n->lock);
	free(n->dir);
	free(n->id);
	free(n->good);
	memset(n, 0, sizeof(*n));
}

/* ---- running ----------------------------------------------------------------------------------- */

struct pool {
	struct nightly *n;
	struct progress *p;
	size_t next, done;
	struct strbuf *err;
	int ret;
};

struct task {
	struct night_unit *u;
	double start;
};

static void set(char **field, char *value)
{
	free(*field);
	*field = value;
}

/* One more try when a machine had part in the failure: what compilers say they say again. */
static bool wants_try(const struct nightly *n, const struct night_unit *u)
{
	return !u->outcome || (u->shaky && u->tries < n->o.tries);
}

static bool machine_failed(const json_t *result)
{
	for (int g = 0; g < GATE_COUNT; g++) {
		const json_t *one = json_object_get(json_object_get(result, "gates"), gate_name((enum gate_id)g));
		const char *v = json_get_str(one, "verdict");

		if (v && GATE_BIT(g) & GATE_MASK_MACHINE && (!strcmp(v, "FAIL") || !strcmp(v, "INFRA")))
			return true;
	}
	return false;
}

static void start_port(const struct nightly *n, struct night_unit *u, struct child *c)
{
	char *out, *boot_runs = xstrfmt("%lld", (long long)n->o.boot_runs);

	set(&u->dir, xstrfmt("nights/%s/%s/%s", n->id, u->driver->name, u->kernel->release));
	out = path_join(n->dir, u->dir);
	strvec_pushl(&c->argv, "/proc/self/exe", "port", u->driver->input, "--from", u->driver->from_word, "--to",
		     u->kernel->dir ? u->kernel->name : u->kernel->build_dir, "--out", out, "--quiet", NULL);
	if (n->o.gates)
		strvec_pushl(&c->argv, "--gates", n->o.gates, NULL);
	if (n->o.no_boot)
		strvec_push(&c->argv, "--no-boot");
	if (n->o.boot_runs > 1)
		strvec_pushl(&c->argv, "--boot-runs", boot_runs, NULL);
	c->err = xcalloc(1, sizeof(*c->err));
	strbuf_init(c->err);
	c->out = c->err;
	c->limits.wall_seconds = 4 * 3600;
	c->limits.output_bytes = 1 << 20;
	free(out);
	free(boot_runs);
}

static bool next_unit(struct child *c, void **out, void *payload)
{
	struct pool *p = payload;

	while (!p->ret && p->next < p->n->nunits) {
		struct night_unit *u = &p->n->units[p->next];
		struct task *t;

		if (!wants_try(p->n, u)) {
			p->next++;
			progress_update(p->p, ++p->done);
			continue;
		}
		p->next++;
		t = xcalloc(1, sizeof(*t));
		t->u = u;
		t->start = clock_seconds();
		start_port(p->n, u, c);
		*out = t;
		return true;
	}
	return false;
}

/* What result.json says; without one the machine is to blame. */
static void read_outcome(const struct nightly *n, struct night_unit *u, const struct child_result *r, const char *said)
{
	char *file = xstrfmt("%s/%s/result.json", n->dir, u->dir);
	struct strbuf ignored = STRBUF_INIT;
	bool ended = r && r->kind == CHILD_EXITED;
	const char *words;
	json_t *v = NULL;

	if (ended && (r->code == EXIT_YES || r->code == EXIT_NO))
		json_read_file(file, 0, &v, &ignored);
	words = v ? json_get_str(v, "headline") : NULL;
	if (v && r->code == EXIT_YES)
		set(&u->outcome, xstrdup(strstr(json_get_str(v, "outcome"), "review") ? "review" : "ported"));
	else
		set(&u->outcome, xstrdup(v || (ended && r->code == EXIT_FATAL) ? "not" : "infra"));
	set(&u->words, xstrdup(words ? words : said && *said ? said : "no result"));
	u->shaky = !night_passes(u->outcome) && (!v || machine_failed(v));
	json_decref(v);
	strbuf_release(&ignored);
	free(file);
}

static void unit_done(struct child *c, const struct child_result *r, const char *start_error, void *task, void *payload)
{
	struct pool *p = payload;
	struct task *t = task;
	struct night_unit *u = t->u;

	strbuf_rtrim(c->err);
	if (!r || r->kind != CHILD_INTERRUPTED) {
		read_outcome(p->n, u, r, start_error ? start_error : c->err->buf);
		u->seconds = clock_seconds() - t->start;
		u->tries++;
		if (!p->ret)
			p->ret = nightly_store_put(p->n, u, u->tries, p->err);
		progress_update(p->p, ++p->done);
	}
	strbuf_release(c->err);
	free(c->err);
	free(t);
}

/* Rounds: all units once, then those that failed again, so that a bad hour of the machine is not met three times. */
int nightly_run(struct nightly *n, struct strbuf *err)
{
	struct pool p = { .n = n, .err = err };
	const struct child_task task = { .next = next_unit, .done = unit_done, .payload = &p };
	int ret = 0;

	for (size_t i = 0; !ret && i < n->nunits; i++)
		ret = nightly_store_find(n, &n->units[i], err);
	for (int64_t round = 0; !ret && round < n->o.tries; round++) {
		bool any = false;

		for (size_t i = 0; i < n->nunits; i++)
			any |= wants_try(n, &n->units[i]);
		if (!any)
			break;
		p.next = p.done = 0;
		p.p = progress_start("porting", n->nunits);
		ret = child_run_parallel(&task, n->o.jobs ? (int)n->o.jobs : 1, err);
		progress_finish(p.p);
		ret = ret ? ret : p.ret;
	}
	for (size_t i = 0; !ret && i < n->nunits; i++)
		if (n->units[i].carried)
			ret = nightly_store_put(n, &n->units[i], n->units[i].tries, err);
	return ret;
}

/* ---- comparing ------------------------------------------------------------------------------------ */

static enum night_change judge(const struct nightly *n, const struct night_unit *u, bool flaky)
{
	bool passes = night_passes(u->outcome), known = is_known(n, u);

	if (!strcmp(u->outcome, "infra"))
		return NIGHT_INFRA;
	if (flaky)
		return NIGHT_FLAKY;
	if (known)
		return passes ? NIGHT_KNOWN_PASSES : NIGHT_KNOWN;
	if (!u->before)
		return passes ? NIGHT_FIRST : NIGHT_NEW_FAILURE;
	if (passes)
		return night_passes(u->before) ? NIGHT_SAME : NIGHT_FIXED;
	return night_passes(u->before) ? NIGHT_NEW_FAILURE : NIGHT_STILL_FAILING;
}

int nightly_compare(struct nightly *n, struct strbuf *err)
{
	int ret = 0;

	memset(n->counts, 0, sizeof(n->counts));
	for (size_t i = 0; !ret && i < n->nunits; i++) {
		struct night_unit *u = &n->units[i];
		bool flaky = false;

		ret = nightly_store_before(n, u, err);
		if (!ret)
			ret = nightly_store_flaky(n, u, &flaky, err);
		u->change = judge(n, u, flaky);
		n->counts[u->change]++;
	}
	if (!ret)
		ret = nightly_store_end(n, n->counts[NIGHT_NEW_FAILURE] ? "bad" : n->counts[NIGHT_INFRA] ? "infra" : "good", err);
	return ret;
}
