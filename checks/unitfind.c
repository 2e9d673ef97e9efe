/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/unitfind.h"
#include "base/alloc.h"
#include "base/cfunc.h"
#include "base/file.h"

#define MAX_SOURCE (32u << 20)

static bool wanted(const struct diag *d, enum unit_which which)
{
	if (d->level == DIAG_NOTE)
		return false;
	return diag_is_failure(d) == (which == UNIT_FAILURES);
}

static void add(const struct diag *d, const char *tree, struct finding_list *out)
{
	const char *rel = d->loc.file ? path_inside(tree, d->loc.file) : NULL;
	bool error = d->level >= DIAG_ERROR;

	finding_addf(out, "gcc", error ? "error" : d->option, rel ? rel : d->loc.file, d->loc.line, NULL, "%s",
		     d->message ? d->message : diag_kind_name(d->kind));
}

/* A failed compiler run without a word. */
static void silent_failure(const struct kbuild_unit *u, const char *tree, struct finding_list *out)
{
	const char *rel = path_inside(tree, u->source);

	finding_addf(out, "gcc", "error", rel ? rel : u->source, 0, NULL, "the compiler ended with code %d",
		     u->exit_code);
}

void unit_findings(const struct kbuild_result *b, const char *tree, enum unit_which which,
		   struct finding_list *out)
{
	size_t i, j;

	for (i = 0; i < b->nunits; i++) {
		const struct kbuild_unit *u = &b->units[i];
		/* Root causes of failures, but every warning. */
		const struct diag_list *l = which == UNIT_FAILURES ? &u->diags : &u->raw;
		size_t n = out->n;

		if (u->probe)
			continue;
		for (j = 0; j < l->n; j++)
			if (wanted(&l->d[j], which))
				add(&l->d[j], tree, out);
		if (which == UNIT_FAILURES && u->exit_code && out->n == n)
			silent_failure(u, tree, out);
	}
	findings_locate(out, tree);
}

static void locate_in(struct finding_list *l, const char *file, const struct cfile *cf)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		struct finding *f = &l->f[i];
		const struct cfunc *fn;

		if (f->function || f->line <= 0 || !f->file || strcmp(f->file, file))
			continue;
		fn = cfile_func_at_line(cf, f->line);
		if (fn)
			f->function = ctok_dup(cf->ts, fn->name);
	}
}

void findings_locate(struct finding_list *l, const char *tree)
{
	struct strvec done = STRVEC_INIT;
	size_t i;

	for (i = 0; i < l->n; i++) {
		struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
		const char *file = l->f[i].file;
		struct ctoks ts = { 0 };
		struct cfile cf = { 0 };
		char *path;

		if (!file || file[0] == '/' || l->f[i].function || strvec_contains(&done, file))
			continue;
		strvec_push(&done, file);
		path = path_join(tree, file);
		if (file_read(path, MAX_SOURCE, &text, &err) == 0 &&
		    ctoks_scan(&ts, text.buf, text.len) == 0) {
			cfile_parse(&cf, &ts);
			locate_in(l, file, &cf);
		}
		cfile_release(&cf);
		ctoks_release(&ts);
		strbuf_release(&text);
		strbuf_release(&err);
		free(path);
	}
	strvec_release(&done);
}
