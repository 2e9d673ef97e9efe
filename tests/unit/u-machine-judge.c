// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verdicts from consoles: of real machines (tests/fixtures/console) and of short texts in
 * which "@" stands for the nonce's prefix.
 */
#include "tests/unit/unit.h"

#include "checks/machine-judge.h"

#define NONCE "00112233445566778899aabbccddeeff"

/* One machine: its end, its console, what was loaded. */
struct machine {
	struct machine_run run;
	struct module_list list;
	struct machine_trace trace;
	char *text, *nonce;
};

static void add_module(struct module_list *l, const char *name, const char *depends)
{
	ALLOC_GROW(l->m, l->n + 1, l->alloc);
	memset(&l->m[l->n], 0, sizeof(l->m[l->n]));
	l->m[l->n].info.name = xstrdup(name);
	l->m[l->n].driver = true;
	strvec_init(&l->m[l->n].info.depends);
	strvec_init(&l->m[l->n].info.soft_pre);
	if (depends)
		strvec_push(&l->m[l->n].info.depends, depends);
	l->n++;
}

static void read_trace(struct machine *m)
{
	machine_trace_read(m->text, strlen(m->text), m->nonce, &m->list, &m->run, &m->trace);
}

static void machine_release(struct machine *m)
{
	machine_trace_release(&m->trace);
	module_list_release(&m->list);
	free(m->text);
	free(m->nonce);
	memset(m, 0, sizeof(*m));
}

/* "@x" is a marker; modules "foo", and "bar" on top of it when the text names it. */
static void make_machine(struct machine *m, enum machine_end end, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	memset(m, 0, sizeof(*m));
	for (const char *p = text; *p; p++)
		if (*p == '@')
			strbuf_addstr(&sb, "[    1.0] kport:" NONCE ":");
		else
			strbuf_addch(&sb, *p);
	m->run.end = end;
	m->run.accel = MACHINE_ACCEL_TCG;
	m->run.wall = 60;
	m->run.quiet = 50;
	m->nonce = xstrdup(NONCE);
	m->text = strbuf_detach(&sb, NULL);
	add_module(&m->list, "foo", NULL);
	if (strstr(text, "bar"))
		add_module(&m->list, "bar", "foo");
	read_trace(m);
}

/* want: of the first gates, four or all six. */
static void check_verdicts(const struct machine_judgement *j, const char *want)
{
	struct strbuf got = STRBUF_INIT;
	size_t n = 1;

	for (const char *p = want; *p; p++)
		n += *p == ' ';
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&got, "%s%s", i ? " " : "", verdict_name(j->gate[i].verdict));
	if (strcmp(got.buf, want))
		for (size_t i = 0; i < MACHINE_GATES; i++)
			print_message("# %s: %s\n", verdict_name(j->gate[i].verdict),
				      j->gate[i].reason.buf);
	assert_string_equal(got.buf, want);
	for (size_t i = 0; i < MACHINE_GATES; i++) {
		assert_true(j->gate[i].reason.len > 0);
		if (j->gate[i].verdict == VERDICT_FAIL)
			assert_true(j->gate[i].findings.n > 0);
	}
	strbuf_release(&got);
}

/* want: the four verdicts; says: gate number and a part of its reason. */
static void check(enum machine_end end, const char *text, const char *want, int gate,
		  const char *says, enum machine_again again)
{
	struct machine m;
	struct machine_judgement j;

	make_machine(&m, end, text);
	machine_judge(&m.trace, NULL, &j);
	check_verdicts(&j, want);
	if (!strstr(j.gate[gate].reason.buf, says))
		print_message("# reason: %s\n", j.gate[gate].reason.buf);
	assert_non_null(strstr(j.gate[gate].reason.buf, says));
	assert_int_equal(j.again, again);
	machine_judgement_release(&j);
	machine_release(&m);
}

enum { BOOT, LOAD, UNLOAD, PROBE, EXERCISE, BEHAVIOUR };

#define START  "@init 6.12\n@taint boot 0\n@taint before 0\n"
#define LOADED START "@load-begin foo\n@load foo 0\n"
#define GONE   "@taint loaded 12288\n@unload-begin foo\n@unload foo 0\n@taint after 12288\n@end\n"

