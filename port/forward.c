// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/forward.h"

#include "base/alloc.h"

/* "struct a *x, int y" or "x, y" -> the names. false when one has none. */
static bool param_names(const struct api_symbol *s, struct strvec *out)
{
	struct ctoks ts;
	struct strbuf text = STRBUF_INIT;
	struct clist l;
	struct cspan p;
	bool ok = true;

	strbuf_addf(&text, "(%s)", s->params);
	if (ctoks_scan(&ts, text.buf, text.len) < 0) {
		strbuf_release(&text);
		return false;
	}
	l = clist_open(&ts, 0);
	while (ok && clist_next(&l, &p)) {
		uint32_t last = p.end - 1;

		if (p.end == p.first + 1 && ctok_is(&ts, p.first, "void"))
			continue;
		while (last > p.first && ctok_is(&ts, last, "]") && ts.t[last].match != CTOK_NONE)
			last = ts.t[last].match - 1;
		ok = ctok_is_ident(&ts, last);
		if (ok)
			strvec_push_nodup(out, ctok_dup(&ts, last));
	}
	ctoks_release(&ts);
	strbuf_release(&text);
	return ok;
}

/* Cut brackets, "return" and ";" around the one expression; false when there is more. */
static bool peel(const struct ctoks *ts, struct cspan *s)
{
	for (;;) {
		if (s->end <= s->first)
			return false;
		if (ctok_is(ts, s->end - 1, ";"))
			s->end--;
		else if (ctok_is(ts, s->first, "return"))
			s->first++;
		else if ((ctok_is(ts, s->first, "{") || ctok_is(ts, s->first, "(")) &&
			 ts->t[s->first].match == s->end - 1) {
			s->first++;
			s->end--;
		} else {
			break;
		}
	}
	for (uint32_t i = s->first; i < s->end; i++)
		if (ctok_is(ts, i, ";") || ctok_is(ts, i, "{") || ts->t[i].kind == CTOK_PP ||
		    ctok_is(ts, i, "#") || ctok_is(ts, i, "##") || ctok_is(ts, i, "=") ||
		    ctok_is(ts, i, "return"))
			return false;
	return true;
}

static void find_call(struct forward *f, const struct ctoks *ts, struct cspan s)
{
	struct clist l;
	struct cspan a;
	size_t n = 0;
	bool same = true;

	if (!ctok_is_ident(ts, s.first) || !ctok_is(ts, s.first + 1, "(") ||
	    ts->t[s.first + 1].match != s.end - 1)
		return;
	f->target = ctok_dup(ts, s.first);
	l = clist_open(ts, s.first + 1);
	while (clist_next(&l, &a)) {
		while (a.end > a.first + 2 && ctok_is(ts, a.first, "(") &&
		       ts->t[a.first].match == a.end - 1) {
			a.first++;
			a.end--;
		}
		same = same && a.end == a.first + 1 && n < f->params.n &&
		       ctok_is(ts, a.first, f->params.v[n]);
		n++;
	}
	f->pure = same && n == f->params.n;
}

/* Runs of blanks, line ends and continuations become one blank. */
static void one_line(const char *p, const char *end, struct strbuf *out)
{
	for (; p < end; p++) {
		if (!strchr(" \t\r\n\\", *p))
			strbuf_addch(out, *p);
		else if (out->len && out->buf[out->len - 1] != ' ')
			strbuf_addch(out, ' ');
	}
}

bool forward_parse(const struct api_symbol *s, struct forward *out)
{
	struct ctoks ts;
	struct cspan span;
	struct strbuf expr = STRBUF_INIT;
	bool ok;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->params);
	out->sym = s;
	if (!s->body || !(s->kind & (API_INLINE | API_MACRO_FN | API_MACRO)))
		return false;
	if (s->kind != API_MACRO && (!s->params || !param_names(s, &out->params))) {
		forward_release(out);
		return false;
	}
	if (ctoks_scan(&ts, s->body, strlen(s->body)) < 0) {
		forward_release(out);
		return false;
	}
	span = (struct cspan){ 0, (uint32_t)ts.n };
	ok = peel(&ts, &span);
	if (ok) {
		const struct ctok *last = &ts.t[span.end - 1];

		one_line(s->body + ts.t[span.first].off, s->body + last->off + last->len, &expr);
		out->expr = strbuf_detach(&expr, NULL);
		if (s->kind == API_MACRO && span.end == span.first + 1 &&
		    ctok_is_ident(&ts, span.first)) {
			out->target = ctok_dup(&ts, span.first);
			out->pure = true;
		} else if (s->kind != API_MACRO) {
			find_call(out, &ts, span);
		}
	}
	strbuf_release(&expr);
	ctoks_release(&ts);
	if (!ok)
		forward_release(out);
	return ok;
}

