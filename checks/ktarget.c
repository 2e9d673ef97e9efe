/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/ktarget.h"
#include "base/alloc.h"
#include "base/cfunc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/strmap.h"

#define MAX_HEADER (8u << 20)
#define MAX_STRUCT_FILES 4

enum name_bits { NAME_SEEN = 1, NAME_CALL = 2, NAME_VOID = 4, NAME_BOOL = 8 };

/* Headers that define "struct tag {"; the configuration may choose between several. */
struct struct_files {
	size_t n;
	size_t file[MAX_STRUCT_FILES];
};

struct ktarget {
	struct strvec files;
	struct strmap names;   /* value: enum name_bits */
	struct strmap structs; /* value: struct struct_files * */
};

/* ---- the pass ------------------------------------------------------------- */

/* A plain scanner, several times faster than ctoks_scan(): most headers are never asked about. */
struct pass {
	struct ktarget *t;
	size_t file;
	const char *p, *end;
	const char *word;   /* last identifier */
	size_t word_len;
	bool after_void;    /* the last identifier followed "void" directly */
	bool after_bool;    /* ... or "bool" */
	bool after_struct;  /* ... or "struct" */
	bool define;	    /* the word names a macro */
};

static bool word_is(const struct pass *ps, const char *s)
{
	return ps->word && ps->word_len == strlen(s) && !memcmp(ps->word, s, ps->word_len);
}

static void note_struct(struct pass *ps)
{
	char *tag = xstrndup(ps->word, ps->word_len);
	struct struct_files *sf = strmap_get(&ps->t->structs, tag);

	if (!sf) {
		sf = xcalloc(1, sizeof(*sf));
		strmap_put(&ps->t->structs, tag, sf);
	}
	if (sf->n < MAX_STRUCT_FILES && (!sf->n || sf->file[sf->n - 1] != ps->file))
		sf->file[sf->n++] = ps->file;
	free(tag);
}

/* The last identifier is complete; c is the first other byte that is no blank. */
static void end_word(struct pass *ps, char c)
{
	char buf[128];
	uintptr_t bits = NAME_SEEN, had;

	if (!ps->word)
		return;
	if (c == '{' && ps->after_struct)
		note_struct(ps);
	if (ps->word_len < sizeof(buf)) {
		memcpy(buf, ps->word, ps->word_len);
		buf[ps->word_len] = '\0';
		if (c == '(' || ps->define)
			bits |= NAME_CALL;
		if (c == '(' && ps->after_void)
			bits |= NAME_VOID;
		if (c == '(' && ps->after_bool)
			bits |= NAME_BOOL;
		had = (uintptr_t)strmap_get(&ps->t->names, buf);
		if ((had | bits) != had)
			strmap_put(&ps->t->names, buf, (void *)(had | bits));
	}
}

static void pass_word(struct pass *ps)
{
	const char *start = ps->p;
	bool after_void = word_is(ps, "void"), after_struct = word_is(ps, "struct");
	bool define = word_is(ps, "define"), after_bool = word_is(ps, "bool");

	while (ps->p < ps->end && is_word_char(*ps->p))
		ps->p++;
	end_word(ps, 'a');
	ps->word = start;
	ps->word_len = ps->p - start;
	ps->after_void = after_void;
	ps->after_bool = after_bool;
	ps->after_struct = after_struct;
	ps->define = define;
}

static void pass_comment(struct pass *ps)
{
	const char *e;

	if (ps->p[1] == '/') {
		e = memchr(ps->p, '\n', ps->end - ps->p);
		ps->p = e ? e : ps->end;
	} else {
		e = memmem(ps->p + 2, ps->end - ps->p - 2, "*/", 2);
		ps->p = e ? e + 2 : ps->end;
	}
}

static void pass_quoted(struct pass *ps)
{
	char quote = *ps->p++;

	while (ps->p < ps->end && *ps->p != quote && *ps->p != '\n')
		ps->p += *ps->p == '\\' && ps->p + 1 < ps->end ? 2 : 1;
	if (ps->p < ps->end)
		ps->p++;
}