static void test_good(void **state)
{
	check(MACHINE_UNTIL, LOADED "@new node video0\n@new device video4linux/video0\n" GONE,
	      "PASS PASS PASS PASS", PROBE, "registered 'video0'", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@new driver pci/foo\n@bound pci foo 0000:00:02.0\n" GONE,
	      "PASS PASS PASS PASS", PROBE, "pci foo 0000:00:02.0", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@new driver pci/foo\n" GONE, "PASS PASS PASS SKIP", PROBE,
	      "not testable here", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@new device net/dummy0\n" GONE, "PASS PASS PASS PASS", PROBE,
	      "net/dummy0", MACHINE_ONCE);
}

static void test_refused(void **state)
{
	check(MACHINE_UNTIL, START "@load-begin foo\n@load foo 19\n@end\n", "PASS SKIP SKIP SKIP",
	      LOAD, "no device for 'foo' here: init returned -ENODEV", MACHINE_ONCE);
	check(MACHINE_UNTIL, START "@load-begin foo\n@load foo 5\n@end\n", "PASS FAIL SKIP SKIP",
	      LOAD, "init returned -EIO", MACHINE_ONCE);
	check(MACHINE_UNTIL, START "@load-begin foo\n[1] misc x: Direct firmware load for a/b.bin failed with error -2\n@load foo 5\n@end\n",
	      "PASS SKIP SKIP SKIP", LOAD, "asks for firmware that was not given: 'a/b.bin'", MACHINE_ONCE);
	check(MACHINE_UNTIL, START "@load-begin foo\n[1] misc x: firmware: failed to load a/b.bin (-2)\n"
	      "[1] foo: Unknown symbol gone (err -2)\n@load foo 2\n@end\n",
	      "PASS FAIL SKIP SKIP", LOAD, "Unknown symbol gone", MACHINE_ONCE);
	check(MACHINE_UNTIL,
	      START "@load-begin foo\n[1] foo: Unknown symbol gone (err -2)\n@load foo 2\n@end\n",
	      "PASS FAIL SKIP SKIP", LOAD, "Unknown symbol gone", MACHINE_ONCE);
	check(MACHINE_UNTIL,
	      START "@load-begin foo\n"
		    "[1] foo: version magic '6.1 SMP ' should be '6.12 SMP '\n@load foo 8\n@end\n",
	      "PASS FAIL SKIP SKIP", LOAD, "version magic", MACHINE_ONCE);
	check(MACHINE_UNTIL, START "@load-begin foo\n@load foo 17\n@end\n", "PASS SKIP SKIP SKIP",
	      LOAD, "built into this kernel", MACHINE_ONCE);
}

/* A second module that cannot be had without the first one's hardware is no fault. */
static void test_two_modules(void **state)
{
	check(MACHINE_UNTIL,
	      START "@load-begin foo\n@load foo 19\n@load-begin bar\n"
		    "[1] bar: Unknown symbol foo_x (err -2)\n@load bar 2\n@end\n",
	      "PASS SKIP SKIP SKIP", LOAD, "no device for 'bar'", MACHINE_ONCE);
	check(MACHINE_UNTIL,
	      START "@load-begin foo\n@load foo 0\n@load-begin bar\n@load bar 22\n" GONE,
	      "PASS FAIL PASS SKIP", LOAD, "'bar' does not load: init returned -EINVAL",
	      MACHINE_ONCE);
}

/* The same for a module of the kernel that the driver needs. */
static void check_dependency(int code, const char *want, const char *says)
{
	struct machine m;
	struct machine_judgement j;
	char *text = xstrfmt("@init 6.12\n@dep bus %d\n@taint before 0\n@load-begin foo\n"
			     "[1] foo: Unknown symbol bus_add (err -2)\n@load foo 2\n@end\n", code);

	make_machine(&m, MACHINE_UNTIL, text);
	machine_trace_release(&m.trace);
	add_module(&m.list, "bus", NULL);
	m.list.m[1].driver = false;
	strvec_push(&m.list.m[0].info.depends, "bus");
	read_trace(&m);
	machine_judge(&m.trace, NULL, &j);
	check_verdicts(&j, want);
	assert_non_null(strstr(j.gate[LOAD].reason.buf, says));
	machine_judgement_release(&j);
	machine_release(&m);
	free(text);
}

