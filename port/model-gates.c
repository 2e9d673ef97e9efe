// SPDX-License-Identifier: GPL-2.0-only
/* What the gates behind the search say of a model's edits, for its next round. */
#include "base/compat.h"
#include "port/model-internal.h"

#include "base/alloc.h"
#include "base/jsonutil.h"

#define ROUNDS	     3
#define MAX_FINDINGS 3 /* of one gate */

static const enum gate_id told[] = { GATE_COMPILE, GATE_LINK, GATE_NODIAG, GATE_LAYOUT, GATE_HONEST };

unsigned model_max_rounds(const struct model_opts *m)
{
	return m->agent->budget.rounds ? m->agent->budget.rounds : ROUNDS;
}

static bool is_the_models(const struct port_step *st)
{
	return st->group->source == EDIT_MODEL && st->group->answer;
}

static bool touches(const struct port_step *st, const char *path)
{
	for (size_t i = 0; i < st->group->n; i++) {
		if (!strcmp(st->group->e[i].path, path))
			return true;
	}
	return false;
}

static char *text_of(struct tree *t, const char *path, const char *function)
{
	struct srcfile *f = tree_file(t, path);
	const struct cfunc *fn = f ? cfile_func(srcfile_parse(f), function) : NULL;

	return fn ? model_func_text(f, fn, NULL, NULL) : NULL;
}

static bool changes(const struct port_step *st, const char *path, const char *function)
{
	char *was, *now;
	bool other;

	if (!touches(st, path))
		return false;
	was = text_of(st->before, path, function);
	now = text_of(st->after, path, function);
	other = !was != !now || (was && strcmp(was, now));
	free(was);
	free(now);
	return other;
}

char *model_finding_function(struct tree *t, const struct finding *f)
{
	struct srcfile *src = f->file ? tree_file(t, f->file) : NULL;
	const struct cfunc *fn;

	if (f->function || !src || f->line <= 0 || !srcfile_is_c(src))
		return xstrdup(f->function);
	fn = cfile_func_at_line(srcfile_parse(src), (uint32_t)f->line);
	return fn ? srcfile_span_text(src, (struct cspan){ fn->name, fn->name + 1 }) : NULL;
}

/* Who changed that function; where nobody of the model did, who changed the file; of no file: all. */
static bool concerns(const struct port_run *r, const struct port_step *st, const struct finding *f)
{
	char *function = model_finding_function(r->search.tree, f);
	bool somebody = false, he = false;

	for (size_t i = 0; f->file && function && i < r->search.nsteps; i++) {
		const struct port_step *k = r->search.steps[i];

		if (is_the_models(k) && changes(k, f->file, function)) {
			somebody = true;
			he |= k == st;
		}
	}
	free(function);
	return somebody ? he : !f->file || touches(st, f->file);
}

static void add_sentence(struct strbuf *out, size_t *n, enum gate_id g, const char *text)
{
	if (*n < MAX_FINDINGS) {
		if (*n)
			strbuf_addstr(out, "; ");
		else
			strbuf_addf(out, "%swith it gate %s says no: ", out->len ? "; " : "", gate_name(g));
		strbuf_addstr(out, text);
	}
	++*n;
}

/* What the gate says of this step, appended to out. */
static void gate_words(const struct port_run *r, const struct port_step *st, enum gate_id g, struct strbuf *out)
{
	const struct gate_report *rep = &r->ladder.gate[g];
	size_t n = 0;

	for (size_t i = 0; i < rep->findings.n; i++) {
		struct strbuf sb = STRBUF_INIT;

		if (concerns(r, st, &rep->findings.f[i])) {
			finding_describe(&rep->findings.f[i], &sb);
			add_sentence(out, &n, g, sb.buf);
		}
		strbuf_release(&sb);
	}
	if (!rep->findings.n)
		add_sentence(out, &n, g, rep->reason.buf);
	/* "did not come out" has its reason in what modpost printed. */
	for (size_t i = 0; n && g <= GATE_LINK && i < r->new_build.modpost.n; i++) {
		if (diag_is_failure(&r->new_build.modpost.d[i]))
			add_sentence(out, &n, g, r->new_build.modpost.d[i].message);
	}
}

static void refuse(struct port_run *r, const struct port_step *st, const char *words)
{
	struct strbuf ignored = STRBUF_INIT;
	json_t *o = json_object();

	free(strmap_put(&r->model->refused, st->group->answer, xstrdup(words)));
	json_set_str(o, "edits", st->group->answer);
	json_set_str(o, "title", st->group->title);
	json_set_str(o, "words", words);
	audit_add(r->audit, "model-refused", o, &ignored);
	strbuf_release(&ignored);
}

/* What is left is the compiler's to say, and was said already; modules that did not come out are not. */
static bool compiles(const struct port_run *r)
{
	for (size_t i = 0; i < r->search.left.n; i++) {
		if (r->search.left.b[i].unit >= 0)
			return false;
	}
	return true;
}

bool model_refuse(struct port_run *r)
{
	struct model_opts *m = r->model;
	bool any = false;

	if (m->dump || m->failure || !m->rounds || m->rounds >= model_max_rounds(m) || !compiles(r))
		return false;
	for (size_t i = 0; i < r->search.nsteps; i++) {
		const struct port_step *st = r->search.steps[i];
		struct strbuf words = STRBUF_INIT;

		for (size_t k = 0; is_the_models(st) && k < ARRAY_SIZE(told); k++) {
			if (r->ladder.gate[told[k]].verdict == VERDICT_FAIL)
				gate_words(r, st, told[k], &words);
		}
		if (words.len && !strmap_has(&m->refused, st->group->answer)) {
			refuse(r, st, words.buf);
			any = true;
		}
		strbuf_release(&words);
	}
	if (!any)
		return false;
	agent_again(m->agent);
	strvec_clear(&m->notes);
	json_array_clear(m->attempts);
	m->rounds = 0;
	return true;
}
