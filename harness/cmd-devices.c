// SPDX-License-Identifier: GPL-2.0-only
/* kport devices: the emulated devices, who would drive them, and why something cannot be tested. */
#include "base/compat.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "base/workdir.h"
#include "harness/devices.h"
#include "harness/driver.h"
#include "harness/emulator.h"
#include "harness/kbuild.h"
#include "harness/machine-stats.h"
#include "harness/sandbox.h"

static struct {
	const char *kernel, *driver;
	bool stats, no_sandbox;
} o;

static const struct option options[] = {
	OPTION_STR('k', "kernel", &o.kernel, "KERNEL", "say which module of this kernel drives each device"),
	OPTION_STR('d', "driver", &o.driver, "DRIVER", "build this driver for the kernel; only its devices"),
	OPTION_BOOL(0, "stats", &o.stats, "runs of machines so far: valid, repeated, disagreeing"),
	OPTION_BOOL(0, "no-sandbox", &o.no_sandbox, "run the driver's Makefile without the sandbox (you trust it)"),
	OPTION_END()
};

/* What is known about one row of the table, or one module without a row. */
struct answer {
	char *modalias, *device, *bus; /* modalias NULL: no emulated device */
	struct strvec modules;	       /* that claim it */
	char *standin;		       /* made up in the guest instead, "KIND WORDS", or NULL */
	char *why_not;		       /* NULL: can be tested */
};

struct answers {
	struct answer *a;
	size_t n, alloc;
};

static struct answer *add_answer(struct answers *all)
{
	ALLOC_GROW(all->a, all->n + 1, all->alloc);
	memset(&all->a[all->n], 0, sizeof(*all->a));
	strvec_init(&all->a[all->n].modules);
	return &all->a[all->n++];
}

static void release_answers(struct answers *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->a[i].modalias);
		free(all->a[i].device);
		free(all->a[i].bus);
		free(all->a[i].standin);
		free(all->a[i].why_not);
		strvec_release(&all->a[i].modules);
	}
	free(all->a);
}

static struct answer *add_row(struct answers *all, const struct device_row *row,
			      const struct emulator *e, const char *no_emulator)
{
	struct answer *a = add_answer(all);
	char *lacks = e ? emulator_lacks(e, &row->qemu_args) : NULL;

	a->modalias = xstrdup(row->modalias);
	a->device = device_row_name(row);
	a->bus = xstrndup(row->modalias, strcspn(row->modalias, ":"));
	if (!e)
		a->why_not = xstrdup(no_emulator);
	else if (lacks)
		a->why_not = xstrfmt("QEMU %s has no device '%s'", e->version, lacks);
	free(lacks);
	return a;
}

/* ---- modules of a kernel ------------------------------------------------------------ */

struct alias {
	char *pattern, *module;
};

/* modules.alias of depmod: "alias PATTERN MODULE". */
static int read_aliases(const struct kernel *k, struct alias **out, size_t *n, struct strbuf *err)
{
	char *path = k->modules_dir ? path_join(k->modules_dir, "modules.alias") : NULL;
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	size_t alloc = 0;
	int ret;

	*out = NULL;
	*n = 0;
	if (!path || !file_exists(path)) {
		char *advice = kernel_image_advice(k);

		ret = kp_fail(err, KP_INFRA, "kernel '%s' has no modules here; try %s", k->name, advice);
		free(advice);
		free(path);
		return ret;
	}
	ret = file_read(path, 64 << 20, &text, err);
	if (ret == 0)
		strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; ret == 0 && i < lines.n; i++) {
		struct strvec w = STRVEC_INIT;

		strvec_split(&w, lines.v[i], " ");
		if (w.n == 3 && !strcmp(w.v[0], "alias")) {
			ALLOC_GROW(*out, *n + 1, alloc);
			(*out)[(*n)++] = (struct alias){ xstrdup(w.v[1]), xstrdup(w.v[2]) };
		}
		strvec_release(&w);
	}
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
	return ret;
}

static int name_modules(struct answers *all, const struct kernel *k, struct strbuf *err)
{
	struct alias *aliases;
	size_t n;
	int ret = read_aliases(k, &aliases, &n, err);

	for (size_t i = 0; ret == 0 && i < all->n; i++) {
		struct answer *a = &all->a[i];

		for (size_t j = 0; j < n; j++)
			if (fnmatch(aliases[j].pattern, a->modalias, 0) == 0 &&
			    !strvec_contains(&a->modules, aliases[j].module))
				strvec_push(&a->modules, aliases[j].module);
		if (!a->modules.n && !a->why_not)
			a->why_not = xstrfmt("only by drivers from outside: no module of kernel '%s' claims it",
					     k->name);
	}
	for (size_t j = 0; j < n; j++) {
		free(aliases[j].pattern);
		free(aliases[j].module);
	}
	free(aliases);
	return ret;
}