static void test_dependency(void **state)
{
	check_dependency(ENODEV, "PASS SKIP SKIP SKIP", "'bus', which it needs, finds none");
	check_dependency(EINVAL, "PASS INFRA SKIP SKIP", "does not load here (-EINVAL)");
	check_dependency(EEXIST, "PASS FAIL SKIP SKIP", "Unknown symbol bus_add");
}

static void test_leftovers(void **state)
{
	check(MACHINE_UNTIL,
	      LOADED "@taint loaded 0\n@unload-begin foo\n@unload foo 0\n@left number 240 foo\n"
		     "@taint after 0\n@end\n",
	      "PASS PASS FAIL SKIP", UNLOAD, "number 240 foo", MACHINE_ONCE);
	check(MACHINE_UNTIL,
	      LOADED "@taint loaded 0\n@unload-begin foo\n@unload foo 0\n@ref videodev 0 1\n"
		     "@taint after 0\n@end\n",
	      "PASS PASS FAIL SKIP", UNLOAD, "videodev 0 1", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@unload-begin foo\n@unload foo 11\n@left module foo\n@end\n",
	      "PASS PASS FAIL SKIP", UNLOAD, "in use", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@permanent foo\n@left module foo\n@end\n",
	      "PASS PASS SKIP SKIP", UNLOAD, "no exit function", MACHINE_ONCE);
}

static void test_complaints(void **state)
{
	static const char warning[] = "[1] WARNING: CPU: 0 PID: 7 at f.c:3 foo_stop+0x1/0x2 [foo]\n";
	char *text = xstrfmt("%s%s%s", LOADED "@taint loaded 0\n@unload-begin foo\n", warning,
			     "@unload foo 0\n@taint after 512\n@end\n");

	check(MACHINE_UNTIL, text, "PASS PASS FAIL SKIP", UNLOAD, "WARNING in foo_stop",
	      MACHINE_ONCE);
	free(text);
	/* before the driver: the stock kernel's */
	text = xstrfmt("%s%s", warning, LOADED GONE);
	check(MACHINE_UNTIL, text, "PASS PASS PASS SKIP", LOAD, "1 of 1 modules", MACHINE_ONCE);
	free(text);
	/* told by the taint alone */
	check(MACHINE_UNTIL, LOADED "@taint loaded 512\n@unload-begin foo\n@unload foo 0\n"
				    "@taint after 512\n@end\n",
	      "PASS FAIL PASS SKIP", LOAD, "taint 512", MACHINE_ONCE);
}

static void test_ends(void **state)
{
	check(MACHINE_TIMEOUT, START "@load-begin foo\n", "PASS FAIL SKIP SKIP", LOAD,
	      "no end within 60 s, loading 'foo'", MACHINE_AGAIN_SLOW);
	check(MACHINE_TIMEOUT, LOADED "@unload-begin foo\n", "PASS PASS FAIL SKIP", UNLOAD,
	      "unloading 'foo'", MACHINE_AGAIN_SLOW);
	check(MACHINE_TIMEOUT,
	      START "@load-begin foo\n[26] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! "
		    "[init:116]\n",
	      "PASS FAIL SKIP SKIP", LOAD, "soft lockup", MACHINE_ONCE);
	check(MACHINE_POWEROFF, START "@load-begin foo\n", "PASS FAIL SKIP SKIP", LOAD,
	      "ended by itself", MACHINE_ONCE);
	check(MACHINE_OUTPUT_CAP, START "@load-begin foo\n", "PASS FAIL SKIP SKIP", LOAD,
	      "floods the console", MACHINE_ONCE);
	check(MACHINE_UNTIL, START "@load-begin foo\n@load-timeout foo D\n@stack [<0>] foo_go\n@end\n",
	      "PASS FAIL SKIP SKIP", LOAD, "hangs: [<0>] foo_go", MACHINE_ONCE);
	check(MACHINE_UNTIL, START "@load-begin foo\n@load-timeout foo R\n@end\n",
	      "PASS FAIL SKIP SKIP", LOAD, "hangs", MACHINE_AGAIN_SLOW);
}

/* A limit that came while the guest was still at work says nothing of the driver; complaints stand. */
static void check_short(double quiet, const char *text, const char *want, int gate, const char *says,
			enum machine_again again)
{
	struct machine m;
	struct machine_judgement j;

