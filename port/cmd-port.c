// SPDX-License-Identifier: GPL-2.0-only
/* kport port: carry a driver to another kernel. */
#include "base/compat.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/command.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "checks/sarif.h"
#include "harness/firmware.h"
#include "harness/sandbox.h"
#include "port/model-setup.h"
#include "port/record.h"
#include "port/run.h"

struct port_opts {
	const char *from, *to, *out, *gates, *boot_from, *without, *firmware, *sarif;
	bool no_boot, no_sandbox, keep_work, explain, force, analyse;
	int64_t max_checks, boot_runs, jobs;
	double seconds, boot_seconds, build_seconds;
	struct strvec exclude;
};

static struct port_opts o = { .exclude = STRVEC_INIT };
static struct model_cli cli = MODEL_CLI_INIT;

static const struct option options[] = {
	OPTION_STR('f', "from", &o.from, "KERNEL", "kernel that the driver was written for; it must build there"),
	OPTION_STR('t', "to", &o.to, "KERNEL", "kernel to carry it to"),
	OPTION_STR('o', "out", &o.out, "DIR", "where results go (default: port-NAME in the current directory)"),
	OPTION_BOOL(0, "no-boot", &o.no_boot, "stop after the gates that need no machine"),
	OPTION_DBL(0, "boot-timeout", &o.boot_seconds, "SECONDS", "limit of one boot (default: 120)"),
	OPTION_DBL(0, "build-timeout", &o.build_seconds, "SECONDS", "limit of one build (default: 600)"),
	OPTION_COUNT(0, "boot-runs", &o.boot_runs, "N", "valid runs that must agree (default: 1)"),
	OPTION_STR(0, "boot-from", &o.boot_from, "START", "machines start 'fresh' (default) or from a 'snapshot'"),
	OPTION_STR(0, "firmware", &o.firmware, "DIR", "files that the driver may ask for in the machine, laid out as in /lib/firmware"),
	OPTION_STR(0, "gates", &o.gates, "LIST", "only these gates: apply,compile,link,nodiag,layout,boot,load,unload,probe,exercise,behaviour,honest"),
	OPTION_BOOL(0, "analyse", &o.analyse, "gate nodiag: gcc's and clang's analysers too (seconds a file)"),
	OPTION_STR(0, "sarif", &o.sarif, "FILE", "write the findings of all gates there as SARIF 2.1.0"),
	OPTION_GROUP("Search"),
	OPTION_COUNT(0, "max-checks", &o.max_checks, "N", "bound of the search in compiler answers"),
	OPTION_DBL(0, "timeout", &o.seconds, "SECONDS", "bound of the search in time (default: 900)"),
	OPTION_STR(0, "without", &o.without, "LIST", "leave these sources of edits out: cautions, rules, mined, group, ..."),
	OPTION_LIST(0, "exclude", &o.exclude, "PATH", "take no evidence from this file or directory of a kernel (may be repeated)"),
	OPTION_COUNT('j', "jobs", &o.jobs, "N", "compilers that the search runs at once (default: one a processor, at most 8)"),
	OPTION_BOOL(0, "explain", &o.explain, "print why each edit was taken"),
	OPTION_GROUP("Model (none is needed)"),
	OPTION_STR(0, "generator", &cli.generator, "WHO", "who proposes edits: engine (default), hybrid, model, or replay"),
	OPTION_STR('m', "model", &cli.model, "KIND:NAME", "openai:NAME or anthropic:NAME (default: agents.model)"),
	OPTION_STR(0, "model-url", &cli.url, "URL", "base address of the model's server (default: the vendor's)"),
	OPTION_COUNT(0, "samples", &cli.samples, "N", "answers to each question (default: 1)"),
	OPTION_STR(0, "budget", &cli.budget, "LIST", "bounds: rounds=3,tokens=400k,exchanges=N,money=N,seconds=1800"),
	OPTION_COUNT(0, "window", &cli.window, "TOKENS", "what the model can read and write at once (default: 32768)"),
	OPTION_COUNT(0, "max-tokens", &cli.max_tokens, "N", "longest answer (default: 4096)"),
	OPTION_STR(0, "exchanges", &cli.exchanges, "FILE", "record of exchanges (default: DIR/exchanges.jsonl)"),
	OPTION_LIST(0, "no-send", &cli.no_send, "PATTERN", "files whose text must not be sent"),
	OPTION_BOOL(0, "review", &cli.review, "ask the model for a critique of the result; it decides nothing"),
	OPTION_BOOL(0, "dump-prompt", &cli.dump, "print the first questions, send nothing"),
	OPTION_GROUP("Safety"),
	OPTION_BOOL(0, "no-sandbox", &o.no_sandbox, "run the driver's Makefile without the sandbox (you trust it)"),
	OPTION_BOOL(0, "keep-work", &o.keep_work, "keep DIR/work with the build trees"),
	OPTION_BOOL(0, "force", &o.force, "write into a directory that holds something else"),
	OPTION_END()
};

