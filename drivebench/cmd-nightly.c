// SPDX-License-Identifier: GPL-2.0-only
/* kport nightly: a list of drivers on new kernels, compared with the last good night. */
#include "base/compat.h"

#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "checks/gate.h"
#include "drivebench/nightly.h"
#include "harness/sandbox.h"

static struct nightly_opts o = { .to = STRVEC_INIT, .builds = STRVEC_INIT, .tries = 3, .keep = 30 };

static const struct option options[] = {
	OPTION_STR('o', "out", &o.dir, "DIR", "history and results; the same directory every night"),
	OPTION_STR('d', "drivers", &o.drivers, "FILE", "a line a driver: NAME INPUT FROM-KERNEL"),
	OPTION_STR(0, "known", &o.known, "FILE", "a line a known failure: NAME KERNEL-PATTERN [why]"),
	OPTION_GROUP("Kernels (default: all of 'kport kernel list' that are newer than the driver's)"),
	OPTION_LIST('t', "to", &o.to, "KERNEL", "this one (may be repeated)"),
	OPTION_LIST(0, "builds", &o.builds, "DIR", "all build trees in it, such as /lib/modules (may be repeated)"),
	OPTION_STR(0, "linux", &o.repo, "REPO", "the newest tag of this git repository"),
	OPTION_STR(0, "tags", &o.tags, "PATTERN", "only tags that fit (default: v*)"),
	OPTION_STR(0, "kconfig", &o.kconfig, "FILE", "configuration for kernels of --linux"),
	OPTION_STR(0, "symvers", &o.symvers, "FILE", "Module.symvers for them: what gate link is judged by"),
	OPTION_GROUP("Judging"),
	OPTION_STR(0, "gates", &o.gates, "LIST", "only these gates of 'kport port'"),
	OPTION_BOOL(0, "no-boot", &o.no_boot, "stop after the gates that need no machine"),
	OPTION_COUNT(0, "boot-runs", &o.boot_runs, "N", "valid boots that must agree (default: 1)"),
	OPTION_COUNT(0, "tries", &o.tries, "N", "tries of what failed on a machine (default: 3)"),
	OPTION_BOOL(0, "again", &o.again, "also what has not changed since an earlier night"),
	OPTION_COUNT('j', "jobs", &o.jobs, "N", "drivers at once (default: 1)"),
	OPTION_INT(0, "keep", &o.keep, "N", "nights to keep, and the last good one (default: 30; 0: all)"),
	OPTION_END()
};

static void check_options(void)
{
	struct strbuf err = STRBUF_INIT;
	unsigned mask;

	if (!o.dir || !*o.dir || !o.drivers)
		usage("say what to port and where the history is: --drivers FILE --out DIR");
	if (o.keep < 0)
		usage("numbers must be positive");
	if (o.repo && (!o.kconfig || !o.symvers))
		usage("--linux needs --kconfig FILE and --symvers FILE");
	if ((o.tags || o.kconfig || o.symvers) && !o.repo)
		usage("--tags, --kconfig and --symvers go with --linux");
	if (o.gates && gate_mask_parse(o.gates, &mask, &err) < 0)
		usage("%s", err.buf);
	strbuf_release(&err);
}

static void print_json(const struct nightly *n)
{
	json_t *v = json_object(), *units = json_array(), *counts = json_object();

	json_set_str(v, "night", n->id);
	json_set_str(v, "compared_with", n->good);
	for (int c = 0; c < NIGHT_CHANGES; c++)
		json_set_int(counts, night_change_name((enum night_change)c), (int64_t)n->counts[c]);
	for (size_t i = 0; i < n->nunits; i++) {
		const struct night_unit *u = &n->units[i];
		json_t *one = json_object();

		json_set_str(one, "driver", u->driver->name);
		json_set_str(one, "kernel", u->kernel->release);
		json_set_str(one, "outcome", u->outcome);
		json_set_str(one, "change", night_change_name(u->change));
		json_set_str(one, "before", u->before);
		json_set_str(one, "before_kernel", u->before_kernel);
		json_set_str(one, "headline", u->words);
		json_set_str(one, "dir", u->dir);
		json_set_bool(one, "carried", u->carried);
		json_set_int(one, "tries", u->tries);
		json_set_num(one, "seconds", u->seconds);
		json_array_append_new(units, one);
	}
	json_object_set_new(v, "counts", counts);
	json_object_set_new(v, "units", units);
	json_print(v);
}

static void print_text(const struct nightly *n)
{
	size_t ran = 0;

	for (size_t i = 0; i < n->nunits; i++) {
		const struct night_unit *u = &n->units[i];

		ran += !u->carried;
		if (u->change != NIGHT_SAME)
			printf("%-20s %-16s %s: %s\n", night_change_name(u->change), u->driver->name, u->kernel->release, u->words);
	}
	printf("night %s: %zu drivers, %zu kernels, %zu results, %zu run now; %zu new failures, %zu fixed, %zu flaky, %zu known, "
	       "%zu infrastructure faults; compared with %s\n", n->id, n->ndrivers, n->nkernels, n->nunits, ran,
	       n->counts[NIGHT_NEW_FAILURE], n->counts[NIGHT_FIXED], n->counts[NIGHT_FLAKY], n->counts[NIGHT_KNOWN],
	       n->counts[NIGHT_INFRA], n->good ? n->good : "no earlier good night");
	printf("report  %s/nights/%s/index.html\n", n->dir, n->id);
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct nightly n = { .lock = LOCK_INIT };
	int ret, code;

	options_parse(cmd, options, argc, argv, NULL);
	check_options();
	ret = sandbox_probe(&err);
	if (!ret)
		ret = nightly_load(&n, &o, &err);
	if (!ret)
		ret = nightly_run(&n, &err);
	if (!ret)
		ret = nightly_compare(&n, &err);
	if (!ret)
		ret = nightly_report(&n, &err);
	if (!ret)
		ret = nightly_prune(&n, &err);
	if (!ret)
		(opt_json ? print_json : print_text)(&n);
	code = ret ? (ret == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(ret)) :
	       n.counts[NIGHT_NEW_FAILURE] ? EXIT_NO : n.counts[NIGHT_INFRA] ? EXIT_INFRA : EXIT_YES;
	command_end(ret, &err);
	nightly_release(&n);
	strvec_release(&o.to);
	strvec_release(&o.builds);
	return code;
}

const struct command cmd_nightly = {
	"nightly",
	"port a list of drivers to new kernels and compare with the last good night",
	"kport nightly --drivers FILE --out DIR [options]",
	run,
};
