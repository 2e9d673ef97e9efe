// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault injection: the Makefile links this program so that the library's calls of
 * write, fsync, ... come here, where the chosen one fails. Whatever fails, the
 * old content stays whole and nothing is left lying about.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>

#include "base/audit.h"
#include "base/cache.h"

enum call { CALL_NONE, WRITE, FSYNC, FCHMOD, RENAME, CLOSE, MKOSTEMP, FTRUNCATE };

static struct {
	enum call call;
	int after; /* successful calls before the fault */
	int error; /* errno; 0: only half is written */
	int hits;
} fault;

static bool strikes(enum call call)
{
	if (fault.call != call || fault.after-- > 0)
		return false;
	fault.hits++;
	errno = fault.error;
	return true;
}

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_mkostemp(char *path, int flags);
int __wrap_mkostemp(char *path, int flags);
int __real_ftruncate(int fd, off_t len);
int __wrap_ftruncate(int fd, off_t len);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (!strikes(WRITE))
		return __real_write(fd, data, len);
	/* as a disk that fills up: part of it arrives, then nothing more */
	if (!fault.error || len > 1) {
		fault.after = 0;
		return __real_write(fd, data, len > 1 ? len / 2 : len);
	}
	return -1;
}

int __wrap_fsync(int fd)
{
	return strikes(FSYNC) ? -1 : __real_fsync(fd);
}

int __wrap_fchmod(int fd, mode_t mode)
{
	return strikes(FCHMOD) ? -1 : __real_fchmod(fd, mode);
}

int __wrap_rename(const char *from, const char *to)
{
	return strikes(RENAME) ? -1 : __real_rename(from, to);
}

int __wrap_close(int fd)
{
	int ret;

	if (!strikes(CLOSE))
		return __real_close(fd);
	ret = fault.error;
	__real_close(fd);
	errno = ret;
	return -1;
}

int __wrap_mkostemp(char *path, int flags)
{
	return strikes(MKOSTEMP) ? -1 : __real_mkostemp(path, flags);
}

int __wrap_ftruncate(int fd, off_t len)
{
	return strikes(FTRUNCATE) ? -1 : __real_ftruncate(fd, len);
}

static void set_fault(enum call call, int after, int error)
{
	fault.call = call;
	fault.after = after;
	fault.error = error;
	fault.hits = 0;
}

static void test_file_write_under_faults(void **state)
{
	static const struct {
		enum call call;
		int error, code;
		const char *text;
	} cases[] = {
		{ MKOSTEMP, ENOSPC, KP_INFRA, "No space left" },
		{ MKOSTEMP, EMFILE, KP_INFRA, "Too many open files" },
		{ WRITE, ENOSPC, KP_INFRA, "No space left" },
		{ WRITE, EIO, KP_INFRA, "Input/output error" },
		{ WRITE, EDQUOT, KP_INFRA, "quota" },
		{ FCHMOD, EPERM, KP_ERR, "not permitted" },
		{ FSYNC, EIO, KP_INFRA, "Input/output error" },
		{ FSYNC, ENOSPC, KP_INFRA, "No space left" },
		{ CLOSE, EIO, KP_INFRA, "Input/output error" },
		{ RENAME, ENOSPC, KP_INFRA, "No space left" },
		{ RENAME, EXDEV, KP_INFRA, "cross-device" },
	};
	char *path = make_file("f/file", "old content"), *dir = in_scratch("f");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set_fault(cases[i].call, 0, cases[i].error);
		assert_fails(cases[i].code, cases[i].text,
			     file_write(path, "new content", 11, &err));
		assert_true(fault.hits > 0);
		set_fault(CALL_NONE, 0, 0);
		assert_file(path, "old content");
		assert_int_equal(count_names(dir), 1);
	}
	free(path);
	free(dir);
}

static void test_short_and_interrupted_writes_go_on(void **state)
{
	char *path = make_file("g/file", "old");

	set_fault(WRITE, 0, 0);
	assert_ok(file_write(path, "new content", 11, &err));
	assert_true(fault.hits >= 2);
	set_fault(CALL_NONE, 0, 0);
	assert_file(path, "new content");
	free(path);
}

