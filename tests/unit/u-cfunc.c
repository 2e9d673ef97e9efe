/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/cfunc.h"

struct parsed {
	struct ctoks ts;
	struct cfile cf;
};

static void setup(struct parsed *p, const char *text)
{
	assert_int_equal(ctoks_scan(&p->ts, text, strlen(text)), 0);
	cfile_parse(&p->cf, &p->ts);
}

static void teardown(struct parsed *p)
{
	cfile_release(&p->cf);
	ctoks_release(&p->ts);
}

static void add_word(struct strbuf *sb, const struct parsed *p, char letter, uint32_t tok)
{
	strbuf_addf(sb, "%s%c:", sb->len ? " " : "", letter);
	if (tok == CTOK_NONE)
		strbuf_addch(sb, '-');
	else
		strbuf_add(sb, p->ts.text + p->ts.t[tok].off, p->ts.t[tok].len);
}

/* Everything found, by kind: f functions, p prototypes, o objects, s structures, c calls. */
static void assert_found(const char *text, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	struct parsed p;
	size_t i;

	setup(&p, text);
	for (i = 0; i < p.cf.nfuncs; i++)
		add_word(&sb, &p, 'f', p.cf.funcs[i].name);
	for (i = 0; i < p.cf.nprotos; i++)
		add_word(&sb, &p, 'p', p.cf.protos[i].name);
	for (i = 0; i < p.cf.nobjects; i++)
		add_word(&sb, &p, 'o', p.cf.objects[i].name);
	for (i = 0; i < p.cf.nstructs; i++)
		add_word(&sb, &p, 's', p.cf.structs[i].tag);
	for (i = 0; i < p.cf.ncalls; i++)
		add_word(&sb, &p, 'c', p.cf.calls[i].name);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
	teardown(&p);
}

static void functions(void **state)
{
	assert_found("", "");
	assert_found("int f(void) { return 0; }", "f:f");
	assert_found("static int __init foo_init(void)\n{\n}\nmodule_init(foo_init);\n",
		     "f:foo_init c:module_init");
	assert_found("struct foo *bar(struct x *x) { if (a) { } }\nint g() {}", "f:bar f:g");
	assert_found("struct foo __init bar(void) { }", "f:bar");
	assert_found("static __printf(1, 2) int log(const char *f, ...) { }", "f:log");
	assert_found("static int f(int a) __acquires(lock) __must_hold(x) { }", "f:f");
	assert_found("static int f(int a) SOME_MARK(b) { }", "f:f");
	assert_found("static __attribute__((unused)) int f(int a) { }", "f:f");
	assert_found("static void (*get(int a))(int) { }", "f:get");
	assert_found("SYSCALL_DEFINE1(foo, int, a) { }", "f:SYSCALL_DEFINE1");
	assert_found("static int __init_foo(int a) { }", "f:__init_foo");
	assert_found("extern \"C\" { int f(void) { } }", "f:f");
}

static void declarations(void **state)
{
	assert_found("int f(int a);\nextern void g(void) __printf(1, 2);", "p:f p:g");
	assert_found("typedef int (*fn)(int);\ntypedef struct { int a; } t;\nstruct fwd;", "s:-");
	assert_found("static int a, *b = NULL, c[3];", "o:a o:b o:c");
	assert_found("int (*hook)(int) = NULL;", "o:hook");
	assert_found("static unsigned int copy __read_mostly = 1;", "o:copy");
	assert_found("static const struct id ids[] __maybe_unused = { { 1 }, { } };", "o:ids");
	assert_found("struct a { struct b { int c; } d; } __packed;\nstruct a x = { 1 };", "o:x s:a");
	assert_found("struct __packed q { int a; };\nenum e { A, B };", "s:q s:e");
	assert_found("struct __attribute__((packed)) q { int a; };", "s:q");
	assert_found("static DEFINE_MUTEX(lock);\nstatic DEVICE_ATTR_RO(x);\nMODULE_LICENSE(\"GPL\");",
		     "c:DEFINE_MUTEX c:DEVICE_ATTR_RO c:MODULE_LICENSE");
	assert_found("MODULE_AUTHOR(\"x\")\nstatic int f(void)\n{\n}", "f:f c:MODULE_AUTHOR");
	assert_found("_Static_assert(1, \"x\"); asm(\"nop\");", "");
}