void forward_release(struct forward *f)
{
	free(f->expr);
	free(f->target);
	strvec_release(&f->params);
	memset(f, 0, sizeof(*f));
	strvec_init(&f->params);
}

static bool is_member(const struct ctoks *ts, size_t i)
{
	return i > 0 && (ctok_is(ts, i - 1, ".") || ctok_is(ts, i - 1, "->"));
}

static bool is_tag(const struct ctoks *ts, size_t i)
{
	return i > 0 && (ctok_is(ts, i - 1, "struct") || ctok_is(ts, i - 1, "union") ||
			 ctok_is(ts, i - 1, "enum"));
}

/* The call at token i is given one of the parameters. */
static bool takes_param(const struct forward *f, const struct ctoks *ts, size_t i)
{
	if (!ctok_is(ts, i + 1, "(") || ts->t[i + 1].match == CTOK_NONE)
		return false;
	for (uint32_t k = (uint32_t)i + 2; k < ts->t[i + 1].match; k++)
		for (size_t p = 0; p < f->params.n; p++)
			if (ctok_is(ts, k, f->params.v[p]) && !is_member(ts, k))
				return true;
	return false;
}

static bool is_param(const struct forward *f, const struct ctoks *ts, size_t i)
{
	for (size_t p = 0; p < f->params.n; p++)
		if (ctok_is(ts, i, f->params.v[p]))
			return true;
	return false;
}

static bool is_null_constant(const char *s)
{
	return !strcmp(s, "NULL") || !strcmp(s, "true") || !strcmp(s, "false");
}

bool forward_is_live(const struct forward *f, struct api_index *ix)
{
	struct ctoks ts;
	bool live = true, calls = false;

	if (!f->expr || ctoks_scan(&ts, f->expr, strlen(f->expr)) < 0)
		return false;
	for (size_t i = 0; i < ts.n && live; i++) {
		const struct api_symbol *s;
		char *w;

		if (!ctok_is_ident(&ts, i) || is_member(&ts, i) || is_param(f, &ts, i))
			continue;
		w = ctok_dup(&ts, i);
		s = api_lookup(ix, w, is_tag(&ts, i) ? API_STRUCT | API_UNION | API_ENUM :
						       API_ANY & ~API_MEMBER);
		live = s || is_null_constant(w);
		calls |= s && s->kind & API_ANY_CALLABLE &&
			 (takes_param(f, &ts, i) || (!f->params.n && f->pure));
		/* "#define old new": an alias of anything but a null constant. */
		calls |= s && f->sym->kind == API_MACRO && f->pure && !is_null_constant(w);
		free(w);
	}
	ctoks_release(&ts);
	return live && calls;
}

static size_t count_uses(const struct forward *f, const char *param)
{
	struct ctoks ts;
	size_t n = 0;

	if (ctoks_scan(&ts, f->expr, strlen(f->expr)) < 0)
		return 2;
	for (size_t i = 0; i < ts.n; i++)
		n += ctok_is(&ts, i, param) && !is_member(&ts, i);
	ctoks_release(&ts);
	return n;
}

static bool has_side_effects(const struct ctoks *ts, struct cspan a)
{
	for (uint32_t i = a.first; i < a.end; i++)
		if (ctok_is(ts, i, "++") || ctok_is(ts, i, "--") || ctok_is(ts, i, "=") ||
		    (ctok_is(ts, i, "(") && i > a.first && ctok_is_ident(ts, i - 1)))
			return true;
	return false;
}

/* May it stand beside "->" or "&" without brackets? */
static bool is_postfix(const struct ctoks *ts, struct cspan a)
{
	for (uint32_t i = a.first; i < a.end; i++) {
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i && ts->t[i].match < a.end) {
			if (ctok_is(ts, i, "(") && i == a.first && ts->t[i].match != a.end - 1)
				return false; /* a cast */
			i = ts->t[i].match;
			continue;
		}
		if (ts->t[i].kind == CTOK_PUNCT && !ctok_is(ts, i, "->") && !ctok_is(ts, i, "."))
			return false;
	}
	return true;
}

static bool whole_argument(const struct ctoks *ts, size_t i)
{
	/* "f(x)" and "f(a, x)", but not the brackets of "(x)->y". */
	if (ctok_is(ts, i - 1, "(") && ctok_is(ts, i + 1, ")") &&
	    !(i > 1 && ctok_is_ident(ts, i - 2)))
		return false;
	return (ctok_is(ts, i - 1, "(") || ctok_is(ts, i - 1, ",")) &&
	       (ctok_is(ts, i + 1, ")") || ctok_is(ts, i + 1, ","));
}

static bool is_bracketed(const struct ctoks *ts, size_t i)
{
	return i > 0 && ctok_is(ts, i - 1, "(") && ctok_is(ts, i + 1, ")") &&
	       !(i > 1 && (ctok_is_ident(ts, i - 2) || ctok_is(ts, i - 2, ")") ||
			   ctok_is(ts, i - 2, "]")));
}

