// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/history-diff.h"

#include "base/alloc.h"
#include "mine/history-parse.h"

struct side {
	struct object *o;	/* NULL: the empty tree */
	const uint8_t *p, *end;
	struct tree_entry e;
	bool have;		/* e is read and not yet used */
};

void tree_compare_init(struct tree_compare *d, struct objects *objects)
{
	memset(d, 0, sizeof(*d));
	strbuf_init(&d->prefix);
	strbuf_init(&d->paths);
	d->objects = objects;
}

void tree_compare_release(struct tree_compare *d)
{
	free(d->files);
	strbuf_release(&d->prefix);
	strbuf_release(&d->paths);
}

static enum object_result compare(struct tree_compare *d, const git_oid *old_id, const git_oid *new_id);

static enum object_result open_side(struct tree_compare *d, const git_oid *id, struct side *s)
{
	enum object_result ret;

	memset(s, 0, sizeof(*s));
	if (!id)
		return OBJECT_OK;
	if (++d->opened > DIFF_MAX_TREES)
		return OBJECT_OVERSIZE;
	ret = objects_get(d->objects, id, GIT_OBJECT_TREE, TREE_MAX_BYTES, &s->o);
	if (ret)
		return ret;
	s->p = s->o->data;
	s->end = s->p + s->o->size;
	return OBJECT_OK;
}

static enum object_result add_file(struct tree_compare *d, const struct tree_entry *old_e,
				   const struct tree_entry *new_e)
{
	const struct tree_entry *e = old_e ? old_e : new_e;
	struct history_file *f;

	if (d->nfiles >= DIFF_MAX_FILES || d->paths.len >= DIFF_MAX_PATHS ||
	    d->prefix.len + e->len >= TREE_MAX_PATH)
		return OBJECT_OVERSIZE;
	ALLOC_GROW(d->files, d->nfiles + 1, d->alloc);
	f = &d->files[d->nfiles++];
	memset(f, 0, sizeof(*f));
	f->path = (const char *)d->paths.len;
	strbuf_add(&d->paths, d->prefix.buf, d->prefix.len);
	strbuf_add(&d->paths, e->name, e->len + 1);
	if (old_e) {
		memcpy(f->old_id.id, old_e->id, sizeof(f->old_id.id));
		f->old_mode = old_e->mode;
	}
	if (new_e) {
		memcpy(f->new_id.id, new_e->id, sizeof(f->new_id.id));
		f->new_mode = new_e->mode;
	}
	return OBJECT_OK;
}

static enum object_result enter(struct tree_compare *d, const struct tree_entry *old_e,
				const struct tree_entry *new_e)
{
	const struct tree_entry *e = old_e ? old_e : new_e;
	size_t len = d->prefix.len;
	git_oid old_id, new_id;
	enum object_result ret;

	if (d->depth >= TREE_MAX_DEPTH || len + e->len + 1 >= TREE_MAX_PATH)
		return OBJECT_OVERSIZE;
	if (old_e)
		memcpy(old_id.id, old_e->id, sizeof(old_id.id));
	if (new_e)
		memcpy(new_id.id, new_e->id, sizeof(new_id.id));
	strbuf_add(&d->prefix, e->name, e->len);
	strbuf_addch(&d->prefix, '/');
	d->depth++;
	ret = compare(d, old_e ? &old_id : NULL, new_e ? &new_id : NULL);
	d->depth--;
	strbuf_setlen(&d->prefix, len);
	return ret;
}

/* One name that is there on one side or on both, and not the same. */
static enum object_result differ(struct tree_compare *d, const struct tree_entry *old_e,
				 const struct tree_entry *new_e)
{
	bool old_dir = old_e && tree_is_dir(old_e->mode), new_dir = new_e && tree_is_dir(new_e->mode);
	enum object_result ret;

	if ((old_e && !tree_name_is_good(old_e)) || (new_e && !tree_name_is_good(new_e)))
		return OBJECT_BROKEN;
	/* The order of names keeps a file and a directory of one name apart. */
	if (!old_dir && !new_dir)
		return add_file(d, old_e, new_e);
	ret = enter(d, old_dir ? old_e : NULL, new_dir ? new_e : NULL);
	return ret;
}

static bool same_entry(const struct tree_entry *a, const struct tree_entry *b)
{
	return a->mode == b->mode && !memcmp(a->id, b->id, GIT_OID_RAWSZ);
}

static int fill(struct side *s)
{
	int got = s->have ? 1 : tree_next(&s->p, s->end, &s->e);

	s->have = got > 0;
	return got;
}

static enum object_result compare_sides(struct tree_compare *d, struct side *a, struct side *b)
{
	for (;;) {
		enum object_result ret = OBJECT_OK;
		int c;

		if (!a->have && !b->have && a->o && b->o) {
			c = tree_skip_same(&a->p, a->end, &b->p, b->end);
			if (c <= 0)
				return c ? OBJECT_BROKEN : OBJECT_OK;
		}
		if (fill(a) < 0 || fill(b) < 0)
			return OBJECT_BROKEN;
		if (!a->have && !b->have)
			return OBJECT_OK;
		c = !b->have ? -1 : !a->have ? 1 : tree_name_cmp(&a->e, &b->e);
		if (c || !same_entry(&a->e, &b->e))
			ret = differ(d, c <= 0 ? &a->e : NULL, c >= 0 ? &b->e : NULL);
		if (ret)
			return ret;
		if (c <= 0)
			a->have = false;
		if (c >= 0)
			b->have = false;
	}
}

static enum object_result compare(struct tree_compare *d, const git_oid *old_id, const git_oid *new_id)
{
	struct side a, b;
	enum object_result ret = open_side(d, old_id, &a);

	if (ret)
		return ret;
	ret = open_side(d, new_id, &b);
	if (!ret)
		ret = compare_sides(d, &a, &b);
	objects_put(d->objects, a.o);
	objects_put(d->objects, b.o);
	return ret;
}

/* Offsets become pointers; a tree whose names are out of order gives paths that are. */
static enum object_result finish(struct tree_compare *d)
{
	for (size_t i = 0; i < d->nfiles; i++) {
		d->files[i].path = d->paths.buf + (size_t)d->files[i].path;
		if (i && strcmp(d->files[i - 1].path, d->files[i].path) >= 0)
			return OBJECT_BROKEN;
	}
	return OBJECT_OK;
}

enum object_result tree_compare(struct tree_compare *d, const git_oid *old_tree, const git_oid *new_tree)
{
	enum object_result ret;

	d->nfiles = d->opened = d->depth = 0;
	strbuf_reset(&d->prefix);
	strbuf_reset(&d->paths);
	if (old_tree && new_tree && git_oid_equal(old_tree, new_tree))
		return OBJECT_OK;
	ret = compare(d, old_tree, new_tree);
	return ret ? ret : finish(d);
}