static void conditional(void **state)
{
	assert_found("#if 0\nint dead(void) { }\n#else\nint live(void) { }\n#endif", "f:live");
	assert_found("#ifdef A\nint f(int a)\n#else\nint f(void)\n#endif\n{ x(); }\nint g(void) {}",
		     "f:f f:g");
	assert_found("#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n}\nint g(void) {}",
		     "f:f f:g");
	assert_found("int f(int a,\n#ifdef A\n int b)\n#else\n long c)\n#endif\n{ }", "f:f");
}

static void assert_params(const char *text, const char *want, bool variadic)
{
	struct strbuf sb = STRBUF_INIT;
	struct parsed p;
	size_t i;

	setup(&p, text);
	assert_int_equal(p.cf.nfuncs, 1);
	for (i = 0; i < p.cf.funcs[0].nparams; i++) {
		const struct cparam *q = &p.cf.funcs[0].params[i];

		if (i)
			strbuf_addstr(&sb, ", ");
		ctoks_normal(&p.ts, q->decl.first, q->decl.end, &sb);
		strbuf_addstr(&sb, " = ");
		if (q->name != CTOK_NONE)
			strbuf_add(&sb, p.ts.text + p.ts.t[q->name].off, p.ts.t[q->name].len);
	}
	assert_string_equal(sb.buf, want);
	assert_int_equal(p.cf.funcs[0].variadic, variadic);
	strbuf_release(&sb);
	teardown(&p);
}

static void params(void **state)
{
	assert_params("int f(void) {}", "", false);
	assert_params("int f() {}", "", false);
	assert_params("int f(struct a *x, unsigned long y) {}",
		      "struct a*x = x, unsigned long y = y", false);
	assert_params("int f(const char *fmt, ...) {}", "const char*fmt = fmt", true);
	assert_params("int f(int (*cb)(void *p, int n), u8 b[6]) {}",
		      "int(*cb)(void*p,int n) = cb, u8 b[6] = b", false);
	assert_params("int f(u32, struct foo *, const u8, int) {}",
		      "u32 = , struct foo* = , const u8 = , int = ", false);
	assert_params("int f(void __user *, char __user *buf) {}",
		      "void __user* = , char __user*buf = buf", false);
	assert_params("int f(struct x *x __maybe_unused) {}", "struct x*x __maybe_unused = x", false);
}

static void flags(void **state)
{
	struct parsed p;

	setup(&p, "static inline int a(void) {}\nint b(void) {}\nDEFINE_THING(c) {}");
	assert_true(p.cf.funcs[0].is_static && p.cf.funcs[0].is_inline);
	assert_false(p.cf.funcs[1].is_static || p.cf.funcs[1].from_macro);
	assert_true(p.cf.funcs[2].from_macro);
	teardown(&p);
}

static void lookups(void **state)
{
	struct parsed p;
	const struct cfunc *f;

	setup(&p, "int x;\nint a(void)\n{\n\ty();\n}\n\nint b(void)\n{\n}\n");
	f = cfile_func(&p.cf, "a");
	assert_non_null(f);
	assert_ptr_equal(cfile_func_at(&p.cf, f->body.first + 1), f);
	assert_null(cfile_func_at(&p.cf, 0));
	assert_ptr_equal(cfile_func_at_line(&p.cf, 4), f);
	assert_null(cfile_func_at_line(&p.cf, 6));
	assert_null(cfile_func(&p.cf, "y"));
	assert_non_null(cfile_object(&p.cf, "x"));
	assert_null(cfile_object(&p.cf, "z"));
	assert_null(cfile_struct(&p.cf, "z"));
	teardown(&p);
}

