// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/layout-uses.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "checks/ppview.h"

#define MAX_SOURCE (16u << 20)

struct use *use_add(struct use_file *f, enum use_kind kind, const struct dbg_struct *st, uint32_t token)
{
	struct use_list *l = f->out;
	struct use *u;

	ALLOC_GROW(l->u, l->n + 1, l->alloc);
	u = &l->u[l->n++];
	memset(u, 0, sizeof(*u));
	u->kind = kind;
	u->st = st;
	u->file = xstrdup(f->file);
	u->function = xstrdup(f->function);
	u->line = (int)(f->ts->t[token].line + f->s.line_base);
	return u;
}

void use_missing(struct use_file *f, uint32_t first, uint32_t end)
{
	struct strbuf name = STRBUF_INIT;

	if (ctok_is(f->ts, first, "struct") || ctok_is(f->ts, first, "union"))
		ctoks_normal(f->ts, first, end < first + 2 ? end : first + 2, &name);
	if (name.len)
		strmap_put(&f->out->missing, name.buf, NULL);
	strbuf_release(&name);
}

void use_list_release(struct use_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->u[i].file);
		free(l->u[i].function);
		free(l->u[i].what);
		free(l->u[i].member);
	}
	free(l->u);
	strmap_release(&l->missing, NULL);
	memset(l, 0, sizeof(*l));
}

/* ---- numbers -------------------------------------------------------------- */

static bool number_token(const struct ctoks *ts, uint32_t i, int64_t *out)
{
	char *text = ctok_dup(ts, i), *end;
	unsigned long long v = strtoull(text, &end, 0);
	bool ok = ctok_kind_is(ts, i, CTOK_NUMBER) && strspn(end, "uUlL") == strlen(end) && v <= INT64_MAX / 2;

	free(text);
	*out = (int64_t)v;
	return ok;
}

bool use_number(const struct use_file *f, uint32_t first, uint32_t end, int64_t *out)
{
	const struct ctoks *ts = f->ts;
	bool minus = false, ok = false;

	while (end > first + 2 && ctok_is(ts, first, "(") && ts->t[first].match == end - 1) {
		first++;
		end--;
	}
	if (ctok_is(ts, first, "-")) {
		minus = true;
		first++;
	}
	if (end != first + 1)
		return false;
	if (ctok_kind_is(ts, first, CTOK_NUMBER)) {
		ok = number_token(ts, first, out);
	} else if (ctok_is_ident(ts, first)) {
		char *name = ctok_dup(ts, first);

		ok = strmap_has(f->numbers, name);
		*out = ok ? (int64_t)(intptr_t)strmap_get(f->numbers, name) : 0;
		free(name);
	}
	if (minus)
		*out = -*out;
	return ok;
}

/* "#define NAME 12" and "#define NAME (0x40)". */
static void keep_numbers(const struct ctoks *ts, struct strmap *out)
{
	for (uint32_t i = 0; i < ts->n; i++) {
		struct ctoks in = { 0 };
		uint32_t off, len, at = 0;
		int64_t v;

		if (!ctok_kind_is(ts, i, CTOK_PP) || !ctok_pp_is(ts, i, "define") || !ctok_pp_word(ts, i, &off, &len))
			continue;
		if (ts->text[off + len] == '(' ||
		    ctoks_scan(&in, ts->text + off + len, ts->t[i].off + ts->t[i].len - off - len) < 0)
			continue;
		if (in.n == 3 && ctok_is(&in, 0, "(") && ctok_is(&in, 2, ")"))
			at = 1;
		if ((in.n == 1 || at) && ctok_kind_is(&in, at, CTOK_NUMBER) && number_token(&in, at, &v)) {
			char *name = xstrndup(ts->text + off, len);

			strmap_put(out, name, (void *)(intptr_t)v);
			free(name);
		}
		ctoks_release(&in);
	}
}

/* ---- casts and marked pointers -------------------------------------------- */

