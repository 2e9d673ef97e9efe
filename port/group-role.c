// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/group-role.h"

#include "base/alloc.h"
#include "port/sigchange.h"
#include "port/stmt.h"

#define MAX_KEYS     4
#define MAX_EXAMPLES 200
#define MAX_ROLES    24

/* Names of the head that the wanted type does not have: types first, then parameters. */
static void head_keys(const struct propose_ctx *c, struct srcfile *f, const struct cfunc *fn,
		      const struct csig *expected, struct strvec *out)
{
	const struct ctoks *ts = srcfile_toks(f);
	struct strbuf want = STRBUF_INIT;

	csig_text(expected, &want);
	for (int types = 1; types >= 0; types--) {
		for (uint32_t i = fn->paren.first; i < fn->paren.end && out->n < MAX_KEYS; i++) {
			char *name = ctok_is_ident(ts, i) ? ctok_dup(ts, i) : NULL;
			bool type = name && api_lookup(c->old_ix, name, API_STRUCT | API_TYPEDEF |
						       API_ENUM | API_UNION) && !ctok_is(ts, i + 1, ",");

			if (name && type == (types > 0) && !strstr(want.buf, name) &&
			    !strvec_contains(out, name))
				strvec_push(out, name);
			free(name);
		}
	}
	strbuf_release(&want);
}

/* Is the hunk the head of its function? */
static bool is_head(const struct example *ex)
{
	struct ctoks ts = { 0 };
	bool yes = false;

	if (!ex->function)
		return false;
	if (!ctoks_scan(&ts, ex->before, strlen(ex->before)))
		for (uint32_t i = 0; i < ts.n && !yes; i++)
			yes = ctok_is(&ts, i, ex->function) && ctok_is(&ts, i + 1, "(") &&
			      ts.t[i + 1].match != CTOK_NONE && ctok_is(&ts, ts.t[i + 1].match + 1, "{");
	ctoks_release(&ts);
	return yes;
}

static bool is_known(const struct group_role *role, size_t n, const struct example *ex)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(role[i].path, ex->path) && !strcmp(role[i].function, ex->function))
			return true;
	}
	return false;
}

size_t group_role_find(const struct propose_ctx *c, struct srcfile *f, const struct cfunc *fn,
		       const struct csig *expected, struct group_role **out)
{
	struct strvec keys = STRVEC_INIT;
	size_t n = 0, alloc = 0;

	*out = NULL;
	head_keys(c, f, fn, expected, &keys);
	for (size_t k = 0; k < keys.n && n < MAX_ROLES; k++) {
		struct example *ex;
		size_t count = examples_for(c->examples, keys.v[k], c->exclude, MAX_EXAMPLES, &ex);

		for (size_t i = 0; i < count && n < MAX_ROLES; i++) {
			if (!is_head(&ex[i]) || is_known(*out, n, &ex[i]))
				continue;
			ALLOC_GROW(*out, n + 1, alloc);
			(*out)[n].path = xstrdup(ex[i].path);
			(*out)[n++].function = xstrdup(ex[i].function);
		}
		examples_free_list(ex, count);
	}
	strvec_release(&keys);
	return n;
}

bool group_role_fits(const struct propose_ctx *c, const struct group_example *ex,
		     const struct csig *expected)
{
	struct type_env env = { .ix = c->new_ix };
	struct csig sig;
	bool fits;

	if (!func_sig(ex->f[GROUP_NEW], ex->fn[GROUP_NEW], &sig))
		return false;
	fits = csig_same(&env, &sig, expected);
	csig_release(&sig);
	return fits;
}

void group_role_free(struct group_role *role, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(role[i].path);
		free(role[i].function);
	}
	free(role);
}
