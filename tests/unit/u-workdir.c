// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <time.h>

#include "base/workdir.h"

/* A directory as a process of that number would have made it, so many hours ago. */
static char *plant(const char *cache, const char *prefix, pid_t pid, int hours)
{
	char *dir = xstrfmt("%s/%s%ld-abcdef", cache, prefix, (long)pid), *file = path_join(dir, "file");
	struct timespec times[2] = { { .tv_sec = time(NULL) - hours * 3600L } };

	times[1] = times[0];
	assert_ok(file_mkdirs(dir, &err));
	assert_ok(file_write(file, "x", 1, &err));
	assert_int_equal(utimensat(AT_FDCWD, dir, times, 0), 0);
	free(file);
	return dir;
}

/* The number of a process that has ended. */
static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void test_leftovers(void **state)
{
	char *cache = in_scratch("cache"), *mine = NULL, *dir[4];
	static const bool stays[] = { false, true, true, true };

	setenv("KPORT_CACHE_HOME", cache, 1);
	dir[0] = plant(cache, "check-", dead_pid(), 25);
	dir[1] = plant(cache, "check-", dead_pid(), 1);
	dir[2] = plant(cache, "check-", getpid(), 25);
	dir[3] = plant(cache, "checks-", dead_pid(), 25); /* somebody else's name */
	assert_ok(workdir_make("check-", &mine, &err));
	assert_true(file_is_dir(mine));
	for (size_t i = 0; i < ARRAY_SIZE(dir); i++) {
		assert_int_equal(file_is_dir(dir[i]), stays[i]);
		free(dir[i]);
	}
	free(mine);
	free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_leftovers) };

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
