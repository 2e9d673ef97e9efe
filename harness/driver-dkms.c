// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/error.h"
#include "harness/driver-internal.h"

int driver_load_dkms(struct driver *d, const char *input, struct strbuf *err)
{
	d->kind = DRIVER_DKMS;
	return driver_copy_tree(input, d->tree, err);
}

int driver_dkms_configure(struct driver *d, const struct kernel *k, struct strbuf *err)
{
	return 0;
}
