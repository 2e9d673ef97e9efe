// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/command.h"

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"

/* "add, list or show" */
static void words_of(const struct command *table, size_t n, size_t skip, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", table[i].name + skip);
}

int command_dispatch(const struct command *cmd, const struct command *table, size_t n,
		     const struct option *help, int argc, const char **argv)
{
	size_t skip = strlen(cmd->name) + 1;
	struct strbuf words = STRBUF_INIT;

	words_of(table, n, skip, &words);
	if (argc < 2 || *argv[1] == '-') {
		struct strvec operands = STRVEC_INIT;

		options_parse(cmd, help, argc, argv, &operands);
		usage("say what to do: %s", words.buf);
	}
	for (size_t i = 0; i < n; i++)
		if (!strcmp(table[i].name + skip, argv[1])) {
			strbuf_release(&words);
			return table[i].run(&table[i], argc - 1, argv + 1);
		}
	usage("unknown word '%s'; it is %s", argv[1], words.buf);
}

int command_end(int ret, struct strbuf *err)
{
	if (ret < 0)
		log_error("%s", err->buf);
	strbuf_release(err);
	return ret < 0 ? kp_exit_code(ret) : EXIT_YES;
}
