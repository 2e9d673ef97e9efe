/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/cfunc-internal.h"

/* How deep nested initialisers are followed. */
#define MAX_INIT_DEPTH 24

size_t cdecl_after(const struct ctoks *ts, size_t i)
{
	uint32_t m = ts->t[i].match;

	return m != CTOK_NONE && m > i && m < ts->n ? (size_t)m + 1 : i + 1;
}

static bool opens(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, "(") || ctok_is(ts, i, "[") || ctok_is(ts, i, "{");
}

size_t cdecl_step(const struct ctoks *ts, size_t i)
{
	return opens(ts, i) ? cdecl_after(ts, i) : i + 1;
}

bool ctok_is_annotation(const struct ctoks *ts, size_t i)
{
	static const char *const exact[] = {
		"__user", "__iomem", "__rcu", "__percpu", "__kernel", "__force", "__nocast",
		"__maybe_unused", "__always_unused", "__used", "__unused", "__packed", "__weak",
		"__pure", "__cold", "__hot", "__must_check", "__read_mostly", "__ro_after_init",
		"__refdata", "__refconst", "__ref", "__attribute__", "__attribute", "__aligned",
		"__printf", "__scanf", "__section", "__alias", "__acquires", "__releases",
		"__must_hold", "__must_hold_shared", "__cond_acquires", "__cond_lock", "__malloc",
		"__noreturn", "__visible", "__deprecated", "__no_sanitize", "__nonstring",
		"__counted_by", "__bitwise", "__private", "__safe", "__latent_entropy",
		"__randomize_layout", "__designated_init", "__mod", "__bpf_kfunc", "__noclone",
		"__always_inline", "__no_kasan_or_inline", "__nocfi", "__net_init", "__net_exit",
		"____cacheline_aligned", "____cacheline_aligned_in_smp",
		"____cacheline_internodealigned_in_smp", "__cacheline_aligned",
		"__cacheline_aligned_in_smp", "__no_instrument_function", "__counted_by_le",
		"__free", "noinline", "notrace", "asmlinkage", "noinline_for_stack", "noinstr",
		"__flatten", "__assume_aligned", "__alloc_size", "__realloc_size"
	};
	static const char *const prefixes[] = { "__init", "__exit", "__devinit", "__devexit",
						"__meminit", "__memexit", "__cpuinit", "__cpuexit" };
	const char *s;
	size_t k, len;

	if (!ctok_kind_is(ts, i, CTOK_IDENT))
		return false;
	s = ts->text + ts->t[i].off;
	len = ts->t[i].len;
	if (s[0] != '_' && s[0] != 'n' && s[0] != 'a')
		return false;
	for (k = 0; k < ARRAY_SIZE(exact); k++)
		if (ctok_is(ts, i, exact[k]))
			return true;
	for (k = 0; k < ARRAY_SIZE(prefixes); k++) {
		size_t n = strlen(prefixes[k]);

		/* "__init", "__initdata", "__init_or_module", but not "__init_foo(". */
		if (len >= n && !memcmp(s, prefixes[k], n) &&
		    (len == n || (len > n + 3 && (!memcmp(s + n, "data", 4) || !memcmp(s + n, "const", 4)))))
			return true;
	}
	return ctok_is(ts, i, "__init_or_module") || ctok_is(ts, i, "__exit_p");
}

size_t cdecl_annotation(const struct ctoks *ts, size_t i)
{
	if (!ctok_is_annotation(ts, i))
		return i;
	return ctok_is(ts, i + 1, "(") ? cdecl_after(ts, i + 1) : i + 1;
}

static bool is_tag_keyword(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, "struct") || ctok_is(ts, i, "union") || ctok_is(ts, i, "enum");
}

uint32_t cdecl_aggregate(const struct ctoks *ts, size_t open, size_t from)
{
	size_t i = open;

	while (i-- > from) {
		if (cdecl_passed_over(ts, i))
			continue;
		if (is_tag_keyword(ts, i))
			return i;
		if (ctok_is(ts, i, ")") && ts->t[i].match != CTOK_NONE && ts->t[i].match > from) {
			i = ts->t[i].match - 1;
			if (!ctok_is_annotation(ts, i))
				return CTOK_NONE;
		} else if (!ctok_is_ident(ts, i) && !ctok_is(ts, i, ":")) {
			return CTOK_NONE;
		}
	}
	return CTOK_NONE;
}