/* ---- a driver ------------------------------------------------------------------------ */

/* Names of buses in a driver's aliases, for the reason why none is emulated. */
static char *alias_buses(const struct module_info *info)
{
	struct strvec buses = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < info->aliases.n && buses.n < 6; i++) {
		char *bus = xstrndup(info->aliases.v[i], strcspn(info->aliases.v[i], ":"));

		if (info->aliases.v[i][strlen(bus)] == ':' && !strvec_contains(&buses, bus)) {
			strvec_push(&buses, bus);
			strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", bus);
		}
		free(bus);
	}
	strvec_release(&buses);
	return strbuf_detach(&sb, NULL);
}

static int answer_module(struct answers *all, const struct device_table *t, const char *ko,
			 const struct emulator *e, const char *no_emulator, struct strbuf *err)
{
	struct module_info info;
	size_t before = all->n;
	int ret = module_info_read(ko, &info, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < t->n; i++)
		if (device_row_matches(&t->row[i], &info.aliases))
			strvec_push(&add_row(all, &t->row[i], e, no_emulator)->modules, info.name);
	if (all->n == before) {
		struct answer *a = add_answer(all);
		char *buses = alias_buses(&info);
		const char *needs;

		strvec_push(&a->modules, info.name);
		a->standin = device_standin(&info, &needs);
		if (a->standin)
			a->bus = xstrndup(a->standin, strcspn(a->standin, " "));
		else if (*buses)
			a->why_not = xstrfmt("no device that it claims (%s) is emulated", buses);
		else
			a->why_not = xstrdup("it claims no device: it is loaded, what it makes itself is used, and it is unloaded");
		free(buses);
	}
	module_info_release(&info);
	return 0;
}

static int build_driver(const struct kernel *k, const char *dir, struct driver **d,
			struct kbuild_result *b, bool *built, struct strbuf *err)
{
	char *tree = path_join(dir, "driver"), *log = path_join(dir, "log");
	struct driver_load_opts load = { 0 };
	struct kbuild_opts opts = { .log_dir = log, .keep_going = true, .no_modpost_errors = true };
	int ret = driver_load(o.driver, tree, &load, d, err);

	if (ret == 0)
		ret = driver_dkms_configure(*d, k, err);
	if (ret == 0)
		ret = kbuild_run(*d, k, &opts, b, err);
	*built = ret == 0;
	if (ret == 0 && !b->nmodules)
		ret = kp_fail(err, KP_ERR, "'%s' gives no module on kernel '%s'; see 'kport check'",
			      o.driver, k->name);
	free(tree);
	free(log);
	return ret;
}

static int answer_driver(struct answers *all, const struct device_table *t, const struct kernel *k,
			 const struct emulator *e, const char *no_emulator, struct strbuf *err)
{
	struct kbuild_result b = { 0 };
	struct driver *d = NULL;
	char *dir = NULL;
	bool built = false;
	int ret = workdir_make("devices-", &dir, err);

	if (ret == 0)
		ret = build_driver(k, dir, &d, &b, &built, err);
	for (size_t i = 0; ret == 0 && i < b.nmodules; i++)
		ret = answer_module(all, t, b.modules[i].path, e, no_emulator, err);
	if (built)
		kbuild_result_release(&b);
	driver_free(d);
	if (dir)
		file_remove(dir, NULL);
	free(dir);
	return ret;
}

/* ---- printing ------------------------------------------------------------------------- */

static void join(const struct strvec *v, struct strbuf *out)
{
	for (size_t i = 0; i < v->n; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", v->v[i]);
	if (!v->n)
		strbuf_addch(out, '-');
}

static void print_answers(const struct answers *all)
{
	struct strbuf modules = STRBUF_INIT;
	size_t good = 0;

	printf("%-26s %-7s %-22s %s\n", "DEVICE", "BUS", "MODULES", "TESTABLE");
	for (size_t i = 0; i < all->n; i++) {
		const struct answer *a = &all->a[i];

		strbuf_reset(&modules);
		join(&a->modules, &modules);
		printf("%-26s %-7s %-22s %s\n", a->device ? a->device : "-", a->bus ? a->bus : "-",
		       modules.buf, a->why_not ? a->why_not : a->standin ? "with a stand-in, if it takes it" : "yes");
		good += !a->why_not;
	}
	printf("%zu of %zu can be tested\n", good, all->n);
	strbuf_release(&modules);
}

static json_t *answers_json(const struct answers *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++) {
		const struct answer *a = &all->a[i];
		json_t *v = json_object(), *modules = json_array();

		for (size_t j = 0; j < a->modules.n; j++)
			json_array_append_new(modules, json_str(a->modules.v[j]));
		json_set_str(v, "modalias", a->modalias);
		json_set_str(v, "device", a->device);
		json_set_str(v, "bus", a->bus);
		json_object_set_new(v, "modules", modules);
		json_set_bool(v, "testable", !a->why_not);
		json_set_str(v, "stand_in", a->standin);
		json_set_str(v, "why_not", a->why_not);
		json_array_append_new(list, v);
	}
	return list;
}

