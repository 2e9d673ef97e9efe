// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/layout-shape.h"

#include <dwarf.h>

#include "base/alloc.h"

#define MAX_LEVEL 6
#define MAX_MEMBERS 4000
#define MAX_VISITED 20000 /* members looked at for one structure: broken types can hold themselves */
#define MAX_DIMENSIONS 16

/* ---- reading -------------------------------------------------------------- */

struct reader {
	const struct dbg *g;
	struct shape *out;
	unsigned visited, depth;
};

/* The byte order and fixed width that a chain of typedefs promises. */
static void read_names(Dwarf_Die *type, struct shape_member *m)
{
	static const char *const fixed[] = {
		"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "__u8", "__u16", "__u32", "__u64",
		"__s8", "__s16", "__s32", "__s64", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
		"int8_t", "int16_t", "int32_t", "int64_t", "u_int8_t", "u_int16_t", "u_int32_t", "char",
		"unsigned char", "signed char", "__sum16", "__wsum",
	};
	Dwarf_Die t = *type;

	for (int i = 0; i < 16; i++) {
		const char *name = dwarf_diename(&t);
		int tag = dwarf_tag(&t);

		if (name && starts_with(name, "__le") && name[4] >= '0' && name[4] <= '9')
			m->order = SHAPE_LE;
		if (name && starts_with(name, "__be") && name[4] >= '0' && name[4] <= '9')
			m->order = SHAPE_BE;
		for (size_t k = 0; name && k < ARRAY_SIZE(fixed); k++)
			m->fixed |= !strcmp(name, fixed[k]);
		m->fixed |= m->order != SHAPE_NATIVE;
		if (tag == DW_TAG_pointer_type || die_is_struct(&t) || !die_type(&t, &t))
			return;
	}
}

static void read_kind(Dwarf_Die *element, struct shape_member *m)
{
	uint64_t enc = 0;
	const char *name;

	switch (dwarf_tag(element)) {
	case DW_TAG_pointer_type:
		m->kind = SHAPE_POINTER;
		break;
	case DW_TAG_enumeration_type:
		m->kind = SHAPE_ENUM;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		m->kind = SHAPE_STRUCT;
		break;
	case DW_TAG_base_type:
		die_number(element, DW_AT_encoding, &enc);
		name = dwarf_diename(element);
		m->kind = name && !strcmp(name, "char") ? SHAPE_CHAR : enc == DW_ATE_signed || enc == DW_ATE_signed_char ? SHAPE_INT :
			  enc == DW_ATE_unsigned || enc == DW_ATE_unsigned_char ? SHAPE_UINT :
			  enc == DW_ATE_boolean ? SHAPE_BOOL : enc == DW_ATE_float ? SHAPE_FLOAT : SHAPE_OTHER;
		break;
	default:
		m->kind = SHAPE_OTHER;
	}
}

static uint32_t bits_of(Dwarf_Die *type)
{
	Dwarf_Word size = 0;

	return dwarf_aggregate_size(type, &size) == 0 && size < UINT32_MAX / 8 ? (uint32_t)size * 8 : 0;
}

/* Offset within its structure and width, in bits; width 0 unless a bit field. */
static void read_place(Dwarf_Die *member, Dwarf_Die *type, uint32_t *offset, uint32_t *width)
{
	uint64_t at = 0, bits = 0, first = 0, storage = 0;

	*width = die_number(member, DW_AT_bit_size, &bits) ? (uint32_t)bits : 0;
	if (die_number(member, DW_AT_data_bit_offset, &first)) {
		*offset = (uint32_t)first;
		return;
	}
	die_number(member, DW_AT_data_member_location, &at);
	*offset = (uint32_t)(at * 8);
	if (!*width || !die_number(member, DW_AT_bit_offset, &first))
		return;
	/* DWARF 3: counted from the high end of the storage unit. */
	if (!die_number(member, DW_AT_byte_size, &storage))
		storage = bits_of(type) / 8;
	*offset += (uint32_t)(storage * 8 - first - bits);
}

static void read_members(struct reader *r, Dwarf_Die *st, const char *prefix, uint32_t base, int level);

