// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions: breakages, evidence, source, in the words of the prompt files. What does not fit
 * the window is shown in less and less detail, and each time the text says what is not shown.
 */
#include "base/compat.h"
#include "port/model-internal.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"

#define WHOLE_FILE 12000 /* bytes; larger ones are shown in parts */
#define LOOKUP_ROOM 12000
#define MAX_USES   12
#define EXCERPT	   40	 /* lines around a breakage */

static const char *const kind_files[] = { "kind-removed", "kind-signature", "kind-member", "kind-other" };

int model_ctx_open(struct model_ctx *x, struct strbuf *err)
{
	int ret = prompt_load("system", &x->system, err);

	if (!ret)
		ret = prompt_load("generator", &x->generator, err);
	if (!ret)
		ret = prompt_load("refiner", &x->refiner, err);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(kind_files); i++)
		ret = prompt_load(kind_files[i], &x->kind[i], err);
	return ret;
}

void model_ctx_close(struct model_ctx *x)
{
	prompt_release(&x->system);
	prompt_release(&x->generator);
	prompt_release(&x->refiner);
	for (size_t i = 0; i < ARRAY_SIZE(kind_files); i++)
		prompt_release(&x->kind[i]);
}

bool model_may_send(const struct model_opts *m, const char *path)
{
	for (size_t i = 0; i < m->no_send.n; i++) {
		if (!fnmatch(m->no_send.v[i], path, 0) || !fnmatch(m->no_send.v[i], path_base(path), 0))
			return false;
	}
	return true;
}

/* ---- what is broken ---------------------------------------------------------------- */

static const struct prompt *kind_of(const struct model_ctx *x, const struct breakage *b)
{
	switch (b->diag.kind) {
	case DIAG_MISSING_HEADER:
	case DIAG_IMPLICIT_FUNCTION:
	case DIAG_UNDECLARED:
	case DIAG_UNKNOWN_TYPE:
	case DIAG_INCOMPLETE_TYPE:
		return &x->kind[0];
	case DIAG_INCOMPATIBLE_POINTER:
	case DIAG_CONFLICTING_TYPES:
	case DIAG_TOO_FEW_ARGS:
	case DIAG_TOO_MANY_ARGS:
	case DIAG_MACRO_ARITY:
	case DIAG_VOID_VALUE:
	case DIAG_RETURN_TYPE:
	case DIAG_DISCARDED_QUALIFIER:
	case DIAG_INT_CONVERSION:
	case DIAG_INCOMPATIBLE_TYPES:
		return &x->kind[1];
	case DIAG_NO_MEMBER:
		return &x->kind[2];
	default:
		return &x->kind[3];
	}
}

/*
 * Where else the driver uses a name that is gone: compilers speak of the first place only, and
 * an edit that leaves the others is half of one.
 */
static void add_other_uses(const struct model_ctx *x, const struct breakage *b, struct strbuf *out)
{
	size_t shown = 0;

	if (!b->diag.symbol || (b->diag.kind != DIAG_IMPLICIT_FUNCTION && b->diag.kind != DIAG_UNDECLARED))
		return;
	for (size_t i = 0; i < x->tree->n; i++) {
		struct srcfile *f = x->tree->files[i];
		const struct ctoks *ts = srcfile_is_c(f) && model_may_send(x->m, f->path) ? srcfile_toks(f) : NULL;

		for (size_t k = 0; ts && k < ts->n && shown < MAX_USES; k++) {
			size_t at = ts->t[k].off, from = at;

			if (!ctok_is(ts, k, b->diag.symbol) || (at == b->start && !strcmp(f->path, b->path)))
				continue;
			while (from && f->text[from - 1] != '\n')
				from--;
			strbuf_addf(out, "%s    %s:%d: ", shown++ ? "" : "  also used at\n", f->path,
				    srcfile_line(f, at));
			model_add_data(out, f->text + from, strcspn(f->text + from, "\n"));
		}
	}
}

