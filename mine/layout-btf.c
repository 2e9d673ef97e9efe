// SPDX-License-Identifier: GPL-2.0-only
/*
 * The structures that a kernel's BTF describes. Facts: Documentation/bpf/btf.rst;
 * libbpf checks the table's structure, not what the types mean: every number is
 * bounded here.
 */
#include "base/compat.h"
#include "mine/layout-internal.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

#define MAX_DEPTH 12
#define MAX_MEMBERS 20000 /* of one structure; nested ones count */
#define MAX_TYPE_TEXT 400

struct reader {
	const struct btf *btf;
	struct layout_set *set;
	size_t first;		/* member of the current structure */
	struct strbuf text;	/* of a type */
};

static const char *name_of(const struct reader *r, uint32_t off)
{
	const char *s = btf__name_by_offset(r->btf, off);

	return s ? s : "";
}

static void type_text(struct reader *r, uint32_t id, int depth);

static void proto_text(struct reader *r, const struct btf_type *t, const char *between, int depth)
{
	const struct btf_param *p = btf_params(t);

	type_text(r, t->type, depth + 1);
	strbuf_addf(&r->text, " %s(", between);
	for (unsigned i = 0; i < btf_vlen(t) && r->text.len < MAX_TYPE_TEXT; i++) {
		if (i)
			strbuf_addstr(&r->text, ", ");
		if (!p[i].type)
			strbuf_addstr(&r->text, "...");
		else
			type_text(r, p[i].type, depth + 1);
	}
	strbuf_addch(&r->text, ')');
}

static void pointer_text(struct reader *r, const struct btf_type *t, int depth)
{
	const struct btf_type *to = btf__type_by_id(r->btf, t->type);

	if (to && btf_is_func_proto(to)) {
		proto_text(r, to, "(*)", depth);
		return;
	}
	type_text(r, t->type, depth + 1);
	strbuf_addstr(&r->text, r->text.len && r->text.buf[r->text.len - 1] == '*' ? "*" : " *");
}

static void array_text(struct reader *r, const struct btf_type *t, int depth)
{
	const struct btf_array *a = btf_array(t);

	type_text(r, a->type, depth + 1);
	strbuf_addf(&r->text, "[%u]", a->nelems);
}

/* "const int", but "int *const". */
static void qualified_text(struct reader *r, const struct btf_type *t, const char *word, int depth)
{
	const struct btf_type *to = btf__type_by_id(r->btf, t->type);

	if (to && btf_is_ptr(to)) {
		type_text(r, t->type, depth + 1);
		strbuf_addstr(&r->text, word);
	} else {
		strbuf_addf(&r->text, "%s ", word);
		type_text(r, t->type, depth + 1);
	}
}

/* Appends the type as it would be written without the name: "const struct foo *". */
static void type_text(struct reader *r, uint32_t id, int depth)
{
	const struct btf_type *t = id ? btf__type_by_id(r->btf, id) : NULL;
	const char *name;

	if (!id) {
		strbuf_addstr(&r->text, "void");
		return;
	}
	if (!t || depth > MAX_DEPTH || r->text.len > MAX_TYPE_TEXT) {
		strbuf_addstr(&r->text, "...");
		return;
	}
	name = name_of(r, t->name_off);
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		pointer_text(r, t, depth);
		break;
	case BTF_KIND_ARRAY:
		array_text(r, t, depth);
		break;
	case BTF_KIND_FUNC_PROTO:
		proto_text(r, t, "", depth);
		break;
	case BTF_KIND_CONST:
		qualified_text(r, t, "const", depth);
		break;
	case BTF_KIND_VOLATILE:
		qualified_text(r, t, "volatile", depth);
		break;
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		type_text(r, t->type, depth + 1);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD:
		strbuf_addf(&r->text, "%s%s%s", btf_is_union(t) || (btf_is_fwd(t) && btf_kflag(t)) ? "union" :
			    "struct", *name ? " " : "", name);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		strbuf_addf(&r->text, "enum%s%s", *name ? " " : "", name);
		break;
	default:
		strbuf_addstr(&r->text, *name ? name : "?");
	}
}

