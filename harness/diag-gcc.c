// SPDX-License-Identifier: GPL-2.0-only
/*
 * gcc -fdiagnostics-format=json: an array of objects {kind, message, option,
 * locations: [{caret, start, finish, label}], children: [...]}. Columns are in
 * "byte-column". A later error can sit among the children of an earlier one
 * (gcc groups what follows a wrong macro call); notes can follow as siblings.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "harness/diag.h"

#define MAX_DIAGS 20000
#define MAX_NOTES 64

struct gcc_parser {
	const char *cwd;
	struct diag_list *out;
	size_t first; /* index of the first diagnostic of this text */
	size_t last;  /* of the one that notes belong to */
};

static void set_file(struct diag_loc *l, const json_t *pos, const char *cwd)
{
	const char *file = json_get_str(pos, "file");

	if (!file || l->file)
		return;
	l->file = *file == '<' ? xstrdup(file) : path_absolute(cwd, file);
}

static int get_pos(const json_t *pos, const char *key)
{
	int64_t v = json_get_int(pos, key, 0);

	return v < 0 || v > INT32_MAX ? 0 : (int)v;
}

static int get_col(const json_t *pos)
{
	int col = get_pos(pos, "byte-column");

	return col ? col : get_pos(pos, "column");
}

static void parse_location(const json_t *loc, const char *cwd, struct diag_loc *out)
{
	const json_t *caret = json_object_get(loc, "caret");
	const json_t *start = json_object_get(loc, "start");
	const json_t *finish = json_object_get(loc, "finish");

	if (!caret)
		return;
	set_file(out, caret, cwd);
	out->caret_line = get_pos(caret, "line");
	out->caret_col = get_col(caret);
	out->line = get_pos(start ? start : caret, "line");
	out->col = get_col(start ? start : caret);
	out->end_line = get_pos(finish ? finish : caret, "line");
	out->end_col = get_col(finish ? finish : caret);
}

/* Text between two marks that include their quotes, or NULL. */
static char *between(const char *s, const char *open, const char *close)
{
	const char *a = strstr(s, open), *b;

	if (!a)
		return NULL;
	a += strlen(open);
	b = strstr(a, close);
	return b ? xstrndup(a, b - a) : NULL;
}

static void replace(char **slot, char *value)
{
	if (!value)
		return;
	free(*slot);
	*slot = value;
}

/* Facts that gcc gives in notes only. */
static void learn_from_note(struct diag *d, const char *text)
{
	if (strstr(text, "but argument is of type '")) {
		replace(&d->expected, between(text, "expected '", "'"));
		replace(&d->found, between(text, "but argument is of type '", "'"));
		if (strstr(text, "' {aka '") &&
		    strstr(text, "' {aka '") < strstr(text, "but argument"))
			replace(&d->expected_aka, between(text, "' {aka '", "'}"));
		replace(&d->found_aka,
			between(strstr(text, "but argument"), "' {aka '", "'}"));
	} else if (starts_with(text, "(near initialization for '")) {
		replace(&d->target, between(text, "for '", "'"));
	} else if (d->kind == DIAG_CONFLICTING_TYPES && strstr(text, "' with type '")) {
		replace(&d->expected, between(text, "' with type '", "'"));
	}
}

static char *plain(const char *message)
{
	struct diag d = { 0 };
	char *text;

	diag_classify(&d, message, NULL);
	text = d.message;
	d.message = NULL;
	diag_release(&d);
	return text;
}

static void add_note(struct gcc_parser *p, const json_t *v)
{
	const json_t *loc = json_array_get(json_object_get(v, "locations"), 0);
	const char *message = json_get_str(v, "message");
	struct diag *d;
	size_t n;

	if (p->last >= p->out->n || p->last < p->first || !message)
		return;
	d = &p->out->d[p->last];
	n = d->nnotes;
	if (n >= MAX_NOTES)
		return;
	d->notes = xrealloc(d->notes, (n + 1) * sizeof(*d->notes));
	d->note_text = xrealloc(d->note_text, (n + 1) * sizeof(*d->note_text));
	memset(&d->notes[n], 0, sizeof(*d->notes));
	parse_location(loc, p->cwd, &d->notes[n]);
	d->note_text[n] = plain(message);
	d->nnotes++;
	learn_from_note(d, d->note_text[n]);
}

