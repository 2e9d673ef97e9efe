// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/histories.h"

#include <dirent.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "mine/share.h"

static void add_own(struct strvec *paths)
{
	char *cache = kport_cache_dir(), *dir = path_join(cache, "index");
	struct strvec names = STRVEC_INIT;
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (starts_with(e->d_name, "history-") && ends_with(e->d_name, ".db"))
			strvec_push(&names, e->d_name);
	if (d)
		closedir(d);
	strvec_sort(&names);
	for (size_t i = 0; i < names.n; i++)
		strvec_push_nodup(paths, path_join(dir, names.v[i]));
	strvec_release(&names);
	free(dir);
	free(cache);
}

void histories_list(struct strvec *paths)
{
	struct share_list l;

	add_own(paths);
	share_list_imported(&l);
	for (size_t i = 0; i < l.n; i++)
		if (l.v[i].kind == SHARE_HISTORY)
			strvec_push_nodup(paths, share_part_path(&l.v[i], SHARE_STORE));
	share_list_release(&l);
}
