// SPDX-License-Identifier: GPL-2.0-only
/* kport kernel: add, list, show and remove kernel records. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "harness/kernel.h"

/* ---- output ---------------------------------------------------------------- */

static void version_text(unsigned v, char *out, size_t size)
{
	snprintf(out, size, "%u.%u.%u", v >> 16, v >> 8 & 255, v & 255);
}

static json_t *kernel_json(const struct kernel *k)
{
	json_t *o = json_object(), *vars = json_array();
	char version[32];

	version_text(k->version, version, sizeof(version));
	json_set_str(o, "name", k->name);
	json_set_str(o, "release", k->release);
	json_set_str(o, "version", version);
	json_set_str(o, "arch", k->arch);
	json_set_str(o, "origin", k->origin);
	json_set_str(o, "dir", k->dir);
	json_set_str(o, "build_dir", k->build_dir);
	json_set_str(o, "common_dir", k->common_dir);
	json_set_str(o, "cc", k->cc);
	json_set_str(o, "symvers", k->symvers);
	json_set_str(o, "image", k->image);
	json_set_str(o, "modules_dir", k->modules_dir);
	json_set_str(o, "source_dir", k->source_dir);
	json_set_bool(o, "modversions", k->modversions);
	for (size_t i = 0; i < k->make_vars.n; i++)
		json_array_append_new(vars, json_str(k->make_vars.v[i]));
	json_object_set_new(o, "make_vars", vars);
	return o;
}

static void print_field(const char *name, const char *value)
{
	printf("%-12s %s\n", name, value ? value : "-");
}

static void print_kernel(const struct kernel *k)
{
	char version[32];

	version_text(k->version, version, sizeof(version));
	print_field("name", k->name);
	print_field("release", k->release);
	print_field("version", version);
	print_field("arch", k->arch);
	print_field("origin", k->origin);
	print_field("compiler", k->cc);
	print_field("build tree", k->build_dir);
	print_field("symvers", k->symvers);
	print_field("image", k->image);
	print_field("modules", k->modules_dir);
	print_field("source", k->source_dir);
	print_field("modversions", k->modversions ? "yes" : "no");
	for (size_t i = 0; i < k->make_vars.n; i++)
		print_field("make", k->make_vars.v[i]);
}

static const char *parts_text(const struct kernel *k)
{
	if (k->image && k->source_dir)
		return "build, image, source";
	if (k->image)
		return "build, image";
	return k->source_dir ? "build, source" : "build";
}

/* ---- add ------------------------------------------------------------------- */

struct add_options {
	const char *name, *tree, *source, *config, *symvers, *image, *modules;
	bool with_image, with_source;
};

/* Which of the three forms, and does nothing belong to another one? */
static void check_add(const struct add_options *a, const struct strvec *operands)
{
	int forms = (operands->n > 0) + (a->tree != NULL) + (a->source != NULL);

	if (operands->n > 1)
		usage("unexpected operand '%s'", operands->v[1]);
	if (forms != 1)
		usage("give either VERSION, or --tree DIR, or --source DIR --kconfig FILE");
	if (a->source && !a->config)
		usage("--source needs --kconfig FILE");
	if (!a->source && (a->config || a->symvers))
		usage("--kconfig and --symvers go with --source");
	if (!a->tree && (a->image || a->modules))
		usage("--image and --modules go with --tree");
	if ((a->tree || a->source) && (a->with_image || a->with_source))
		usage("--with-image and --with-source go with VERSION");
	if (operands->n && a->name)
		usage("--name goes with --tree and --source");
}

static int add(const struct add_options *a, const char *version, struct kernel **k,
	       struct strbuf *err)
{
	unsigned want = KERNEL_WANT_BUILD;

	if (a->tree)
		return kernel_add_tree(a->name, a->tree, a->image, a->modules, k, err);
	if (a->source)
		return kernel_add_source(a->name, a->source, a->config, a->symvers, k, err);
	if (a->with_image)
		want |= KERNEL_WANT_IMAGE;
	if (a->with_source)
		want |= KERNEL_WANT_SOURCE;
	return kernel_add_debian(version, want, k, err);
}

static struct add_options o;

#define ADD_OPTIONS \
	OPTION_BOOL(0, "with-image", &o.with_image, "the bootable image and its modules, too"), \
	OPTION_BOOL(0, "with-source", &o.with_source, "the full source, too"), \
	OPTION_STR(0, "tree", &o.tree, "DIR", "a build tree, used where it is"), \
	OPTION_STR(0, "image", &o.image, "FILE", "the image that belongs to --tree"), \
	OPTION_STR(0, "modules", &o.modules, "DIR", "the lib/modules/RELEASE of --tree"), \
	OPTION_STR(0, "source", &o.source, "DIR", "a source tree, prepared outside of it"), \
	OPTION_STR(0, "kconfig", &o.config, "FILE", "the kernel's configuration for --source"), \
	OPTION_STR(0, "symvers", &o.symvers, "FILE", "the Module.symvers for --source"), \
	OPTION_STR(0, "name", &o.name, "NAME", "call the kernel so (default: its release)")

static const struct option add_table[] = { ADD_OPTIONS, OPTION_END() };
/* For the help text of "kport kernel" alone. */
static const struct option all_table[] = { OPTION_GROUP("Options of 'kport kernel add'"), ADD_OPTIONS,
					   OPTION_END() };