static void add_breakages(const struct model_ctx *x, const struct model_work *w, struct strbuf *out)
{
	struct srcfile *f = tree_file(x->tree, w->path);

	for (size_t i = 0; i < w->nb; i++) {
		const struct diag *d = &w->b[i]->diag;

		strbuf_addf(out, "%s:%d: ", w->path, f ? srcfile_line(f, w->b[i]->start) : d->loc.line);
		strbuf_add_shown(out, d->message, strlen(d->message));
		strbuf_addch(out, '\n');
		if (d->expected && d->found)
			strbuf_addf(out, "    expected: %s; found: %s\n", d->expected, d->found);
		add_other_uses(x, w->b[i], out);
	}
}

static void add_kinds(const struct model_ctx *x, const struct model_work *w, struct strbuf *out)
{
	for (size_t k = 0; k < ARRAY_SIZE(kind_files); k++) {
		for (size_t i = 0; i < w->nb; i++) {
			if (kind_of(x, w->b[i]) == &x->kind[k]) {
				strbuf_addstr(out, x->kind[k].text);
				break;
			}
		}
	}
}

static void add_evidence(const struct model_ctx *x, const struct model_work *w, bool examples,
			 struct strbuf *out)
{
	struct strmap seen = STRMAP_INIT;

	for (size_t i = 0; i < w->nb; i++) {
		struct propose_ctx pc = *x->propose;
		const char *type = w->b[i]->diag.type;
		char *symbol;

		pc.tree = x->tree;
		pc.b = w->b[i];
		symbol = propose_symbol(&pc);
		while (type && (skip_prefix(type, "const ", &type) || skip_prefix(type, "volatile ", &type)))
			;
		if (type && !starts_with(type, "struct ") && !starts_with(type, "union "))
			type = NULL;
		if (symbol && strmap_has(&seen, symbol)) {
			free(symbol);
			continue;
		}
		if (symbol)
			strmap_put(&seen, symbol, NULL);
		model_evidence(x, symbol, type, examples, out);
		free(symbol);
	}
	if (!out->len)
		strbuf_addstr(out, "Nothing beyond what the compiler says.\n");
	else if (!examples)
		strbuf_addstr(out, "(Examples are not shown for want of room: UNKNOWN examples NAME.)\n");
	strmap_release(&seen, NULL);
}

/* ---- source -------------------------------------------------------------------------- */

char *model_func_text(struct srcfile *f, const struct cfunc *fn, size_t *start, size_t *end)
{
	struct cspan whole = { fn->ret.end > fn->ret.first ? fn->ret.first : fn->name, fn->body.end };
	size_t from = srcfile_span_start(f, whole), to = srcfile_span_end(f, whole);

	while (from && f->text[from - 1] != '\n')
		from--;
	while (to < f->len && f->text[to - 1] != '\n')
		to++;
	if (start)
		*start = from;
	if (end)
		*end = to;
	return xstrndup(f->text + from, to - from);
}

static void add_lines(struct srcfile *f, size_t from, size_t to, struct strbuf *out)
{
	strbuf_addf(out, "[%s, lines %d to %d]\n", f->path, srcfile_line(f, from),
		    srcfile_line(f, to > from ? to - 1 : to));
	model_add_data(out, f->text + from, to - from);
}

/* Includes and the heads of all other functions: what can be asked for. */
static void add_outline(struct srcfile *f, const struct cfunc *shown, struct strbuf *out)
{
	const struct cfile *cf = srcfile_parse(f);

	strbuf_addf(out, "[%s, includes]\n", f->path);
	for (const char *p = f->text; *p;) {
		size_t n = strcspn(p, "\n");

		if (starts_with(p, "#include"))
			model_add_data(out, p, n);
		p += n + (p[n] == '\n');
	}
	strbuf_addf(out, "[%s, heads of the other functions]\n", f->path);
	for (size_t i = 0; i < cf->nfuncs; i++) {
		const struct cfunc *fn = &cf->funcs[i];
		struct cspan head = { fn->ret.end > fn->ret.first ? fn->ret.first : fn->name, fn->paren.end };
		char *text;

		if (fn == shown || fn->body.end <= fn->body.first)
			continue;
		text = srcfile_span_text(f, head);
		for (char *c = text; *c; c++) {
			if (*c == '\n' || *c == '\t')
				*c = ' ';
		}
		strbuf_addf(out, "%s;\n", text);
		free(text);
	}
}