static void initialisers(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	const struct cobject *o;
	struct parsed p;
	size_t i;

	setup(&p, "static struct platform_driver drv = {\n\t.probe = foo_probe,\n"
		  "#ifdef CONFIG_PM\n\t.driver = { .name = \"x\", .pm = &ops },\n#endif\n"
		  "\t.a.b[2] = 1, old: f,\n};\n"
		  "static const struct id ids[] = { [0] = { .v = 1 }, { 7 }, { } };\n"
		  "static int (*cb)(int) = fn;\n");
	o = cfile_object(&p.cf, "drv");
	assert_non_null(o);
	assert_true(o->is_static && o->tag_is_struct && !o->is_array);
	assert_true(ctok_is(&p.ts, o->tag, "platform_driver"));
	for (i = 0; i < o->nmembers; i++) {
		cmember_path(&p.cf, o, i, &sb);
		strbuf_addch(&sb, '=');
		ctoks_normal(&p.ts, o->members[i].value.first, o->members[i].value.end, &sb);
		strbuf_addch(&sb, ' ');
	}
	assert_string_equal(sb.buf, ".probe=foo_probe .driver={.name=\"x\",.pm=&ops} "
				    ".driver.name=\"x\" .driver.pm=&ops .a.b[2]=1 .old=f ");
	o = cfile_object(&p.cf, "ids");
	assert_true(o->is_array);
	strbuf_reset(&sb);
	for (i = 0; i < o->nmembers; i++) {
		cmember_path(&p.cf, o, i, &sb);
		strbuf_addch(&sb, ' ');
	}
	assert_string_equal(sb.buf, "[0] [0].v    ");
	assert_false(cfile_object(&p.cf, "cb")->tag_is_struct);
	strbuf_release(&sb);
	teardown(&p);
}

static void members(void **state)
{
	const struct cstruct *s;
	struct parsed p;

	setup(&p, "struct ops {\n\tint (*probe)(struct device *pdev, int n);\n\tint a, b[3], c:1;\n"
		  "\tstruct { int inner; } nest;\n\tDECLARE_BITMAP(map, 8);\n\tstruct tagged *p;\n"
		  "\tvoid __iomem *regs __aligned(8);\n};\nenum e { ONE, TWO = THREE };");
	s = cfile_struct(&p.cf, "ops");
	assert_non_null(s);
	assert_true(cstruct_has_member(&p.ts, s, "probe"));
	assert_true(cstruct_has_member(&p.ts, s, "a"));
	assert_true(cstruct_has_member(&p.ts, s, "b"));
	assert_true(cstruct_has_member(&p.ts, s, "c"));
	assert_true(cstruct_has_member(&p.ts, s, "inner"));
	assert_true(cstruct_has_member(&p.ts, s, "nest"));
	assert_true(cstruct_has_member(&p.ts, s, "map"));
	assert_true(cstruct_has_member(&p.ts, s, "p"));
	assert_true(cstruct_has_member(&p.ts, s, "regs"));
	assert_false(cstruct_has_member(&p.ts, s, "pdev"));
	assert_false(cstruct_has_member(&p.ts, s, "n"));
	assert_false(cstruct_has_member(&p.ts, s, "tagged"));
	s = cfile_struct(&p.cf, "e");
	assert_true(cstruct_has_member(&p.ts, s, "ONE"));
	assert_true(cstruct_has_member(&p.ts, s, "TWO"));
	assert_false(cstruct_has_member(&p.ts, s, "THREE"));
	teardown(&p);
}

static void broken_text(void **state)
{
	struct parsed p;

	/* A missing brace or parenthesis costs what stands behind it, nothing more. */
	assert_found("int f( { }\nint g(void) { }", "f:f f:g");
	assert_found("} } ) int f(void) { }", "f:f");
	assert_found("int f(void) { if (a { }\n", "");
	assert_found("static struct x = { .a = , .b }; int g(void) { }", "f:g");
	setup(&p, "int a = { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { 1"
		  " } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } };");
	assert_int_equal(p.cf.nobjects, 1);
	teardown(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions), cmocka_unit_test(declarations),
		cmocka_unit_test(conditional), cmocka_unit_test(params),
		cmocka_unit_test(flags), cmocka_unit_test(lookups),
		cmocka_unit_test(initialisers), cmocka_unit_test(members),
		cmocka_unit_test(broken_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