static bool is_storage(const struct ctoks *ts, size_t i)
{
	static const char *const words[] = { "static", "extern", "inline", "__inline", "__inline__",
					     "const", "volatile", "register", "auto", "typedef",
					     "__extension__", "_Noreturn", "_Thread_local" };
	size_t k;

	for (k = 0; k < ARRAY_SIZE(words); k++)
		if (ctok_is(ts, i, words[k]))
			return true;
	return ctok_is_annotation(ts, i);
}

bool cdecl_has_type(const struct ctoks *ts, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i = cdecl_step(ts, i))
		if (!cdecl_passed_over(ts, i) && ctok_kind_is(ts, i, CTOK_IDENT) && !is_storage(ts, i))
			return true;
	return false;
}

/* The name inside "(*name)" or "(__iomem *name[3])" that opens at token open. */
static uint32_t name_in_parens(const struct ctoks *ts, size_t open)
{
	size_t end = cdecl_after(ts, open), i;
	bool star = false;

	for (i = open + 1; i + 1 < end; i++) {
		star |= ctok_is(ts, i, "*");
		if (star && ctok_is_ident(ts, i) && !ctok_is_annotation(ts, i))
			return i;
		if (ctok_is(ts, i, "(") && !ctok_is(ts, i + 1, "*"))
			break;
	}
	return CTOK_NONE;
}

/* Does "(" at i hold a declarator: "(*f)(int)"? */
static bool declarator_parens(const struct ctoks *ts, size_t i, size_t from)
{
	if (!ctok_is(ts, i, "(") || i == from || ctok_is_ident(ts, i - 1))
		return false;
	return ctok_is(ts, i + 1, "*") || ctok_is(ts, i + 2, "*");
}

uint32_t cdecl_name(const struct ctoks *ts, size_t from, size_t to)
{
	uint32_t name = CTOK_NONE;
	bool tag = false;
	size_t i, next;

	for (i = from; i < to; i = next) {
		next = cdecl_annotation(ts, i);
		if (next != i)
			continue;
		next = cdecl_step(ts, i);
		if (cdecl_passed_over(ts, i))
			continue;
		if (declarator_parens(ts, i, from))
			return name_in_parens(ts, i);
		if (ctok_is(ts, i, "[") || ctok_is(ts, i, ":"))
			break;
		if (ctok_is_ident(ts, i) && !tag)
			name = i;
		tag = is_tag_keyword(ts, i);
	}
	if (name == CTOK_NONE || cdecl_has_type(ts, from, name))
		return name;
	return CTOK_NONE;
}

void cdecl_params(const struct ctoks *ts, struct cfunc *f)
{
	struct clist l = clist_open(ts, f->paren.first);
	size_t alloc = 0;
	struct cspan s;

	while (clist_next(&l, &s)) {
		if (ctok_is(ts, s.first, "...")) {
			f->variadic = true;
			continue;
		}
		if (s.end - s.first == 1 && ctok_is(ts, s.first, "void"))
			continue;
		ALLOC_GROW(f->params, f->nparams + 1, alloc);
		f->params[f->nparams].decl = s;
		f->params[f->nparams++].name = cdecl_name(ts, s.first, s.end);
	}
}

/* ---- initialisers --------------------------------------------------------- */

/* Length in tokens of the designator at i with its "=" (or ":"), 0 when there is none. */
static size_t designator(const struct ctoks *ts, struct cspan s, struct cmember *m)
{
	size_t i = s.first;

	if (ctok_is_ident(ts, i) && ctok_is(ts, i + 1, ":") && i + 1 < s.end) {
		m->name = i;
		m->designator = (struct cspan){ i, i + 1 };
		return 2;
	}
	while (i < s.end) {
		if (ctok_is(ts, i, ".") && ctok_kind_is(ts, i + 1, CTOK_IDENT)) {
			m->name = i + 1;
			i += 2;
		} else if (ctok_is(ts, i, "[")) {
			m->name = CTOK_NONE;
			i = cdecl_after(ts, i);
		} else {
			break;
		}
	}
	if (i == s.first || i >= s.end || !ctok_is(ts, i, "=")) {
		m->name = CTOK_NONE;
		return 0;
	}
	m->designator = (struct cspan){ s.first, i };
	return i + 1 - s.first;
}

/* The "{" of a value that is an initialiser list or a compound literal, or CTOK_NONE. */
static uint32_t value_list(const struct ctoks *ts, struct cspan v)
{
	uint32_t i = v.first;

	if (i < v.end && ctok_is(ts, i, "&"))
		i++;
	if (i < v.end && ctok_is(ts, i, "("))
		i = cdecl_after(ts, i);
	return i < v.end && ctok_is(ts, i, "{") ? i : CTOK_NONE;
}

