// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/driver-internal.h"

struct fixture {
	char *dir;
	struct strbuf err;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	strbuf_init(&f->err);
	*state = f;
	return file_mkdtemp("/tmp", "kport-u-driver", &f->dir, &f->err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	file_remove(f->dir, &f->err);
	free(f->dir);
	strbuf_release(&f->err);
	free(f);
	return 0;
}

static void put(struct fixture *f, const char *rel, const char *text)
{
	char *path = path_join(f->dir, rel);

	assert_int_equal(file_mkdirs_for(path, &f->err), 0);
	assert_int_equal(file_write(path, text, strlen(text), &f->err), 0);
	free(path);
}

static bool have(struct fixture *f, const char *rel)
{
	char *path = path_join(f->dir, rel);
	bool yes = file_exists(path);

	free(path);
	return yes;
}

/* Loads DIR/input into DIR/work. */
static int load(struct fixture *f, const char *input, const char *work, struct driver **d)
{
	char *in = path_join(f->dir, input), *out = path_join(f->dir, work);
	int ret = driver_load(in, out, NULL, d, &f->err);

	free(in);
	free(out);
	return ret;
}

static void test_assignments(void **state)
{
	static const struct {
		const char *line, *var, *value;
	} cases[] = {
		{ "obj-m := a.o", "obj-m", "a.o" },
		{ "obj-m+=a.o b.o", "obj-m", "a.o b.o" },
		{ "obj-$(CONFIG_X)\t+= a.o", "obj-$(CONFIG_X)", "a.o" },
		{ "  ccflags-y ?= -DX=1", "ccflags-y", "-DX=1" },
		{ "export K ::= x", "K", "x" },
		{ "all: modules", NULL, NULL },
		{ "a: b = c", NULL, NULL },
		{ "ifeq ($(X),y)", NULL, NULL },
		{ "", NULL, NULL },
		{ "= x", NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *var = NULL, *value = NULL;
		bool hit = makefile_assignment(cases[i].line, &var, &value);

		assert_int_equal(hit, cases[i].var != NULL);
		if (hit) {
			assert_string_equal(var, cases[i].var);
			assert_string_equal(value, cases[i].value);
		}
		free(var);
		free(value);
	}
}

static void test_lines(void **state)
{
	struct fixture *f = *state;
	struct strvec lines = STRVEC_INIT;
	char *path = path_join(f->dir, "Makefile");

	put(f, "Makefile", "obj-m := a.o \\\r\n  b.o\r\n# comment\nx := $(shell echo '#') # tail\nlast \\");
	assert_int_equal(makefile_lines(path, &lines, &f->err), 0);
	assert_int_equal(lines.n, 4);
	assert_string_equal(lines.v[0], "obj-m := a.o    b.o");
	assert_string_equal(lines.v[1], "");
	assert_string_equal(lines.v[2], "x := $(shell echo '#') ");
	assert_string_equal(lines.v[3], "last ");
	strvec_release(&lines);
	free(path);
}

static void test_plain_and_wrapped(void **state)
{
	struct fixture *f = *state;
	struct driver *d;

	put(f, "plain/Makefile", "obj-m := a.o\nall:\n\tmake -C $(KDIR) M=$(PWD) modules\n");
	assert_int_equal(load(f, "plain", "w1", &d), 0);
	assert_false(d->own_makefile);
	assert_string_equal(d->name, "plain");
	assert_string_equal(d->kbuild_subdir, "");
	driver_free(d);
	put(f, "vars/Makefile", "obj-m := a.o\nmodules:\n\t$(MAKE) -C $(KDIR) M=$(PWD) MY_FLAG=1 modules\n");
	assert_int_equal(load(f, "vars", "w2", &d), 0);
	assert_true(d->own_makefile);
	assert_string_equal(d->make_target, "modules");
	driver_free(d);
	put(f, "top/Makefile", "default:\n\t$(MAKE) -C $(KDIR) M=$(PWD)/sub modules\n");
	put(f, "top/sub/Kbuild", "obj-m := a.o\n");
	assert_int_equal(load(f, "top", "w3", &d), 0);
	assert_true(d->own_makefile);
	assert_string_equal(d->make_target, "default");
	driver_free(d);
	put(f, "below/x/y/Kbuild", "obj-m := a.o\n");
	assert_int_equal(load(f, "below", "w4", &d), 0);
	assert_false(d->own_makefile);
	assert_string_equal(d->kbuild_subdir, "x/y");
	driver_free(d);
	put(f, "two/x/Kbuild", "obj-m := a.o\n");
	put(f, "two/y/Kbuild", "obj-m := a.o\n");
	assert_int_equal(load(f, "two", "w5", &d), KP_ERR);
	assert_non_null(strstr(f->err.buf, "several module directories"));
}

static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct driver *d = NULL;
	char *link = path_join(f->dir, "d/evil");

	put(f, "d/Makefile", "obj-m := a.o\n");
	assert_int_equal(load(f, "d", "with space", &d), KP_ERR);
	assert_int_equal(load(f, "d", "d", &d), KP_ERR);
	assert_int_equal(load(f, "gone", "w", &d), KP_NOTFOUND);
	assert_int_equal(symlink("../../etc/passwd", link), 0);
	strbuf_reset(&f->err);
	assert_int_equal(load(f, "d", "w", &d), KP_ERR);
	assert_non_null(strstr(f->err.buf, "evil"));
	assert_null(d);
	free(link);
}

static void kernel_source(struct fixture *f)
{
	put(f, "k/Kconfig", "");
	put(f, "k/Makefile", "");
	put(f, "k/scripts/x", "");
	put(f, "k/include/linux/kernel.h", "");
	put(f, "k/include/linux/own.h", "#include \"other.h\"\n");
}

static void test_intree_file(void **state)
{
	struct fixture *f = *state;
	struct strbuf text = STRBUF_INIT;
	struct driver *d;
	char *kbuild;

	kernel_source(f);
	put(f, "k/drivers/Makefile", "subdir-ccflags-y += -DUP\nccflags-y += -DNOT_MINE\n");
	put(f, "k/drivers/a/Makefile",
	    "ccflags-y := -I$(srctree)/drivers/b -I$(srctree)/include/foo \\\n -DX\nCFLAGS_one.o += -I$(src)\n"
	    "CFLAGS_two.o += -DTWO\nifdef CONFIG_Q\nccflags-y += -DQ\nendif\n");
	put(f, "k/drivers/a/one.c",
	    "#include <linux/own.h>\n#include \"one.h\"\n #  include \"../c/c.h\"\n#include \"b.h\"\n"
	    "#include <viab.h>\n#include \"missing.h\"\n#include \"../../../../../etc/passwd\"\n");
	put(f, "k/drivers/a/one.h", "#include \"one.h\"\n#include \"two.h\"");
	put(f, "k/drivers/a/two.h", "");
	put(f, "k/drivers/b/b.h", "");
	put(f, "k/drivers/b/viab.h", "");
	put(f, "k/drivers/c/c.h", "");
	put(f, "k/drivers/c/not.h", "");
	assert_int_equal(load(f, "k/drivers/a/one.c", "w", &d), 0);
	assert_int_equal(d->kind, DRIVER_INTREE);
	assert_string_equal(d->intree_path, "drivers/a/one.c");
	assert_string_equal(d->kbuild_subdir, "drivers/a");
	assert_true(have(f, "w/drivers/a/one.c") && have(f, "w/drivers/a/two.h"));
	assert_true(have(f, "w/drivers/b/b.h") && have(f, "w/drivers/b/viab.h") && have(f, "w/drivers/c/c.h"));
	assert_false(have(f, "w/drivers/c/not.h") || have(f, "w/include/linux/own.h"));
	kbuild = path_join(f->dir, "w/drivers/a/Kbuild");
	assert_int_equal(file_read(kbuild, 0, &text, &f->err), 0);
	assert_string_equal(text.buf, "obj-m := one.o\n"
				      "ccflags-y += -I$(src)/../../drivers/b -I$(srctree)/include/foo   -DX\n"
				      "CFLAGS_one.o += -I$(src)/../../drivers/a\n"
				      "subdir-ccflags-y += -DUP\n");
	free(kbuild);
	strbuf_release(&text);
	driver_free(d);
	assert_int_equal(load(f, "k/include/linux/own.h", "w2", &d), KP_ERR);
}

static void test_intree_dir(void **state)
{
	struct fixture *f = *state;
	struct driver *d;

	kernel_source(f);
	put(f, "k/drivers/a/Makefile", "obj-$(CONFIG_A) += one.o two.o\nobj-$(CONFIG_B) += sub/\none-y := x.o\n");
	put(f, "k/drivers/a/sub/Makefile", "obj-$(CONFIG_B) += three.o\n");
	put(f, "k/drivers/a/x.c", "#include \"../c/c.h\"\n");
	put(f, "k/drivers/c/c.h", "");
	assert_int_equal(load(f, "k/drivers/a", "w", &d), 0);
	assert_int_equal(d->nmodules, 3);
	assert_int_equal(d->make_vars.n, 2);
	assert_string_equal(d->make_vars.v[0], "CONFIG_A=m");
	assert_true(have(f, "w/drivers/c/c.h"));
	driver_free(d);
}

static void test_clone(void **state)
{
	struct fixture *f = *state;
	struct driver *d, *c;

	put(f, "d/Makefile", "obj-m := a.o\n");
	assert_int_equal(load(f, "d", "w", &d), 0);
	driver_add_module(d, "a", "");
	strvec_push(&d->make_vars, "X=1");
	c = driver_clone(d, "/elsewhere");
	driver_free(d);
	assert_string_equal(c->tree, "/elsewhere");
	assert_string_equal(c->modules[0].name, "a");
	assert_string_equal(c->make_vars.v[0], "X=1");
	driver_free(c);
}

static void test_dkms_command(void **state)
{
	struct driver d = { .name = (char *)"w", .version = (char *)"1", .tree = (char *)"/t" };
	char *s = driver_dkms_command(&d, "make M=/var/lib/dkms/w/1/build -I/usr/src/w-1/include");

	assert_string_equal(s, "make M=/t -I/t/include");
	free(s);
	/* What the package's own installation fills in; what Kbuild does not take any more. */
	s = driver_dkms_command(&d, "make -C /k SUBDIRS=/var/lib/dkms/w/1/build CFLAGS_MODULE+=@CFLAGS@ x@y");
	assert_string_equal(s, "make -C /k M=/t CFLAGS_MODULE+= x@y");
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assignments),
		cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_plain_and_wrapped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_intree_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_intree_dir, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clone, setup, teardown),
		cmocka_unit_test(test_dkms_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