/* The element type behind arrays, peeled; false: void. */
static bool element_of(Dwarf_Die *type, Dwarf_Die *out, uint32_t *count)
{
	uint64_t n = 1;

	*count = 1;
	if (!die_peel(type, out))
		return false;
	for (int i = 0; dwarf_tag(out) == DW_TAG_array_type; i++) {
		Dwarf_Die to;

		if (i == MAX_DIMENSIONS)
			return false;

		n = die_array_count(out);
		*count = *count * n > UINT32_MAX ? UINT32_MAX : (uint32_t)(*count * n);
		if (!die_type(out, &to) || !die_peel(&to, out))
			return false;
	}
	return true;
}

static void read_member(struct reader *r, Dwarf_Die *d, const char *prefix, uint32_t base, int level)
{
	const char *name = dwarf_diename(d);
	struct shape *s = r->out;
	struct shape_member *m;
	struct strbuf text = STRBUF_INIT;
	const struct dbg_struct *inner;
	Dwarf_Die type, element;
	uint32_t offset, width, count;
	bool unnamed;

	if (!die_type(d, &type) || !element_of(&type, &element, &count))
		return;
	read_place(d, &type, &offset, &width);
	if (!name) {
		if (die_is_struct(&element))
			read_members(r, &element, prefix, base + offset, level);
		return;
	}
	ALLOC_GROW(s->m, s->n + 1, s->alloc);
	m = &s->m[s->n++];
	memset(m, 0, sizeof(*m));
	die_type_text(&type, &text);
	m->path = xstrfmt("%s%s", prefix, name);
	m->type = strbuf_detach(&text, NULL);
	m->offset = base + offset;
	m->bits = m->fixed = width != 0;
	m->width = width ? width : bits_of(&type);
	m->count = count;
	m->level = (uint8_t)level;
	read_kind(&element, m);
	read_names(&type, m);
	if (!die_is_struct(&element) || level >= MAX_LEVEL)
		return;
	inner = dbg_struct_of(r->g, &element);
	unnamed = !dwarf_diename(&element);
	m->own = unnamed || (inner && inner->own);
	if (m->own) {
		char *below = xstrfmt("%s%s.", m->path, dwarf_tag(&type) == DW_TAG_array_type ? "[]" : "");

		read_members(r, &element, below, m->offset, level + 1);
		free(below);
	}
	strbuf_release(&text);
}

static void read_members(struct reader *r, Dwarf_Die *st, const char *prefix, uint32_t base, int level)
{
	Dwarf_Die d;

	if (r->depth == MAX_LEVEL * 2 || dwarf_child(st, &d) != 0)
		return;
	r->depth++;
	do {
		if (dwarf_tag(&d) == DW_TAG_member && r->out->n < MAX_MEMBERS && r->visited++ < MAX_VISITED)
			read_member(r, &d, prefix, base, level);
	} while (dwarf_siblingof(&d, &d) == 0);
	r->depth--;
}

/* Packed shows where a number does not lie at a multiple of its own size. */
static bool is_packed(const struct shape *s)
{
	uint32_t most = 8;

	for (size_t i = 0; i < s->n; i++) {
		const struct shape_member *m = &s->m[i];
		uint32_t one = m->count ? m->width / m->count : 0;

		if (m->kind == SHAPE_STRUCT || m->bits || !one || m->level)
			continue;
		if ((one == 16 || one == 32 || one == 64) && m->offset % one)
			return true;
		if (one > most && one <= 64)
			most = one;
	}
	return s->size * 8 % most != 0;
}

void shape_read(const struct dbg *g, const struct dbg_struct *s, struct shape *out)
{
	struct reader r = { .g = g, .out = out };
	Dwarf_Die die = s->die;

	memset(out, 0, sizeof(*out));
	out->name = xstrdup(s->name);
	out->size = bits_of(&die) / 8;
	read_members(&r, &die, "", 0, 0);
	out->packed = is_packed(out);
}

void shape_release(struct shape *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->m[i].path);
		free(s->m[i].type);
	}
	free(s->m);
	free(s->name);
	memset(s, 0, sizeof(*s));
}