/* "(char *)p + 12", "((u32 *)p)[3]": bytes behind the start of a structure. */
static void fixed_offset(struct use_file *f, uint32_t open, const struct expr_type *to,
			 const struct dbg_struct *st, uint32_t end)
{
	const struct ctoks *ts = f->ts;
	struct expr_type elem = *to;
	bool is_signed;
	uint32_t step = 1;
	int64_t n;
	struct use *u;

	if (expr_deref(&elem) && !elem.is_void)
		step = expr_bits(&elem, &is_signed) / 8;
	if (!step)
		return;
	if (ctok_is(ts, end, ")") && open && ts->t[end].match == open - 1)
		end++;
	if (ctok_is(ts, end, "+") && use_number(f, end + 1, end + 2, &n) && !ctok_is(ts, end + 2, "*") &&
	    !ctok_is(ts, end + 2, "<<"))
		;
	else if (ctok_is(ts, end, "[") && ts->t[end].match != CTOK_NONE &&
		 use_number(f, end + 1, ts->t[end].match, &n))
		;
	else
		return;
	u = use_add(f, USE_OFFSET, st, open);
	u->number = n * step;
	u->flags |= USE_NUMBER;
}

/* Through "(void *)x" to x. */
static void skip_void_casts(struct use_file *f, uint32_t *pos, uint32_t end)
{
	const struct ctoks *ts = f->ts;
	struct expr_type t;

	while (ctok_is(ts, *pos, "(") && ts->t[*pos].match < end &&
	       expr_typename(&f->s, *pos + 1, ts->t[*pos].match, &t) && t.is_void)
		*pos = ts->t[*pos].match + 1;
}

/* Where the operand that starts at i ends. */
static uint32_t operand_end(const struct ctoks *ts, uint32_t i)
{
	while (ctok_is(ts, i, "&") || ctok_is(ts, i, "*"))
		i++;
	if (ctok_is(ts, i, "(") && ts->t[i].match != CTOK_NONE)
		i = ts->t[i].match + 1;
	else if (ctok_kind_is(ts, i, CTOK_IDENT))
		i++;
	while (i < ts->n) {
		if (ctok_is(ts, i, "->") || ctok_is(ts, i, "."))
			i += 2;
		else if ((ctok_is(ts, i, "[") || ctok_is(ts, i, "(")) && ts->t[i].match != CTOK_NONE)
			i = ts->t[i].match + 1;
		else
			break;
	}
	return i;
}

bool use_is_scratch(const struct use_file *f, uint32_t last)
{
	static const char *const rooms[] = { "cb", "priv", "private", "drv_priv", "private_data", "ctx",
		"driver_data", "rate_driver_data" };

	for (size_t k = 0; k < ARRAY_SIZE(rooms); k++)
		if (ctok_is(f->ts, last, rooms[k]))
			return true;
	return false;
}

/* st laid over what is at [pos, end). */
static void laid_over(struct use_file *f, uint32_t at, uint32_t pos, uint32_t end, const struct dbg_struct *st)
{
	const struct dbg_struct *other;
	struct expr_type from;
	struct use *u;

	skip_void_casts(f, &pos, end);
	if (!expr_eval(&f->s, pos, end, &from) || !expr_is_pointer(&from))
		return;
	other = expr_target(f->g, &from);
	if (other && other != st) {
		u = use_add(f, USE_CAST, st, at);
		u->other = other;
	} else if (!other && expr_is_bytes(&from) && !use_is_scratch(f, end - 1)) {
		u = use_add(f, USE_WIRE, st, at);
		u->what = xstrdup("a cast of bytes");
	}
}

/* Token i is "(" of a cast. */
static void cast(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;
	uint32_t close = ts->t[i].match, end;
	const struct dbg_struct *st, *from;
	struct expr_type to, t;

	if (close == CTOK_NONE || close <= i + 1 || !expr_typename(&f->s, i + 1, close, &to) ||
	    !expr_is_pointer(&to))
		return;
	end = operand_end(ts, close + 1);
	if (end <= close + 1)
		return;
	st = expr_target(f->g, &to);
	if (st) {
		laid_over(f, i, close + 1, end, st);
		return;
	}
	if (!expr_eval(&f->s, close + 1, end, &t) || !expr_is_pointer(&t))
		return;
	from = expr_target(f->g, &t);
	if (from)
		fixed_offset(f, i, &to, from, end);
}

/* "x = (void *)y" between structures: token i is the "=". */
static void void_assignment(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;
	uint32_t close = ctok_is(ts, i + 1, "(") ? ts->t[i + 1].match : CTOK_NONE;
	struct expr_type t, lhs;
	const struct dbg_struct *st;

	if (close == CTOK_NONE || !i || !expr_typename(&f->s, i + 2, close, &t) || !t.is_void)
		return;
	if (!expr_eval(&f->s, use_operand_start(ts, i - 1), i, &lhs) || !expr_is_pointer(&lhs))
		return;
	st = expr_target(f->g, &lhs);
	if (st)
		laid_over(f, i, i + 1, operand_end(ts, close + 1), st);
}

