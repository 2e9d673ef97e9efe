// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/alloc.h"
#include "base/jsonutil.h"
#include "harness/diag.h"

static const char *const kind_names[DIAG_KIND_COUNT] = {
	[DIAG_OTHER] = "other",
	[DIAG_MISSING_HEADER] = "missing-header",
	[DIAG_IMPLICIT_FUNCTION] = "implicit-function",
	[DIAG_UNDECLARED] = "undeclared",
	[DIAG_NO_MEMBER] = "no-member",
	[DIAG_INCOMPATIBLE_POINTER] = "incompatible-pointer",
	[DIAG_CONFLICTING_TYPES] = "conflicting-types",
	[DIAG_TOO_FEW_ARGS] = "too-few-args",
	[DIAG_TOO_MANY_ARGS] = "too-many-args",
	[DIAG_MACRO_ARITY] = "macro-arity",
	[DIAG_DISCARDED_QUALIFIER] = "discarded-qualifier",
	[DIAG_INT_CONVERSION] = "int-conversion",
	[DIAG_INCOMPATIBLE_TYPES] = "incompatible-types",
	[DIAG_INCOMPLETE_TYPE] = "incomplete-type",
	[DIAG_UNKNOWN_TYPE] = "unknown-type",
	[DIAG_VOID_VALUE] = "void-value",
	[DIAG_REDEFINITION] = "redefinition",
	[DIAG_RETURN_TYPE] = "return-type",
	[DIAG_NOT_CONSTANT] = "not-constant",
	[DIAG_READ_ONLY] = "read-only",
	[DIAG_SYNTAX] = "syntax",
	[DIAG_UNUSED] = "unused",
	[DIAG_UNUSED_RESULT] = "unused-result",
	[DIAG_UNINITIALIZED] = "uninitialized",
	[DIAG_FORMAT] = "format",
	[DIAG_UNDEFINED_SYMBOL] = "undefined-symbol",
	[DIAG_GPL_ONLY] = "gpl-only",
	[DIAG_NAMESPACE] = "namespace",
	[DIAG_SECTION_MISMATCH] = "section-mismatch",
	[DIAG_OBJTOOL] = "objtool",
};

static const char *const level_names[] = { "note", "warning", "error", "fatal" };
static const char *const context_names[] = { NULL, "init", "assign", "argument", "return" };

/* Every string field with its JSON key. */
static const struct {
	const char *key;
	size_t offset;
} string_fields[] = {
	{ "message", offsetof(struct diag, message) },
	{ "option", offsetof(struct diag, option) },
	{ "symbol", offsetof(struct diag, symbol) },
	{ "type", offsetof(struct diag, type) },
	{ "expected", offsetof(struct diag, expected) },
	{ "found", offsetof(struct diag, found) },
	{ "hint", offsetof(struct diag, hint) },
	{ "found_aka", offsetof(struct diag, found_aka) },
	{ "expected_aka", offsetof(struct diag, expected_aka) },
	{ "target", offsetof(struct diag, target) },
	{ "macro", offsetof(struct diag, macro) },
	{ "value", offsetof(struct diag, value) },
};

static char **string_field(struct diag *d, size_t i)
{
	return (char **)((char *)d + string_fields[i].offset);
}

const char *diag_kind_name(enum diag_kind k)
{
	return k >= 0 && k < DIAG_KIND_COUNT ? kind_names[k] : "other";
}

struct diag *diag_list_add(struct diag_list *l)
{
	ALLOC_GROW(l->d, l->n + 1, l->alloc);
	memset(&l->d[l->n], 0, sizeof(*l->d));
	return &l->d[l->n++];
}

void diag_release(struct diag *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(string_fields); i++)
		free(*string_field(d, i));
	for (size_t i = 0; i < d->nnotes; i++) {
		free(d->notes[i].file);
		free(d->note_text[i]);
	}
	free(d->notes);
	free(d->note_text);
	free(d->loc.file);
	memset(d, 0, sizeof(*d));
}

void diag_list_release(struct diag_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		diag_release(&l->d[i]);
	free(l->d);
	memset(l, 0, sizeof(*l));
}

static void loc_copy(struct diag_loc *dst, const struct diag_loc *src)
{
	*dst = *src;
	dst->file = xstrdup(src->file);
}

