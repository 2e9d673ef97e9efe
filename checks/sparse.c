/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/sparse.h"
#include "base/alloc.h"
#include "base/error.h"
#include "checks/unittool.h"

/* ---- its command ---------------------------------------------------------- */

static void push_command(const struct kbuild_unit *u, bool stand_ins, struct strvec *argv)
{
	/* The predefined names are those that the kernel's Makefile gives to its checker. */
	static const char *const front[] = { "sparse", "-D__linux__", "-Dlinux", "-D__STDC__", "-Dunix",
					     "-D__unix__", "-Wbitwise", "-Wno-return-void",
					     "-Wno-unknown-attribute", NULL };
	strvec_pushv(argv, front);
	if (stand_ins)
		strvec_pushl(argv, "-D__typeof_unqual__=__typeof__", "-D__builtin_strlen(x)=(sizeof(x)-1)",
			     NULL);
	unit_tool_args(u, argv);
}

static int run(const struct kbuild_unit *u, const struct kernel *k, const char *tree, bool stand_ins,
	       struct strbuf *out, struct strbuf *err)
{
	struct strvec argv = STRVEC_INIT;
	int ret;

	push_command(u, stand_ins, &argv);
	ret = unit_tool_run(u, k, tree, &argv, out, err);
	strvec_release(&argv);
	return ret;
}

/* ---- its answer ----------------------------------------------------------- */

static void read_answer(const struct kbuild_unit *u, const char *tree, const struct strbuf *out,
			struct finding_list *l, enum sparse_answer *answer)
{
	struct strvec lines = STRVEC_INIT;
	size_t i;

	*answer = SPARSE_JUDGED;
	strvec_split(&lines, out->buf, "\n");
	for (i = 0; i < lines.n; i++) {
		const char *text, *rel;
		char *file, *full;
		bool error;
		int line;

		if (!unit_tool_line(lines.v[i], &file, &line, &error, &text))
			continue;
		rel = unit_tool_place(u, tree, file, &full);
		if (error && !rel)
			*answer = SPARSE_HEADERS_UNREADABLE;
		else if (error && *answer == SPARSE_JUDGED)
			*answer = SPARSE_NOT_JUDGED;
		if (rel)
			finding_addf(l, "sparse", NULL, rel, line, NULL, "%s", text);
		free(file);
		free(full);
	}
	strvec_release(&lines);
}

int sparse_unit(const struct kbuild_unit *u, const struct kernel *k, const char *tree,
		struct finding_list *out, enum sparse_answer *answer, struct strbuf *err)
{
	char *sparse = child_which("sparse");
	int ret = 0, stand_ins;

	if (!sparse)
		return kp_fail(err, KP_NOTFOUND, "sparse is not installed: apt-get install sparse");
	for (stand_ins = 0; stand_ins < 2; stand_ins++) {
		struct finding_list l = { 0 };
		struct strbuf text = STRBUF_INIT;
		size_t i;

		ret = run(u, k, tree, stand_ins, &text, err);
		if (ret == 0)
			read_answer(u, tree, &text, &l, answer);
		/* The first attempt counts when it went well, the second in any case. */
		for (i = 0; ret == 0 && i < l.n && (stand_ins || *answer == SPARSE_JUDGED); i++)
			finding_addf(out, "sparse", NULL, l.f[i].file, l.f[i].line, NULL, "%s", l.f[i].text);
		finding_list_release(&l);
		strbuf_release(&text);
		if (ret < 0 || *answer == SPARSE_JUDGED)
			break;
	}
	free(sparse);
	return ret;
}