/* "struct foo __user *", "struct foo __iomem *": token i is the mark. */
static void marked_pointer(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;
	const struct dbg_struct *st;
	struct expr_type t;
	uint32_t first = i - 1;
	struct use *u;
	bool user = ctok_is(ts, i, "__user");

	if (i < 1 || !ctok_is_ident(ts, i - 1))
		return;
	if (i > 1 && (ctok_is(ts, i - 2, "struct") || ctok_is(ts, i - 2, "union")))
		first = i - 2;
	if (!expr_typename(&f->s, first, i, &t))
		return;
	st = expr_target(f->g, &t);
	if (!st)
		return;
	u = use_add(f, user ? USE_ABI : USE_DEVICE, st, i);
	u->what = xstrdup(user ? "a __user pointer" : "an __iomem pointer");
}

/* ---- definitions ---------------------------------------------------------- */

/* Is "#pragma pack(1)" or "pack(push, 1)" in force at the token? */
static bool in_pragma_pack(const struct ctoks *ts, uint32_t at)
{
	while (at-- > 0) {
		const char *text = ts->text + ts->t[at].off, *arg;

		if (!ctok_kind_is(ts, at, CTOK_PP) || !ctok_pp_is(ts, at, "pragma"))
			continue;
		arg = memmem(text, ts->t[at].len, "pack", 4);
		if (arg)
			return memchr(arg, '1', ts->t[at].len - (arg - text)) != NULL;
	}
	return false;
}

/* "struct foo { } __packed;", "typedef struct { } foo_t;": what the definition at s promises. */
static void definition(struct use_file *f, const struct cstruct *s, bool uapi)
{
	const struct ctoks *ts = f->ts;
	const struct dbg_struct *st;
	uint32_t end = s->body.end, first = s->keyword, last = CTOK_NONE;
	bool packed = in_pragma_pack(ts, s->keyword);
	char *name;
	struct use *u;

	for (; end < ts->n && !ctok_is(ts, end, ";"); end++)
		if (ctok_kind_is(ts, end, CTOK_IDENT) && !ctok_is_annotation(ts, end))
			last = end;
	for (uint32_t i = first; i < end; i++)
		packed |= ctok_is(ts, i, "__packed") || ctok_is(ts, i, "packed") || ctok_is(ts, i, "__packed__");
	if (ctok_is(ts, s->keyword, "enum") || (!packed && !uapi))
		return;
	if (s->tag != CTOK_NONE) {
		char *tag = ctok_dup(ts, s->tag);

		name = xstrfmt("%s %s", ctok_is(ts, s->keyword, "union") ? "union" : "struct", tag);
		free(tag);
	} else {
		name = last == CTOK_NONE ? NULL : ctok_dup(ts, last);
	}
	st = name ? dbg_struct(f->g, name, f->file) : NULL;
	free(name);
	if (!st)
		return;
	u = use_add(f, uapi ? USE_ABI : USE_DEVICE, st, s->keyword);
	u->what = xstrdup(uapi ? "a header for user space" : "__packed");
}

/* A header that programs include too. */
static bool is_uapi(const struct use_file *f)
{
	const struct ctoks *ts = f->ts;

	if (!ends_with(f->file, ".h"))
		return false;
	if (starts_with(f->file, "uapi/") || strstr(f->file, "/uapi/"))
		return true;
	for (uint32_t i = 0; i < ts->n; i++)
		if (ctok_kind_is(ts, i, CTOK_PP) && memmem(ts->text + ts->t[i].off, ts->t[i].len, "__KERNEL__", 10))
			return true;
	return false;
}

static void read_definitions(struct use_file *f)
{
	bool uapi = is_uapi(f);

	for (size_t i = 0; i < f->cf->nstructs; i++)
		definition(f, &f->cf->structs[i], uapi);
}

/* ---- files ---------------------------------------------------------------- */