static uint32_t type_number(struct reader *r, uint32_t id)
{
	strbuf_reset(&r->text);
	type_text(r, id, 0);
	return pool_addstr(r->set->pool, r->text.buf);
}

/* Bits of a whole type; 0 when it has no size. */
static uint32_t width_of(const struct reader *r, uint32_t id)
{
	int64_t size = btf__resolve_size(r->btf, id);

	return size > 0 && size < UINT32_MAX / 8 ? (uint32_t)size * 8 : 0;
}

/* The structure or union without a name that a member is of, or NULL. */
static const struct btf_type *unnamed(const struct reader *r, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(r->btf, id);

	for (int i = 0; t && i < MAX_DEPTH && (btf_is_const(t) || btf_is_volatile(t)); i++)
		t = btf__type_by_id(r->btf, t->type);
	return t && btf_is_composite(t) && !*name_of(r, t->name_off) ? t : NULL;
}

static void add_members(struct reader *r, const struct btf_type *t, const char *prefix, uint32_t base,
			int depth)
{
	const struct btf_member *m = btf_members(t);

	for (unsigned i = 0; i < btf_vlen(t) && r->set->nm - r->first < MAX_MEMBERS; i++) {
		const char *name = name_of(r, m[i].name_off);
		const struct btf_type *inner = unnamed(r, m[i].type);
		uint32_t offset = base + btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);
		struct layout_member *out;
		char *path = xstrfmt("%s%s", prefix, name);

		if (inner && depth < MAX_DEPTH) {
			char *below = *name ? xstrfmt("%s.", path) : xstrdup(prefix);

			add_members(r, inner, below, offset, depth + 1);
			free(below);
		} else if (*name) {
			ALLOC_GROW(r->set->m, r->set->nm + 1, r->set->m_alloc);
			out = &r->set->m[r->set->nm++];
			out->name = pool_addstr(r->set->pool, path);
			out->type = type_number(r, m[i].type);
			out->offset = offset;
			out->width = bits ? bits : width_of(r, m[i].type);
		}
		free(path);
	}
}

static void add_struct(struct reader *r, const struct btf_type *t, const char *word, const char *name)
{
	struct layout_set *set = r->set;
	struct layout_struct *s;
	char *full = xstrfmt("%s%s", word, name);

	ALLOC_GROW(set->s, set->n + 1, set->alloc);
	s = &set->s[set->n++];
	s->name = pool_addstr(set->pool, full);
	s->size = t->size;
	s->first = r->first = set->nm;
	free(full);
	add_members(r, t, "", 0, 0);
	s->n = set->nm - s->first;
}

static void read_all(struct reader *r)
{
	uint32_t n = btf__type_cnt(r->btf);

	for (uint32_t id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(r->btf, id), *inner;
		const char *name = t ? name_of(r, t->name_off) : "";

		if (!*name)
			continue;
		if (btf_is_composite(t)) {
			add_struct(r, t, btf_is_union(t) ? "union " : "struct ", name);
		} else if (btf_is_typedef(t)) {
			inner = unnamed(r, t->type);
			if (inner)
				add_struct(r, inner, "", name);
		}
	}
}

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

int layout_read_btf(const char *path, struct pool *pool, struct layout_set *out, struct strbuf *err)
{
	struct reader r = { .set = out, .text = STRBUF_INIT };
	struct btf *btf;

	memset(out, 0, sizeof(*out));
	out->pool = pool;
	if (!file_exists(path))
		return kp_fail(err, KP_NOTFOUND, "there is no '%s'", path);
	libbpf_set_print(silent);
	errno = 0;
	btf = btf__parse(path, NULL);
	if (libbpf_get_error(btf))
		return kp_fail(err, KP_ERR, "'%s' has no BTF that can be read (%s)", path, strerror(errno));
	r.btf = btf;
	read_all(&r);
	btf__free(btf);
	strbuf_release(&r.text);
	layout_set_sort(out);
	return 0;
}
