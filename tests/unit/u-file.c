// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include <fcntl.h>

/* ---- reading and writing ---- */

static void test_read(void **state)
{
	char *path = make_file("read/a", "hello"), *dir = in_scratch("read"),
	     *fifo = in_scratch("fifo");
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, ">");
	assert_ok(file_read(path, 0, &sb, &err));
	assert_string_equal(sb.buf, ">hello");
	assert_ok(file_read(path, 5, &sb, &err));
	assert_string_equal(sb.buf, ">hellohello");
	assert_fails(KP_ERR, "larger than 4 bytes", file_read(path, 4, &sb, &err));
	assert_string_equal(sb.buf, ">hellohello");
	assert_fails(KP_NOTFOUND, "/no/such", file_read("/no/such", 0, &sb, &err));
	assert_fails(KP_ERR, "is a directory", file_read(dir, 0, &sb, &err));
	/* would block for ever */
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_fails(KP_ERR, "not a regular file", file_read(fifo, 0, &sb, &err));
	assert_fails(KP_ERR, "not a regular file", file_read("/dev/zero", 0, &sb, &err));
	strbuf_reset(&sb);
	/* stat says 0 bytes */
	assert_ok(file_read("/proc/self/status", 0, &sb, &err));
	assert_non_null(strstr(sb.buf, "Name:"));
	assert_fails(KP_ERR, "larger than 10 bytes", file_read("/proc/self/status", 10, &sb, &err));
	strbuf_release(&sb);
	free(path);
	free(dir);
	free(fifo);
}

static void test_write(void **state)
{
	char *path = in_scratch("write/a"), *dir = in_scratch("write");
	struct strbuf sb = STRBUF_INIT;
	struct stat st;

	assert_fails(KP_NOTFOUND, "write/a", file_write(path, "x", 1, &err));
	assert_ok(file_mkdirs_for(path, &err));
	umask(022);
	assert_ok(file_write(path, "a\0b", 3, &err));
	assert_ok(file_read(path, 0, &sb, &err));
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.buf, "a\0b", 3);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_ok(file_write_mode(path, "", 0, 0750, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_int_equal(st.st_size, 0);
	assert_ok(file_write_nosync(path, "z", 1, &err));
	assert_file(path, "z");
	/* nothing left aside */
	assert_int_equal(count_names(dir), 1);
	assert_fails(KP_ERR, "write", file_write(dir, "x", 1, &err));
	assert_int_equal(count_names(dir), 1);
	strbuf_release(&sb);
	free(path);
	free(dir);
}

static void test_write_replaces_a_link_not_its_target(void **state)
{
	char *target = make_file("precious", "precious"), *link = in_scratch("link");
	struct stat st;

	assert_int_equal(symlink(target, link), 0);
	assert_ok(file_write(link, "new", 3, &err));
	assert_file(target, "precious");
	assert_file(link, "new");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	free(target);
	free(link);
}

/* A reader sees all of the old or all of the new content, never a mixture. */
static void test_write_is_atomic(void **state)
{
	const size_t len = 300000;
	char *path = in_scratch("atomic"), *data = xmalloc(len);
	struct strbuf sb = STRBUF_INIT;
	int status;
	pid_t pid;

	memset(data, 'a', len);
	assert_ok(file_write_nosync(path, data, len, &err));
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 400; i++) {
			memset(data, 'a' + i % 26, len - (size_t)i);
			if (file_write_nosync(path, data, len - (size_t)i, &err) < 0)
				_exit(1);
		}
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		strbuf_reset(&sb);
		assert_ok(file_read(path, 0, &sb, &err));
		assert_true(sb.len > len - 400);
		for (size_t i = 1; i < sb.len; i++)
			if (sb.buf[i] != sb.buf[0])
				fail_msg("mixed content at %zu", i);
	}
	assert_int_equal(status, 0);
	strbuf_release(&sb);
	free(data);
	free(path);
}

/* ---- directories ---- */

