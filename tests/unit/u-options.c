// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "base/command.h"
#include "base/config.h"
#include "base/log.h"
#include "base/options.h"

static const struct command cmd = {
	.name = "port",
	.summary = "carry a driver over",
	.usage = "kport port DRIVER --from KERNEL\nkport port --list",
};

/* What the last parse filled in; printed by the forked process. */
static struct {
	bool keep, sandbox_off;
	const char *from;
	int64_t jobs;
	double wall;
	struct strvec with, operands;
} got;

static const struct option opts[] = {
	OPTION_BOOL('k', "keep", &got.keep, "keep the workspace"),
	OPTION_BOOL(0, "no-sandbox", &got.sandbox_off, "build without a sandbox"),
	OPTION_STR('f', "from", &got.from, "KERNEL", "where the driver works"),
	OPTION_GROUP("Limits"),
	OPTION_INT('j', "jobs", &got.jobs, "N", "so many at once"),
	OPTION_DBL(0, "wall-clock-seconds", &got.wall, "SECONDS", "give up after that long"),
	OPTION_LIST('w', "with", &got.with, "FILE", "more rules"),
	OPTION_END(),
};

static bool no_operands;

static void parse_and_print(void *arg)
{
	struct strvec *args = arg;

	got.with = got.operands = (struct strvec)STRVEC_INIT;
	got.jobs = -1;
	options_parse(&cmd, opts, (int)args->n, args->v, no_operands ? NULL : &got.operands);
	if (got.keep)
		printf("keep ");
	if (got.sandbox_off)
		printf("no-sandbox ");
	if (got.from)
		printf("from=%s ", got.from);
	if (got.jobs != -1)
		printf("jobs=%" PRId64 " ", got.jobs);
	if (got.wall != 0)
		printf("wall=%g ", got.wall);
	for (size_t i = 0; i < got.with.n; i++)
		printf("with=%s ", got.with.v[i]);
	for (size_t i = 0; i < got.operands.n; i++)
		printf("<%s> ", got.operands.v[i]);
	if (opt_json)
		printf("json ");
	if (log_level != LOG_INFO)
		printf("log=%d ", log_level);
	if (config_str("port.timeout", NULL))
		printf("timeout=%s ", config_str("port.timeout", NULL));
	fflush(stdout);
	_exit(0);
}

/* The words are split as a shell would. */
static int parse(const char *line, struct strbuf *out, struct strbuf *errors)
{
	struct strvec args = STRVEC_INIT;
	int code;

	strvec_push(&args, "port");
	assert_ok(strvec_split_shell(&args, line, &err));
	code = run_forked(parse_and_print, &args, out, errors);
	strvec_release(&args);
	return code;
}

static void parses(const char *line, const char *want)
{
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;
	int code = parse(line, &out, &errors);

	if (code)
		print_message("# %s: %d %s\n", line, code, errors.buf);
	assert_int_equal(code, 0);
	strbuf_rtrim(&out);
	assert_string_equal(out.buf, want);
	assert_int_equal(errors.len, 0);
	strbuf_release(&out);
	strbuf_release(&errors);
}

static void refuses(const char *line, const char *message)
{
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;
	int code = parse(line, &out, &errors);

	assert_int_equal(code, EXIT_USAGE);
	assert_int_equal(out.len, 0);
	strbuf_rtrim(&errors);
	assert_string_equal(errors.buf, message);
	strbuf_release(&out);
	strbuf_release(&errors);
}

static void test_forms(void **state)
{
	parses("", "");
	parses("--keep", "keep");
	parses("-k --no-keep", "");
	parses("--from 6.1", "from=6.1");
	parses("--from=6.1", "from=6.1");
	parses("--from=", "from=");
	parses("--from=a=b", "from=a=b");
	parses("-f 6.1", "from=6.1");
	parses("-f6.1", "from=6.1");
	parses("-kf6.1", "keep from=6.1");
	parses("-kj 4", "keep jobs=4");
	parses("--from a --from b", "from=b");
	parses("-w a --with=b -wc", "with=a with=b with=c");
	parses("--jobs -3 --wall-clock-seconds 1.5", "jobs=-3 wall=1.5");
	parses("--from --keep", "from=--keep");
}

static void test_negations(void **state)
{
	parses("--no-sandbox", "no-sandbox");
	parses("--no-sandbox --sandbox", "");
	parses("--sandbox", "");
	refuses("--no-from", "kport port: option '--from' cannot be negated");
	refuses("--no-frm",
		"kport port: unknown option '--no-frm'; 'kport port -h' lists the options");
}

