// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/error.h"
#include "harness/driver-internal.h"

int driver_load_deb(struct driver *d, const char *input, struct strbuf *err)
{
	return kp_fail(err, KP_ERR, "'%s': .deb input is not there yet", input);
}
