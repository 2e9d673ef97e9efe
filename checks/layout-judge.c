// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/layout-judge.h"

#include "base/alloc.h"
#include "base/file.h"

void layout_judge_init(struct layout_judge *j)
{
	strmap_init(&j->pairs);
	strmap_init(&j->said);
	strvec_init(&j->shared);
}

static void free_pair(void *p)
{
	struct shape_pair *pair = p;

	shape_release(&pair->a);
	shape_release(&pair->b);
	shape_diff_release(&pair->diff);
	free(pair);
}

void layout_judge_release(struct layout_judge *j)
{
	strmap_release(&j->pairs, free_pair);
	strmap_release(&j->said, NULL);
	strvec_release(&j->shared);
}

/* Headers of two kernels differ in where they lie: the path from "include/" or "arch/" on counts. */
static const char *header_name(const char *path)
{
	const char *p = strstr(path, "/include/");

	return p ? p : path_base(path);
}

static const struct dbg_struct *counterpart(const struct dbg *g, const struct dbg_struct *st)
{
	const struct dbg_struct *s, *any = NULL;
	size_t n = 0;

	for (s = strmap_get(&g->structs, st->name); s; s = s->next) {
		if (s->own != st->own)
			continue;
		if (s->own ? !strcmp(s->file, st->file) : !strcmp(header_name(s->file), header_name(st->file)))
			return s;
		any = s;
		n++;
	}
	/* It went to another file; of two that could be it neither is. */
	return n == 1 ? any : NULL;
}

const struct shape_pair *judge_pair(struct layout_judge *j, const struct dbg_struct *st)
{
	char *key = xstrfmt("%s|%d|%s", st->name, st->own, st->own ? st->file : header_name(st->file));
	struct shape_pair *p = strmap_get(&j->pairs, key);
	const struct dbg_struct *a, *b;

	if (!p) {
		p = xcalloc(1, sizeof(*p));
		a = counterpart(j->a, st);
		b = counterpart(j->b, st);
		p->own = st->own;
		p->both = a && b;
		p->at = b ? b : a ? a : st;
		if (a)
			shape_read(j->a, a, &p->a);
		if (b)
			shape_read(j->b, b, &p->b);
		if (p->both)
			shape_compare(&p->a, &p->b, &p->diff);
		strmap_put(&j->pairs, key, p);
	}
	free(key);
	return p;
}

void judge_say(struct layout_judge *j, bool wrong, const char *rule, const struct use *u, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	char *key;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	key = xstrfmt("%s|%s|%d|%s", rule, u->file, u->line, text.buf);
	if (!strmap_has(&j->said, key)) {
		strmap_put(&j->said, key, NULL);
		finding_addf(wrong ? j->findings : j->review, "layout", rule, u->file, u->line, u->function, "%s",
			     text.buf);
	}
	free(key);
	strbuf_release(&text);
}