/* Exit code 1 is kept for drivers that were not ported: wrong input is fatal. */
static int fail(int code, struct strbuf *err)
{
	log_error("%s", err->buf);
	strbuf_release(err);
	return code == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(code);
}

/* What a run that could not begin leaves behind is of no use to anybody. */
static void clear_away(const char *dir)
{
	struct strbuf ignored = STRBUF_INIT;

	if (!o.keep_work)
		file_remove(dir, &ignored);
	strbuf_release(&ignored);
}

/* port-NAME from the last component of the input, without extension and version. */
static char *default_out(const char *input)
{
	char *real = file_realpath(input), *name = xstrdup(path_base(real ? real : input)), *out;
	size_t n = strcspn(name, "_ \t\n:");

	name[n] = '\0';
	if (n > 2 && (ends_with(name, ".c") || ends_with(name, ".h")))
		name[n - 2] = '\0';
	out = xstrfmt("port-%s", *name ? name : "OUT");
	free(name);
	free(real);
	return out;
}

/* Results of an earlier run may be replaced; other people's files may not. */
static int check_out(const char *dir, struct strbuf *err)
{
	char *record = path_join(dir, "result.json"), *audit = path_join(dir, "audit.jsonl");
	struct strvec files = STRVEC_INIT;
	struct strbuf ignored = STRBUF_INIT;
	int ret = 0;

	if (file_exists(dir) && !file_is_dir(dir)) {
		strbuf_addf(err, "'%s' is no directory; choose another one with --out", dir);
		ret = KP_ERR;
	} else if (!o.force && file_is_dir(dir) && !file_exists(record) && !file_exists(audit) &&
		   !file_list(dir, &files, &ignored) && files.n) {
		strbuf_addf(err, "'%s' holds other files; choose another directory with --out or "
			    "use --force", dir);
		ret = KP_ERR;
	}
	strvec_release(&files);
	strbuf_release(&ignored);
	free(record);
	free(audit);
	return ret;
}

static void audit_start(struct port_run *r)
{
	json_t *v = json_object();
	struct strbuf ignored = STRBUF_INIT;

	json_set_str(v, "input", r->input);
	json_set_str(v, "from", r->from ? r->from->release : NULL);
	json_set_str(v, "to", r->to->release);
	audit_add(r->audit, "port", v, &ignored);
	strbuf_release(&ignored);
}

static const char *str_or(const json_t *v, const char *key, const char *dflt)
{
	const char *s = json_get_str(v, key);

	return s ? s : dflt;
}

static void print_candidate(const json_t *v, const char *outcome)
{
	printf("    %s [%s, %s, %.2f]: %s\n", str_or(v, "candidate", "?"), str_or(v, "risk", "?"),
	       str_or(v, "technique", "?"), json_get_num(v, "score", 0), outcome);
}

/* The search's story: each breakage with what was tried for it, in the order of the search. */
static void print_trace(const struct port_run *r)
{
	const json_t *before = NULL;
	json_t *one, *alt;
	size_t i, k;

	if (!r->have_search)
		return;
	json_array_foreach(r->search.trace, i, one) {
		bool taken = !strcmp(str_or(one, "outcome", ""), "taken");

		if (!before || json_get_int(before, "node", -1) != json_get_int(one, "node", -1) ||
		    strcmp(str_or(before, "breakage", ""), str_or(one, "breakage", "")) ||
		    json_get_int(before, "line", 0) != json_get_int(one, "line", 0))
			printf("%s:%d: %s\n", str_or(one, "at", "?"), (int)json_get_int(one, "line", 0),
			       str_or(one, "breakage", ""));
		before = one;
		if (!json_get_str(one, "candidate")) {
			printf("    %s\n", str_or(one, "outcome", ""));
			continue;
		}
		print_candidate(one, str_or(one, "outcome", ""));
		if (taken && json_get_str(one, "why"))
			printf("        because: %s\n", json_get_str(one, "why"));
		json_array_foreach(json_object_get(one, "alternatives"), k, alt)
			print_candidate(alt, "not tried, the one before does it");
	}
	if (r->search.nsteps)
		printf("\nkept:\n");
	for (i = 0; i < r->search.nsteps; i++)
		printf("  %-6s %s (%s)\n", risk_name(r->search.steps[i]->group->risk),
		       r->search.steps[i]->group->title, r->search.steps[i]->group->technique);
	printf("\n");
}

static int print_result(const struct port_run *r)
{
	struct strbuf out = STRBUF_INIT;

	if (r->model && r->model->dump) {
		fputs(r->model->dumped.buf, stdout);
	} else if (opt_json) {
		json_t *v = record_make(r);

		json_dump_pretty(v, &out);
		json_decref(v);
	} else {
		if (o.explain)
			print_trace(r);
		record_summary(r, log_color(STDOUT_FILENO), &out);
	}
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	if (r->outcome != PORT_NOT)
		return EXIT_YES;
	return port_run_lacks_machine(r) ? EXIT_INFRA : EXIT_NO;
}

