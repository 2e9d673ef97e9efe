/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts at the top level of a source file. */
#include "base/compat.h"
#include "checks/facts.h"
#include "base/alloc.h"

char *facts_span_text(const struct ctoks *ts, uint32_t from, uint32_t to)
{
	struct strbuf sb = STRBUF_INIT;

	ctoks_normal(ts, from, to, &sb);
	return strbuf_detach(&sb, NULL);
}

static uint32_t line_of(const struct fact_file *file, uint32_t tok)
{
	return file->ts.t[tok].line;
}

static void functions(struct facts *fa, const struct fact_file *file)
{
	size_t i;

	for (i = 0; i < file->cf.nfuncs; i++) {
		const struct cfunc *f = &file->cf.funcs[i];
		char *name = ctok_dup(&file->ts, f->name);
		struct fact *fact;
		const char *key;

		/* SYSCALL_DEFINE1(x) { }: the macro's argument names it. */
		if (f->from_macro && f->nparams) {
			free(name);
			name = facts_span_text(&file->ts, f->paren.first + 1, f->params[0].decl.end);
		}
		fact = facts_add(fa, FACT_FUNCTION, file, line_of(file, f->name), NULL, name);
		fact->value = xstrdup(f->is_static ? "static" : "global");
		fact->f = f;
		key = fact->key;
		facts_of_body(fa, file, key, f);
		free(name);
	}
}

/* ---- tables --------------------------------------------------------------- */

static bool is_id_table(const struct ctoks *ts, const struct cobject *o)
{
	char *tag;
	bool yes;

	if (!o->is_array || o->tag == CTOK_NONE || !o->tag_is_struct)
		return false;
	tag = ctok_dup(ts, o->tag);
	yes = ends_with(tag, "_device_id") || ends_with(tag, "_id");
	free(tag);
	return yes;
}

static void ids(struct facts *fa, const struct fact_file *file, const struct cobject *o)
{
	char *table = ctok_dup(&file->ts, o->name);
	size_t i;

	for (i = 0; i < o->nmembers; i++) {
		const struct cmember *m = &o->members[i];
		char *entry, *key;

		if (m->parent != CTOK_NONE)
			continue;
		entry = facts_span_text(&file->ts, m->value.first, m->value.end);
		/* The terminator in any of its forms. */
		if (strcmp(entry, "{}") && strcmp(entry, "{0}") && strcmp(entry, "{0,}") &&
		    strcmp(entry, "{NULL}")) {
			key = xstrfmt("%s %s", table, entry);
			facts_add(fa, FACT_ID, file, line_of(file, m->value.first), NULL, key)->value =
				xstrdup(entry);
			free(key);
		}
		free(entry);
	}
	free(table);
}

/* The structure whose member this is: known for the outermost members only. */
static void members(struct facts *fa, const struct fact_file *file, const struct cobject *o)
{
	const struct ctoks *ts = &file->ts;
	char *tag = o->tag == CTOK_NONE ? xstrdup("?") : ctok_dup(ts, o->tag);
	char *name = ctok_dup(ts, o->name);
	size_t i;

	for (i = 0; i < o->nmembers; i++) {
		const struct cmember *m = &o->members[i];
		struct strbuf key = STRBUF_INIT;
		struct fact *f;

		if (m->name == CTOK_NONE)
			continue;
		strbuf_addf(&key, "%s %s", tag, name);
		cmember_path(&file->cf, o, i, &key);
		f = facts_add(fa, FACT_MEMBER, file, line_of(file, m->name), NULL, key.buf);
		f->value = facts_span_text(ts, m->value.first, m->value.end);
		f->member = ctok_dup(ts, m->name);
		if (o->tag_is_struct && (m->parent == CTOK_NONE || o->members[m->parent].name == CTOK_NONE) &&
		    m->designator.end - m->designator.first == 2)
			f->struct_tag = xstrdup(tag);
		strbuf_release(&key);
	}
	free(tag);
	free(name);
}

static void objects(struct facts *fa, const struct fact_file *file)
{
	size_t i;

	for (i = 0; i < file->cf.nobjects; i++) {
		const struct cobject *o = &file->cf.objects[i];

		if (is_id_table(&file->ts, o))
			ids(fa, file, o);
		else
			members(fa, file, o);
	}
}

static void macro_calls(struct facts *fa, const struct fact_file *file)
{
	const struct ctoks *ts = &file->ts;
	size_t i;

	for (i = 0; i < file->cf.ncalls; i++) {
		const struct cmacro_call *c = &file->cf.calls[i];
		struct clist l = clist_open(ts, c->args.first);
		struct cspan first = { c->args.first + 1, c->args.first + 1 };
		char *name = ctok_dup(ts, c->name), *arg, *key;

		/* One argument over several strings and all: MODULE_DEVICE_TABLE(pci, ids) has two. */
		clist_next(&l, &first);
		if (!strcmp(name, "MODULE_DEVICE_TABLE"))
			clist_next(&l, &first);
		arg = facts_span_text(ts, first.first, first.end);
		key = xstrfmt("%s %s", name, arg);
		facts_add(fa, FACT_MACRO, file, line_of(file, c->name), NULL, key)->value =
			facts_span_text(ts, c->args.first, c->args.end);
		if (starts_with(name, "__diag"))
			facts_add(fa, FACT_PRAGMA, file, line_of(file, c->name), NULL, key);
		free(key);
		free(arg);
		free(name);
	}
}

