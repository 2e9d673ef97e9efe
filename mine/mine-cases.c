// SPDX-License-Identifier: GPL-2.0-only
/* kport mine cases: candidate cases for the benchmark. */
#include "base/compat.h"
#include "mine/mine-sub.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "mine/cases.h"
#include "mine/cochange.h"

static const struct command command = {
	"mine cases", "list drivers that had to follow a change, as candidate cases",
	"kport mine cases --trees OLD NEW --out FILE [--dir DIR]\n"
	"kport mine cases REPO --out FILE", NULL
};

static void summary(const struct case_list *l, bool trees, const char *out)
{
	if (opt_json) {
		json_t *v = json_object();

		json_set_str(v, "file", out);
		json_set_int(v, "cases", (int64_t)l->n);
		json_set_int(v, "drivers", (int64_t)l->drivers);
		if (trees)
			json_set_int(v, "differ", (int64_t)l->differ);
		else
			json_set_int(v, "not_built_alone", (int64_t)l->unbuilt);
		json_print(v);
		return;
	}
	if (trees)
		printf("%zu candidate cases from %" PRIu64 " drivers of one file, %" PRIu64 " of them different\n", l->n,
		       l->drivers, l->differ);
	else
		printf("%zu candidate cases from %" PRIu64 " drivers that followed a change, %" PRIu64 " of them left out: "
		       "with a header of their own, or not built alone by "
		       "their directory's Makefile (obj-$(CONFIG_NAME) += FILE.o)\n", l->n, l->drivers,
		       l->unbuilt);
}

int mine_cases(int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT, dirs = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct case_list l = { 0 };
	const char *out = NULL;
	bool trees = false;
	const struct option table[] = {
		OPTION_BOOL(0, "trees", &trees, "the operands are two source trees, the older first"),
		OPTION_LIST(0, "dir", &dirs, "DIR", "only drivers below this directory (may be repeated)"),
		OPTION_STR('o', "out", &out, "FILE", "write the cases there, one JSON object a line"),
		OPTION_END()
	};
	int ret;

	options_parse(&command, table, argc, argv, &operands);
	if (operands.n != (trees ? 2 : 1))
		usage("name two source trees (--trees OLD NEW), or a repository that was mined");
	if (dirs.n && !trees)
		usage("--dir goes with --trees");
	if (!out || !*out)
		usage("say where the cases go: --out FILE");
	ret = file_check_out(out, &err);
	if (ret) {
		/* Said before anything is read. */
	} else if (trees) {
		ret = cases_from_trees(operands.v[0], operands.v[1], dirs.n ? &dirs : NULL, &l, &err);
	} else {
		char *store = cochange_path(operands.v[0]);

		ret = cases_from_history(operands.v[0], store, &l, &err);
		free(store);
	}
	if (!ret) {
		cases_finish(&l);
		ret = cases_write(&l, out, &err);
	}
	if (ret)
		log_error("%s", err.buf);
	else
		summary(&l, trees, out);
	case_list_release(&l);
	strvec_release(&operands);
	strvec_release(&dirs);
	strbuf_release(&err);
	return ret == KP_NOTFOUND ? EXIT_FATAL : ret ? kp_exit_code(ret) : EXIT_YES;
}
