// SPDX-License-Identifier: GPL-2.0-only
/* kport check: judge a driver as it is on one kernel. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/workdir.h"
#include "checks/cmd-check.h"
#include "checks/sarif.h"
#include "harness/firmware.h"
#include "harness/sandbox.h"

#define SANITIZED_SECONDS 240 /* such a kernel takes five times as long to come up */

static struct check_opts o;
static enum machine_from boot_from;

static const struct option options[] = {
	OPTION_STR('k', "kernel", &o.kernel, "KERNEL", "kernel to build for and to boot"),
	OPTION_STR('f', "from", &o.from, "KERNEL", "kernel whose findings are known: only new ones count"),
	OPTION_STR(0, "before", &o.before, "DRIVER", "the driver as it was for --from: DRIVER is a port of it"),
	OPTION_STR(0, "gates", &o.gates, "LIST", "only these gates: compile,link,nodiag,layout,boot,load,unload,probe,exercise,behaviour; honest with --before"),
	OPTION_BOOL(0, "no-boot", &o.no_boot, "leave out the gates that need a machine"),
	OPTION_DBL(0, "boot-timeout", &o.boot_seconds, "SECONDS", "limit of one boot"),
	OPTION_COUNT(0, "boot-runs", &o.boot_runs, "N", "valid runs that must agree (default: 1)"),
	OPTION_STR(0, "boot-from", &o.boot_from, "START", "machines start 'fresh' (default) or from a 'snapshot'"),
	OPTION_STR(0, "firmware", &o.firmware, "DIR", "files that drivers may ask for in the machine, laid out as in /lib/firmware"),
	OPTION_BOOL(0, "sanitize", &o.sanitize, "the machine runs a kernel with KASAN, UBSAN and lockdep ('kport kernel build')"),
	OPTION_STR('o', "out", &o.out, "DIR", "keep build trees and logs there (default: a temporary directory)"),
	OPTION_STR(0, "kconfig", &o.config, "LIST", "make variables for a driver inside a kernel tree, \"CONFIG_X=m ...\""),
	OPTION_BOOL(0, "analyse", &o.analyse, "nodiag: gcc's and clang's analysers too (seconds a file)"),
	OPTION_STR(0, "sarif", &o.sarif, "FILE", "write the findings there as SARIF 2.1.0"),
	OPTION_BOOL(0, "no-sandbox", &o.no_sandbox, "run the driver's Makefile without the sandbox (you trust it)"),
	OPTION_END()
};

/* One driver built for one kernel. */
struct side {
	struct kernel *k;
	struct driver *d;
	struct kbuild_result build;
	bool built;
};

static void side_release(struct side *s)
{
	kernel_free(s->k);
	driver_free(s->d);
	if (s->built)
		kbuild_result_release(&s->build);
}

static int build_side(struct side *s, const char *input, const char *dir, const char *name,
		      struct strbuf *err)
{
	struct driver_load_opts load = { .config = o.config };
	char *tree = xstrfmt("%s/work/%s", dir, name), *log = xstrfmt("%s/logs/%s", dir, name);
	struct kbuild_opts opts = { .log_dir = log, .keep_going = true, .no_modpost_errors = true };
	struct progress *p = NULL;
	int ret = file_remove(tree, err);

	if (ret == 0)
		ret = file_mkdirs_for(tree, err);
	if (ret == 0)
		ret = driver_load(input, tree, &load, &s->d, err);
	if (ret == 0)
		ret = driver_dkms_configure(s->d, s->k, err);
	if (ret == 0 && s->d->exclusive)
		ret = kp_fail(err, KP_ERR, "the package is not meant for kernel '%s': %s", s->k->name,
			      s->d->exclusive);
	if (ret == 0) {
		p = progress_start(s->k->name, 0);
		progress_note(p, "building %s", s->d->name);
		ret = kbuild_run(s->d, s->k, &opts, &s->build, err);
		s->built = ret == 0;
	}
	progress_finish(p);
	free(tree);
	free(log);
	return ret;
}

static int gate_mask(unsigned *mask, struct strbuf *err)
{
	unsigned alone = GATE_MASK_ALL & ~(GATE_BIT(GATE_APPLY) | (o.before ? 0 : GATE_BIT(GATE_HONEST)));
	int ret = 0;

	*mask = alone;
	if (o.gates)
		ret = gate_mask_parse(o.gates, mask, err);
	if (ret == 0 && (*mask & ~alone))
		ret = kp_fail(err, KP_ERR, "gates 'apply' and 'honest' judge a port, not a driver alone: "
			      "use kport port%s", o.before ? "" : ", or name the driver before with --before");
	if (o.no_boot)
		*mask &= ~GATE_MASK_MACHINE;
	if (ret == 0 && !*mask)
		ret = kp_fail(err, KP_ERR, "no gate is left to run");
	return ret;
}

