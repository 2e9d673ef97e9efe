/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/finding.h"
#include "base/alloc.h"
#include "base/jsonutil.h"
#include "base/strmap.h"

struct finding *finding_add(struct finding_list *l)
{
	ALLOC_GROW(l->f, l->n + 1, l->alloc);
	memset(&l->f[l->n], 0, sizeof(*l->f));
	return &l->f[l->n++];
}

struct finding *finding_addf(struct finding_list *l, const char *tool, const char *rule,
			     const char *file, int line, const char *function, const char *fmt, ...)
{
	struct finding *f = finding_add(l);
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	f->tool = xstrdup(tool);
	f->rule = xstrdup(rule);
	f->file = xstrdup(file);
	f->line = line;
	f->function = xstrdup(function);
	f->text = strbuf_detach(&sb, NULL);
	return f;
}

static void release_one(struct finding *f)
{
	free(f->tool);
	free(f->rule);
	free(f->file);
	free(f->function);
	free(f->text);
}

void finding_list_release(struct finding_list *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < l->n; i++)
		release_one(&l->f[i]);
	free(l->f);
	memset(l, 0, sizeof(*l));
}

void finding_describe(const struct finding *f, struct strbuf *out)
{
	if (f->file)
		strbuf_addf(out, "%s:", f->file);
	if (f->file && f->line > 0)
		strbuf_addf(out, "%d:", f->line);
	strbuf_addf(out, "%s%s", f->file ? " " : "", f->text ? f->text : "");
	if (f->function)
		strbuf_addf(out, " (function '%s')", f->function);
}

/* ---- comparison ----------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Does the number at p stand where tools write positions or addresses? */
static bool position_number(const char *text, const char *p)
{
	if (p == text)
		return false;
	if (p[-1] == ':')
		return true;
	if (p[0] == '0' && p[1] == 'x')
		return p[-1] == ' ' || p[-1] == '(';
	return p - text >= 5 && !memcmp(p - 5, "line ", 5);
}

static size_t number_len(const char *p)
{
	size_t n = 0;

	if (p[0] == '0' && p[1] == 'x')
		for (n = 2; strchr("0123456789abcdefABCDEF", p[n]) && p[n]; n++)
			;
	else
		while (is_digit(p[n]))
			n++;
	return n;
}

void finding_normal_text(const char *text, struct strbuf *out)
{
	const char *p = text;

	while (*p) {
		if (is_digit(*p) && position_number(text, p)) {
			strbuf_addch(out, 'N');
			p += number_len(p);
		} else if (!strncmp(p, "\xe2\x80\x98", 3) || !strncmp(p, "\xe2\x80\x99", 3)) {
			strbuf_addch(out, '\'');
			p += 3;
		} else if (*p == ' ' || *p == '\t') {
			strbuf_addch(out, ' ');
			p += strspn(p, " \t");
		} else {
			strbuf_addch(out, *p++);
		}
	}
}

static void finding_key(const struct finding *f, struct strbuf *out)
{
	strbuf_reset(out);
	strbuf_addf(out, "%s\n%s\n%s\n", f->tool ? f->tool : "", f->rule ? f->rule : "",
		    f->function ? f->function : f->file ? f->file : "");
	finding_normal_text(f->text ? f->text : "", out);
}

void finding_fingerprint(const struct finding *f, struct hash_hex *out)
{
	struct strbuf key = STRBUF_INIT;

	finding_key(f, &key);
	*out = hash_buf(key.buf, key.len);
	strbuf_release(&key);
}

void finding_list_new_ones(const struct finding_list *now, const struct finding_list *before,
			   struct finding_list *out)
{
	struct strmap seen = STRMAP_INIT;
	struct strbuf key = STRBUF_INIT;
	size_t i;

	/* The value counts how often the baseline has it. */
	for (i = 0; before && i < before->n; i++) {
		finding_key(&before->f[i], &key);
		strmap_put(&seen, key.buf, (char *)strmap_get(&seen, key.buf) + 1);
	}
	for (i = 0; i < now->n; i++) {
		const struct finding *f = &now->f[i];
		char *left;

		finding_key(f, &key);
		left = strmap_get(&seen, key.buf);
		if (left) {
			strmap_put(&seen, key.buf, left - 1);
			continue;
		}
		finding_addf(out, f->tool, f->rule, f->file, f->line, f->function, "%s",
			     f->text ? f->text : "");
	}
	strbuf_release(&key);
	strmap_release(&seen, NULL);
}

static int cmp_str(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int cmp_finding(const void *va, const void *vb)
{
	const struct finding *a = va, *b = vb;
	int r = cmp_str(a->file, b->file);

	if (!r)
		r = (a->line > b->line) - (a->line < b->line);
	if (!r)
		r = cmp_str(a->tool, b->tool);
	return r ? r : cmp_str(a->text, b->text);
}

void finding_list_sort(struct finding_list *l)
{
	if (l->n)
		sort_items(l->f, l->n, sizeof(*l->f), cmp_finding);
}

json_t *finding_list_json(const struct finding_list *l)
{
	json_t *arr = json_array();
	size_t i;

	for (i = 0; i < l->n; i++) {
		json_t *o = json_object();

		json_set_str(o, "tool", l->f[i].tool);
		json_set_str(o, "rule", l->f[i].rule);
		json_set_str(o, "file", l->f[i].file);
		if (l->f[i].line > 0)
			json_set_int(o, "line", l->f[i].line);
		json_set_str(o, "function", l->f[i].function);
		json_set_str(o, "text", l->f[i].text);
		json_array_append_new(arr, o);
	}
	return arr;
}