	make_machine(&m, MACHINE_TIMEOUT, text);
	m.run.wall = quiet + 3;
	m.run.quiet = quiet;
	machine_judge(&m.trace, NULL, &j);
	check_verdicts(&j, want);
	if (!strstr(j.gate[gate].reason.buf, says))
		print_message("# reason: %s\n", j.gate[gate].reason.buf);
	assert_non_null(strstr(j.gate[gate].reason.buf, says));
	assert_int_equal(j.again, again);
	machine_judgement_release(&j);
	machine_release(&m);
}

static void test_short_limit(void **state)
{
	static const char oops[] = START "@load-begin foo\n[1] BUG: kernel NULL pointer dereference, address: 0\n";

	check_short(2, START "@load-begin foo\n", "PASS INFRA INFRA INFRA INFRA INFRA", LOAD,
		    "the limit of 5 s is too short for this machine: it came 2 s after the last step, loading 'foo'",
		    MACHINE_AGAIN_SLOW);
	check_short(20, LOADED "@bound pci foo 0:1\n@exercise-begin first net eth0\n",
		    "PASS INFRA INFRA INFRA INFRA INFRA", EXERCISE, "using net 'eth0'", MACHINE_AGAIN_SLOW);
	check_short(30, LOADED "@bound pci foo 0:1\n@exercise-begin first net eth0\n",
		    "PASS PASS SKIP PASS FAIL SKIP", EXERCISE, "no end within 33 s", MACHINE_AGAIN_SLOW);
	check_short(22, START "@load-begin foo\n", "PASS FAIL SKIP SKIP", LOAD, "no end within 25 s",
		    MACHINE_AGAIN_SLOW);
	check_short(2, oops, "PASS FAIL INFRA INFRA INFRA INFRA", LOAD, "NULL pointer", MACHINE_ONCE);
	check_short(2, "@init 6.12\n", "INFRA INFRA INFRA INFRA", BOOT, "a larger --boot-timeout", MACHINE_AGAIN_INFRA);
}

/* Nothing about the driver: never its fault, and never a pass. */
static void test_infrastructure(void **state)
{
	check(MACHINE_TIMEOUT, "", "INFRA INFRA INFRA INFRA", BOOT, "did not reach user space",
	      MACHINE_AGAIN_INFRA);
	check(MACHINE_CRASHED, "@init 6.12\n", "INFRA INFRA INFRA INFRA", BOOT,
	      "modules that the driver needs", MACHINE_AGAIN_INFRA);
	/* lost lines */
	check(MACHINE_UNTIL, START "@end\n", "PASS INFRA SKIP SKIP", LOAD, "does not tell",
	      MACHINE_AGAIN_INFRA);
	check(MACHINE_UNTIL, START "@load-begin foo\n@load foo 0\n@load-begin bar\n@end\n",
	      "PASS INFRA INFRA SKIP", LOAD, "how 'bar' was loaded", MACHINE_AGAIN_INFRA);
	check(MACHINE_UNTIL, LOADED "@end\n", "PASS PASS INFRA SKIP", UNLOAD,
	      "how 'foo' was unloaded", MACHINE_AGAIN_INFRA);
	check(MACHINE_CRASHED, START "@load-begin foo\n", "PASS INFRA SKIP SKIP", LOAD,
	      "the emulator failed", MACHINE_AGAIN_INFRA);
}

/* A driver that prints markers does not know the nonce. */
static void test_forged(void **state)
{
	check(MACHINE_UNTIL,
	      START "@load-begin foo\n[1] kport:0:load foo 0\n[1] foo: kport:" NONCE ":end\n"
		    "@load foo 5\n@end\n",
	      "PASS FAIL SKIP SKIP", LOAD, "-EIO", MACHINE_ONCE);
	check(MACHINE_POWEROFF, "kport:0:init x\nkport::taint before 0\nkport:0:load foo 0\n"
				"kport:0:end\n",
	      "INFRA INFRA INFRA INFRA", BOOT, "did not reach", MACHINE_AGAIN_INFRA);
}

/* ---- the driver before ---------------------------------------------------------------- */

static void check_against(const char *before, const char *now, const char *want)
{
	struct machine a, b;
	struct machine_judgement j;
	struct machine_known known = { .baseline = &a.trace, .baseline_kernel = "6.1" };

	make_machine(&a, MACHINE_UNTIL, before);
	make_machine(&b, MACHINE_UNTIL, now);
	machine_judge(&b.trace, &known, &j);
	check_verdicts(&j, want);
	machine_judgement_release(&j);
	machine_release(&a);
	machine_release(&b);
}

