// SPDX-License-Identifier: GPL-2.0-only
/* Facts: Documentation/bpf/btf.rst. libbpf checks the table's structure; depth and number are bounded here. */
#include "base/compat.h"
#include "checks/layout-vmlinux.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/alloc.h"
#include "base/error.h"
#include "harness/kernel-btf.h"

#define MAX_DEPTH 12
#define MAX_MEMBERS 4000

struct vmlinux {
	struct btf *btf;
};

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

int vmlinux_open(const struct kernel *k, struct vmlinux **out, struct strbuf *err)
{
	struct btf *btf = NULL;
	char *file = NULL;
	int ret = kernel_btf(k, &file, err);

	if (ret == 0) {
		libbpf_set_print(silent);
		errno = 0;
		btf = btf__parse(file, NULL);
		if (libbpf_get_error(btf))
			ret = kp_fail(err, KP_NOTFOUND, "'%s' has no BTF that can be read (%s)", file,
				      strerror(errno));
	}
	if (ret == 0) {
		*out = xcalloc(1, sizeof(**out));
		(*out)->btf = btf;
	}
	free(file);
	return ret;
}

void vmlinux_close(struct vmlinux *v)
{
	if (v)
		btf__free(v->btf);
	free(v);
}

/* Through typedefs, qualifiers and arrays. */
static const struct btf_type *peel(const struct btf *btf, uint32_t id, uint32_t *count)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	*count = 1;
	for (int i = 0; t && i < MAX_DEPTH * 2; i++) {
		if (btf_is_array(t)) {
			*count *= btf_array(t)->nelems;
			t = btf__type_by_id(btf, btf_array(t)->type);
		} else if (btf_is_mod(t) || btf_is_typedef(t) || btf_kind(t) == BTF_KIND_TYPE_TAG) {
			t = btf__type_by_id(btf, t->type);
		} else {
			return t;
		}
	}
	return NULL;
}

static enum shape_kind kind_of(const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	if (btf_is_ptr(t))
		return SHAPE_POINTER;
	if (btf_is_composite(t))
		return SHAPE_STRUCT;
	if (btf_is_any_enum(t))
		return SHAPE_ENUM;
	if (btf_is_float(t))
		return SHAPE_FLOAT;
	if (!btf_is_int(t))
		return SHAPE_OTHER;
	if (name && !strcmp(name, "char"))
		return SHAPE_CHAR;
	return btf_int_encoding(t) & BTF_INT_BOOL ? SHAPE_BOOL :
	       btf_int_encoding(t) & BTF_INT_SIGNED ? SHAPE_INT : SHAPE_UINT;
}

static void add_members(const struct btf *btf, const struct btf_type *t, uint32_t base, struct shape *out,
			int depth)
{
	const struct btf_member *m = btf_members(t);

	for (unsigned i = 0; i < btf_vlen(t) && out->n < MAX_MEMBERS; i++) {
		const char *name = btf__name_by_offset(btf, m[i].name_off);
		uint32_t offset = base + btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i), count;
		const struct btf_type *to = peel(btf, m[i].type, &count);
		struct shape_member *o;
		int64_t size;

		if (!to)
			continue;
		if (!name || !*name) {
			if (btf_is_composite(to) && depth < MAX_DEPTH)
				add_members(btf, to, offset, out, depth + 1);
			continue;
		}
		size = btf__resolve_size(btf, m[i].type);
		ALLOC_GROW(out->m, out->n + 1, out->alloc);
		o = &out->m[out->n++];
		*o = (struct shape_member){ .path = xstrdup(name), .offset = offset, .count = count,
			.width = bits ? bits : size > 0 && size < UINT32_MAX / 8 ? (uint32_t)size * 8 : 0,
			.kind = (uint8_t)kind_of(btf, to), .bits = bits != 0 };
		o->type = xstrdup(btf__name_by_offset(btf, to->name_off));
	}
}

bool vmlinux_shape(const struct vmlinux *v, const char *name, struct shape *out)
{
	bool is_union = starts_with(name, "union ");
	const char *tag = strchr(name, ' ');
	const struct btf_type *t;
	int id;

	if (!tag)
		return false;
	id = btf__find_by_name_kind(v->btf, tag + 1, is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT);
	t = id > 0 ? btf__type_by_id(v->btf, (uint32_t)id) : NULL;
	if (!t)
		return false;
	memset(out, 0, sizeof(*out));
	out->name = xstrdup(name);
	out->size = t->size;
	add_members(v->btf, t, 0, out, 0);
	return true;
}