/* ---- answers -------------------------------------------------------------- */

static const char *verdict_color(enum verdict v)
{
	if (!log_color(STDOUT_FILENO))
		return "";
	return v == VERDICT_PASS ? "\033[32m" : v == VERDICT_FAIL ? "\033[31m" : "\033[33m";
}

static void print_gate(enum gate_id id, const struct gate_report *r)
{
	struct strbuf line = STRBUF_INIT;
	size_t i, most = 20;

	if (r->verdict == VERDICT_NONE)
		return;
	printf("%-8s %s%-7s%s %s\n", gate_name(id), verdict_color(r->verdict), verdict_name(r->verdict),
	       log_color(STDOUT_FILENO) ? "\033[0m" : "", r->reason.len ? r->reason.buf : gate_title(id));
	for (i = 0; i < r->findings.n && i < most; i++) {
		strbuf_reset(&line);
		finding_describe(&r->findings.f[i], &line);
		printf("    %s%s%s: %s\n", r->findings.f[i].tool, r->findings.f[i].rule ? " " : "",
		       r->findings.f[i].rule ? r->findings.f[i].rule : "", line.buf);
	}
	if (r->findings.n > most)
		printf("    and %zu more; --json lists all\n", r->findings.n - most);
	strbuf_release(&line);
}

static void print_json(const struct side *to, const struct side *from, const struct gate_ladder *l)
{
	json_t *v = json_object();

	json_set_str(v, "driver", to->d->name);
	json_set_str(v, "version", to->d->version);
	json_set_str(v, "kind", driver_kind_name(to->d->kind));
	json_set_str(v, "kernel", to->k->release);
	json_set_str(v, "from", from->k ? from->k->release : NULL);
	json_set_bool(v, "ok", gate_ladder_ok(l));
	json_object_set_new(v, "gates", gate_ladder_json(l));
	json_print(v);
}

/* The machine's fault anywhere is no answer about the driver. */
static int answer(const struct gate_ladder *l)
{
	bool infra = false;
	size_t i;

	if (gate_ladder_ok(l))
		return EXIT_YES;
	for (i = 0; i < GATE_COUNT; i++) {
		if (l->gate[i].verdict == VERDICT_FAIL)
			return EXIT_NO;
		infra |= l->gate[i].verdict == VERDICT_INFRA;
	}
	return infra ? EXIT_INFRA : EXIT_NO;
}

static void print_ladder(const struct side *to, const struct side *from, const struct gate_ladder *l)
{
	int id;

	if (opt_json) {
		print_json(to, from, l);
		return;
	}
	printf("%s%s%s on %s%s%s\n", to->d->name, to->d->version ? " " : "",
	       to->d->version ? to->d->version : "", to->k->release,
	       from->k ? ", compared with " : "", from->k ? from->k->release : "");
	for (id = 0; id < GATE_COUNT; id++)
		print_gate(id, &l->gate[id]);
}

/* ---- the command ---------------------------------------------------------- */

/*
 * The machine's gates on the small kernel with sanitizers, alone: its configuration is another one, so nothing that user
 * space sees can be compared.
 */
static int run_sanitized(const char *input, const char *dir, const struct gate_subject *s, unsigned mask,
			 struct gate_ladder *l, struct strbuf *err)
{
	struct side san = { 0 };
	struct gate_subject on_san = *s;
	char *name = kernel_sanitizer_name(s->to);
	int ret = kernel_resolve(name, &san.k, err);

	if (ret == KP_NOTFOUND) {
		strbuf_reset(err);
		ret = kp_fail(err, KP_INFRA, "there is no kernel with sanitizers for '%s'; try: kport kernel build %s",
			      s->to->name, s->to->name);
	}
	if (ret == 0)
		ret = build_side(&san, input, dir, "sanitized", err);
	if (ret == 0) {
		on_san.from = NULL;
		on_san.old = NULL;
		on_san.old_build = NULL;
		on_san.to = san.k;
		on_san.new = san.d;
		on_san.new_build = &san.build;
		if (on_san.boot_seconds <= 0)
			on_san.boot_seconds = SANITIZED_SECONDS;
		ret = gates_run(&on_san, mask, l, err);
	}
	side_release(&san);
	free(name);
	return ret;
}

