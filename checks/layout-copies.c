// SPDX-License-Identifier: GPL-2.0-only
/*
 * Private copies: a structure of the driver that is laid over one of the kernel (by a cast, by memcpy(), or because
 * it has the kernel's name for it) and on the old kernel had its members where the kernel had them. On the
 * target they must be there still.
 */
#include "base/compat.h"
#include "checks/layout-judge.h"

#include "base/alloc.h"
#include "base/error.h"
#include "checks/layout-vmlinux.h"

/* A copy that is shorter than this could be one by chance. */
#define MIN_BY_NAME 3
#define MIN_BY_CAST 2

struct match {
	size_t fit, named;	/* members at a place where the kernel has the same type; the same name too */
	const struct shape_member *bad, *there; /* first that does not fit; what the kernel has there or of its name */
};

static bool is_filler(const struct shape_member *m)
{
	return starts_with(m->path, "pad") || starts_with(m->path, "_pad") || starts_with(m->path, "__pad") ||
	       starts_with(m->path, "reserved") || starts_with(m->path, "_reserved") ||
	       starts_with(m->path, "__reserved") || starts_with(m->path, "unused");
}

static const struct shape_member *at_place(const struct shape *s, const struct shape_member *m)
{
	const struct shape_member *any = NULL;

	for (size_t i = 0; i < s->n; i++) {
		if (s->m[i].level || s->m[i].offset != m->offset)
			continue;
		if (!strcmp(s->m[i].path, m->path))
			return &s->m[i];
		if (!any || (s->m[i].width == m->width && s->m[i].kind == m->kind))
			any = &s->m[i];
	}
	return any;
}

static bool same_sort(const struct shape_member *a, const struct shape_member *b)
{
	return a->width == b->width && (a->kind == b->kind || a->kind == SHAPE_OTHER || b->kind == SHAPE_OTHER);
}

/* names: a member must have the kernel's name where "before" had it. */
static void match_shapes(const struct shape *copy, const struct shape *kernel, const struct shape *before,
			 struct match *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < copy->n; i++) {
		const struct shape_member *m = &copy->m[i], *k, *was;
		bool ok;

		if (m->level || is_filler(m))
			continue;
		k = at_place(kernel, m);
		ok = k && same_sort(m, k);
		was = ok && before ? shape_member(before, m->path) : NULL;
		/* Another name where the old kernel had this one: it is something else now. */
		if (was && was->offset == m->offset && strcmp(k->path, m->path))
			ok = false;
		if (ok) {
			out->fit++;
			out->named += !strcmp(k->path, m->path);
		} else if (!out->bad) {
			out->bad = m;
			out->there = k ? k : shape_member(kernel, m->path);
		}
	}
}

static bool is_copy(const struct match *m, size_t least)
{
	return !m->bad && m->fit >= least && m->named * 2 >= m->fit;
}

static void say(struct layout_judge *j, const struct use *at, const struct shape *copy, const struct shape *kernel,
		const struct match *m, const char *how)
{
	struct strbuf there = STRBUF_INIT;

	if (m->there && m->there->offset == m->bad->offset)
		strbuf_addf(&there, "the kernel has '%s' (%u bits) there", m->there->path, m->there->width);
	else if (m->there)
		strbuf_addf(&there, "the kernel has it at %u", m->there->offset / 8);
	else
		strbuf_addstr(&there, "the kernel has nothing there");
	judge_say(j, true, "private-copy", at, "%s is a copy of the kernel's %s on %s (%s), on %s it is not: "
		  "'%s' (%u bits) is at %u, %s", copy->name, kernel->name, j->from, how, j->to, m->bad->path,
		  m->bad->width, m->bad->offset / 8, there.buf);
	strbuf_release(&there);
}

static void judge_match(struct layout_judge *j, const struct use *at, const struct shape_pair *copy,
			const struct shape *ka, const struct shape *kb, size_t least, const char *how)
{
	struct match m;

	match_shapes(&copy->a, ka, NULL, &m);
	if (!is_copy(&m, least))
		return;
	j->copies++;
	match_shapes(&copy->b, kb, ka, &m);
	if (m.bad)
		say(j, at, &copy->b, kb, &m, how);
}

/* ---- by use --------------------------------------------------------------- */

static void judge_laid_over(struct layout_judge *j, const struct use *u)
{
	const struct dbg_struct *own = u->st->own ? u->st : u->other, *kernel = own == u->st ? u->other : u->st;
	const struct shape_pair *c, *k;

	if (!own || !kernel || !own->own || kernel->own)
		return;
	c = judge_pair(j, own);
	k = judge_pair(j, kernel);
	if (c->both && k->both)
		judge_match(j, u, c, &k->a, &k->b, MIN_BY_CAST, u->kind == USE_CAST ? "laid over it by a cast" :
			    "copied by memcpy()");
}

/* ---- by name -------------------------------------------------------------- */

static const struct dbg_struct *kernels_own(const struct dbg *g, const char *name)
{
	const struct dbg_struct *s = strmap_get(&g->structs, name);

	while (s && s->own)
		s = s->next;
	return s;
}

struct images {
	struct vmlinux *a, *b;
};

/* From a header that another unit includes, else from the image. */
static bool kernel_shape(const struct dbg *g, const struct vmlinux *v, const char *name, struct shape *out)
{
	const struct dbg_struct *s = kernels_own(g, name);

	if (s)
		shape_read(g, s, out);
	return s || (v && vmlinux_shape(v, name, out));
}

static void judge_named(struct layout_judge *j, const struct images *im, const struct dbg_struct *s)
{
	struct shape ka = { 0 }, kb = { 0 };
	const struct shape_pair *c;
	struct use at = { .file = s->file, .line = s->line };

	if (!kernel_shape(j->a, im->a, s->name, &ka))
		return;
	c = judge_pair(j, s);
	if (c->both && kernel_shape(j->b, im->b, s->name, &kb))
		judge_match(j, &at, c, &ka, &kb, MIN_BY_NAME, "it has its name");
	shape_release(&ka);
	shape_release(&kb);
}

static int open_images(struct layout_judge *j, struct images *im, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = vmlinux_open(j->ka, &im->a, &why);

	if (ret == 0)
		ret = vmlinux_open(j->kb, &im->b, &why);
	j->no_btf = ret == KP_NOTFOUND;
	if (ret < 0 && ret != KP_NOTFOUND)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret == KP_NOTFOUND ? 0 : ret;
}

int judge_copies(struct layout_judge *j, struct strbuf *err)
{
	struct images im = { 0 };
	struct strmap_entry *e;
	int ret;

	for (size_t i = 0; i < j->ub->n; i++)
		if (j->ub->u[i].kind == USE_CAST || j->ub->u[i].kind == USE_COPY)
			judge_laid_over(j, &j->ub->u[i]);
	ret = open_images(j, &im, err);
	if (ret == 0)
		strmap_for_each(&j->b->structs, e)
			for (const struct dbg_struct *s = e->value; s; s = s->next)
				if (s->own)
					judge_named(j, &im, s);
	vmlinux_close(im.a);
	vmlinux_close(im.b);
	return ret;
}