void diag_copy(struct diag *dst, const struct diag *src)
{
	*dst = *src;
	for (size_t i = 0; i < ARRAY_SIZE(string_fields); i++)
		*string_field(dst, i) = xstrdup(*string_field((struct diag *)src, i));
	loc_copy(&dst->loc, &src->loc);
	dst->notes = NULL;
	dst->note_text = NULL;
	if (src->nnotes) {
		dst->notes = xcalloc(src->nnotes, sizeof(*dst->notes));
		dst->note_text = xcalloc(src->nnotes, sizeof(*dst->note_text));
	}
	for (size_t i = 0; i < src->nnotes; i++) {
		loc_copy(&dst->notes[i], &src->notes[i]);
		dst->note_text[i] = xstrdup(src->note_text[i]);
	}
}

bool diag_is_failure(const struct diag *d)
{
	return d->level >= DIAG_ERROR || (d->level == DIAG_WARNING && d->dangerous);
}

static json_t *loc_to_json(const struct diag_loc *l)
{
	json_t *o = json_object();

	json_set_str(o, "file", l->file);
	json_set_int(o, "line", l->line);
	json_set_int(o, "col", l->col);
	json_set_int(o, "end_line", l->end_line);
	json_set_int(o, "end_col", l->end_col);
	json_set_int(o, "caret_line", l->caret_line);
	json_set_int(o, "caret_col", l->caret_col);
	return o;
}

static int get_pos(const json_t *o, const char *key)
{
	int64_t v = json_get_int(o, key, 0);

	return v < 0 || v > INT32_MAX ? 0 : (int)v;
}

static void loc_from_json(const json_t *o, struct diag_loc *l)
{
	l->file = xstrdup(json_get_str(o, "file"));
	l->line = get_pos(o, "line");
	l->col = get_pos(o, "col");
	l->end_line = get_pos(o, "end_line");
	l->end_col = get_pos(o, "end_col");
	l->caret_line = get_pos(o, "caret_line");
	l->caret_col = get_pos(o, "caret_col");
}

json_t *diag_to_json(const struct diag *d)
{
	json_t *o = json_object(), *notes;

	json_set_str(o, "level", level_names[d->level]);
	json_set_str(o, "kind", diag_kind_name(d->kind));
	json_set_str(o, "context", context_names[d->context]);
	if (d->dangerous)
		json_set_bool(o, "dangerous", true);
	if (d->arg)
		json_set_int(o, "arg", d->arg);
	if (d->folded)
		json_set_int(o, "folded", d->folded);
	for (size_t i = 0; i < ARRAY_SIZE(string_fields); i++)
		json_set_str(o, string_fields[i].key, *string_field((struct diag *)d, i));
	json_object_set_new(o, "loc", loc_to_json(&d->loc));
	if (!d->nnotes)
		return o;
	notes = json_array();
	for (size_t i = 0; i < d->nnotes; i++) {
		json_t *n = loc_to_json(&d->notes[i]);

		json_set_str(n, "text", d->note_text[i]);
		json_array_append_new(notes, n);
	}
	json_object_set_new(o, "notes", notes);
	return o;
}

static int name_index(const char *const *names, int n, const char *word)
{
	for (int i = 0; word && i < n; i++)
		if (names[i] && !strcmp(names[i], word))
			return i;
	return -1;
}

int diag_from_json(const json_t *v, struct diag *out)
{
	const char *context = json_get_str(v, "context");
	int level = name_index(level_names, ARRAY_SIZE(level_names), json_get_str(v, "level"));
	int kind = name_index(kind_names, DIAG_KIND_COUNT, json_get_str(v, "kind"));
	int ctx = context ? name_index(context_names, ARRAY_SIZE(context_names), context) : 0;
	const json_t *notes = json_object_get(v, "notes"), *n;
	size_t i;

	if (level < 0 || kind < 0 || ctx < 0)
		return -1;
	memset(out, 0, sizeof(*out));
	out->level = level;
	out->kind = kind;
	out->context = ctx;
	out->dangerous = json_get_bool(v, "dangerous", false);
	out->arg = get_pos(v, "arg");
	out->folded = get_pos(v, "folded");
	for (i = 0; i < ARRAY_SIZE(string_fields); i++)
		*string_field(out, i) = xstrdup(json_get_str(v, string_fields[i].key));
	loc_from_json(json_object_get(v, "loc"), &out->loc);
	out->nnotes = json_array_size(notes);
	if (!out->nnotes)
		return 0;
	out->notes = xcalloc(out->nnotes, sizeof(*out->notes));
	out->note_text = xcalloc(out->nnotes, sizeof(*out->note_text));
	for (i = 0; i < out->nnotes; i++) {
		n = json_array_get(notes, i);
		loc_from_json(n, &out->notes[i]);
		out->note_text[i] = xstrdup(json_get_str(n, "text"));
	}
	return 0;
}
