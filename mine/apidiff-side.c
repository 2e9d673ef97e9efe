// SPDX-License-Identifier: GPL-2.0-only
/* One side of a difference: an index loaded whole, searched by name. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/apidiff-side.h"

int side_load(struct diff_side *s, struct api_index *ix, struct strbuf *err)
{
	size_t i, total = 0;
	int ret = api_index__load_all(ix, err);

	if (ret < 0)
		return ret;
	s->ix = ix;
	s->n = api_index__symbol_count(ix);
	/* Members by owner: count, sum, fill; numbers ascend, order follows below. */
	s->member_start = xcalloc(s->n + 2, sizeof(*s->member_start));
	for (i = 1; i <= s->n; i++) {
		const struct api_symbol *m = side_symbol(s, i);
		uint32_t owner = m && m->kind == API_MEMBER ? api_index__owner(m) : 0;

		if (owner && owner <= s->n)
			s->member_start[owner + 1]++;
	}
	for (i = 1; i <= s->n + 1; i++)
		s->member_start[i] += s->member_start[i - 1];
	total = s->member_start[s->n + 1];
	s->member = xcalloc(total + 1, sizeof(*s->member));
	for (i = 1; i <= s->n; i++) {
		const struct api_symbol *m = side_symbol(s, i);
		uint32_t owner = m && m->kind == API_MEMBER ? api_index__owner(m) : 0, at;

		if (!owner || owner > s->n)
			continue;
		at = s->member_start[owner] + (uint32_t)m->order;
		if (at < s->member_start[owner + 1])
			s->member[at] = i;
	}
	return 0;
}

void side_release(struct diff_side *s)
{
	free(s->member_start);
	free(s->member);
}

const struct api_symbol *side_symbol(const struct diff_side *s, uint32_t id)
{
	return id ? api_index__symbol(s->ix, id) : NULL;
}

/* Number of the first symbol of that name, 0 when there is none. */
static size_t find_name(const struct diff_side *s, const char *name)
{
	size_t lo = 1, hi = s->n + 1;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(side_symbol(s, mid)->name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo <= s->n && !strcmp(side_symbol(s, lo)->name, name) ? lo : 0;
}

static const struct api_symbol *first_of(const struct diff_side *s, const char *name, unsigned kinds)
{
	size_t i = find_name(s, name);

	for (; i && i <= s->n && !strcmp(side_symbol(s, i)->name, name); i++)
		if (side_symbol(s, i)->kind & kinds)
			return side_symbol(s, i);
	return NULL;
}

const struct api_symbol *side_ordinary(const struct diff_side *s, const char *name)
{
	return first_of(s, name, API_ORDINARY);
}

const struct api_symbol *side_tag(const struct diff_side *s, const char *name)
{
	return first_of(s, name, API_TAG);
}

const uint32_t *side_members(const struct diff_side *s, const struct api_symbol *owner, size_t *n)
{
	*n = s->member_start[owner->id + 1] - s->member_start[owner->id];
	return s->member + s->member_start[owner->id];
}

const struct api_symbol *side_forwarded(const struct diff_side *s, const struct api_symbol *sym)
{
	int hops;

	for (hops = 0; sym && hops < 5; hops++) {
		if (sym->kind & (API_FUNCTION | API_INLINE))
			return sym;
		if (!(sym->kind & (API_MACRO | API_MACRO_FN)) || !sym->alias)
			return NULL;
		sym = side_ordinary(s, sym->alias);
	}
	return NULL;
}