static void pass_text(struct pass *ps)
{
	while (ps->p < ps->end) {
		char c = *ps->p;

		if (is_word_char(c)) {
			pass_word(ps);
		} else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\') {
			ps->p++;
		} else if (c == '/' && ps->p + 1 < ps->end && (ps->p[1] == '*' || ps->p[1] == '/')) {
			pass_comment(ps);
		} else {
			end_word(ps, c);
			ps->word = NULL;
			if (c == '"' || c == '\'')
				pass_quoted(ps);
			else
				ps->p++;
		}
	}
	end_word(ps, '\0');
}

static int pass_file(struct ktarget *t, size_t file, struct strbuf *buf, struct strbuf *err)
{
	struct pass ps = { .t = t, .file = file };
	int ret;

	strbuf_reset(buf);
	ret = file_read(t->files.v[file], MAX_HEADER, buf, err);
	if (ret < 0)
		return ret;
	ps.p = buf->buf;
	ps.end = buf->buf + buf->len;
	pass_text(&ps);
	return 0;
}

static int add_dir(struct ktarget *t, const char *dir, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	size_t i;
	int ret;

	if (!file_is_dir(dir))
		return 0;
	ret = file_list(dir, &names, err);
	for (i = 0; ret == 0 && i < names.n; i++)
		if (ends_with(names.v[i], ".h"))
			strvec_pushf(&t->files, "%s/%s", dir, names.v[i]);
	strvec_release(&names);
	return ret;
}

int ktarget_open_dirs(const struct strvec *dirs, struct ktarget **out, struct strbuf *err)
{
	struct ktarget *t = xcalloc(1, sizeof(*t));
	struct strbuf buf = STRBUF_INIT;
	size_t i;
	int ret = 0;

	strvec_init(&t->files);
	for (i = 0; ret == 0 && i < dirs->n; i++)
		ret = add_dir(t, dirs->v[i], err);
	for (i = 0; ret == 0 && i < t->files.n; i++)
		ret = pass_file(t, i, &buf, err);
	strbuf_release(&buf);
	if (ret < 0) {
		ktarget_close(t);
		return ret;
	}
	*out = t;
	return 0;
}

int ktarget_open(const struct kernel *k, struct ktarget **out, struct strbuf *err)
{
	const char *arch = !strcmp(k->arch, "x86_64") || !strcmp(k->arch, "i386") ? "x86" : k->arch;
	const char *roots[] = { k->common_dir, k->build_dir };
	struct strvec dirs = STRVEC_INIT;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		if (!roots[i] || (i && roots[0] && !strcmp(roots[0], roots[1])))
			continue;
		strvec_pushf(&dirs, "%s/include", roots[i]);
		strvec_pushf(&dirs, "%s/arch/%s/include", roots[i], arch);
	}
	ret = ktarget_open_dirs(&dirs, out, err);
	if (ret == 0 && (*out)->files.n == 0) {
		ktarget_close(*out);
		*out = NULL;
		ret = kp_fail(err, KP_INFRA, "kernel '%s' has no headers below '%s'", k->name,
			      k->common_dir ? k->common_dir : k->build_dir);
	}
	strvec_release(&dirs);
	return ret;
}

void ktarget_close(struct ktarget *t)
{
	if (!t)
		return;
	strvec_release(&t->files);
	strmap_release(&t->names, NULL);
	strmap_release(&t->structs, free);
	free(t);
}

/* ---- questions ------------------------------------------------------------ */

static bool name_bit(const struct ktarget *t, const char *name, unsigned bit)
{
	return ((uintptr_t)strmap_get(&t->names, name) & bit) != 0;
}

bool ktarget_has(const struct ktarget *t, const char *name)
{
	return !t || name_bit(t, name, NAME_SEEN);
}

bool ktarget_callable(const struct ktarget *t, const char *name)
{
	return !t || name_bit(t, name, NAME_CALL);
}

bool ktarget_returns_void(const struct ktarget *t, const char *name)
{
	return t && name_bit(t, name, NAME_VOID);
}

bool ktarget_returns_bool(const struct ktarget *t, const char *name)
{
	return t && name_bit(t, name, NAME_BOOL);
}

bool ktarget_has_struct(const struct ktarget *t, const char *tag)
{
	return !t || strmap_has(&t->structs, tag);
}