static int check_in(const char *input, const char *dir, unsigned mask, struct side *to, struct side *from,
		    int *code, struct strbuf *err)
{
	struct gate_ladder l;
	int ret = build_side(to, input, dir, "driver", err);

	if (ret == 0 && from->k)
		ret = build_side(from, o.before ? o.before : input, dir, "baseline", err);
	gate_ladder_init(&l);
	if (ret == 0) {
		struct gate_subject s = { .from = from->k, .to = to->k, .old = from->d, .new = to->d,
			.old_build = from->built ? &from->build : NULL, .new_build = &to->build,
			.run_dir = dir, .boot_seconds = o.boot_seconds, .boot_runs = (unsigned)o.boot_runs,
			.boot_from = boot_from, .analyse = o.analyse };

		ret = gates_run(&s, o.sanitize ? mask & ~GATE_MASK_MACHINE : mask, &l, err);
		if (ret == 0 && o.sanitize && (mask & GATE_MASK_MACHINE))
			ret = run_sanitized(input, dir, &s, mask & GATE_MASK_MACHINE, &l, err);
	}
	if (ret == 0) {
		print_ladder(to, from, &l);
		*code = answer(&l);
	}
	if (ret == 0 && o.sarif)
		ret = sarif_write(o.sarif, &l, from->k != NULL, err);
	gate_ladder_release(&l);
	return ret;
}

static int make_dir(char **dir, struct strbuf *err)
{
	int ret;

	if (!o.out)
		return workdir_make("check-", dir, err);
	ret = file_mkdirs(o.out, err);
	if (ret == 0)
		*dir = file_realpath(o.out);
	return ret;
}

void check_usage(const struct check_opts *opts, enum machine_from *from)
{
	struct strbuf err = STRBUF_INIT;

	if (!opts->kernel)
		usage("--kernel KERNEL is missing; 'kport kernel list' shows what is there");
	if (opts->out && !*opts->out)
		usage("--out needs the name of a directory");
	if (opts->sarif && !*opts->sarif)
		usage("--sarif needs the name of a file");
	if (opts->boot_seconds < 0)
		usage("limits cannot be negative");
	if (opts->firmware && firmware_use(opts->firmware, &err) < 0)
		usage("%s", err.buf);
	if (opts->before && !opts->from)
		usage("--before needs --from, the kernel that it is for");
	*from = MACHINE_FRESH;
	if (opts->boot_from && machine_from_parse(opts->boot_from, from, &err) < 0)
		usage("%s", err.buf);
	strbuf_release(&err);
}

int check_driver(const char *input, const struct check_opts *opts, unsigned mask)
{
	struct strbuf err = STRBUF_INIT, ignored = STRBUF_INIT;
	struct side to = { 0 }, from = { 0 };
	char *dir = NULL;
	int ret, code = EXIT_NO;

	o = *opts;
	check_usage(&o, &boot_from);
	if (o.no_sandbox)
		sandbox_disable();
	ret = kernel_resolve(o.kernel, &to.k, &err);
	if (ret == 0 && o.from)
		ret = kernel_resolve(o.from, &from.k, &err);
	if (ret == 0 && o.before && !file_exists(o.before))
		ret = kp_fail(&err, KP_NOTFOUND, "there is no '%s'", o.before);
	if (ret == 0)
		ret = make_dir(&dir, &err);
	if (ret == 0)
		ret = check_in(input, dir, mask, &to, &from, &code, &err);
	if (ret < 0) {
		log_error("%s", err.buf);
		code = ret == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(ret); /* 1 is for findings */
	}
	if (dir && !o.out)
		file_remove(dir, &ignored);
	side_release(&to);
	side_release(&from);
	free(dir);
	strbuf_release(&err);
	strbuf_release(&ignored);
	return code;
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	unsigned mask;
	int code;

	options_parse(cmd, options, argc, argv, &operands);
	if (operands.n != 1)
		usage("name one driver (a directory, a dkms package, a .deb, or a file of a "
		      "kernel source tree)");
	check_usage(&o, &boot_from);
	if (gate_mask(&mask, &err) < 0)
		usage("%s", err.buf);
	code = check_driver(operands.v[0], &o, mask);
	strbuf_release(&err);
	strvec_release(&operands);
	return code;
}

const struct command cmd_check = {
	.name = "check",
	.summary = "build a driver on one kernel and put it through the gates",
	.usage = "kport check DRIVER --kernel KERNEL [options]",
	.run = run,
};
