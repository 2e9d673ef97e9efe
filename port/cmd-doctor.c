// SPDX-License-Identifier: GPL-2.0-only
/* kport doctor: what this machine lacks, and the command that installs it. */
#include "base/compat.h"

#include "agents/backend.h"
#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "harness/doctor.h"

static void print_json(const struct doctor_report *r, const char *command)
{
	json_t *o = json_object(), *checks = json_array();

	for (size_t i = 0; i < r->n; i++) {
		const struct doctor_item *it = &r->items[i];
		json_t *c = json_object();

		json_set_str(c, "name", it->name);
		json_set_str(c, "status", doctor_status_name(it->status));
		json_set_str(c, "version", it->version);
		json_set_str(c, "purpose", it->purpose);
		json_set_str(c, "detail", it->detail);
		json_set_str(c, "package", it->package);
		json_array_append_new(checks, c);
	}
	json_set_bool(o, "ok", doctor_report_good(r));
	json_object_set_new(o, "checks", checks);
	json_set_str(o, "install", command);
	json_print(o);
}

static const char *status_color(enum doctor_status s)
{
	static const char *const colors[] = { "\033[32m", "\033[33m", "\033[31m" };

	return log_color(STDOUT_FILENO) ? colors[s] : "";
}

static void print_text(const struct doctor_report *r, const char *command)
{
	const char *reset = log_color(STDOUT_FILENO) ? "\033[0m" : "";
	int name = 0, version = 0;

	for (size_t i = 0; i < r->n; i++) {
		int n = (int)strlen(r->items[i].name);
		int v = r->items[i].version ? (int)strlen(r->items[i].version) : 1;

		name = n > name ? n : name;
		version = v > version ? v : version;
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct doctor_item *it = &r->items[i];

		printf("%s%-4s%s  %-*s  %-*s  %s\n", status_color(it->status),
		       doctor_status_name(it->status), reset, name, it->name, version,
		       it->version ? it->version : "-", it->purpose);
		if (it->detail)
			printf("      %s\n", it->detail);
	}
	if (command)
		printf("\nThis installs what is missing:\n    %s\n", command);
	if (doctor_report_good(r))
		printf("\nkport can work on this machine.\n");
	else
		printf("\nkport cannot work fully on this machine: see the lines marked 'bad'.\n");
}

/* A model is never needed: what is wrong with it is a note. */
static void check_model(struct doctor_report *r)
{
	struct doctor_item *it = doctor_add(r, "model", "'port --generator hybrid' and 'ask'");
	struct backend_opts o = BACKEND_OPTS_INIT;
	struct strbuf what = STRBUF_INIT, why = STRBUF_INIT;

	if (backend_opts_config(&o, &why)) {
		it->status = DOCTOR_NOTE;
	} else if (!o.model) {
		strbuf_addstr(&why, "none is set (agents.model in kport.conf, or --model); ports use the engine alone");
	} else if (!strcmp(o.model, "replay")) {
		it->version = xstrdup("replay");
	} else {
		it->version = xstrdup(o.model);
		if (backend_probe(&o, &what, &why))
			it->status = DOCTOR_NOTE;
	}
	if (why.len)
		it->detail = xstrdup(why.buf);
	strbuf_release(&what);
	strbuf_release(&why);
}

static int run_doctor(const struct command *cmd, int argc, const char **argv)
{
	struct doctor_report r = { 0 };
	char *command;
	bool good;

	options_parse(cmd, NULL, argc, argv, NULL);
	doctor_run(&r);
	check_model(&r);
	command = doctor_install_command(&r);
	if (opt_json)
		print_json(&r, command);
	else
		print_text(&r, command);
	good = doctor_report_good(&r);
	free(command);
	doctor_report_release(&r);
	return good ? EXIT_YES : EXIT_NO;
}

const struct command cmd_doctor = { "doctor",
				    "check what this machine has and lacks, and say how to get it",
				    "kport doctor [--json]", run_doctor };