static void test_mkdirs(void **state)
{
	char *deep = in_scratch("m/a//b/c/"), *file = make_file("m/file", ""),
	     *below = in_scratch("m/file/x");

	assert_ok(file_mkdirs(deep, &err));
	assert_ok(file_mkdirs(deep, &err));
	assert_true(file_is_dir(deep));
	assert_fails(KP_ERR, "m/file", file_mkdirs(file, &err));
	assert_fails(KP_ERR, "m/file", file_mkdirs(below, &err));
	assert_ok(file_mkdirs("/", &err));
	assert_ok(file_mkdirs(".", &err));
	assert_ok(file_mkdirs_for("name-without-directory", &err));
	free(deep);
	free(file);
	free(below);
}

static void test_remove(void **state)
{
	char *kept = make_file("kept/file", "x"), *tree = in_scratch("tree"),
	     *a = make_file("tree/a/b/c", "");
	char *locked = make_file("tree/locked/f", ""), *dir = in_scratch("tree/locked");
	char *kept_dir = in_scratch("kept"), *link = in_scratch("tree/a/link"),
	     *top = in_scratch("toplink");

	assert_int_equal(symlink(kept_dir, link), 0);
	assert_int_equal(symlink(kept_dir, top), 0);
	assert_int_equal(chmod(dir, 0), 0);
	assert_ok(file_remove(tree, &err));
	assert_false(file_exists(tree));
	assert_ok(file_remove(top, &err));
	assert_file(kept, "x");
	assert_ok(file_remove(kept, &err));
	assert_ok(file_remove(kept, &err));
	assert_ok(file_remove("/no/such/thing", &err));
	free(kept);
	free(tree);
	free(a);
	free(locked);
	free(dir);
	free(kept_dir);
	free(link);
	free(top);
}

static void test_list_is_sorted_bytewise(void **state)
{
	static const char *const names[] = { "a-b", "a/b", "a/b.c", "a/c/d", "ab", "\xc3\xa4" };
	char *root = in_scratch("list"), *link = in_scratch("list/link");
	struct strvec v = STRVEC_INIT;

	for (size_t i = ARRAY_SIZE(names); i-- > 0;) {
		char *rel = path_join("list", names[i]);

		free(make_file(rel, ""));
		free(rel);
	}
	assert_int_equal(symlink("a", link), 0);
	assert_ok(file_list(root, &v, &err));
	assert_int_equal(v.n, ARRAY_SIZE(names));
	for (size_t i = 0; i < v.n; i++)
		assert_string_equal(v.v[i], names[i]);
	strvec_release(&v);
	assert_fails(KP_NOTFOUND, "/no/such", file_list("/no/such", &v, &err));
	free(root);
	free(link);
}

static int stop_at(const char *rel, const struct stat *st, void *payload, struct strbuf *e)
{
	strvec_push(payload, rel);
	if (!strcmp(rel, "skip"))
		return FILE_WALK_SKIP;
	return strcmp(rel, "stop") ? 0 : -77;
}

static void test_walk(void **state)
{
	char *root = in_scratch("walk");
	struct strvec v = STRVEC_INIT;

	free(make_file("walk/a/x", ""));
	free(make_file("walk/skip/x", ""));
	free(make_file("walk/stop", ""));
	free(make_file("walk/z", ""));
	assert_int_equal(file_walk(root, stop_at, &v, &err), -77);
	assert_int_equal(v.n, 4);
	assert_string_equal(v.v[0], "a");
	assert_string_equal(v.v[1], "a/x");
	assert_string_equal(v.v[2], "skip");
	assert_string_equal(v.v[3], "stop");
	strvec_release(&v);
	free(root);
}

static void test_too_deep(void **state)
{
	char *top = in_scratch("deep");
	struct strvec v = STRVEC_INIT;
	int cwd = open(".", O_RDONLY | O_DIRECTORY);

	assert_ok(file_mkdirs(top, &err));
	assert_int_equal(chdir(top), 0);
	for (int i = 0; i < 400; i++) {
		assert_int_equal(mkdir("a-rather-long-name", 0777), 0);
		assert_int_equal(chdir("a-rather-long-name"), 0);
	}
	assert_int_equal(fchdir(cwd), 0);
	close(cwd);
	assert_fails(KP_ERR, "nested deeper", file_list(top, &v, &err));
	/* longer than PATH_MAX, and yet it can be removed */
	assert_ok(file_remove(top, &err));
	assert_false(file_exists(top));
	strvec_release(&v);
	free(top);
}

