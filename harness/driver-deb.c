// SPDX-License-Identifier: GPL-2.0-only
/* A Debian *-dkms package: unpacked next to the work tree, its usr/src/NAME-VERSION taken. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/driver-internal.h"

/* Directories usr/src/X that hold a dkms.conf. */
static int find_packages(const char *root, struct strvec *out, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	int ret = file_list(root, &files, err);

	for (size_t i = 0; i < files.n && !ret; i++) {
		const char *rest, *slash;

		if (!skip_prefix(files.v[i], "usr/src/", &rest))
			continue;
		slash = strchr(rest, '/');
		if (slash && !strcmp(slash, "/dkms.conf"))
			strvec_pushf(out, "usr/src/%.*s", (int)(slash - rest), rest);
	}
	strvec_release(&files);
	return ret;
}

int driver_load_deb(struct driver *d, const char *input, struct strbuf *err)
{
	struct strvec found = STRVEC_INIT;
	char *root = xstrfmt("%s.deb", d->tree), *dir = NULL;
	int ret = file_remove(root, err);

	if (!ret)
		ret = file_mkdirs(root, err);
	if (!ret)
		ret = deb_unpack(input, root, err);
	if (!ret)
		ret = find_packages(root, &found, err);
	if (!ret && found.n != 1)
		ret = kp_fail(err, KP_ERR,
			      found.n ? "'%s' holds %zu DKMS packages; unpack it and name one of its directories" :
					"'%s' is not a DKMS package: it has no usr/src/NAME-VERSION/dkms.conf (%zu found)",
			      d->origin, found.n);
	if (!ret) {
		dir = path_join(root, found.v[0]);
		ret = driver_load_dkms(d, dir, err);
	}
	if (!ret)
		ret = file_remove(root, err);
	else
		file_remove(root, &(struct strbuf)STRBUF_INIT);
	free(root);
	free(dir);
	strvec_release(&found);
	return ret;
}