static int port_into(struct port_run *r, struct model_setup *model, struct strbuf *err)
{
	struct lock lock = LOCK_INIT;
	char *trail = path_join(r->out_dir, "audit.jsonl");
	int ret = file_mkdirs(r->out_dir, err);

	if (!ret)
		ret = lock_take(&lock, r->out_dir, 0, err);
	if (!ret)
		ret = audit_open(trail, &r->audit, err);
	if (!ret) {
		audit_watch_children(r->audit);
		audit_start(r);
		ret = model_setup_start(model, r->out_dir, r->audit, err);
	}
	if (!ret) {
		r->model = model->on ? &model->opts : NULL;
		ret = port_run_execute(r, err);
	}
	lock_release(&lock);
	free(trail);
	return ret;
}

static unsigned gate_mask(void)
{
	struct strbuf err = STRBUF_INIT;
	unsigned mask = GATE_MASK_ALL;

	if (o.gates && gate_mask_parse(o.gates, &mask, &err) < 0)
		usage("%s", err.buf);
	return o.no_boot ? mask & ~GATE_MASK_MACHINE : mask;
}

static void take_without(struct port_run *r)
{
	struct strbuf names = STRBUF_INIT;

	if (o.without)
		strvec_split(&r->without, o.without, ",");
	for (size_t i = 0; i < r->without.n; i++) {
		if (strcmp(r->without.v[i], "cautions") && !propose_is_name(r->without.v[i], &names))
			usage("kport port: --without knows no '%s', but cautions %s", r->without.v[i], names.buf);
	}
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	enum machine_from boot_from = MACHINE_FRESH;
	struct model_setup model;
	struct port_run r;
	char *out, *abs;
	unsigned mask;
	bool made;
	int ret;

	options_parse(cmd, options, argc, argv, &operands);
	if (operands.n != 1)
		usage("name one driver (a directory, a dkms package, a .deb, or a file "
		      "of a kernel source tree)");
	if (!o.to)
		usage("--to KERNEL is missing; 'kport kernel list' shows what is there");
	mask = gate_mask();
	if (o.out && !*o.out)
		usage("--out needs the name of a directory");
	if (o.sarif && !*o.sarif)
		usage("--sarif needs the name of a file");
	if (!mask)
		usage("no gate is left to run");
	if (o.boot_seconds < 0 || o.build_seconds < 0 || o.seconds < 0)
		usage("limits cannot be negative");
	if (o.boot_from && machine_from_parse(o.boot_from, &boot_from, &err) < 0)
		usage("%s", err.buf);
	if (o.firmware && firmware_use(o.firmware, &err) < 0)
		usage("%s", err.buf);
	/* Before any child is started: it takes the key out of the environment. */
	if (model_setup_open(&cli, &model, &err))
		usage("%s", err.buf);
	if (o.no_sandbox)
		sandbox_disable();
	port_run_init(&r);
	take_without(&r);
	out = o.out ? xstrdup(o.out) : default_out(operands.v[0]);
	ret = kernel_resolve(o.to, &r.to, &err);
	if (!ret && o.from)
		ret = kernel_resolve(o.from, &r.from, &err);
	if (!ret)
		ret = check_out(out, &err);
	made = !ret && !file_exists(out);
	if (!ret)
		ret = file_mkdirs(out, &err);
	abs = ret ? NULL : file_realpath(out);
	if (!ret) {
		r.input = operands.v[0];
		r.out_dir = abs;
		r.gate_mask = mask;
		r.boot_seconds = o.boot_seconds;
		r.build_seconds = o.build_seconds;
		r.boot_runs = (unsigned)o.boot_runs;
		r.boot_from = boot_from;
		r.analyse = o.analyse;
		r.keep_work = o.keep_work;
		strvec_pushv(&r.exclude, o.exclude.v);
		r.search_opts.max_checks = (unsigned)o.max_checks;
		r.search_opts.wall_seconds = o.seconds;
		r.search_opts.jobs = (unsigned)o.jobs;
		ret = port_into(&r, &model, &err);
	}
	if (!ret && o.sarif)
		ret = sarif_write(o.sarif, &r.ladder, r.from != NULL, &err);
	if (made && ret && ret != KP_INTERRUPTED)
		clear_away(abs ? abs : out);
	ret = ret ? fail(ret, &err) : print_result(&r);
	kernel_free(r.from);
	kernel_free(r.to);
	port_run_release(&r);
	model_setup_close(&model);
	free(out);
	free(abs);
	strvec_release(&operands);
	return ret;
}

const struct command cmd_port = {
	.name = "port",
	.summary = "carry a driver to another kernel and prove the result",
	.usage = "kport port DRIVER --from KERNEL --to KERNEL [options]",
	.run = run,
};