static void test_operands(void **state)
{
	parses("a --keep b -- --from -k", "keep <a> <b> <--from> <-k>");
	parses("- '' -- --", "<-> <> <-->");
	parses("--", "");
	no_operands = true;
	refuses("x", "kport port: unexpected operand 'x'");
	parses("--keep", "keep");
	no_operands = false;
}

static void test_common_options(void **state)
{
	parses("--json -q", "json log=0");
	parses("--verbose --no-json", "log=3");
	parses("-v -q", "log=0");
	parses("--config port.timeout=5 --color=never", "timeout=5");
	parses("--config Port.TimeOut=5 --config port.timeout=6", "timeout=6");
	refuses("--config=x",
		"kport port: option '--config': 'x' is not of the form section.name=value");
	refuses("--color=blue",
		"kport port: option '--color' needs auto, always or never, not 'blue'");
}

static void test_refusals(void **state)
{
	refuses("--frm 6.1", "kport port: unknown option '--frm'; did you mean '--from'?");
	refuses("--keep=1", "kport port: option '--keep' takes no value");
	refuses("--jsno", "kport port: unknown option '--jsno'; did you mean '--json'?");
	refuses("--wall",
		"kport port: unknown option '--wall'; did you mean '--wall-clock-seconds'?");
	refuses("--zzzzzzz",
		"kport port: unknown option '--zzzzzzz'; 'kport port -h' lists the options");
	refuses("-x", "kport port: unknown option '-x'; 'kport port -h' lists the options");
	refuses("-kx", "kport port: unknown option '-x'; 'kport port -h' lists the options");
	refuses("--from", "kport port: option '--from' needs a value (KERNEL)");
	refuses("-f", "kport port: option '--from' needs a value (KERNEL)");
	refuses("--jobs=4x", "kport port: option '--jobs' needs a whole number, not '4x'");
	refuses("--jobs=", "kport port: option '--jobs' needs a whole number, not ''");
	refuses("--jobs=99999999999999999999",
		"kport port: option '--jobs' needs a whole number, not '99999999999999999999'");
	refuses("--wall-clock-seconds=inf",
		"kport port: option '--wall-clock-seconds' needs a number, not 'inf'");
	refuses("--Limits",
		"kport port: unknown option '--Limits'; 'kport port -h' lists the options");
	refuses("--=x", "kport port: unknown option '--'; 'kport port -h' lists the options");
}

static void test_help(void **state)
{
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;
	static const char *const want = "usage: kport port DRIVER --from KERNEL\n"
					"   or: kport port --list\n"
					"\n"
					"carry a driver over\n"
					"\n"
					"Options\n"
					"    -k, --keep              keep the workspace\n"
					"        --no-sandbox        build without a sandbox\n"
					"    -f, --from KERNEL       where the driver works\n"
					"\n"
					"Limits\n"
					"    -j, --jobs N            so many at once\n"
					"        --wall-clock-seconds SECONDS\n"
					"                            give up after that long\n"
					"    -w, --with FILE         more rules\n"
					"\n"
					"Common options\n";

	assert_int_equal(parse("--help", &out, &errors), 0);
	assert_true(starts_with(out.buf, want));
	assert_non_null(strstr(out.buf, "    -h, --help              print this text\n"));
	assert_int_equal(errors.len, 0);
	strbuf_reset(&errors);
	/* also behind other words, but not as a value or operand */
	assert_int_equal(parse("a -kh", &errors, &errors), 0);
	assert_string_equal(errors.buf, out.buf);
	strbuf_release(&out);
	strbuf_release(&errors);
	parses("-- --help", "<--help>");
	parses("--from -h", "from=-h");
}

static void test_closest_word(void **state)
{
	static const char *const words[] = {
		"audit", "check", "doctor", "explain", "kernel", NULL
	};
	static const char *const none[] = { NULL }, *const shorts[] = { "put", NULL };

	assert_string_equal(closest_word("adit", words), "audit");
	assert_string_equal(closest_word("chekc", words), "check");
	assert_string_equal(closest_word("kernels", words), "kernel");
	assert_string_equal(closest_word("doc", words), "doctor");
	assert_null(closest_word("xyz", words));
	/* a swap of neighbours is one edit, two other letters are two */
	assert_string_equal(closest_word("ptu", shorts), "put");
	assert_null(closest_word("pab", shorts));
	assert_null(closest_word("", none));
	assert_null(closest_word("audit", none));
	char *big = xmalloc(100001);
	memset(big, 'a', 100000);
	big[100000] = '\0';
	assert_null(closest_word(big, words));
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),	     cmocka_unit_test(test_negations),
		cmocka_unit_test(test_operands),     cmocka_unit_test(test_common_options),
		cmocka_unit_test(test_refusals),     cmocka_unit_test(test_help),
		cmocka_unit_test(test_closest_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