/* Lines around each breakage. */
static void add_excerpts(struct srcfile *f, const struct model_work *w, size_t lo, size_t hi,
			 struct strbuf *out)
{
	size_t done = lo;

	for (size_t i = 0; i < w->nb; i++) {
		size_t from = w->b[i]->start, to = from;

		for (int k = 0; from > lo && k <= EXCERPT; from--)
			k += f->text[from - 1] == '\n';
		if (from > lo)
			from++;
		for (int k = 0; to < hi && k <= EXCERPT; to++)
			k += f->text[to] == '\n';
		if (from < done)
			from = done;
		while (from > lo && f->text[from - 1] != '\n')
			from--;
		if (from > done)
			strbuf_addf(out, "[lines %d to %d are not shown]\n", srcfile_line(f, done),
				    srcfile_line(f, from - 1));
		if (to > from)
			add_lines(f, from, to, out);
		done = to > done ? to : done;
	}
	if (done < hi)
		strbuf_addf(out, "[lines %d to %d are not shown]\n", srcfile_line(f, done),
			    srcfile_line(f, hi - 1));
}

/* detail: 0 the whole file when it is small, 1 the function and an outline, 2 lines around the breakages. */
static void add_source(const struct model_ctx *x, const struct model_work *w, int detail, struct strbuf *out)
{
	struct srcfile *f = tree_file(x->tree, w->path);
	const struct cfunc *fn = w->function ? cfile_func(srcfile_parse(f), w->function) : NULL;
	size_t from = 0, to = f->len;
	char *text;

	if (detail == 0 && f->len <= WHOLE_FILE) {
		strbuf_addf(out, "[%s, the whole file]\n", f->path);
		model_add_data(out, f->text, f->len);
		return;
	}
	if (fn) {
		text = model_func_text(f, fn, &from, &to);
		free(text);
	}
	if (detail < 2 && fn)
		add_lines(f, from, to, out);
	else
		add_excerpts(f, w, from, to, out);
	if (detail < 2)
		add_outline(f, fn, out);
	if (fn)
		strbuf_addstr(out, "[other functions can be asked for: UNKNOWN function NAME]\n");
}

/* ---- the whole -------------------------------------------------------------------------- */

static void fill(const struct model_ctx *x, const struct model_work *w, const char *history, int detail,
		 struct strbuf *out)
{
	struct strbuf b = STRBUF_INIT, k = STRBUF_INIT, e = STRBUF_INIT, s = STRBUF_INIT;
	const struct port_run *r = x->run;

	add_breakages(x, w, &b);
	add_kinds(x, w, &k);
	add_evidence(x, w, detail < 2, &e);
	add_source(x, w, detail, &s);
	prompt_fill(history ? &x->refiner : &x->generator, out, "DRIVER", r->orig->name, "FROM",
		    r->from ? r->from->name : "an older one", "TO", r->to->name, "BREAKAGES", b.buf, "KIND",
		    k.buf, "EVIDENCE", e.buf, "SOURCE", s.buf, "HISTORY", history ? history : "", NULL);
	strbuf_release(&b);
	strbuf_release(&k);
	strbuf_release(&e);
	strbuf_release(&s);
}

int model_question(const struct model_ctx *x, const struct model_work *w, const char *history,
		   struct strbuf *out, struct strbuf *err)
{
	size_t fixed = strlen(x->system.text);

	for (int detail = 0; detail < 3; detail++) {
		strbuf_reset(out);
		fill(x, w, history, detail, out);
		/* Room is kept for what will be asked, where it can be had. */
		if (agent_fits(x->m->agent, fixed + out->len + (detail < 2 ? LOOKUP_ROOM : 0)))
			return 0;
	}
	return kp_fail(err, KP_ERR, "%s%s%s: about %zu tokens do not fit the window", w->path,
		       w->function ? ", " : "", w->function ? w->function : "",
		       prompt_tokens(fixed + out->len));
}