static void test_baseline(void **state)
{
	static const char warned[] = START
		"@load-begin foo\n[1] WARNING: CPU: 0 PID: 7 at f.c:3 foo_go+0x1/0x2 [foo]\n"
		"@load foo 0\n@taint loaded 12800\n@unload-begin foo\n@unload foo 0\n"
		"@taint after 12800\n@end\n";
	static const char nodev[] = START "@load-begin foo\n@load foo 19\n@end\n";
	static const char eio[] = START "@load-begin foo\n@load foo 5\n@end\n";
	static const char permanent[] = LOADED "@permanent foo\n@end\n";
	static const char left[] = LOADED "@unload-begin foo\n@unload foo 0\n@left proc foo\n@end\n";

	check_against(warned, warned, "PASS PASS PASS SKIP");
	check_against(LOADED GONE, warned, "PASS FAIL PASS SKIP");
	check_against(eio, eio, "PASS SKIP SKIP SKIP");
	check_against(nodev, nodev, "PASS SKIP SKIP SKIP");
	check_against(LOADED GONE, nodev, "PASS FAIL SKIP SKIP");
	check_against(LOADED GONE, eio, "PASS FAIL SKIP SKIP");
	check_against(LOADED GONE, permanent, "PASS PASS FAIL SKIP");
	check_against(permanent, permanent, "PASS PASS SKIP SKIP");
	check_against(left, left, "PASS PASS PASS SKIP");
	check_against(LOADED "@new node foo0\n" GONE, LOADED GONE, "PASS PASS PASS FAIL");
}

/* A device was put in for the driver. */
static void test_emulated(void **state)
{
	struct strvec emulated = STRVEC_INIT;
	struct machine_known known = { .emulated = &emulated };
	struct machine_judgement j;
	struct machine now, before;

	strvec_push(&emulated, "pci:v0");
	make_machine(&now, MACHINE_UNTIL, LOADED "@new driver pci/foo\n" GONE);
	machine_judge(&now.trace, &known, &j);
	check_verdicts(&j, "PASS PASS PASS UNKNOWN");
	machine_judgement_release(&j);
	known.baseline = &now.trace;
	known.baseline_kernel = "6.1";
	machine_judge(&now.trace, &known, &j);
	check_verdicts(&j, "PASS PASS PASS SKIP");
	machine_judgement_release(&j);
	make_machine(&before, MACHINE_UNTIL, LOADED "@bound pci foo 0000:00:01.0\n" GONE);
	known.baseline = &before.trace;
	machine_judge(&now.trace, &known, &j);
	check_verdicts(&j, "PASS PASS PASS FAIL");
	machine_judgement_release(&j);
	machine_judge(&before.trace, &known, &j);
	check_verdicts(&j, "PASS PASS PASS PASS");
	assert_non_null(json_object_get(j.gate[PROBE].data, "emulated"));
	machine_judgement_release(&j);
	machine_release(&now);
	machine_release(&before);
	strvec_release(&emulated);
}

static void test_known_titles(void **state)
{
	struct strvec titles = STRVEC_INIT;
	struct machine_known known = { .titles = &titles };
	struct machine_judgement j;
	struct machine m;

	make_machine(&m, MACHINE_UNTIL,
		     START "@load-begin foo\n"
			   "[1] WARNING: CPU: 0 PID: 7 at f.c:3 foo_go+0x1/0x2 [foo]\n"
			   "@load foo 0\n@taint loaded 512\n@unload-begin foo\n@unload foo 0\n"
			   "@taint after 512\n@end\n");
	strvec_push(&titles, "WARNING in foo_stop");
	machine_judge(&m.trace, &known, &j);
	check_verdicts(&j, "PASS FAIL PASS SKIP");
	machine_judgement_release(&j);
	strvec_push(&titles, "WARNING in foo_go");
	machine_judge(&m.trace, &known, &j);
	check_verdicts(&j, "PASS PASS PASS SKIP");
	assert_non_null(strstr(j.gate[LOAD].reason.buf, "known before: WARNING in foo_go"));
	machine_judgement_release(&j);
	machine_release(&m);
	strvec_release(&titles);
}

/* ---- what was done with it --------------------------------------------------------------- */