static int run_add(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct kernel *k = NULL;
	int ret;

	options_parse(cmd, add_table, argc, argv, &operands);
	check_add(&o, &operands);
	ret = add(&o, operands.n ? operands.v[0] : NULL, &k, &err);
	if (ret == 0 && opt_json)
		json_print(kernel_json(k));
	else if (ret == 0)
		printf("kernel '%s' is %s (%s), built with %s\n", k->name, k->release,
		       parts_text(k), k->cc);
	kernel_free(k);
	strvec_release(&operands);
	return command_end(ret, &err);
}

/* ---- build ------------------------------------------------------------------- */

static int64_t build_jobs;

static const struct option build_table[] = {
	OPTION_COUNT('j', "jobs", &build_jobs, "N", "compilers at once (default: one a processor)"), OPTION_END()
};

static int run_build(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct kernel *k = NULL;
	int ret;

	options_parse(cmd, build_table, argc, argv, &operands);
	if (operands.n != 1)
		usage("give one KERNEL whose source is there");
	if (build_jobs < 0)
		usage("--jobs cannot be negative");
	ret = kernel_build_sanitizer(operands.v[0], (long)build_jobs, &k, &err);
	if (ret == 0 && opt_json)
		json_print(kernel_json(k));
	else if (ret == 0)
		printf("kernel '%s' is %s (%s), built with %s\n", k->name, k->release, parts_text(k), k->cc);
	kernel_free(k);
	strvec_release(&operands);
	return command_end(ret, &err);
}

/* ---- list, show, remove ---------------------------------------------------- */

static void print_list(const struct kernel_list *l)
{
	int name = 4, release = 7;

	if (!l->n) {
		printf("no kernels yet; 'kport kernel add 6.12' adds one\n");
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		int n = (int)strlen(l->k[i]->name), r = (int)strlen(l->k[i]->release);

		name = n > name ? n : name;
		release = r > release ? r : release;
	}
	printf("%-*s  %-*s  %-8s  %-20s  %s\n", name, "NAME", release, "RELEASE", "COMPILER",
	       "PARTS", "ORIGIN");
	for (size_t i = 0; i < l->n; i++) {
		const struct kernel *k = l->k[i];

		printf("%-*s  %-*s  %-8s  %-20s  %s\n", name, k->name, release, k->release, k->cc,
		       parts_text(k), k->origin);
	}
}

static int run_list(const struct command *cmd, int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct kernel_list l = { 0 };
	int ret;

	options_parse(cmd, NULL, argc, argv, NULL);
	ret = kernel_list(&l, &err);
	if (ret == 0 && opt_json) {
		json_t *a = json_array();

		for (size_t i = 0; i < l.n; i++)
			json_array_append_new(a, kernel_json(l.k[i]));
		json_print(a);
	} else if (ret == 0) {
		print_list(&l);
	}
	kernel_list_release(&l);
	return command_end(ret, &err);
}

static int run_show(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct kernel *k = NULL;
	int ret;

	options_parse(cmd, NULL, argc, argv, &operands);
	if (operands.n != 1)
		usage("give one KERNEL");
	ret = kernel_resolve(operands.v[0], &k, &err);
	if (ret == 0 && opt_json)
		json_print(kernel_json(k));
	else if (ret == 0)
		print_kernel(k);
	kernel_free(k);
	strvec_release(&operands);
	return command_end(ret, &err);
}

static int run_remove(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	int ret = 0;

	options_parse(cmd, NULL, argc, argv, &operands);
	if (!operands.n)
		usage("give at least one NAME");
	for (size_t i = 0; i < operands.n && ret == 0; i++)
		ret = kernel_remove(operands.v[i], &err);
	if (ret == 0 && opt_json) {
		json_t *a = json_array();

		for (size_t i = 0; i < operands.n; i++)
			json_array_append_new(a, json_str(operands.v[i]));
		json_print(json_pack("{s:o}", "removed", a));
	}
	strvec_release(&operands);
	return command_end(ret, &err);
}

/* ---- the command ----------------------------------------------------------- */

static const struct command subcommands[] = {
	{ "kernel add", "add a kernel, or complete one that is there",
	  "kport kernel add VERSION [--with-image] [--with-source]\n"
	  "kport kernel add --tree DIR [--image FILE] [--modules DIR] [--name NAME]\n"
	  "kport kernel add --source DIR --kconfig FILE [--symvers FILE] [--name NAME]",
	  run_add },
	{ "kernel build", "build a small kernel with KASAN, UBSAN and lockdep for --sanitize",
	  "kport kernel build KERNEL [--jobs N]", run_build },
	{ "kernel list", "list the kernels that were added", "kport kernel list", run_list },
	{ "kernel show", "print what is known of one kernel", "kport kernel show KERNEL",
	  run_show },
	{ "kernel remove", "delete kernels that were added", "kport kernel remove NAME...",
	  run_remove },
};

static int run_kernel(const struct command *cmd, int argc, const char **argv)
{
	return command_dispatch(cmd, subcommands, ARRAY_SIZE(subcommands), all_table, argc, argv);
}

const struct command cmd_kernel = {
	"kernel", "add, build, list, show and remove the kernels to build for",
	"kport kernel add VERSION | --tree DIR | --source DIR --kconfig FILE [options]\n"
	"kport kernel build KERNEL [--jobs N]\n"
	"kport kernel list\n"
	"kport kernel show KERNEL\n"
	"kport kernel remove NAME...",
	run_kernel
};