static void read_token(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;

	if (ctok_kind_is(ts, i, CTOK_IDENT)) {
		if (ctok_is(ts, i + 1, "("))
			uses_of_call(f, i);
		else if (ctok_is(ts, i, "__user") || ctok_is(ts, i, "__iomem"))
			marked_pointer(f, i);
	} else if (ctok_is(ts, i, "(")) {
		cast(f, i);
	} else if (ctok_is(ts, i, "->") || ctok_is(ts, i, ".")) {
		uses_of_member(f, i);
	} else if (ctok_is(ts, i, "{")) {
		uses_of_initialiser(f, i);
	} else if (ctok_is(ts, i, "=")) {
		void_assignment(f, i);
	}
}

/* What a macro's definition holds is read as if it stood in the file. */
static void read_macro(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;
	struct use_file in = *f;
	struct ctoks body = { 0 };
	uint32_t off, len, skip;
	char *name;

	if (!ctok_pp_is(ts, i, "define") || !ctok_pp_word(ts, i, &off, &len))
		return;
	skip = off + len;
	if (ctoks_scan(&body, ts->text + skip, ts->t[i].off + ts->t[i].len - skip) < 0)
		return;
	name = xstrndup(ts->text + off, len);
	in.ts = &body;
	in.s.ts = &body;
	in.s.line_base = ts->t[i].line - 1;
	in.s.have_fn = false;
	in.function = NULL;
	in.macro = name;
	for (uint32_t k = 0; k < body.n; k++)
		read_token(&in, k);
	ctoks_release(&body);
	free(name);
}

static void read_tokens(struct use_file *f)
{
	const struct ctoks *ts = f->ts;
	const struct cfunc *fn = NULL;
	char *name = NULL;

	for (uint32_t i = 0; i < ts->n; i++) {
		if (ts->t[i].flags & CTOK_DEAD)
			continue;
		if (ctok_kind_is(ts, i, CTOK_PP)) {
			read_macro(f, i);
			continue;
		}
		if (!fn || i >= fn->body.end) {
			fn = cfile_func_at(f->cf, i);
			free(name);
			name = fn ? ctok_dup(ts, fn->name) : NULL;
			f->function = name;
			expr_enter(&f->s, name);
		}
		read_token(f, i);
	}
	free(name);
}

static int open_file(const struct dbg *g, const char *rel, unsigned version, struct strbuf *view,
		     struct strbuf *err)
{
	char *path = path_join(g->tree, rel);
	struct strbuf text = STRBUF_INIT;
	int ret = path_is_safe(rel) ? file_read(path, MAX_SOURCE, &text, err) : KP_NOTFOUND;

	if (ret == 0)
		ppview(text.buf, text.len, version, view);
	strbuf_release(&text);
	free(path);
	return ret;
}

static int read_file(const struct dbg *g, const char *rel, unsigned version, struct strmap *numbers,
		     struct use_list *out, struct strbuf *err)
{
	struct strbuf view = STRBUF_INIT;
	struct ctoks ts = { 0 };
	struct cfile cf = { 0 };
	struct strbuf ignored = STRBUF_INIT;
	int ret = open_file(g, rel, version, &view, &ignored);

	strbuf_release(&ignored);
	if (ret < 0 || ctoks_scan(&ts, view.buf, view.len) < 0) {
		/* Generated in the build and gone: nobody wrote it. */
		strbuf_release(&view);
		return 0;
	}
	if (!out) {
		keep_numbers(&ts, numbers);
	} else {
		struct use_file f = { .g = g, .numbers = numbers, .file = rel, .ts = &ts, .cf = &cf, .out = out,
				      .s = { .g = g, .ts = &ts, .file = rel } };

		cfile_parse(&cf, &ts);
		read_definitions(&f);
		read_tokens(&f);
		cfile_release(&cf);
	}
	ctoks_release(&ts);
	strbuf_release(&view);
	return 0;
}

int uses_read(const struct dbg *g, unsigned version, struct use_list *out, struct strbuf *err)
{
	struct strmap numbers = STRMAP_INIT;
	struct strvec files = STRVEC_INIT;
	struct strmap_entry *e;
	int ret = 0;

	strmap_for_each(&g->files, e)
		strvec_push(&files, e->key);
	strvec_sort(&files);
	for (size_t i = 0; i < files.n && ret == 0; i++)
		ret = read_file(g, files.v[i], version, &numbers, NULL, err);
	for (size_t i = 0; i < files.n && ret == 0; i++)
		ret = read_file(g, files.v[i], version, &numbers, out, err);
	strmap_release(&numbers, NULL);
	strvec_release(&files);
	return ret;
}
