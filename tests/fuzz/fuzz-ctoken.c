// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctoks_scan, cfile_parse, ppview: tokens stand in order inside the text and what is between
 * them is blank, a comment or a spliced line; partners point at each other; every span of a
 * declaration lies inside the tokens; a view has the text's length and its line ends.
 */
#include "tests/fuzz/fuzz.h"

#include "base/cfunc.h"
#include "checks/ppview.h"

static void check_tokens(const struct ctoks *ts)
{
	size_t i, end = 0, line = 1;

	for (i = 0; i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];

		FUZZ_CHECK(t->off >= end && t->len > 0 && (size_t)t->off + t->len <= ts->len);
		FUZZ_CHECK(t->line >= line);
		FUZZ_CHECK(ctok_at(ts, t->off) == i && ctok_at(ts, t->off + t->len - 1) == i);
		if (t->match != CTOK_NONE) {
			FUZZ_CHECK(t->match < ts->n && t->match != i);
			/* Of several openers or closers in branches one is the partner. */
			FUZZ_CHECK(ts->t[t->match].match != CTOK_NONE);
		}
		end = (size_t)t->off + t->len;
		line = t->line;
	}
	FUZZ_CHECK(ctok_at_line(ts, (uint32_t)line + 1) == ts->n);
}

static void check_span(const struct ctoks *ts, struct cspan s)
{
	FUZZ_CHECK(s.first <= s.end && s.end <= ts->n);
}

static void check_func(const struct ctoks *ts, const struct cfunc *f, bool body)
{
	size_t i;

	FUZZ_CHECK(ctok_is_ident(ts, f->name));
	check_span(ts, f->ret);
	check_span(ts, f->paren);
	check_span(ts, f->body);
	FUZZ_CHECK(ctok_is(ts, f->paren.first, "("));
	for (i = 0; i < f->nparams; i++) {
		check_span(ts, f->params[i].decl);
		FUZZ_CHECK(f->params[i].decl.first < f->params[i].decl.end);
		FUZZ_CHECK(f->params[i].name == CTOK_NONE || ctok_is_ident(ts, f->params[i].name));
	}
	if (body)
		FUZZ_CHECK(ctok_is(ts, f->body.first, "{") && ctok_is(ts, f->body.end - 1, "}"));
}

static void check_object(const struct cfile *cf, const struct cobject *o)
{
	struct strbuf path = STRBUF_INIT;
	size_t i;

	FUZZ_CHECK(ctok_is_ident(cf->ts, o->name));
	check_span(cf->ts, o->type);
	check_span(cf->ts, o->init);
	for (i = 0; i < o->nmembers; i++) {
		check_span(cf->ts, o->members[i].value);
		check_span(cf->ts, o->members[i].designator);
		FUZZ_CHECK(o->members[i].parent == CTOK_NONE || o->members[i].parent < i);
		strbuf_reset(&path);
		cmember_path(cf, o, i, &path);
	}
	strbuf_release(&path);
}

static void check_view(const char *text, size_t size)
{
	struct strbuf view = STRBUF_INIT;
	size_t i;

	ppview(text, size, 0x060c00, &view);
	FUZZ_CHECK(view.len == size);
	for (i = 0; i < size; i++)
		FUZZ_CHECK(view.buf[i] == text[i] ||
			   (view.buf[i] == ' ' && text[i] != '\n' && text[i] != '\r'));
	strbuf_release(&view);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct strbuf normal = STRBUF_INIT;
	struct ctoks ts;
	struct cfile cf;
	size_t i;

	FUZZ_CHECK(ctoks_scan(&ts, text, size) == 0);
	check_tokens(&ts);
	ctoks_normal(&ts, 0, ts.n, &normal);
	cfile_parse(&cf, &ts);
	for (i = 0; i < cf.nfuncs; i++)
		check_func(&ts, &cf.funcs[i], true);
	for (i = 0; i < cf.nprotos; i++)
		check_func(&ts, &cf.protos[i], false);
	for (i = 0; i < cf.nobjects; i++)
		check_object(&cf, &cf.objects[i]);
	for (i = 0; i < cf.nstructs; i++) {
		check_span(&ts, cf.structs[i].body);
		cstruct_has_member(&ts, &cf.structs[i], "a");
	}
	for (i = 0; i < ts.n; i++)
		cfile_func_at(&cf, i);
	check_view(text, size);
	strbuf_release(&normal);
	cfile_release(&cf);
	ctoks_release(&ts);
}