#define USED(result) LOADED "@new device net/eth0\n@bound pci foo 0000:00:01.0\n" \
	"@taint loaded 0\n@exercise-begin first net eth0\n" result
#define STEPS "@exercise-begin rebind unbind 0:1\n@exercise rebind unbind 0:1 ok done\n" \
	"@exercise-begin rebind bind 0:1\n@exercise rebind bind 0:1 ok done\n" \
	"@exercise-begin resume suspend system\n@exercise resume suspend system ok slept\n"
#define WORKS USED("@exercise first net eth0 ok up, echo, down\n")
#define BROKEN USED("@exercise first net eth0 fail no answer\n")
#define AND_OFF "@taint exercised 0\n@unload-begin foo\n@unload foo 0\n@taint after 0\n@end\n"

static void test_exercise(void **state)
{
	check(MACHINE_UNTIL, WORKS STEPS AND_OFF, "PASS PASS PASS PASS PASS SKIP", EXERCISE,
	      "net 'eth0': up, echo, down; unbound and bound again; slept and woke", MACHINE_ONCE);
	check(MACHINE_UNTIL, WORKS "@exercise resume suspend system skip no pm_test\n" AND_OFF,
	      "PASS PASS PASS PASS PASS SKIP", EXERCISE, "no sleep: no pm_test", MACHINE_ONCE);
	/* Nothing to compare with: to be looked at. */
	check(MACHINE_UNTIL, BROKEN AND_OFF, "PASS PASS PASS PASS UNKNOWN SKIP", EXERCISE, "no answer", MACHINE_ONCE);
	check(MACHINE_UNTIL, WORKS "@gone rebind device net/eth0\n" AND_OFF, "PASS PASS PASS PASS UNKNOWN SKIP",
	      EXERCISE, "not there again after binding again: device net/eth0", MACHINE_ONCE);
	/* The kernel's own words, and what never ends, need no comparison. */
	check(MACHINE_UNTIL, WORKS "@exercise-begin rebind unbind 0:1\n"
	      "[1] WARNING: CPU: 0 PID: 7 at f.c:3 foo_remove+0x1/0x2 [foo]\n"
	      "@exercise rebind unbind 0:1 ok done\n" AND_OFF,
	      "PASS PASS PASS PASS FAIL SKIP", EXERCISE, "WARNING in foo_remove", MACHINE_ONCE);
	check(MACHINE_UNTIL, USED("@exercise-timeout first net eth0 D\n@stack [<0>] foo_open\n@end\n"),
	      "PASS PASS SKIP PASS FAIL SKIP", EXERCISE, "net 'eth0' hangs: [<0>] foo_open", MACHINE_ONCE);
	check(MACHINE_UNTIL, USED("@exercise-timeout first net eth0 R\n@end\n"),
	      "PASS PASS SKIP PASS FAIL SKIP", EXERCISE, "hangs", MACHINE_AGAIN_SLOW);
	check(MACHINE_PANIC, USED("[1] BUG: kernel NULL pointer dereference, address: 0\n"),
	      "PASS PASS SKIP PASS FAIL SKIP", EXERCISE, "panicked, using net 'eth0'", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@taint loaded 0\n@taint exercised 512\n@unload-begin foo\n@unload foo 0\n"
	      "@taint after 512\n@end\n", "PASS PASS PASS SKIP FAIL SKIP", EXERCISE, "taint 512", MACHINE_ONCE);
	/* Bound, and nothing to use. */
	check(MACHINE_UNTIL, LOADED "@bound pci foo 0:1\n" STEPS AND_OFF, "PASS PASS PASS PASS SKIP SKIP", EXERCISE,
	      "no interface appeared", MACHINE_ONCE);
}

static void test_reload(void **state)
{
	check(MACHINE_UNTIL, LOADED "@unload-begin foo\n@unload foo 0\n@reload-begin foo\n@reload foo 16\n@end\n",
	      "PASS PASS FAIL SKIP", UNLOAD, "loading 'foo' a second time fails: -EBUSY", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@unload-begin foo\n@unload foo 0\n@reload-begin foo\n@reload foo 0\n"
	      "@reunload-begin foo\n@reunload-timeout foo D\n@end\n",
	      "PASS PASS FAIL SKIP", UNLOAD, "unloading 'foo' a second time hangs", MACHINE_ONCE);
	check(MACHINE_UNTIL, LOADED "@unload-begin foo\n@unload foo 0\n@reload-begin foo\n@reload foo 0\n"
	      "@reunload-begin foo\n@reunload foo 0\n@end\n",
	      "PASS PASS PASS SKIP", UNLOAD, "loaded and unloaded again", MACHINE_ONCE);
}