struct init_frame {
	struct clist list;
	uint32_t parent;
};

static void add_members(const struct ctoks *ts, struct cobject *o)
{
	struct init_frame stack[MAX_INIT_DEPTH];
	size_t depth = 0, alloc = 0;
	uint32_t open = value_list(ts, o->init);
	struct cspan s;

	if (open != CTOK_NONE)
		stack[depth++] = (struct init_frame){ clist_open(ts, open), CTOK_NONE };
	while (depth) {
		struct init_frame *fr = &stack[depth - 1];
		struct cmember *m;

		if (!clist_next(&fr->list, &s)) {
			depth--;
			continue;
		}
		ALLOC_GROW(o->members, o->nmembers + 1, alloc);
		m = &o->members[o->nmembers++];
		*m = (struct cmember){ .name = CTOK_NONE, .parent = fr->parent };
		m->designator = (struct cspan){ s.first, s.first };
		m->value = (struct cspan){ s.first + designator(ts, s, m), s.end };
		open = value_list(ts, m->value);
		if (open != CTOK_NONE && depth < MAX_INIT_DEPTH)
			stack[depth++] = (struct init_frame){ clist_open(ts, open), o->nmembers - 1 };
	}
}

/* ---- objects -------------------------------------------------------------- */

static size_t declarator_end(const struct ctoks *ts, size_t i, size_t to, const char *also)
{
	while (i < to && !ctok_is(ts, i, ",") && !(also && ctok_is(ts, i, also)))
		i = cdecl_step(ts, i);
	return i < to ? i : to;
}

static void object_type(const struct ctoks *ts, struct cobject *o, size_t from, size_t to)
{
	bool tag = false;
	size_t i, next;

	o->type = (struct cspan){ from, to };
	o->tag = CTOK_NONE;
	for (i = from; i < to; i = next) {
		next = cdecl_annotation(ts, i);
		if (next != i)
			continue;
		next = cdecl_step(ts, i);
		if (cdecl_passed_over(ts, i))
			continue;
		if (ctok_is(ts, i, "static"))
			o->is_static = true;
		else if (ctok_is(ts, i, "extern"))
			o->is_extern = true;
		else if (ctok_is_ident(ts, i) && !o->tag_is_struct) {
			o->tag = i;
			o->tag_is_struct = tag;
		}
		tag = is_tag_keyword(ts, i);
	}
}

void cdecl_objects(struct cfile *cf, size_t from, size_t to)
{
	const struct ctoks *ts = cf->ts;
	size_t at = from, type_end = 0, end, stop;
	bool first = true;

	while (at < to) {
		struct cobject o = { 0 };

		stop = declarator_end(ts, at, to, "=");
		end = declarator_end(ts, stop, to, NULL);
		/* The later declarators have no type of their own in front. */
		if (first)
			o.name = cdecl_name(ts, at, stop);
		else
			for (o.name = at; o.name < stop && !ctok_is_ident(ts, o.name);)
				o.name++;
		if (o.name == CTOK_NONE || o.name >= stop)
			return;
		if (first)
			type_end = o.name;
		first = false;
		object_type(ts, &o, from, type_end);
		o.is_array = ctok_is(ts, o.name + 1, "[");
		if (stop < end)
			o.init = (struct cspan){ stop + 1, end };
		add_members(ts, &o);
		ALLOC_GROW(cf->objects, cf->nobjects + 1, cf->objects_alloc);
		cf->objects[cf->nobjects++] = o;
		at = end + 1;
	}
}

/* ---- lists ---------------------------------------------------------------- */

struct clist clist_open(const struct ctoks *ts, uint32_t open)
{
	uint32_t m = open < ts->n ? ts->t[open].match : CTOK_NONE;

	if (m == CTOK_NONE || m <= open || m >= ts->n)
		return (struct clist){ ts, 0, 0 };
	return (struct clist){ ts, open + 1, m };
}

bool clist_next(struct clist *l, struct cspan *out)
{
	const struct ctoks *ts = l->ts;

	while (l->pos < l->end) {
		size_t i = l->pos, end;

		end = i;
		while (end < l->end && !ctok_is(ts, end, ","))
			end = cdecl_step(ts, end);
		if (end > l->end)
			end = l->end;
		l->pos = end + 1;
		while (i < end && cdecl_passed_over(ts, i))
			i++;
		while (end > i && cdecl_passed_over(ts, end - 1))
			end--;
		if (i < end) {
			*out = (struct cspan){ i, end };
			return true;
		}
	}
	return false;
}