static bool file_has_member(const char *path, const char *tag, const char *member)
{
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	struct ctoks ts = { 0 };
	struct cfile cf = { 0 };
	bool found = false;
	size_t i;

	if (file_read(path, MAX_HEADER, &text, &err) == 0 &&
	    ctoks_scan(&ts, text.buf, text.len) == 0) {
		cfile_parse(&cf, &ts);
		for (i = 0; i < cf.nstructs && !found; i++)
			found = cf.structs[i].tag != CTOK_NONE && ctok_is(&ts, cf.structs[i].tag, tag) &&
				cstruct_has_member(&ts, &cf.structs[i], member);
	}
	cfile_release(&cf);
	ctoks_release(&ts);
	strbuf_release(&text);
	strbuf_release(&err);
	return found;
}

bool ktarget_has_member(struct ktarget *t, const char *tag, const char *member)
{
	const struct struct_files *sf = t ? strmap_get(&t->structs, tag) : NULL;
	size_t i;

	if (!sf)
		return true;
	for (i = 0; i < sf->n; i++)
		if (file_has_member(t->files.v[sf->file[i]], tag, member))
			return true;
	return false;
}

/* ---- configuration -------------------------------------------------------- */

/* Every CONFIG_ word of a directive. */
static void config_words(const struct ctoks *ts, size_t i, struct strvec *out)
{
	const char *p = ts->text + ts->t[i].off, *end = p + ts->t[i].len, *q;

	while ((p = memmem(p, end - p, "CONFIG_", 7))) {
		struct strbuf sb = STRBUF_INIT;

		for (q = p; q < end && is_word_char(*q); q++)
			;
		strbuf_add(&sb, p, q - p);
		if (!strvec_contains(out, sb.buf))
			strvec_push(out, sb.buf);
		strbuf_release(&sb);
		p = q;
	}
}

/* The conditions that are open at token "at", counted in words; 0 when none names CONFIG_. */
static void conditions_at(const struct ctoks *ts, size_t at, struct strvec *out)
{
	size_t stack[64], depth = 0, i;

	for (i = 0; i < at; i++) {
		if (ts->t[i].kind != CTOK_PP)
			continue;
		if (ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "ifdef") || ctok_pp_is(ts, i, "ifndef")) {
			if (depth < ARRAY_SIZE(stack))
				stack[depth] = i;
			depth++;
		} else if (ctok_pp_is(ts, i, "endif") && depth) {
			depth--;
		}
	}
	for (i = 0; i < depth && i < ARRAY_SIZE(stack); i++)
		config_words(ts, stack[i], out);
}

/* 1: named here under conditions (appended), 2: named outside of any, 0: not named. */
static int file_config_of(const char *path, const char *name, struct strbuf *text, struct strvec *out)
{
	struct strbuf err = STRBUF_INIT;
	struct ctoks ts;
	int found = 0;
	size_t i;

	strbuf_reset(text);
	if (file_read(path, MAX_HEADER, text, &err) < 0 ||
	    !memmem(text->buf, text->len, name, strlen(name)) ||
	    ctoks_scan(&ts, text->buf, text->len) < 0) {
		strbuf_release(&err);
		return 0;
	}
	for (i = 0; i < ts.n && found < 2; i++) {
		struct strvec words = STRVEC_INIT;

		if (ctok_kind_is(&ts, i, CTOK_IDENT) && ctok_is(&ts, i, name) && ctok_is(&ts, i + 1, "(")) {
			conditions_at(&ts, i, &words);
			found = words.n ? 1 : 2;
			strvec_pushv(out, words.v);
		}
		strvec_release(&words);
	}
	ctoks_release(&ts);
	return found;
}

bool ktarget_config_of(struct ktarget *t, const char *name, struct strvec *out)
{
	struct strbuf text = STRBUF_INIT;
	bool found = false;
	size_t i;

	for (i = 0; t && ktarget_has(t, name) && i < t->files.n; i++) {
		int how = file_config_of(t->files.v[i], name, &text, out);

		found |= how > 0;
		if (how == 2) {
			strvec_clear(out);
			break;
		}
	}
	strbuf_release(&text);
	return found;
}
