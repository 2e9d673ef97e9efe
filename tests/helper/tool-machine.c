// SPDX-License-Identifier: GPL-2.0-only
/*
 * test-tool machine: gate_machine() on built modules, the ladder printed as
 * JSON. The kernel is a known one, or an image and a modules directory.
 * "--leftovers x" lists emulators whose process is gone.
 */
#include "base/compat.h"
#include "tests/helper/test-tool.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/config.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "checks/gate.h"
#include "harness/modules-dep.h"

struct side {
	struct kernel *kernel; /* of kernel_resolve() */
	struct kernel by_hand;
	struct kbuild_result build;
};

static int bad(const char *what)
{
	fprintf(stderr, "test-tool machine: %s\n", what);
	return 129;
}

static int resolve(const char *word, struct side *s)
{
	struct strbuf err = STRBUF_INIT;

	if (kernel_resolve(word, &s->kernel, &err) < 0) {
		fprintf(stderr, "%s\n", err.buf);
		return -1;
	}
	strbuf_release(&err);
	return 0;
}

static const struct kernel *kernel_of(const struct side *s)
{
	return s->kernel ? s->kernel : s->by_hand.image ? &s->by_hand : NULL;
}

static void add_ko(struct side *s, const char *path)
{
	struct kbuild_result *b = &s->build;

	b->modules = xrealloc(b->modules, (b->nmodules + 1) * sizeof(*b->modules));
	b->modules[b->nmodules].name = module_name_of_file(path);
	b->modules[b->nmodules++].path = xstrdup(path);
}

static int print_ladder(const struct gate_ladder *l)
{
	struct strbuf out = STRBUF_INIT;
	json_t *v = json_object();

	for (int id = GATE_BOOT; id <= GATE_BEHAVIOUR; id++) {
		const struct gate_report *r = &l->gate[id];
		json_t *o = json_object();

		json_set_str(o, "verdict", verdict_name(r->verdict));
		json_set_str(o, "reason", r->reason.buf);
		json_set_str(o, "log", r->log);
		json_set_num(o, "seconds", r->seconds);
		json_object_set_new(o, "findings", finding_list_json(&r->findings));
		if (r->data)
			json_object_set(o, "data", r->data);
		json_object_set_new(v, gate_name(id), o);
	}
	json_dump_pretty(v, &out);
	fputs(out.buf, stdout);
	json_decref(v);
	strbuf_release(&out);
	return 0;
}

static int print_leftovers(void)
{
	struct strvec list = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;

	if (machine_leftovers(&list, &err) < 0)
		return bad(err.buf);
	for (size_t i = 0; i < list.n; i++)
		puts(list.v[i]);
	strvec_release(&list);
	return 0;
}

static int set_config(const char *key_value, const char *value)
{
	struct strbuf err = STRBUF_INIT;
	char *word = xstrfmt("%s%s", key_value, value);
	int ret = config_set(word, &err);

	free(word);
	strbuf_release(&err);
	return ret;
}

int tool_machine(int argc, const char **argv)
{
	static struct side now, before;
	struct gate_subject s = { .new_build = &now.build };
	struct gate_ladder l;
	int i;

	now.by_hand.name = before.by_hand.name = (char *)"by-hand";
	for (i = 1; i + 1 < argc && starts_with(argv[i], "--"); i += 2) {
		struct side *side = starts_with(argv[i], "--old-") ? &before : &now;
		const char *opt = argv[i] + (side == &before ? 6 : 2);

		if (!strcmp(opt, "kernel") && resolve(argv[i + 1], side) < 0)
			return 2;
		else if (!strcmp(opt, "image"))
			side->by_hand.image = xstrdup(argv[i + 1]);
		else if (!strcmp(opt, "modules"))
			side->by_hand.modules_dir = xstrdup(argv[i + 1]);
		else if (!strcmp(opt, "ko"))
			add_ko(side, argv[i + 1]);
		else if (!strcmp(opt, "seconds"))
			s.boot_seconds = strtod(argv[i + 1], NULL);
		else if (!strcmp(opt, "leftovers"))
			return print_leftovers();
		else if (!strcmp(opt, "backend") && set_config("machine.backend=", argv[i + 1]) < 0)
			return bad("backend");
		else if (!strcmp(opt, "config") && set_config("", argv[i + 1]) < 0)
			return bad("config");
		else if (!strcmp(opt, "from"))
			s.boot_from = starts_with(argv[i + 1], "s") ? MACHINE_SNAPSHOT : MACHINE_FRESH;
		else if (!strcmp(opt, "runs"))
			s.boot_runs = (unsigned)strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(opt, "kernel") && strcmp(opt, "backend") && strcmp(opt, "config"))
			return bad("unknown option");
	}
	if (i + 2 > argc || !kernel_of(&now))
		return bad("wrong usage");
	s.to = kernel_of(&now);
	s.from = kernel_of(&before);
	s.old_build = before.build.nmodules ? &before.build : NULL;
	s.run_dir = argv[i++];
	for (; i < argc; i++)
		add_ko(&now, argv[i]);
	memset(&l, 0, sizeof(l));
	for (int g = 0; g < GATE_COUNT; g++)
		strbuf_init(&l.gate[g].reason);
	gate_machine(&s, &l);
	print_ladder(&l);
	return child_interrupted() ? 130 : 0;
}
