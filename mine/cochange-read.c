// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/error.h"
#include "mine/cochange-internal.h"

/* KP_NOTFOUND: no such side. KP_ERR: missing, broken or too large. */
int cc_read(struct cc_commit *cc, const git_oid *id, git_odb_object **blob, const char **text,
	    size_t *len)
{
	size_t size;
	git_object_t type;

	*blob = NULL;
	*text = "";
	*len = 0;
	if (git_oid_is_zero(id))
		return KP_NOTFOUND;
	if (git_odb_read_header(&size, &type, cc->odb, id) || size > CC_MAX_BLOB || type != GIT_OBJECT_BLOB)
		return KP_ERR;
	if (git_odb_read(blob, cc->odb, id))
		return KP_ERR;
	*text = git_odb_object_data(*blob);
	*len = git_odb_object_size(*blob);
	return 0;
}