const struct shape_member *shape_member(const struct shape *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->m[i].path, path))
			return &s->m[i];
	return NULL;
}

bool shape_is_plain(const struct shape *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->m[i].fixed && !(s->m[i].kind == SHAPE_STRUCT && s->m[i].own))
			return false;
	return s->n > 0;
}

bool shape_has_order(const struct shape *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->m[i].order != SHAPE_NATIVE)
			return true;
	return false;
}

bool shape_has_bits(const struct shape *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->m[i].bits && s->m[i].width > 1)
			return true;
	return false;
}

bool shape_has_pointer(const struct shape *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->m[i].kind == SHAPE_POINTER)
			return true;
	return false;
}

/* ---- comparing ------------------------------------------------------------ */

static void add_change(struct shape_diff *d, enum change_kind kind, const struct shape_member *a,
		       const struct shape_member *b, uint32_t from, uint32_t to)
{
	struct shape_change *c;

	ALLOC_GROW(d->c, d->n + 1, d->alloc);
	c = &d->c[d->n++];
	*c = (struct shape_change){ .kind = kind, .a = a, .b = b, .from = from, .to = to };
}

static bool same_sort(const struct shape_member *a, const struct shape_member *b)
{
	return a->kind == b->kind && a->width == b->width && a->count == b->count &&
	       a->order == b->order && a->level == b->level;
}

/* The member that has the old one's place and type and a name that was not there before. */
static const struct shape_member *successor(const struct shape *a, const struct shape *b,
					    const struct shape_member *m)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->m[i].offset == m->offset && same_sort(m, &b->m[i]) && !shape_member(a, b->m[i].path))
			return &b->m[i];
	return NULL;
}

static void compare_one(const struct shape_member *a, const struct shape_member *b, struct shape_diff *d)
{
	if (a->kind == SHAPE_STRUCT && b->kind == SHAPE_STRUCT && a->own && b->own)
		return; /* its members say it */
	if (a->count != b->count && a->width != b->width && a->count && b->count &&
	    a->width / a->count == b->width / b->count)
		add_change(d, CHANGE_COUNT, a, b, a->count, b->count);
	else if (a->width != b->width)
		add_change(d, b->width < a->width ? CHANGE_NARROWED : CHANGE_WIDENED, a, b, a->width, b->width);
	if (a->order != b->order)
		add_change(d, CHANGE_ORDER, a, b, a->order, b->order);
	else if (a->kind != b->kind && a->kind <= SHAPE_CHAR && b->kind <= SHAPE_CHAR)
		add_change(d, CHANGE_SIGN, a, b, a->kind, b->kind);
	else if (a->kind != b->kind)
		add_change(d, CHANGE_KIND, a, b, a->kind, b->kind);
}

/* Members that both have, in both orders: did this one change places with another? */
static bool reordered(const struct shape *a, const struct shape *b, const struct shape_member *x,
		      const struct shape_member *y)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct shape_member *o = &a->m[i], *p;

		if (o == x || o->level != x->level || o->offset == x->offset)
			continue;
		p = shape_member(b, o->path);
		if (p && p->offset != y->offset && (o->offset < x->offset) != (p->offset < y->offset))
			return true;
	}
	return false;
}

static void compare_places(const struct shape *a, const struct shape *b, struct shape_diff *d)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < a->n; i++) {
			const struct shape_member *x = &a->m[i], *y = shape_member(b, x->path);
			bool swapped;

			if (!y || x->offset == y->offset)
				continue;
			swapped = reordered(a, b, x, y);
			if (swapped == (pass == 0))
				add_change(d, swapped ? CHANGE_REORDERED : CHANGE_MOVED, x, y, x->offset,
					   y->offset);
		}
}

static bool is_successor(const struct shape_diff *d, const struct shape_member *m)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->c[i].kind == CHANGE_RENAMED && d->c[i].b == m)
			return true;
	return false;
}

