// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/pairs.h"

#include "port/names.h"
#include "port/usage.h"

static bool any_declared(struct api_index *ix, const struct strvec *names)
{
	for (size_t i = 0; i < names->n; i++)
		if (api_lookup(ix, names->v[i], API_ANY_CALLABLE))
			return true;
	return false;
}

bool rename_breaks_pair(const struct tree *t, struct api_index *old_ix, struct api_index *new_ix,
			const char *from, const char *to)
{
	struct strvec ours = STRVEC_INIT, theirs = STRVEC_INIT;
	bool used = false, breaks;

	names_partners(from, &ours);
	names_partners(to, &theirs);
	for (size_t i = 0; i < ours.n && !used; i++)
		used = tree_uses_ident(t, ours.v[i]) && api_lookup(old_ix, ours.v[i], API_ANY_CALLABLE);
	breaks = used && !any_declared(new_ix, &theirs);
	strvec_release(&ours);
	strvec_release(&theirs);
	return breaks;
}
