// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/sighead.h"

#include "base/alloc.h"
#include "port/stmt.h"

#define LINE_WIDTH 80

static size_t tok_start(const struct sighead *h, uint32_t i)
{
	return srcfile_toks(h->f)->t[i].off;
}

static size_t tok_end(const struct sighead *h, uint32_t i)
{
	const struct ctok *t = &srcfile_toks(h->f)->t[i];

	return t->off + t->len;
}

static bool has_directive(const struct ctoks *ts, struct cspan s)
{
	for (; s.first < s.end; s.first++)
		if (ts->t[s.first].kind == CTOK_PP)
			return true;
	return false;
}

/* ---- return type ------------------------------------------------------------------ */

/* The run of tokens in the specifiers that are the type. */
static bool type_run(const struct sighead *h, uint32_t *first, uint32_t *end)
{
	const struct ctoks *ts = srcfile_toks(h->f);
	uint32_t i;

	*first = *end = h->site->ret.end;
	for (i = h->site->ret.first; i < h->site->ret.end; i++) {
		char *w = ctok_dup(ts, i);
		bool note = ctype_is_annotation(w) || ctok_is_annotation(ts, i);

		free(w);
		if (note)
			continue;
		if (*first == h->site->ret.end)
			*first = i;
		*end = i + 1;
	}
	return *first < h->site->ret.end;
}

static bool write_ret(const struct sighead *h, struct strbuf *out)
{
	const char *text = h->f->text;
	size_t start = tok_start(h, h->site->ret.first), name = tok_start(h, h->site->name);
	size_t from, to, next, nl;
	uint32_t first, end;

	if (!h->ret) {
		strbuf_add(out, text + start, name - start);
		return true;
	}
	if (!type_run(h, &first, &end))
		return false;
	from = tok_start(h, first);
	to = tok_end(h, end - 1);
	next = tok_start(h, end);
	strbuf_add(out, text + start, from - start);
	strbuf_addstr(out, h->ret);
	for (nl = to; nl < next && text[nl] != '\n'; nl++)
		;
	if (nl < next)
		strbuf_add(out, text + to, next - to);
	else if (end != h->site->name || !ends_with(h->ret, "*"))
		strbuf_addch(out, ' ');
	strbuf_add(out, text + next, name - next);
	return true;
}

/* ---- parameters --------------------------------------------------------------------- */

struct list {
	const struct sighead *h;
	size_t column;	   /* of the byte behind "(" in the new text */
	bool aligned;	   /* continuation lines stand under that column */
	bool broken;	   /* there are continuation lines */
	char *indent;	   /* of the first one otherwise */
	struct strbuf out; /* between the parentheses */
};

/* How does the driver break its list? */
static void read_layout(struct list *l)
{
	const struct sighead *h = l->h;
	size_t open = tok_end(h, h->site->paren.first), close = tok_start(h, h->site->paren.end - 1);
	size_t col = file_column(h->f, open), i;

	l->aligned = true;
	for (i = open; i < close; i++) {
		size_t end = i + 1;

		if (h->f->text[i] != '\n')
			continue;
		while (end < close && (h->f->text[end] == ' ' || h->f->text[end] == '\t'))
			end++;
		if (file_column(h->f, end) != col)
			l->aligned = false;
		if (!l->broken)
			l->indent = xstrndup(h->f->text + i + 1, end - i - 1);
		l->broken = true;
	}
}

static void add_alignment(struct strbuf *out, size_t column)
{
	size_t i;

	for (i = 0; i < column / 8; i++)
		strbuf_addch(out, '\t');
	for (i = 0; i < column % 8; i++)
		strbuf_addch(out, ' ');
}

static void add_break(struct list *l)
{
	strbuf_addch(&l->out, '\n');
	if (l->aligned || !l->indent)
		add_alignment(&l->out, l->column);
	else
		strbuf_addstr(&l->out, l->indent);
}

static size_t column_now(struct list *l)
{
	return text_column(l->out.buf, l->out.len, l->column);
}

/* "," and blanks, or a break, in front of new text. */
static void separate(struct list *l, const char *text)
{
	strbuf_addch(&l->out, ',');
	if (column_now(l) + 1 + text_column(text, strlen(text), 0) + 1 > LINE_WIDTH)
		add_break(l);
	else
		strbuf_addch(&l->out, ' ');
}

static char *param_text(const struct sighead *h, size_t from)
{
	const struct cspan *d = &h->site->params[from].decl;

	return xstrndup(h->f->text + tok_start(h, d->first),
			tok_end(h, d->end - 1) - tok_start(h, d->first));
}

/* Text of the j-th new parameter. */
static char *new_param(const struct sighead *h, size_t j, bool named)
{
	const struct sigmap_entry *m = &h->map->to[j];
	const struct sigparam *p = &h->to->p[j];
	struct strbuf sb = STRBUF_INIT;
	char *old = m->from >= 0 ? param_text(h, m->from) : NULL;
	char *type;

	if (m->kind == SIGMAP_SAME)
		return old;
	if (m->kind == SIGMAP_QUALIFIER && starts_with(p->type, "const ") &&
	    !strstr(old, "const") && !strstr(p->type + 6, "const")) {
		strbuf_addf(&sb, "const %s", old);
	} else if (named && h->names[j]) {
		sigparam_declare(p, h->names[j], &sb);
	} else {
		type = p->type;
		strbuf_addstr(&sb, type);
	}
	free(old);
	return strbuf_detach(&sb, NULL);
}

