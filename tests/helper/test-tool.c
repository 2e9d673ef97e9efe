// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/child.h"
#include "base/log.h"
#include "tests/helper/test-tool.h"

static const struct {
	const char *name;
	int (*run)(int argc, const char **argv);
	const char *usage;
} tools[] = {
	{ "apt", tool_apt, "SUITE PACKAGE VERSION DIR  (download; - for any)" },
	{ "audit", tool_audit, "FILE EVENT...  (append: child:PROG, many:N, hold:FIFO, NAME:VALUE)" },
	{ "child", tool_child, "[--timeout SECONDS] [--cap BYTES] [--jobs N] COMMAND...  (tells its end)" },
	{ "cochange", tool_cochange, "REPO [--examples|--all] <HASHES | mine REPO STORE [RANGE] [--fast] [--one-job]"
				     " | dump STORE | symbol|commit|examples STORE NAME" },
	{ "diag", tool_diag, "FILE  (gcc's JSON; prints what diag_parse_gcc and diag_fold make of it)" },
	{ "gates", tool_gates, "LIST FROM TO OLD NEW  (the ladder over a port made by hand, as JSON)" },
	{ "history", tool_history, "[--first-parent] [--all] [--jobs N] [--quiet] REPO STORE [RANGE]  (walk; prints commits and files)" },
	{ "json", tool_json, "FILE PATH  (the value at .a.b[0]; PATH# counts)" },
	{ "kbuild", tool_kbuild, "[--raw] [--recheck N] [--keep DIR] [--wall SECONDS] INPUT KERNEL" },
	{ "rule", tool_rule, "RULES [NAME DIR FILE]  (list; or FILE of DIR behind the semantic patch)" },
	{ "machine", tool_machine, "[--[old-]kernel K | --[old-]image F --[old-]modules DIR] [--old-ko F] [--seconds N] "
				   "[--runs N] RUN_DIR KO...  (boot to behaviour; prints JSON)" },
	{ "progress", tool_progress, "SECONDS [log]  (a bar for that long; with a log line in between)" },
	{ "sandbox", tool_sandbox, "[--rw DIR] [--processes N] [--write-mib N] [--wall SECONDS] COMMAND..." },
};

int main(int argc, const char **argv)
{
	child_catch_signals();
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(tools); i++)
		if (!strcmp(argv[1], tools[i].name))
			return tools[i].run(argc - 1, argv + 1);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		fprintf(stderr, "usage: test-tool %s %s\n", tools[i].name, tools[i].usage);
	return 129;
}
