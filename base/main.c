// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program: looks the subcommand up in the table, runs it, and makes sure
 * that what it printed has arrived before success is reported.
 */
#include "base/compat.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/command.h"
#include "base/config.h"
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/terminal.h"

#ifndef KPORT_VERSION
#define KPORT_VERSION "0.1"
#endif

static int run_help(const struct command *cmd, int argc, const char **argv);
static int run_version(const struct command *cmd, int argc, const char **argv);

static const struct command cmd_help = { "help", "list the commands, or explain one",
					 "kport help [COMMAND]", run_help };
static const struct command cmd_version = { "version", "print the version of kport",
					    "kport version [--json]", run_version };

/* Sorted by name; one line each. */
static const struct command *const commands[] = {
	&cmd_ask,
	&cmd_audit,
	&cmd_bench,
	&cmd_boot,
	&cmd_check,
	&cmd_devices,
	&cmd_doctor,
	&cmd_explain,
	&cmd_help,
	&cmd_impact,
	&cmd_index,
	&cmd_kernel,
	&cmd_learn,
	&cmd_mine,
	&cmd_nightly,
	&cmd_port,
	&cmd_version,
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

NORETURN static void unknown_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands) + 1] = { NULL };
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	near = closest_word(name, names);
	if (near)
		usage("unknown command '%s'; did you mean '%s'?", name, near);
	usage("unknown command '%s'; 'kport help' lists the commands", name);
}

static void print_commands(FILE *out)
{
	fprintf(out, "usage: kport COMMAND [options] [operands]\n\n"
		     "Carries out-of-tree Linux drivers from one kernel to another.\n\nCommands\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "    %-12s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "\n'kport COMMAND -h' lists the options of a command.\n");
}

static void print_commands_json(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", commands[i]->name,
						      "summary", commands[i]->summary, "usage",
						      commands[i]->usage));
	json_dumpf(list, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(list);
}

static int run_help(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	const struct command *about = NULL;
	const char *ask[] = { "", "-h", NULL };

	options_parse(cmd, NULL, argc, argv, &operands);
	if (operands.n > 1)
		usage("unexpected operand '%s'", operands.v[1]);
	if (operands.n && !(about = find_command(operands.v[0])))
		unknown_command(operands.v[0]);
	strvec_release(&operands);
	if (about)
		return about->run(about, 2, ask);
	if (opt_json)
		print_commands_json();
	else
		print_commands(stdout);
	return EXIT_YES;
}

static int run_version(const struct command *cmd, int argc, const char **argv)
{
	options_parse(cmd, NULL, argc, argv, NULL);
	if (opt_json)
		printf("{\"version\": \"%s\"}\n", KPORT_VERSION);
	else
		printf("kport %s\n", KPORT_VERSION);
	return EXIT_YES;
}

/*
 * Files that we open must never become stdin, stdout or stderr. An answer that is written to a
 * closed standard output must not seem to have arrived: nothing can be written to its stand-in.
 */
static void open_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) >= 0 && fcntl(STDOUT_FILENO, F_GETFD) < 0 ?
			  O_RDONLY : O_RDWR);
	while (fd >= 0 && fd < 2);
	if (fd > 2)
		close(fd);
}

/* An answer that did not arrive (full disk) is not a success. */
static int flush_stdout(int code)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	if (errno == EPIPE) {
		/* The reader has left: end as other filters do. */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	log_error("cannot write to standard output: %s",
		  errno ? strerror(errno) : "an earlier write failed");
	return EXIT_INFRA;
}

static void load_config(void)
{
	struct strbuf err = STRBUF_INIT;
	int ret = config_load(&err);

	if (ret < 0) {
		log_error("%s", err.buf);
		exit(kp_exit_code(ret));
	}
	strbuf_release(&err);
}

int main(int argc, const char **argv)
{
	const struct command *cmd;
	int code, leading;

	open_standard_fds();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* an error of write() says more */
	child_catch_signals();
	terminal_guard();
	json_set_alloc_funcs(xmalloc, free);
	leading = options_leading(argc, argv);
	argc -= leading;
	argv += leading;
	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		cmd = &cmd_help;
	else if (!strcmp(argv[1], "--version"))
		cmd = &cmd_version;
	else if (!(cmd = find_command(argv[1])))
		unknown_command(argv[1]);
	if (cmd != &cmd_help && cmd != &cmd_version)
		load_config();
	log_set_command(cmd->name);
	code = cmd->run(cmd, argc - 1, argv + 1);
	config_release();
	return flush_stdout(code);
}