/* What stands between old parameters i - 1 and i: "," with blanks or a break. */
static void add_separator(struct list *l, int i)
{
	const struct sighead *h = l->h;
	size_t from = tok_end(h, h->site->params[i - 1].decl.end - 1);
	size_t to = tok_start(h, h->site->params[i].decl.first);

	strbuf_add(&l->out, h->f->text + from, to - from);
}

static void write_list(struct list *l)
{
	const struct sighead *h = l->h;
	bool named = !h->site->nparams || h->site->params[0].name != CTOK_NONE ||
		     h->site->body.end > h->site->body.first;
	size_t j;
	int last = -1;

	for (j = 0; j < h->to->n; j++) {
		int from = h->map->to[j].from;
		char *text = new_param(h, j, named);

		if (j && from > 0 && (from == last + 1 || !h->map->reordered))
			add_separator(l, from);
		else if (j)
			separate(l, text);
		strbuf_addstr(&l->out, text);
		free(text);
		last = from >= 0 ? from : last;
	}
	if (!h->to->n && !h->to->variadic)
		strbuf_addstr(&l->out, "void");
	if (h->to->variadic)
		strbuf_addstr(&l->out, h->to->n ? ", ..." : "...");
}

/* Give every continuation line the indentation that it has to have now. */
static void realign(struct list *l)
{
	struct strbuf out = STRBUF_INIT;
	size_t i, k;

	for (i = 0; i < l->out.len; i++) {
		strbuf_addch(&out, l->out.buf[i]);
		if (l->out.buf[i] != '\n')
			continue;
		add_alignment(&out, l->column);
		for (k = i + 1; l->out.buf[k] == ' ' || l->out.buf[k] == '\t'; k++)
			;
		i = k - 1;
	}
	strbuf_release(&l->out);
	l->out = out;
}

/* A list that has become short enough goes on one line. */
static void join_lines(struct list *l)
{
	struct strbuf out = STRBUF_INIT;
	size_t i;

	if (strstr(l->out.buf, "/*") || strstr(l->out.buf, "//"))
		return;
	for (i = 0; i < l->out.len; i++) {
		if (l->out.buf[i] != '\n') {
			if (l->out.buf[i] != '\r')
				strbuf_addch(&out, l->out.buf[i]);
			continue;
		}
		while (strchr(" \t\n", l->out.buf[i + 1]) && l->out.buf[i + 1])
			i++;
		while (out.len && strchr(" \t", out.buf[out.len - 1]))
			strbuf_setlen(&out, out.len - 1);
		strbuf_addch(&out, ' ');
	}
	if (l->column + out.len + 1 <= LINE_WIDTH) {
		strbuf_reset(&l->out);
		strbuf_addbuf(&l->out, &out);
	}
	strbuf_release(&out);
}

bool sighead_rewrite(const struct sighead *h, struct strbuf *out)
{
	const struct ctoks *ts = srcfile_toks(h->f);
	struct list l = { .h = h, .out = STRBUF_INIT };
	struct cspan head = { h->site->ret.first, h->site->paren.end };
	size_t start, before;

	if (h->site->from_macro || h->site->ret.end == h->site->ret.first ||
	    has_directive(ts, head) || h->site->nparams != h->map->nfrom)
		return false;
	start = tok_start(h, h->site->ret.first);
	before = out->len;
	if (!write_ret(h, out))
		return false;
	strbuf_add(out, h->f->text + tok_start(h, h->site->name),
		   tok_end(h, h->site->paren.first) - tok_start(h, h->site->name));
	if (sigmap_is_identity(h->map) && !h->ret)
		return false;
	l.column = text_column(out->buf + before, out->len - before, file_column(h->f, start));
	read_layout(&l);
	if (sigmap_is_identity(h->map))
		strbuf_add(&l.out, h->f->text + tok_end(h, h->site->paren.first),
			   tok_start(h, h->site->paren.end - 1) -
				   tok_end(h, h->site->paren.first));
	else
		write_list(&l);
	if (l.broken && l.aligned)
		realign(&l);
	if (l.broken && sigmap_removed(h->map))
		join_lines(&l);
	strbuf_addbuf(out, &l.out);
	strbuf_addch(out, ')');
	strbuf_release(&l.out);
	free(l.indent);
	return true;
}

bool sighead_edit(const struct sighead *h, struct edit_group *g)
{
	struct strbuf out = STRBUF_INIT;
	bool ok = sighead_rewrite(h, &out);

	if (ok)
		edit_add_trimmed(g, h->f, tok_start(h, h->site->ret.first),
				 tok_end(h, h->site->paren.end - 1), out.buf);
	strbuf_release(&out);
	return ok;
}