/* ---- copying ---- */

static void test_copy_tree(void **state)
{
	char *src = in_scratch("src"), *dst = in_scratch("dst/new"),
	     *tool = make_file("src/bin/tool", "tool");
	char *readonly = make_file("src/ro/file", "ro"), *rodir = in_scratch("src/ro");
	char *link = in_scratch("src/bin/link"), *copy = in_scratch("dst/new/bin/tool");
	char *copylink = in_scratch("dst/new/bin/link"), *copydir = in_scratch("dst/new/ro");
	struct timespec times[2] = { { 1000, 0 }, { 1234567890, 5000 } };
	char target[64] = "";
	struct stat st;

	free(make_file("src/.git/config", "x"));
	assert_int_equal(symlink("tool", link), 0);
	assert_int_equal(chmod(tool, 04751), 0);
	assert_int_equal(chmod(readonly, 0400), 0);
	assert_int_equal(utimensat(AT_FDCWD, tool, times, 0), 0);
	assert_int_equal(chmod(rodir, 0555), 0);
	assert_int_equal(utimensat(AT_FDCWD, rodir, times, 0), 0);
	assert_ok(file_copy(src, dst, FILE_COPY_REFLINK | FILE_COPY_INSIDE_LINKS | FILE_COPY_NO_GIT,
			    NULL, &err));
	assert_file(copy, "tool");
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0751);
	assert_int_equal(st.st_mtim.tv_sec, 1234567890);
	assert_int_equal(st.st_mtim.tv_nsec, 5000);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(readlink(copylink, target, sizeof(target)), 4);
	assert_string_equal(target, "tool");
	assert_int_equal(stat(copydir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0555);
	assert_int_equal(st.st_mtim.tv_sec, 1234567890);
	assert_int_equal(count_names(dst), 2);
	/* once more over what is there, now with .git */
	assert_ok(file_copy(src, dst, 0, NULL, &err));
	assert_int_equal(count_names(dst), 3);
	free(src);
	free(dst);
	free(tool);
	free(readonly);
	free(rodir);
	free(link);
	free(copy);
	free(copylink);
	free(copydir);
}

static void test_copy_file(void **state)
{
	char *a = make_file("one", "content"), *b = in_scratch("two"),
	     *link = in_scratch("onelink");
	char *fifo = in_scratch("onefifo");

	assert_ok(file_copy(a, b, 0, NULL, &err));
	assert_file(b, "content");
	assert_int_equal(symlink("one", link), 0);
	assert_ok(file_copy(link, b, 0, NULL, &err));
	assert_file(b, "content");
	assert_fails(KP_NOTFOUND, "/no/such", file_copy("/no/such", b, 0, NULL, &err));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_fails(KP_ERR, "neither file nor directory", file_copy(fifo, b, 0, NULL, &err));
	free(a);
	free(b);
	free(link);
	free(fifo);
}

static void test_copy_limits(void **state)
{
	struct file_copy_limits few = { .files = 2 }, small = { .bytes = 9 }, fits = { 10, 3 };
	char *src = in_scratch("limits"), *dst = in_scratch("limits-copy");

	free(make_file("limits/a", "12345"));
	free(make_file("limits/b", "12345"));
	free(make_file("limits/c", ""));
	assert_fails(KP_ERR, "more than 2 files", file_copy(src, dst, 0, &few, &err));
	assert_fails(KP_ERR, "more than 9 bytes", file_copy(src, dst, 0, &small, &err));
	assert_ok(file_copy(src, dst, 0, &fits, &err));
	free(src);
	free(dst);
}

