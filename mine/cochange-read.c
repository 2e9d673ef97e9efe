// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/error.h"
#include "mine/cochange-internal.h"
#include "mine/history-objects.h"

#define MAX_BASE (64u << 20) /* what a delta may be made of */

/* KP_NOTFOUND: no such side. KP_ERR: missing, broken or too large. */
int cc_read(struct cc_commit *cc, const git_oid *id, struct cc_blob *b)
{
	size_t size;
	git_object_t type;

	*b = (struct cc_blob){ .text = "" };
	if (git_oid_is_zero(id))
		return KP_NOTFOUND;
	if (cc->c->blobs) {
		if (objects_get(cc->c->blobs, id, GIT_OBJECT_BLOB, MAX_BASE, &b->held))
			return KP_ERR;
		if (b->held->size > CC_MAX_BLOB)
			return KP_ERR;
		b->text = (const char *)b->held->data;
		b->len = b->held->size;
		return 0;
	}
	if (git_odb_read_header(&size, &type, cc->odb, id) || size > CC_MAX_BLOB || type != GIT_OBJECT_BLOB)
		return KP_ERR;
	if (git_odb_read(&b->other, cc->odb, id))
		return KP_ERR;
	b->text = git_odb_object_data(b->other);
	b->len = git_odb_object_size(b->other);
	return 0;
}

void cc_put(struct cc_commit *cc, struct cc_blob *b)
{
	if (b->held)
		objects_put(cc->c->blobs, b->held);
	git_odb_object_free(b->other);
}