/*
 * How the argument for the parameter at token i is written: *first and *last are the
 * tokens of the expression that it replaces. Macros put brackets around their parameters
 * that a plain argument does not need.
 */
static bool needs_brackets(const struct ctoks *ts, size_t i, bool postfix, size_t *first, size_t *last)
{
	*first = *last = i;
	if (i > 0 && whole_argument(ts, i))
		return false;
	if (!is_bracketed(ts, i))
		return !postfix;
	if (postfix || (i > 1 && (ctok_is(ts, i - 2, "(") || ctok_is(ts, i - 2, ",")) &&
			(ctok_is(ts, i + 2, ")") || ctok_is(ts, i + 2, ",")))) {
		*first = i - 1;
		*last = i + 1;
	}
	return false;
}

/* "&x" of something that "." may follow. */
static bool is_address(const struct ctoks *ts, struct cspan a)
{
	return ctok_is(ts, a.first, "&") && a.end > a.first + 1 &&
	       is_postfix(ts, (struct cspan){ a.first + 1, a.end });
}

/* The expression with args[k] for parameter k; text from file f. */
static void substitute(const struct forward *fw, struct srcfile *f, const struct cspan *args,
		       struct strbuf *out)
{
	const struct ctoks *fts = srcfile_toks(f);
	struct ctoks ts;
	size_t pos = 0;

	if (ctoks_scan(&ts, fw->expr, strlen(fw->expr)) < 0)
		return;
	for (size_t i = 0; i < ts.n; i++) {
		for (size_t p = 0; p < fw->params.n; p++) {
			size_t first, last;
			char *text;
			bool brackets;

			if (!ctok_is(&ts, i, fw->params.v[p]) || is_member(&ts, i))
				continue;
			text = srcfile_span_text(f, args[p]);
			brackets = needs_brackets(&ts, i, is_postfix(fts, args[p]), &first, &last);
			strbuf_add(out, fw->expr + pos, ts.t[first].off - pos);
			pos = ts.t[last].off + ts.t[last].len;
			if (is_address(fts, args[p]) && is_bracketed(&ts, i) && ctok_is(&ts, i + 2, "->")) {
				/* "(&x)->y" is "x.y" */
				strbuf_setlen(out, out->len - (first == i));
				strbuf_addf(out, "%s.", text + 1);
				pos = ts.t[i + 2].off + ts.t[i + 2].len;
			} else if (is_address(fts, args[p]) && ctok_is(&ts, i + 1, "->")) {
				strbuf_addf(out, "%s.", text + 1);
				pos = ts.t[i + 1].off + ts.t[i + 1].len;
			} else {
				strbuf_addf(out, brackets ? "(%s)" : "%s", text);
			}
			free(text);
			break;
		}
	}
	strbuf_addstr(out, fw->expr + pos);
	ctoks_release(&ts);
}

static int replace_call(const struct forward *fw, struct edit_group *g, struct srcfile *f, size_t i)
{
	const struct ctoks *ts = srcfile_toks(f);
	struct cspan args[16], a;
	struct clist l = clist_open(ts, (uint32_t)i + 1);
	struct strbuf text = STRBUF_INIT;
	size_t n = 0;

	while (clist_next(&l, &a)) {
		if (n == ARRAY_SIZE(args) || n == fw->params.n)
			return -1;
		if (has_side_effects(ts, a) && count_uses(fw, fw->params.v[n]) > 1)
			return -1;
		args[n++] = a;
	}
	if (n != fw->params.n)
		return -1;
	substitute(fw, f, args, &text);
	if (!fw->target) { /* no single call: keep it one operand */
		strbuf_splice(&text, 0, 0, "(", 1);
		strbuf_addch(&text, ')');
	}
	edit_add(g, f->path, ts->t[i].off, ts->t[ts->t[i + 1].match].off + 1, text.buf);
	strbuf_release(&text);
	return 0;
}

int forward_apply(const struct forward *fw, struct edit_group *g, struct srcfile *f)
{
	const struct ctoks *ts = srcfile_toks(f);
	uint32_t inside = 0; /* end of the last call that was replaced */
	int n = 0;

	for (size_t i = 0; i < ts->n; i++) {
		if (ts->t[i].kind != CTOK_IDENT || ts->t[i].flags & CTOK_DEAD ||
		    !ctok_is(ts, i, fw->sym->name) || is_member(ts, i))
			continue;
		if (!ctok_is(ts, i + 1, "(") || ts->t[i + 1].match == CTOK_NONE || i < inside)
			return -1;
		if (replace_call(fw, g, f, i) < 0)
			return -1;
		inside = ts->t[i + 1].match;
		n++;
	}
	return n;
}