static void test_copy_refusals(void **state)
{
	char *src = in_scratch("odd"), *dst = in_scratch("odd-copy"),
	     *inside = in_scratch("odd/sub/copy");
	char *fifo = in_scratch("odd/fifo"), *evil = in_scratch("odd-copy/sub"),
	     *outside = in_scratch("outside");

	free(make_file("odd/sub/file", "x"));
	assert_fails(KP_ERR, "into itself", file_copy(src, inside, 0, NULL, &err));
	assert_fails(KP_ERR, "into itself", file_copy(src, src, 0, NULL, &err));
	/* a link in the destination must not lead the copy elsewhere */
	assert_ok(file_mkdirs(dst, &err));
	assert_ok(file_mkdirs(outside, &err));
	assert_int_equal(symlink(outside, evil), 0);
	assert_fails(KP_ERR, "odd-copy/sub", file_copy(src, dst, 0, NULL, &err));
	assert_int_equal(count_names(outside), 0);
	assert_ok(file_remove(dst, &err));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_fails(KP_ERR, "neither file, directory nor symlink",
		     file_copy(src, dst, 0, NULL, &err));
	free(src);
	free(dst);
	free(inside);
	free(fifo);
	free(evil);
	free(outside);
}

static void check_link(const char *target, bool allowed)
{
	char *src = in_scratch("links"), *dst = in_scratch("links-copy"),
	     *link = in_scratch("links/sub/link");

	free(make_file("links/sub/file", ""));
	free(make_file("links-other/file", ""));
	assert_int_equal(symlink(target, link), 0);
	if (allowed)
		assert_ok(file_copy(src, dst, FILE_COPY_INSIDE_LINKS, NULL, &err));
	else
		assert_fails(KP_ERR, "leads outside",
			     file_copy(src, dst, FILE_COPY_INSIDE_LINKS, NULL, &err));
	assert_ok(file_remove(src, &err));
	assert_ok(file_remove(dst, &err));
	free(src);
	free(dst);
	free(link);
}

static void test_links_that_leave(void **state)
{
	check_link("file", true);
	check_link("../sub/file", true);
	check_link("./nothing", true);
	check_link("..", true);
	check_link("../nothing/../sub", true);
	check_link("/etc/passwd", false);
	check_link("../../links-other/file", false);
	check_link("../../links/sub/file", false);
	check_link("../..", false);
	check_link("x/../../../y", false);
}

/* By name "dirlink/.." stays inside, but the directory behind dirlink is elsewhere. */
static void test_links_that_leave_through_links(void **state)
{
	char *src = in_scratch("chain"), *dst = in_scratch("chain-copy"),
	     *a = in_scratch("chain/a");
	char *b = in_scratch("chain/sub/b");

	free(make_file("chain/sub/deep/file", ""));
	free(make_file("victim", ""));
	assert_int_equal(symlink(".", a), 0);
	assert_int_equal(symlink("../a/../victim", b), 0);
	assert_fails(KP_ERR, "leads outside",
		     file_copy(src, dst, FILE_COPY_INSIDE_LINKS, NULL, &err));
	free(src);
	free(dst);
	free(a);
	free(b);
}

/* ---- names ---- */

