/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What unit tests share: cmocka with the headers it needs, a scratch directory
 * for each program that is removed at its end, and short-cuts for files.
 */
#ifndef KPORT_UNIT_H
#define KPORT_UNIT_H

#include "base/compat.h"

#include <setjmp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/strvec.h"

#define assert_ok(expr)                                                                            \
	do {                                                                                       \
		int ret__ = (expr);                                                                \
		if (ret__)                                                                         \
			print_message("# %s gave %d: %s\n", #expr, ret__, err.buf);                \
		assert_int_equal(ret__, 0);                                                        \
		assert_int_equal(err.len, 0);                                                      \
	} while (0)
/* A failure with that code and a message that holds the text. */
#define assert_fails(code_, text, expr)                                                            \
	do {                                                                                       \
		assert_int_equal((expr), (code_));                                                 \
		if (!strstr(err.buf, (text)))                                                      \
			print_message("# message: %s\n", err.buf);                                 \
		assert_non_null(strstr(err.buf, (text)));                                          \
		assert_null(strchr(err.buf, '\n'));                                                \
		strbuf_reset(&err);                                                                \
	} while (0)

UNUSED static struct strbuf err = STRBUF_INIT;
UNUSED static char *scratch;

UNUSED static int scratch_make(void **state)
{
	const char *tmp = getenv("TMPDIR");

	return file_mkdtemp(tmp && *tmp ? tmp : "/tmp", "kport-unit-", &scratch, &err);
}

UNUSED static int scratch_remove(void **state)
{
	int ret = file_remove(scratch, &err);

	free(scratch);
	strbuf_release(&err);
	return ret;
}

/* Path below the scratch directory; the caller frees. */
UNUSED static char *in_scratch(const char *rel)
{
	return path_join(scratch, rel);
}

/* Makes the file with its directories and returns its path; the caller frees. */
UNUSED static char *make_file(const char *rel, const char *text)
{
	char *path = in_scratch(rel);

	assert_int_equal(file_mkdirs_for(path, &err), 0);
	assert_int_equal(file_write(path, text, strlen(text), &err), 0);
	return path;
}

UNUSED static void assert_file(const char *path, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(file_read(path, 0, &sb, &err), 0);
	assert_string_equal(sb.buf, text);
	strbuf_release(&sb);
}

/* Number of names in a directory. */
UNUSED static size_t count_names(const char *dir)
{
	struct strvec v = STRVEC_INIT;
	size_t n;

	assert_int_equal(file_list(dir, &v, &err), 0);
	n = v.n;
	strvec_release(&v);
	return n;
}

/*
 * Runs fn in a process of its own, because it ends the program; gives its exit
 * code (or minus the signal) and what it printed.
 */
UNUSED static int run_forked(void (*fn)(void *), void *arg, struct strbuf *out,
			     struct strbuf *errors)
{
	int po[2], pe[2], status;
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	assert_int_equal(pipe(po) | pipe(pe), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(po[1], STDOUT_FILENO);
		dup2(pe[1], STDERR_FILENO);
		close(po[0]);
		close(pe[0]);
		fn(arg);
		fflush(stdout);
		_exit(0);
	}
	close(po[1]);
	close(pe[1]);
	strbuf_read_fd(out, po[0]);
	strbuf_read_fd(errors, pe[0]);
	close(po[0]);
	close(pe[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