static void test_exercise_before(void **state)
{
	static const char nothing[] = LOADED "@bound pci foo 0:1\n@taint loaded 0\n" AND_OFF;

	check_against(WORKS AND_OFF, WORKS AND_OFF, "PASS PASS PASS PASS PASS PASS");
	check_against(WORKS AND_OFF, BROKEN AND_OFF, "PASS PASS PASS PASS FAIL PASS");
	check_against(BROKEN AND_OFF, BROKEN AND_OFF, "PASS PASS PASS PASS SKIP PASS");
	/* A probe that does nothing and says that all is well. */
	check_against(WORKS AND_OFF, nothing, "PASS PASS PASS FAIL FAIL PASS");
	check_against(WORKS "@gone resume node x\n" AND_OFF, WORKS "@gone resume node x\n" AND_OFF,
		      "PASS PASS PASS PASS PASS PASS");
	check_against(WORKS AND_OFF, WORKS "@gone resume node x\n" AND_OFF, "PASS PASS PASS PASS FAIL PASS");
}

/* The device that was put in gives a network interface with every stock driver. */
static void test_interface(void **state)
{
	struct strvec interfaces = STRVEC_INIT;
	struct machine_known known = { .interfaces = &interfaces };
	struct machine_judgement j;
	struct machine m;

	strvec_push(&interfaces, "net");
	make_machine(&m, MACHINE_UNTIL, LOADED "@bound pci foo 0:1\n@taint loaded 0\n" AND_OFF);
	machine_judge(&m.trace, &known, &j);
	check_verdicts(&j, "PASS PASS PASS PASS UNKNOWN SKIP");
	assert_non_null(strstr(j.gate[EXERCISE].reason.buf, "no net that can be used appears"));
	machine_judgement_release(&j);
	machine_release(&m);
	strvec_release(&interfaces);
}

/* ---- what user space sees ------------------------------------------------------------------ */

#define SEEN(lines) LOADED "@new node foo0\n@taint loaded 0\n" lines AND_OFF
#define VIEW "@see node foo# c 600\n@see attr foo 444 uevent a\n@see common foo uevent\n" \
	"@see param foo debug 644 0\n@see uevent add foo foo#\n@see log 6 foo: hello\n@got foo name x\n"

static void check_view(const char *now, const char *verdict, const char *says)
{
	struct strvec stock = STRVEC_INIT;
	struct machine a, b;
	struct machine_judgement j;
	struct machine_known known = { .baseline = &a.trace, .baseline_kernel = "6.1", .stock = &stock };

	strvec_push(&stock, "attr foo of-the-kernel*");
	make_machine(&a, MACHINE_UNTIL, SEEN(VIEW "@see attr foo 444 of-the-kernel-1\n"));
	make_machine(&b, MACHINE_UNTIL, now);
	machine_judge(&b.trace, &known, &j);
	assert_string_equal(verdict_name(j.gate[BEHAVIOUR].verdict), verdict);
	if (!strstr(j.gate[BEHAVIOUR].reason.buf, says))
		print_message("# reason: %s\n", j.gate[BEHAVIOUR].reason.buf);
	assert_non_null(strstr(j.gate[BEHAVIOUR].reason.buf, says));
	machine_judgement_release(&j);
	machine_release(&a);
	machine_release(&b);
	strvec_release(&stock);
}