void shape_compare(const struct shape *a, const struct shape *b, struct shape_diff *out)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct shape_member *m = &a->m[i], *to = shape_member(b, m->path);

		if (to)
			compare_one(m, to, out);
		else if ((to = successor(a, b, m)))
			add_change(out, CHANGE_RENAMED, m, to, m->offset, to->offset);
		else
			add_change(out, CHANGE_REMOVED, m, NULL, m->offset, 0);
	}
	for (size_t i = 0; i < b->n; i++)
		if (!shape_member(a, b->m[i].path) && !is_successor(out, &b->m[i]))
			add_change(out, CHANGE_ADDED, NULL, &b->m[i], 0, b->m[i].offset);
	compare_places(a, b, out);
	if (a->size != b->size)
		add_change(out, CHANGE_SIZE, NULL, NULL, a->size, b->size);
}

void shape_diff_release(struct shape_diff *d)
{
	free(d->c);
	memset(d, 0, sizeof(*d));
}

/* ---- words ---------------------------------------------------------------- */

const char *change_name(enum change_kind k)
{
	static const char *const names[] = { "removed", "renamed", "narrowed", "widened", "sign", "byte-order",
		"retyped", "array-length", "reordered", "moved", "added", "size" };

	return (unsigned)k < ARRAY_SIZE(names) ? names[k] : "?";
}

static void place_text(uint32_t bits, struct strbuf *out)
{
	strbuf_addf(out, "%u", bits / 8);
	if (bits % 8)
		strbuf_addf(out, " bit %u", bits % 8);
}

static void width_text(uint32_t from, uint32_t to, struct strbuf *out)
{
	bool bits = from % 8 || to % 8;

	strbuf_addf(out, "from %u to %u %s", bits ? from : from / 8, bits ? to : to / 8,
		    bits ? "bits" : "bytes");
}

static void change_text(const struct shape_change *c, struct strbuf *out)
{
	static const char *const orders[] = { "native", "little-endian", "big-endian" };

	switch (c->kind) {
	case CHANGE_SIZE:
		strbuf_addf(out, "%u bytes, was %u", c->to, c->from);
		break;
	case CHANGE_ADDED:
		strbuf_addf(out, "'%s' is new at ", c->b->path);
		place_text(c->to, out);
		break;
	case CHANGE_REMOVED:
		strbuf_addf(out, "'%s' is gone from ", c->a->path);
		place_text(c->from, out);
		break;
	case CHANGE_RENAMED:
		strbuf_addf(out, "'%s' is now called '%s'", c->a->path, c->b->path);
		break;
	case CHANGE_NARROWED:
	case CHANGE_WIDENED:
		strbuf_addf(out, "'%s' %s ", c->a->path, change_name(c->kind));
		width_text(c->from, c->to, out);
		break;
	case CHANGE_COUNT:
		strbuf_addf(out, "'%s' has %u elements, had %u", c->a->path, c->to, c->from);
		break;
	case CHANGE_ORDER:
		strbuf_addf(out, "'%s' is %s, was %s", c->a->path, orders[c->to], orders[c->from]);
		break;
	case CHANGE_SIGN:
	case CHANGE_KIND:
		strbuf_addf(out, "'%s' is '%s', was '%s'", c->a->path, c->b->type, c->a->type);
		break;
	case CHANGE_REORDERED:
	case CHANGE_MOVED:
		strbuf_addf(out, "'%s' %s from ", c->a->path,
			    c->kind == CHANGE_MOVED ? "moved" : "changed places,");
		place_text(c->from, out);
		strbuf_addstr(out, " to ");
		place_text(c->to, out);
		break;
	}
}

void shape_diff_text(const struct shape_diff *d, struct strbuf *out)
{
	size_t most = 3, shown = 0;

	for (size_t i = 0; i < d->n; i++) {
		/* The size is always said: user space's ioctl numbers hold it. */
		if (shown >= most && d->c[i].kind != CHANGE_SIZE)
			continue;
		if (i)
			strbuf_addstr(out, "; ");
		change_text(&d->c[i], out);
		shown++;
	}
	if (d->n > shown)
		strbuf_addf(out, "; %zu more", d->n - shown);
}