static void test_new_file_does_not_appear(void **state)
{
	char *path = in_scratch("h/new"), *dir = in_scratch("h");

	assert_ok(file_mkdirs(dir, &err));
	set_fault(WRITE, 0, ENOSPC);
	assert_fails(KP_INFRA, "h/new", file_write_nosync(path, "data", 4, &err));
	set_fault(CALL_NONE, 0, 0);
	assert_false(file_exists(path));
	assert_int_equal(count_names(dir), 0);
	free(path);
	free(dir);
}

static void test_copy_removes_the_half(void **state)
{
	char *src = make_file("c/src", "content"), *dst = in_scratch("c/dst");

	set_fault(FCHMOD, 0, EIO);
	assert_fails(KP_INFRA, "c/dst", file_copy(src, dst, 0, NULL, &err));
	set_fault(CLOSE, 1, EIO);
	assert_fails(KP_INFRA, "c/dst", file_copy(src, dst, 0, NULL, &err));
	set_fault(CALL_NONE, 0, 0);
	assert_false(file_exists(dst));
	free(src);
	free(dst);
}

static void test_cache_put_fails_cleanly(void **state)
{
	char *dir = in_scratch("cache");
	struct hash_hex key = hash_buf("k", 1);
	struct strbuf out = STRBUF_INIT;
	struct cache *c;

	assert_ok(cache_open(dir, &c, &err));
	set_fault(WRITE, 0, ENOSPC);
	assert_fails(KP_INFRA, "No space left", cache_put(c, &key, "value", 5, &err));
	set_fault(CALL_NONE, 0, 0);
	assert_int_equal(count_names(dir), 0);
	assert_fails(KP_NOTFOUND, "no entry", cache_get(c, &key, &out, &err));
	assert_ok(cache_put(c, &key, "value", 5, &err));
	assert_ok(cache_get(c, &key, &out, &err));
	assert_string_equal(out.buf, "value");
	cache_close(c);
	strbuf_release(&out);
	free(dir);
}

static void test_audit_line_is_whole_or_absent(void **state)
{
	char *path = in_scratch("trail");
	uint64_t lines;
	struct audit *a;

	assert_ok(audit_open(path, &a, &err));
	assert_ok(audit_add(a, "first", NULL, &err));
	set_fault(WRITE, 0, ENOSPC);
	assert_fails(KP_INFRA, "No space left", audit_add(a, "second", NULL, &err));
	set_fault(CALL_NONE, 0, 0);
	/* space again: but a trail with a gap must not go on */
	assert_fails(KP_INFRA, "No space left", audit_add(a, "third", NULL, &err));
	audit_close(a);
	assert_ok(audit_verify(path, &lines, &err));
	assert_int_equal(lines, 1);
	/* a new run may go on from there */
	assert_ok(audit_open(path, &a, &err));
	assert_ok(audit_add(a, "resumed", NULL, &err));
	audit_close(a);
	assert_ok(audit_verify(path, &lines, &err));
	assert_int_equal(lines, 2);
	free(path);
}

static void test_audit_half_line_that_cannot_be_taken_back(void **state)
{
	char *path = in_scratch("trail2");
	uint64_t lines;
	struct audit *a;
	int fd;

	/* what a kill in the middle of a write leaves behind */
	assert_ok(audit_open(path, &a, &err));
	assert_ok(audit_add(a, "first", NULL, &err));
	audit_close(a);
	fd = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(__real_write(fd, "{\"data\":", 8), 8);
	close(fd);
	assert_fails(KP_ERR, "line 2: incomplete", audit_verify(path, &lines, &err));
	set_fault(FTRUNCATE, 0, EIO);
	assert_fails(KP_INFRA, "trail2", audit_open(path, &a, &err));
	assert_null(a);
	set_fault(CALL_NONE, 0, 0);
	assert_ok(audit_open(path, &a, &err));
	audit_close(a);
	assert_ok(audit_verify(path, &lines, &err));
	assert_int_equal(lines, 2);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_write_under_faults),
		cmocka_unit_test(test_short_and_interrupted_writes_go_on),
		cmocka_unit_test(test_new_file_does_not_appear),
		cmocka_unit_test(test_copy_removes_the_half),
		cmocka_unit_test(test_cache_put_fails_cleanly),
		cmocka_unit_test(test_audit_line_is_whole_or_absent),
		cmocka_unit_test(test_audit_half_line_that_cannot_be_taken_back),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