static void test_path_is_safe(void **state)
{
	static const char *const good[] = { "a", "a/b.c", "..a", "a..", "a/...", ".git/x", "a b" };
	static const char *const bad[] = { "",	   "/",	     "/a", "a/",  "a//b", "..",	 "../a",
					   "a/..", "a/../b", ".",  "./a", "a/.",  "a\nb" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!path_is_safe(good[i]))
			fail_msg("'%s' should be safe", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (path_is_safe(bad[i]))
			fail_msg("'%s' should not be safe", bad[i]);
	assert_false(path_is_safe(NULL));
}

static void assert_inside(const char *dir, const char *path, const char *want)
{
	const char *got = path_inside(dir, path);

	if (!want) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(got, want);
}

static void test_path_inside(void **state)
{
	assert_inside("/a", "/a/b", "b");
	assert_inside("/a/", "/a//b/c", "b/c");
	assert_inside("/a", "/a", "");
	assert_inside("/", "/a", "a");
	assert_inside("d", "d/x", "x");
	assert_inside("/a", "/ab", NULL);
	assert_inside("/a", "/b", NULL);
	assert_inside("/a/b", "/a", NULL);
	assert_inside("/a", "/a/../b", NULL);
	assert_inside("/a", "/a/b/..", NULL);
	assert_inside("", "/a", NULL);
}

static void assert_absolute(const char *cwd, const char *path, const char *want)
{
	char *got = path_absolute(cwd, path);

	assert_string_equal(got, want);
	free(got);
}

static void test_path_absolute(void **state)
{
	assert_absolute("/a/b", "c.c", "/a/b/c.c");
	assert_absolute("/a/b", "./src/../x.h", "/a/b/x.h");
	assert_absolute("/a/b", "../../../x.h", "/x.h");
	assert_absolute("/a", "/k/./x//y/../z.h", "/k/x/z.h");
	assert_absolute("/a", "/..", "/");
	assert_absolute("/a", "..b/...", "/a/..b/...");
	assert_absolute(NULL, "./x.h", "./x.h");
	assert_absolute(NULL, "/a/./x.h", "/a/x.h");
}

static void assert_owned(char *got, const char *want)
{
	assert_string_equal(got, want);
	free(got);
}

static void test_path_parts(void **state)
{
	assert_owned(path_join("a", "b"), "a/b");
	assert_owned(path_join("a/", "b"), "a/b");
	assert_owned(path_join("a", "/b"), "/b");
	assert_owned(path_join("", "b"), "b");
	assert_owned(path_dir("a/b/c"), "a/b");
	assert_owned(path_dir("a"), ".");
	assert_owned(path_dir("/a"), "/");
	assert_owned(path_dir("a//b"), "a");
	assert_string_equal(path_base("a/b"), "b");
	assert_string_equal(path_base("b"), "b");
	assert_string_equal(path_base("a/"), "");
}

static void test_own_directories(void **state)
{
	setenv("KPORT_CACHE_HOME", "/x/cache", 1);
	assert_owned(kport_cache_dir(), "/x/cache");
	unsetenv("KPORT_CACHE_HOME");
	setenv("XDG_CACHE_HOME", "/xdg", 1);
	assert_owned(kport_cache_dir(), "/xdg/kport");
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/home/me", 1);
	assert_owned(kport_cache_dir(), "/home/me/.cache/kport");
	unsetenv("XDG_STATE_HOME");
	unsetenv("KPORT_STATE_HOME");
	assert_owned(kport_state_dir(), "/home/me/.local/state/kport");
	unsetenv("XDG_CACHE_HOME");
	setenv("KPORT_DATA_DIR", "/data", 1);
	assert_owned(kport_data_path("port/rules"), "/data/port/rules");
	unsetenv("KPORT_DATA_DIR");
	setenv("KPORT_LIBEXEC_DIR", "/lx", 1);
	assert_owned(kport_libexec_path("init"), "/lx/init");
	unsetenv("KPORT_LIBEXEC_DIR");
}

static void test_data_of_the_source_tree(void **state)
{
	char *header = kport_data_path("base/compat.h"), *tool = kport_libexec_path("x");

	/* this program lies in ROOT/build.../tests/unit */
	assert_true(file_exists(header));
	assert_non_null(strstr(tool, "/build"));
	assert_true(ends_with(tool, "/libexec/x"));
	free(header);
	free(tool);
}

static void test_odds(void **state)
{
	char *missing = in_scratch("not/yet/there"), *dir;

	assert_true(disk_free(missing) > 0);
	assert_false(file_exists(missing));
	assert_int_equal(file_size(missing), 0);
	assert_ok(file_mkdtemp(missing, "work-", &dir, &err));
	assert_true(file_is_dir(dir));
	assert_non_null(strstr(dir, "not/yet/there/work-"));
	free(dir);
	free(missing);
}

#define T(f) cmocka_unit_test(f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_read),
		T(test_write),
		T(test_write_replaces_a_link_not_its_target),
		T(test_write_is_atomic),
		T(test_mkdirs),
		T(test_remove),
		T(test_list_is_sorted_bytewise),
		T(test_walk),
		T(test_too_deep),
		T(test_copy_tree),
		T(test_copy_file),
		T(test_copy_limits),
		T(test_copy_refusals),
		T(test_links_that_leave),
		T(test_links_that_leave_through_links),
		T(test_path_is_safe),
		T(test_path_inside),
		T(test_path_absolute),
		T(test_path_parts),
		T(test_own_directories),
		T(test_data_of_the_source_tree),
		T(test_odds),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