static void test_behaviour(void **state)
{
	check_view(SEEN(VIEW), "PASS", "as they were");
	check_view(SEEN(VIEW "@see attr foo 444 b of-the-kernel-2\n"), "PASS", "new: attr foo b (444)");
	check_view(SEEN("@see node foo# c 666\n@see attr foo 444 a\n@see param foo debug 644 1\n"
			"@see uevent add foo foo#\n@see log 5 foo: hello\n@got foo name x\n"),
		   "FAIL", "changed: node foo#, 'c 600' before, now 'c 666'");
	check_view(SEEN("@see node foo# c 600\n@see param foo debug 644 0\n@see uevent add foo foo#\n@got foo name x\n"),
		   "FAIL", "gone: attr foo a (444)");
	check_view(SEEN("@see node foo# c 600\n@see attr foo 444 a\n@see uevent add foo foo#\n@got foo name x\n"),
		   "FAIL", "gone: param foo debug (644)");
	check_view(SEEN(VIEW "@got foo name y\n"), "FAIL", "changed: fact foo name, 'x' before, now 'x; y'");
	check_view(SEEN(VIEW "@see log 3 foo: cannot do it\n"), "FAIL", "new: log foo: cannot do it (3)");
	check_view(SEEN("@see node foo# c 600\n@see attr foo 444 a\n@see param foo debug 644 0\n@see log 6 foo: hello\n"
			"@got foo name x\n"), "FAIL", "gone: uevent add foo foo#");
	/* It does not get so far: other gates tell. */
	check_view(START "@load-begin foo\n@load foo 5\n@end\n", "SKIP", "blocked");
}

/* ---- real consoles ---------------------------------------------------------------------- */

static void check_log(const char *log, const char *module, enum machine_end end, const char *want)
{
	char *path = xstrfmt("tests/fixtures/console/%s.log", log);
	struct strbuf text = STRBUF_INIT;
	struct machine_judgement j;
	struct machine m = { .run = { .end = end, .accel = MACHINE_ACCEL_TCG } };
	const char *p;

	assert_ok(file_read(path, 0, &text, &err));
	p = strstr(text.buf, "kport:");
	assert_non_null(p);
	m.nonce = xstrndup(p + 6, strcspn(p + 6, ":"));
	m.text = strbuf_detach(&text, NULL);
	add_module(&m.list, module, NULL);
	read_trace(&m);
	machine_judge(&m.trace, NULL, &j);
	check_verdicts(&j, want);
	machine_judgement_release(&j);
	machine_release(&m);
	free(path);
}

static void test_real_logs(void **state)
{
	static const struct {
		const char *fault, *want;
		enum machine_end end;
	} cases[] = {
		{ "oops", "PASS FAIL SKIP SKIP", MACHINE_PANIC },
		{ "warn", "PASS FAIL FAIL SKIP", MACHINE_UNTIL },
		{ "hang", "PASS FAIL SKIP SKIP", MACHINE_UNTIL },
		{ "atomic", "PASS FAIL PASS SKIP", MACHINE_UNTIL },
		{ "list", "PASS FAIL FAIL SKIP", MACHINE_PANIC },
		{ "bug", "PASS FAIL FAIL SKIP", MACHINE_PANIC },
		{ "unknown", "PASS FAIL SKIP SKIP", MACHINE_UNTIL },
	};
	static const char *const kernels[] = { "6.1", "6.12", "7.3" };

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			char *log = xstrfmt("%s-%s", kernels[k], cases[i].fault);
			char *module = xstrfmt("kf_%s", cases[i].fault);

			check_log(log, module, cases[i].end, cases[i].want);
			free(log);
			free(module);
		}
	}
	check_log("6.12-panic", "kf_panic", MACHINE_PANIC, "PASS PASS FAIL SKIP");
	check_log("6.12-fake", "kf_fake", MACHINE_UNTIL, "PASS FAIL SKIP SKIP");
	check_log("6.12-spin", "kf_spin", MACHINE_PANIC, "PASS FAIL SKIP SKIP");
	check_log("6.12-v4l2loopback", "v4l2loopback", MACHINE_UNTIL, "PASS PASS PASS PASS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	       cmocka_unit_test(test_refused),
		cmocka_unit_test(test_two_modules),    cmocka_unit_test(test_leftovers),
		cmocka_unit_test(test_complaints),     cmocka_unit_test(test_ends),
		cmocka_unit_test(test_short_limit), cmocka_unit_test(test_infrastructure), cmocka_unit_test(test_forged),
		cmocka_unit_test(test_baseline),       cmocka_unit_test(test_known_titles),
		cmocka_unit_test(test_emulated),       cmocka_unit_test(test_dependency),
		cmocka_unit_test(test_exercise),
		cmocka_unit_test(test_reload),
		cmocka_unit_test(test_exercise_before),
		cmocka_unit_test(test_interface),
		cmocka_unit_test(test_behaviour),
		cmocka_unit_test(test_real_logs),
	};

	return cmocka_run_group_tests_name("machine-judge", tests, NULL, NULL);
}