/* ---- directives ----------------------------------------------------------- */

/* A directive behind its name as normalised text. */
static char *directive_rest(const struct ctoks *ts, size_t i)
{
	const struct ctok *t = &ts->t[i];
	const char *text = ts->text + t->off, *p;
	struct strbuf name = STRBUF_INIT;
	struct ctoks rest;
	char *out = NULL;

	ctok_pp_name(ts, i, &name);
	p = memmem(text, t->len, name.buf, name.len);
	p = p ? p + name.len : text + t->len;
	if (ctoks_scan(&rest, p, text + t->len - p) == 0) {
		out = facts_span_text(&rest, 0, rest.n);
		ctoks_release(&rest);
	}
	strbuf_release(&name);
	return out ? out : xstrdup("");
}

static bool ioctl_value(const char *value)
{
	static const char *const words[] = { "_IO(", "_IOR(", "_IOW(", "_IOWR(", "_IOC(" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(value, words[i]))
			return true;
	return false;
}

static void define(struct facts *fa, const struct fact_file *file, size_t i)
{
	uint32_t off, len, end = file->ts.t[i].off + file->ts.t[i].len;
	struct ctoks ts;
	char *name;
	struct fact *f;

	if (!ctok_pp_word(&file->ts, i, &off, &len))
		return;
	name = xstrndup(file->ts.text + off, len);
	if (ctoks_scan(&ts, file->ts.text + off + len, end - off - len) == 0) {
		struct strbuf value = STRBUF_INIT;
		uint32_t body = 0;

		/* Parameters only when "(" follows the name at once. */
		if (off + len < end && file->ts.text[off + len] == '(' && ts.n && ts.t[0].match != CTOK_NONE)
			body = ts.t[0].match + 1;
		ctoks_normal(&ts, 0, body, &value);
		if (body)
			strbuf_addch(&value, ' ');
		ctoks_normal(&ts, body, ts.n, &value);
		f = facts_add(fa, FACT_DEFINE, file, line_of(file, i), NULL, name);
		f->value = xstrdup(value.buf);
		if (ioctl_value(value.buf)) {
			f = facts_add(fa, FACT_IOCTL, file, line_of(file, i), NULL, name);
			f->value = xstrdup(value.buf);
		}
		facts_of_calls(fa, file, &ts, (struct cspan){ body, ts.n }, NULL, line_of(file, i));
		strbuf_release(&value);
		ctoks_release(&ts);
	}
	free(name);
}

static void condition(struct facts *fa, const struct fact_file *file, size_t i, const char *name)
{
	char *rest = directive_rest(&file->ts, i), *key;
	bool dead = !strcmp(name, "if") && (!strcmp(rest, "0") || starts_with(rest, "0&&") ||
					     starts_with(rest, "0 &&"));

	if (dead) {
		facts_add(fa, FACT_DEAD_IF, file, line_of(file, i), NULL, "#if 0");
	} else {
		key = xstrfmt("#%s %s", name, rest);
		facts_add(fa, FACT_CONDITION, file, line_of(file, i), NULL, key)->value = xstrdup(rest);
		free(key);
	}
	free(rest);
}

static void directive(struct facts *fa, const struct fact_file *file, size_t i)
{
	struct strbuf name = STRBUF_INIT;
	char *rest;

	ctok_pp_name(&file->ts, i, &name);
	if (!strcmp(name.buf, "define")) {
		define(fa, file, i);
	} else if (!strcmp(name.buf, "if") || !strcmp(name.buf, "ifdef") ||
		   !strcmp(name.buf, "ifndef") || !strcmp(name.buf, "elif")) {
		condition(fa, file, i, name.buf);
	} else if (!strcmp(name.buf, "include") || !strcmp(name.buf, "pragma")) {
		rest = directive_rest(&file->ts, i);
		facts_add(fa, name.buf[0] == 'i' ? FACT_INCLUDE : FACT_PRAGMA, file,
			  line_of(file, i), NULL, rest);
		free(rest);
	}
	strbuf_release(&name);
}

void facts_of_source(struct facts *fa, struct fact_file *file)
{
	const struct ctoks *ts = &file->ts;
	size_t i;

	functions(fa, file);
	objects(fa, file);
	macro_calls(fa, file);
	for (i = 0; i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];
		char *s;

		if (t->flags & CTOK_DEAD)
			continue;
		if (t->kind == CTOK_PP) {
			directive(fa, file, i);
		} else if (t->kind == CTOK_STRING) {
			s = ctok_dup(ts, i);
			if (strcasestr(s, "kport"))
				facts_add(fa, FACT_STRING, file, t->line, NULL, s);
			free(s);
		} else if (ctok_is(ts, i, "_Pragma")) {
			facts_add(fa, FACT_PRAGMA, file, t->line, NULL, "_Pragma");
		}
	}
}