static int print_stats(struct strbuf *err)
{
	struct machine_stat *s;
	size_t n;
	json_t *list = json_array();
	int ret = machine_stats_list(&s, &n, err);

	if (ret == 0 && !opt_json)
		printf("%-24s %-32s %-5s %-9s %6s %6s %5s %7s %7s %7s\n", "KERNEL", "BACKEND",
		       "ACCEL", "START", "VALID", "INFRA", "SLOW", "FLAKES", "MEAN", "MOST");
	for (size_t i = 0; ret == 0 && i < n; i++) {
		json_t *v;

		if (!opt_json) {
			printf("%-24s %-32s %-5s %-9s %6lld %6lld %5lld %7lld %5.1f s %5.1f s\n",
			       s[i].kernel, s[i].backend, s[i].accel, s[i].from,
			       (long long)s[i].valid, (long long)s[i].infra, (long long)s[i].slow,
			       (long long)s[i].disagree, s[i].mean, s[i].slowest);
			continue;
		}
		v = json_object();
		json_set_str(v, "kernel", s[i].kernel);
		json_set_str(v, "backend", s[i].backend);
		json_set_str(v, "accel", s[i].accel);
		json_set_str(v, "from", s[i].from);
		json_set_int(v, "valid", s[i].valid);
		json_set_int(v, "infra", s[i].infra);
		json_set_int(v, "slow", s[i].slow);
		json_set_int(v, "disagree", s[i].disagree);
		json_set_num(v, "mean_seconds", s[i].mean);
		json_set_num(v, "slowest_seconds", s[i].slowest);
		json_set_int(v, "last", s[i].last);
		json_array_append_new(list, v);
	}
	machine_stats_free(s, n);
	if (ret == 0 && opt_json)
		json_print(list);
	else
		json_decref(list);
	return ret;
}

/* ---- the command ----------------------------------------------------------------------- */

static int list_devices(struct answers *all, struct strbuf *err)
{
	struct strbuf no_emulator = STRBUF_INIT;
	const struct emulator *e = emulator_get(&no_emulator);
	struct device_table t = { 0 };
	struct kernel *k = NULL;
	int ret = o.kernel ? kernel_resolve(o.kernel, &k, err) : 0;

	if (ret == 0)
		ret = device_table_read(&t, err);
	if (ret == 0 && o.driver) {
		ret = answer_driver(all, &t, k, e, no_emulator.buf, err);
	} else if (ret == 0) {
		for (size_t i = 0; i < t.n; i++)
			add_row(all, &t.row[i], e, no_emulator.buf);
		if (k)
			ret = name_modules(all, k, err);
	}
	device_table_release(&t);
	kernel_free(k);
	strbuf_release(&no_emulator);
	return ret;
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct answers all = { 0 };
	int ret;

	options_parse(cmd, options, argc, argv, NULL);
	if (o.driver && !o.kernel)
		usage("--driver needs --kernel KERNEL, to build it for");
	if (o.stats && (o.driver || o.kernel))
		usage("--stats stands alone");
	if (o.no_sandbox)
		sandbox_disable();
	ret = o.stats ? print_stats(&err) : list_devices(&all, &err);
	if (ret < 0) {
		log_error("%s", err.buf);
		ret = ret == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(ret);
	} else if (!o.stats && opt_json) {
		json_print(answers_json(&all));
	} else if (!o.stats) {
		print_answers(&all);
	}
	release_answers(&all);
	strbuf_release(&err);
	return ret;
}

const struct command cmd_devices = {
	.name = "devices",
	.summary = "list the emulated devices and what drives them; statistics of machines",
	.usage = "kport devices [--kernel KERNEL [--driver DRIVER]] [options]\n"
		 "kport devices --stats",
	.run = run,
};
