/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include <setjmp.h>
#include <sys/stat.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"
#include "harness/apt.h"
#include "harness/doctor.h"
#include "harness/kernel-record.h"

/* Each test has an empty cache of its own. */
static char *cache;

static int set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");

	assert_int_equal(file_mkdtemp(tmp ? tmp : "/tmp", "kport-u-kernel-", &cache, NULL), 0);
	setenv("KPORT_CACHE_HOME", cache, 1);
	return 0;
}

static int tear_down(void **state)
{
	file_remove(cache, NULL);
	free(cache);
	return 0;
}

static void put(const char *rel, const char *text)
{
	char *path = path_join(cache, rel);

	assert_int_equal(file_mkdirs_for(path, NULL), 0);
	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	free(path);
}

/* A build tree with what kernel_inspect_tree() looks at. */
static void put_tree(const char *config)
{
	put("t/Makefile", "# nothing\n");
	put("t/include/generated/autoconf.h", "");
	put("t/include/generated/utsrelease.h", "#define UTS_RELEASE \"6.9.3-test\"\n");
	put("t/include/generated/uapi/linux/version.h", "#define LINUX_VERSION_CODE 395523\n");
	put("t/include/linux/kernel.h", "");
	put("t/include/config/auto.conf", config);
	put("t/scripts/mod/modpost", "");
	put("t/Module.symvers", "");
}

static const char config[] =
	"# comment\nCONFIG_X86_64=y\nCONFIG_FOO_X86_64=y\nCONFIG_MOD=m\n"
	"CONFIG_CC_VERSION_TEXT=\"x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0\"\n"
	"CONFIG_LOCALVERSION=\"\"\nCONFIG_HZ=250\nCONFIG_MODVERSIONS=y\n";

static char *tree_path(void)
{
	return path_join(cache, "t");
}

static struct kernel *sample(void)
{
	struct kernel *k = kernel_new();

	k->name = xstrdup("6.9");
	k->release = xstrdup("6.9.3-test");
	k->arch = xstrdup("x86_64");
	k->version = 395523;
	k->origin = xstrdup("debian:sid");
	k->cc = xstrdup("gcc-12");
	k->dir = xstrfmt("%s/kernels/6.9", cache);
	k->build_dir = xstrfmt("%s/build/x", k->dir);
	k->common_dir = xstrdup("/elsewhere/common");
	k->symvers = xstrfmt("%s/build/x/Module.symvers", k->dir);
	strvec_push(&k->make_vars, "A=b c");
	strvec_push(&k->roots, k->dir);
	strvec_push(&k->roots, "/elsewhere/common");
	k->modversions = true;
	return k;
}

static void write_sample(void)
{
	struct kernel *k = sample();

	assert_int_equal(file_mkdirs(k->dir, NULL), 0);
	assert_int_equal(kernel_record_write(k, k->dir, NULL, NULL), 0);
	kernel_free(k);
}

/* ---- records --------------------------------------------------------------- */

static void record_round_trip(void **state)
{
	struct kernel *k = NULL, *want = sample();
	struct strbuf err = STRBUF_INIT;

	write_sample();
	assert_int_equal(kernel_record_read("6.9", &k, NULL, &err), 0);
	assert_string_equal(k->release, want->release);
	assert_string_equal(k->build_dir, want->build_dir);
	assert_string_equal(k->common_dir, want->common_dir);
	assert_string_equal(k->symvers, want->symvers);
	assert_null(k->image);
	assert_null(k->source_dir);
	assert_int_equal(k->version, want->version);
	assert_true(k->modversions);
	assert_int_equal(k->make_vars.n, 1);
	assert_string_equal(k->make_vars.v[0], "A=b c");
	assert_int_equal(k->roots.n, 2);
	assert_string_equal(k->roots.v[0], want->dir);
	assert_string_equal(k->roots.v[1], "/elsewhere/common");
	kernel_free(k);
	kernel_free(want);
}