static enum diag_level parse_level(const char *kind)
{
	if (!kind || !strcmp(kind, "note") || !strcmp(kind, "anachronism"))
		return DIAG_NOTE;
	if (!strcmp(kind, "warning") || !strcmp(kind, "pedwarn"))
		return DIAG_WARNING;
	if (!strcmp(kind, "error") || !strcmp(kind, "sorry, unimplemented"))
		return DIAG_ERROR;
	return DIAG_FATAL;
}

/* "-Werror=x" and "-Wx" are the same switch. */
static char *option_name(const char *option)
{
	const char *name;

	if (!option)
		return NULL;
	return skip_prefix(option, "-Werror=", &name) ? xstrfmt("-W%s", name) : xstrdup(option);
}

static void add_diag(struct gcc_parser *p, const json_t *v, enum diag_level level)
{
	const json_t *loc = json_array_get(json_object_get(v, "locations"), 0);
	const char *message = json_get_str(v, "message");
	const char *label = json_get_str(loc, "label");
	char *option = option_name(json_get_str(v, "option"));
	struct diag *d = diag_list_add(p->out);

	p->last = p->out->n - 1;
	d->level = level;
	parse_location(loc, p->cwd, &d->loc);
	diag_classify(d, message ? message : "", option);
	if (d->context == DIAG_CTX_ARGUMENT && !d->found && label)
		d->found = plain(label);
	free(option);
}

static void parse_object(struct gcc_parser *p, const json_t *v, int depth)
{
	const json_t *children = json_object_get(v, "children");
	enum diag_level level = parse_level(json_get_str(v, "kind"));
	size_t i, owner;

	if (!json_is_object(v) || p->out->n >= MAX_DIAGS || depth > 8)
		return;
	if (level == DIAG_NOTE)
		add_note(p, v);
	else
		add_diag(p, v, level);
	owner = p->last;
	for (i = 0; i < json_array_size(children); i++) {
		p->last = owner;
		parse_object(p, json_array_get(children, i), depth + 1);
	}
}

/* Messages quote source text: its control characters and bytes outside UTF-8 would fail the document. */
static void replace_invalid_utf8(char *s, size_t len)
{
	unsigned char *p = (unsigned char *)s, *end = p + len;

	while (p < end) {
		size_t n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 :
			   *p < 0xf5 ? 4 : 0;
		bool ok = n && (size_t)(end - p) >= n && (*p >= 0x20 || (*p && strchr("\t\n\r", *p)));

		for (size_t i = 1; ok && i < n; i++)
			ok = (p[i] & 0xc0) == 0x80;
		if (ok && ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
			   (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f)))
			ok = false;
		if (!ok)
			*p = '?';
		p += ok ? n : 1;
	}
}

/* One array at s; the number of bytes used, 0 when there is none. */
static size_t parse_array(struct gcc_parser *p, const char *s, size_t len)
{
	json_error_t e;
	json_t *v = json_loadb(s, len, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &e);
	size_t used = 0;

	if (!v)
		return 0;
	if (json_is_array(v)) {
		used = e.position > 0 ? (size_t)e.position : 1;
		for (size_t i = 0; i < json_array_size(v); i++)
			parse_object(p, json_array_get(v, i), 0);
	}
	json_decref(v);
	return used;
}

int diag_parse_gcc(const char *text, size_t len, const char *cwd, struct diag_list *out,
		   struct strbuf *err)
{
	struct gcc_parser p = { .cwd = cwd, .out = out, .first = out->n, .last = SIZE_MAX };
	char *copy = xmemdup(len ? text : "", len ? len : 1), *s = copy, *end = copy + len;
	bool found = false, bad = false;

	replace_invalid_utf8(copy, len);
	while (s < end) {
		char *nl = memchr(s, '\n', end - s);
		size_t used = 0;

		if (*s == '[' && s + 1 < end && (s[1] == '{' || s[1] == ']')) {
			used = parse_array(&p, s, end - s);
			found |= used > 0;
			bad |= used == 0;
		}
		if (used)
			nl = memchr(s + used, '\n', end - s - used);
		s = nl ? nl + 1 : end;
	}
	free(copy);
	if (bad || !found) {
		strbuf_addf(err, "the compiler's diagnostics are not in the expected form (%s)",
			    bad ? "broken JSON" : "no JSON");
		return KP_ERR;
	}
	return 0;
}