/* Moving the cache moves everything that lies in it. */
static void record_is_relocatable(void **state)
{
	char *other = xstrfmt("%s-moved", cache), *build = xstrfmt("%s/kernels/6.9/build/x", other);
	struct kernel *k = NULL;

	write_sample();
	assert_int_equal(rename(cache, other), 0);
	setenv("KPORT_CACHE_HOME", other, 1);
	assert_int_equal(kernel_record_read("6.9", &k, NULL, NULL), 0);
	assert_string_equal(k->build_dir, build);
	kernel_free(k);
	assert_int_equal(rename(other, cache), 0);
	free(other);
	free(build);
}

static void expect_damaged(const char *text)
{
	struct strbuf err = STRBUF_INIT;
	struct strvec names = STRVEC_INIT;
	struct kernel *k = NULL;

	put("kernels/6.9/kernel.json", text);
	assert_int_equal(kernel_record_read("6.9", &k, NULL, &err), KP_ERR);
	assert_null(k);
	assert_true(err.len > 0);
	kernel_list_damaged(&names);
	assert_int_equal(names.n, 1);
	strvec_release(&names);
	strbuf_release(&err);
}

static void damaged_records(void **state)
{
	expect_damaged("");
	expect_damaged("[]");
	expect_damaged("{\"schema_version\": 1");
	expect_damaged("{\"schema_version\": 1, \"name\": \"6.9\"}");
	/* a path that climbs out, another record's name, a later schema */
	expect_damaged(
		"{\"schema_version\":1,\"name\":\"6.9\",\"release\":\"r\",\"arch\":\"x86_64\","
		"\"version_code\":1,\"origin\":\"o\",\"cc\":\"gcc\",\"common_dir\":\"a\","
		"\"build_dir\":\"../../etc\"}");
	expect_damaged(
		"{\"schema_version\":1,\"name\":\"6.8\",\"release\":\"r\",\"arch\":\"x86_64\","
		"\"version_code\":1,\"origin\":\"o\",\"cc\":\"gcc\",\"common_dir\":\"a\","
		"\"build_dir\":\"b\"}");
	expect_damaged(
		"{\"schema_version\":2,\"name\":\"6.9\",\"release\":\"r\",\"arch\":\"x86_64\","
		"\"version_code\":1,\"origin\":\"o\",\"cc\":\"gcc\",\"common_dir\":\"a\","
		"\"build_dir\":\"b\"}");
}

static void names(void **state)
{
	static const char *const good[] = { "6.12", "6.12.95+deb12-amd64", "a", "my_kernel",
					    "6~rc1" };
	static const char *const bad[] = { "",	  ".",	 "..",	 ".work",   "-x",
					   "a/b", "a b", "a\nb", "\xc3\xa9" };
	char long_name[80];

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(kernel_name_valid(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(kernel_name_valid(bad[i]));
	memset(long_name, 'a', sizeof(long_name));
	long_name[65] = '\0';
	assert_false(kernel_name_valid(long_name));
	long_name[64] = '\0';
	assert_true(kernel_name_valid(long_name));
}

static void expect_unresolved(const char *word, int code, const char *part)
{
	struct strbuf err = STRBUF_INIT;
	struct kernel *k = NULL;

	assert_int_equal(kernel_resolve(word, &k, &err), code);
	assert_null(k);
	assert_non_null(strstr(err.buf, part));
	assert_null(strchr(err.buf, '\n'));
	strbuf_release(&err);
}

static void resolve(void **state)
{
	static const char *const words[] = { "6.9", "6.9.3-test", "6.9.3" };
	struct strbuf err = STRBUF_INIT;
	char *tree = tree_path();

	write_sample();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct kernel *k = NULL;

		assert_int_equal(kernel_resolve(words[i], &k, &err), 0);
		assert_int_equal(err.len, 0);
		assert_string_equal(k->name, "6.9");
		kernel_free(k);
	}
	expect_unresolved("6.12", KP_NOTFOUND, "kport kernel add 6.12");
	expect_unresolved("6.12", KP_NOTFOUND, "known: '6.9'");
	expect_unresolved("nonsense", KP_NOTFOUND, "name a build tree");
	expect_unresolved("", KP_ERR, "empty");
	expect_unresolved("/no/such/dir", KP_NOTFOUND, "no kernel tree '/no/such/dir'");
	put("t/README", "");
	expect_unresolved(tree, KP_ERR, "no Makefile");
	free(tree);
}

static void remove_record(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct kernel *k = NULL;

	write_sample();
	put("kernels/6.9/build/x/file", "");
	assert_int_equal(kernel_remove("6.9", &err), 0);
	assert_int_equal(kernel_record_read("6.9", &k, NULL, &err), KP_NOTFOUND);
	strbuf_reset(&err);
	assert_int_equal(kernel_remove("6.9", &err), KP_NOTFOUND);
	assert_int_equal(kernel_remove("../x", &err), KP_ERR);
	strbuf_release(&err);
}

/* ---- trees ----------------------------------------------------------------- */

static void inspect(void **state)
{
	struct kernel *k = kernel_new();
	struct strbuf err = STRBUF_INIT;
	char *tree = tree_path(), *v;

	put_tree(config);
	assert_int_equal(kernel_inspect_tree(tree, k, &err), 0);
	assert_string_equal(k->release, "6.9.3-test");
	assert_string_equal(k->arch, "x86_64");
	assert_string_equal(k->cc, "gcc-14");
	assert_string_equal(k->common_dir, tree);
	assert_int_equal(k->version, 395523);
	assert_true(k->modversions);
	assert_non_null(k->symvers);
	v = kernel_config(k, "CONFIG_HZ");
	assert_string_equal(v, "250");
	free(v);
	v = kernel_config(k, "CONFIG_LOCALVERSION");
	assert_string_equal(v, "");
	free(v);
	assert_null(kernel_config(k, "CONFIG_X86"));
	assert_null(kernel_config(k, "CONFIG_H"));
	kernel_free(k);
	free(tree);
}

static void expect_refused(const char *gone, const char *part)
{
	struct kernel *k = kernel_new();
	struct strbuf err = STRBUF_INIT;
	char *tree = tree_path(), *path = path_join(cache, gone);

	put_tree(config);
	assert_int_equal(file_remove(path, NULL), 0);
	assert_int_equal(kernel_inspect_tree(tree, k, &err), KP_ERR);
	assert_non_null(strstr(err.buf, part));
	kernel_free(k);
	strbuf_release(&err);
	free(tree);
	free(path);
}

static void refused_trees(void **state)
{
	expect_refused("t/Makefile", "no Makefile");
	expect_refused("t/include/generated/autoconf.h", "autoconf.h");
	expect_refused("t/include/generated/utsrelease.h", "release");
	expect_refused("t/include/generated/uapi", "version");
	expect_refused("t/include/linux/kernel.h", "headers");
	expect_refused("t/include/config/auto.conf", "architecture");
	expect_refused("t/scripts/mod/modpost", "modules_prepare");
}

/* A compiler of version 12.2.0 that knows the options of gcc 12 but one. */
static const char fake_cc[] = "#!/bin/sh\ncase \"$*\" in\n*-dumpfullversion*) echo 12.2.0 ;;\n"
			      "*-fmin-function-alignment*|*-fms-anonymous*) exit 1 ;;\nesac\n"
			      "cat >/dev/null\n";

static void expect_file(const char *rel, const char *want)
{
	char *path = path_join(cache, rel);
	struct strbuf got = STRBUF_INIT;

	assert_int_equal(file_read(path, 1 << 20, &got, NULL), 0);
	assert_string_equal(got.buf, want);
	strbuf_release(&got);
	free(path);
}

static void fit_config(const char *conf, const char *header)
{
	char *tree = tree_path(), *cc = path_join(cache, "cc");
	struct strvec notes = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;

	put("t/include/config/auto.conf", conf);
	put("t/include/generated/autoconf.h", header);
	put("cc", fake_cc);
	assert_int_equal(chmod(cc, 0755), 0);
	assert_int_equal(kernel_fit_config(tree, cc, &notes, &err), 0);
	strvec_release(&notes);
	free(tree);
	free(cc);
}

static void fitted_configuration(void **state)
{
	fit_config(
		"CONFIG_GCC_VERSION=140200\nCONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=y\n"
		"CONFIG_CC_HAS_SANE_FUNCTION_ALIGNMENT=y\nCONFIG_CC_HAS_ASSUME=y\nCONFIG_CC_HAS_"
		"SLS=y\n"
		"CONFIG_CC_HAS_ASM_GOTO_OUTPUT=y\nCONFIG_CC_MS_EXTENSIONS=-fms-anonymous-structs\n"
		"CONFIG_NET=y\n",
		"#define CONFIG_GCC_VERSION 140200\n#define CONFIG_CC_HAS_ASSUME 1\n"
		"#define CONFIG_CC_HAS_ASSUME_NOT 1\n#define CONFIG_NET 1\n"
		"#define CONFIG_CC_MS_EXTENSIONS \"-fms-anonymous-structs\"\n");
	expect_file("t/include/config/auto.conf",
		    "CONFIG_CC_HAS_SLS=y\nCONFIG_NET=y\nCONFIG_CC_MS_EXTENSIONS=-fms-extensions\n"
		    "CONFIG_GCC_ASM_GOTO_OUTPUT_BROKEN=y\nCONFIG_GCC_VERSION=120200\n");
	expect_file(
		"t/include/generated/autoconf.h",
		"#define CONFIG_CC_HAS_ASSUME_NOT 1\n#define CONFIG_NET 1\n"
		"#define CONFIG_CC_MS_EXTENSIONS \"-fms-extensions\"\n"
		"#define CONFIG_GCC_ASM_GOTO_OUTPUT_BROKEN 1\n#define CONFIG_GCC_VERSION 120200\n");
}

/* The compiler that the kernel was built with changes nothing. */
static void fitting_configuration(void **state)
{
	static const char conf[] = "CONFIG_GCC_VERSION=120200\nCONFIG_CC_HAS_ASSUME=y\n";

	fit_config(conf, "");
	expect_file("t/include/config/auto.conf", conf);
}

static void relative_paths(void **state)
{
	static const char *const cases[][3] = {
		{ "/a/b", "/a/c/d", "../c/d" }, { "/a", "/a/b", "b" },
		{ "/a/b/c", "/a", "../../" },	{ "/a/b", "/a/bc", "../bc" },
		{ "/x/y", "/z", "../../z" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *rel = kernel_relative_path(cases[i][0], cases[i][1]);

		assert_string_equal(rel, cases[i][2]);
		free(rel);
	}
}

/* ---- apt ------------------------------------------------------------------- */

static void expect_mirrors(const char *text, bool deb822, const char *want)
{
	struct strvec v = STRVEC_INIT;
	struct strbuf got = STRBUF_INIT;

	apt_sources_parse(text, deb822, &v);
	for (size_t i = 0; i < v.n; i++)
		strbuf_addf(&got, "%s%s", i ? " " : "", v.v[i]);
	assert_string_equal(got.buf, want);
	strvec_release(&v);
	strbuf_release(&got);
}

static void one_line_sources(void **state)
{
	expect_mirrors("", false, "");
	expect_mirrors("deb http://m/debian bookworm main contrib\n", false, "http://m/debian");
	expect_mirrors("# deb http://m/debian bookworm main\n", false, "");
	expect_mirrors("deb-src http://m/debian bookworm main\n", false, "");
	expect_mirrors(
		"deb [arch=amd64 signed-by=/k/debian-archive-keyring.gpg] http://m/d bookworm main",
		false, "http://m/d");
	/* security suites, other components, other vendors and discs are no mirrors */
	expect_mirrors("deb http://m/debian-security bookworm-security main\n"
		       "deb http://m/x bookworm stable\ndeb http://m/y jammy main\n"
		       "deb cdrom:[Debian]/ bookworm main\n",
		       false, "");
	expect_mirrors("deb [signed-by=/k/vendor.gpg] http://v/d bookworm main\n"
		       "deb http://m/debian bookworm main\r\n",
		       false, "http://m/debian http://v/d");
	expect_mirrors("deb [broken http://m/debian bookworm main\n", false, "");
	expect_mirrors("deb http://m/debian\n", false, "");
}

static void deb822_sources(void **state)
{
	expect_mirrors(
		"Types: deb\n# comment\nURIs: http://m/debian\nSuites: bookworm bookworm-updates\n"
		"Components: main\n\nTypes: deb\nURIs: http://m/sec\nSuites: bookworm-security\n"
		"Components: main\n",
		true, "http://m/debian");
	expect_mirrors(
		"types: deb deb-src\nuris: http://a/d http://b/d\nsuites: stable\ncomponents: main",
		true, "http://a/d http://b/d");
	expect_mirrors("Enabled: no\nTypes: deb\nURIs: http://m/d\nSuites: sid\nComponents: main\n",
		       true, "");
	expect_mirrors("Types: deb\nURIs: http://m/d\nSuites:\n bookworm\nComponents:\n main\n",
		       true, "http://m/d");
	expect_mirrors(
		"Types: deb\nURIs: mirror+file:/etc/apt/mirrors/debian.list\nSuites: bookworm\n"
		"Components: main\n",
		true, "mirror+file:/etc/apt/mirrors/debian.list");
	expect_mirrors(" stray\nno colon\n:\n", true, "");
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void versions(void **state)
{
	/* each is older than the next */
	static const char *const up[] = {
		"1.0~rc1",	 "1.0",
		"1.0-1~bpo12+1", "1.0-1",
		"1.0-1+b1",	 "1.0a",
		"1.0.1",	 "1.9",
		"1.10",		 "5.10.223-1",
		"6.1.176-1",	 "6.12.95-1~bpo12+1",
		"6.12.117-1",	 "7.2.12-1~bpo13+1",
		"7.2.13-1",	 "1:0.1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(up); i++)
		for (size_t j = 0; j < ARRAY_SIZE(up); j++)
			assert_int_equal(sign(deb_version_cmp(up[i], up[j])),
					 sign((int)i - (int)j));
	assert_int_equal(deb_version_cmp("0:1.0", "1.0"), 0);
	assert_int_equal(deb_version_cmp("1.00", "1.0"), 0);
}

static void depends(void **state)
{
	struct strvec v = STRVEC_INIT;

	deb_depends_names("libc6 (>= 2.38), linux-kbuild-6.1:any, a | b (= 1), c [amd64],  d <x>,",
			  &v);
	assert_int_equal(v.n, 5);
	assert_string_equal(v.v[0], "libc6");
	assert_string_equal(v.v[1], "linux-kbuild-6.1");
	assert_string_equal(v.v[2], "a");
	assert_string_equal(v.v[3], "c");
	assert_string_equal(v.v[4], "d");
	strvec_release(&v);
}

/* Whatever doctor tells to install is what "make deps" installs. */
static void doctor_packages_are_listed(void **state)
{
	char *path = kport_data_path("deps.txt");
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	struct strmap known = STRMAP_INIT;

	assert_int_equal(file_read(path, 1 << 20, &text, NULL), 0);
	strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		char *name = xstrndup(lines.v[i], strcspn(lines.v[i], " \t#"));

		strmap_put(&known, name, NULL);
		free(name);
	}
	for (const char *const *p = doctor_packages(); *p; p++)
		if (!strmap_has(&known, *p))
			fail_msg("package '%s' is not in deps.txt", *p);
	strmap_release(&known, NULL);
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(record_round_trip),
		TEST(record_is_relocatable),
		TEST(damaged_records),
		TEST(names),
		TEST(resolve),
		TEST(remove_record),
		TEST(inspect),
		TEST(refused_trees),
		TEST(relative_paths),
		TEST(one_line_sources),
		TEST(deb822_sources),
		TEST(versions),
		TEST(depends),
		TEST(doctor_packages_are_listed),
		TEST(fitted_configuration),
		TEST(fitting_configuration),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
