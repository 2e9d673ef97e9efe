// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/child.h"

/* ---- help ---- */

struct run {
	struct child c;
	struct child_result r;
	struct strbuf out, errors;
};

static void run_init(struct run *x, const char *script)
{
	child_init(&x->c);
	strbuf_init(&x->out);
	strbuf_init(&x->errors);
	memset(&x->r, 0x55, sizeof(x->r));
	x->c.out = &x->out;
	x->c.err = &x->errors;
	if (script)
		strvec_pushl(&x->c.argv, "sh", "-c", script, NULL);
}

static void run_end(struct run *x)
{
	child_release(&x->c);
	strbuf_release(&x->out);
	strbuf_release(&x->errors);
}

static void assert_end(const struct run *x, enum child_kind kind, int code)
{
	if (x->r.kind != kind || x->r.code != code)
		print_message("# kind %d code %d, stderr: %s\n", x->r.kind, x->r.code,
			      x->errors.buf);
	assert_int_equal(x->r.kind, kind);
	assert_int_equal(x->r.code, code);
}

static void run_ok(struct run *x)
{
	assert_ok(child_run(&x->c, &x->r, &err));
}

/* Runs a script that exits 0 and prints that. */
static void assert_prints(const char *script, const char *want)
{
	struct run x;

	run_init(&x, script);
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 0);
	assert_string_equal(x.out.buf, want);
	run_end(&x);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Gone, or a zombie that init has not collected yet; waits up to 5 s. */
static bool is_dead(long pid)
{
	for (int i = 0; i < 250; i++) {
		struct strbuf sb = STRBUF_INIT;
		char path[64], *paren, state = 'X';

		snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
		if (!file_read(path, 0, &sb, NULL) && (paren = strrchr(sb.buf, ')')))
			state = paren[2];
		strbuf_release(&sb);
		if (state == 'X' || state == 'Z')
			return true;
		usleep(20000);
	}
	return false;
}

static size_t open_fds(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- the four answers ---- */

static void test_exit_code(void **state)
{
	struct run x;

	run_init(&x, "echo out; echo err >&2; exit 3");
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 3);
	assert_false(child_ok(&x.r));
	assert_string_equal(x.out.buf, "out\n");
	assert_string_equal(x.errors.buf, "err\n");
	assert_true(x.r.max_rss > 100000);
	assert_true(x.r.wall > 0 && x.r.wall < 30);
	run_end(&x);
	run_init(&x, "exit 127");
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 127);
	run_end(&x);
}

static void start_fails(const char *program, const char *dir, const char *text)
{
	struct run x;

	run_init(&x, NULL);
	strvec_push(&x.c.argv, program);
	x.c.dir = dir;
	assert_fails(KP_INFRA, text, child_run(&x.c, &x.r, &err));
	/* not filled */
	assert_int_equal(x.r.code, 0x55555555);
	run_end(&x);
}

static void test_start_failure(void **state)
{
	char *plain = make_file("not-executable", "#!/bin/sh\n"),
	     *text = make_file("text", "hello");
	char *lost = make_file("lost-interpreter", "#!/no/such/interpreter\n");

	chmod(text, 0755);
	chmod(lost, 0755);
	start_fails("no-such-program-anywhere", NULL, "not found on PATH");
	start_fails("/no/such/program", NULL, "No such file");
	start_fails(plain, NULL, "Permission denied");
	start_fails(text, NULL, "Exec format error");
	start_fails(lost, NULL, "No such file");
	start_fails("/", NULL, "Permission denied");
	start_fails("true", "/no/such/dir", "cannot enter its directory '/no/such/dir'");
	free(plain);
	free(text);
	free(lost);
}

static void test_signal(void **state)
{
	struct run x;

	run_init(&x, "kill -SEGV $$");
	run_ok(&x);
	assert_end(&x, CHILD_SIGNALED, SIGSEGV);
	run_end(&x);
}

static void test_timeout(void **state)
{
	struct run x;

	run_init(&x, "echo before; sleep 100");
	x.c.limits.wall_seconds = 0.3;
	run_ok(&x);
	assert_int_equal(x.r.kind, CHILD_TIMEOUT);
	assert_true(x.r.wall >= 0.3 && x.r.wall < 10);
	assert_string_equal(x.out.buf, "before\n");
	run_end(&x);
}

static void test_timeout_of_one_that_closed_its_output(void **state)
{
	struct run x;

	run_init(&x, "exec >&- 2>&-; exec sleep 100");
	x.c.limits.wall_seconds = 0.2;
	run_ok(&x);
	assert_int_equal(x.r.kind, CHILD_TIMEOUT);
	run_end(&x);
}

static void test_output_cap(void **state)
{
	struct run x;

	run_init(&x, "yes");
	x.c.limits.output_bytes = 100001;
	x.c.limits.wall_seconds = 60;
	run_ok(&x);
	assert_int_equal(x.r.kind, CHILD_OUTPUT_CAP);
	assert_int_equal(x.out.len, 100001);
	run_end(&x);
	/* stdout and stderr count together; exactly the cap is fine */
	run_init(&x, "printf 12345; printf 67890 >&2");
	x.c.limits.output_bytes = 10;
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 0);
	run_end(&x);
}

/* ---- the whole group ends ---- */

static void test_grandchildren_die_at_a_timeout(void **state)
{
	struct run x;

	run_init(&x, "sleep 1000 & echo $!; wait");
	x.c.limits.wall_seconds = 0.3;
	run_ok(&x);
	assert_int_equal(x.r.kind, CHILD_TIMEOUT);
	assert_true(strtol(x.out.buf, NULL, 10) > 1);
	assert_true(is_dead(strtol(x.out.buf, NULL, 10)));
	run_end(&x);
}

static void test_grandchildren_die_with_the_leader(void **state)
{
	struct run x;

	/* it ignores the polite signals and holds the pipes open */
	run_init(&x, "sh -c 'trap \"\" TERM HUP INT; sleep 1000' & echo $!; exit 5");
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 5);
	assert_true(x.r.wall < 30);
	assert_true(is_dead(strtol(x.out.buf, NULL, 10)));
	run_end(&x);
}

static void test_escaped_grandchild_does_not_hold_us(void **state)
{
	double start = now();
	struct run x;

	/* setsid leaves the group and keeps our pipes */
	run_init(&x, "setsid sh -c 'echo $$; sleep 20' & sleep 0.2; exit 0");
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 0);
	assert_true(now() - start < 15);
	kill((pid_t)strtol(x.out.buf, NULL, 10), SIGKILL);
	run_end(&x);
}

/* ---- data ---- */

static char *big_data(size_t len)
{
	char *data = xmalloc(len);

	for (size_t i = 0; i < len; i++)
		data[i] = (char)(i * 2654435761u >> 13);
	return data;
}

static void test_big_data_both_ways(void **state)
{
	const size_t len = 8 << 20;
	struct run x;

	run_init(&x, "cat");
	x.c.in = big_data(len);
	x.c.in_len = len;
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 0);
	assert_int_equal(x.out.len, len);
	assert_memory_equal(x.out.buf, x.c.in, len);
	free((char *)x.c.in);
	run_end(&x);
}

static void test_big_output_on_both_streams(void **state)
{
	struct run x;

	run_init(&x, "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero;"
		     "head -c 3000000 /dev/zero >&2");
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 0);
	assert_int_equal(x.out.len, 3000000);
	assert_int_equal(x.errors.len, 6000000);
	run_end(&x);
}

static void test_stdin_nobody_reads(void **state)
{
	const size_t len = 4 << 20;
	struct run x;

	signal(SIGPIPE, SIG_DFL);
	run_init(&x, "exec 0<&-; echo done; sleep 0.1");
	x.c.in = big_data(len);
	x.c.in_len = len;
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 0);
	assert_string_equal(x.out.buf, "done\n");
	free((char *)x.c.in);
	run_end(&x);
}

static void test_no_stdin(void **state)
{
	struct run x;

	assert_prints("cat; readlink /proc/self/fd/0", "/dev/null\n");
	/* empty input is a pipe at its end */
	run_init(&x, "cat; echo end");
	x.c.in = "";
	run_ok(&x);
	assert_string_equal(x.out.buf, "end\n");
	run_end(&x);
}

static void test_err_to_out(void **state)
{
	struct run x;

	run_init(&x, "echo 1; echo 2 >&2; echo 3");
	x.c.err = NULL;
	x.c.err_to_out = true;
	run_ok(&x);
	assert_string_equal(x.out.buf, "1\n2\n3\n");
	run_end(&x);
}

static void collect(const char *data, size_t len, void *payload)
{
	strbuf_add(payload, data, len);
}

static void test_log_callback_and_bounded_buffer(void **state)
{
	char *path = in_scratch("log");
	struct strbuf seen = STRBUF_INIT;
	struct run x;

	run_init(&x, "seq 1000; echo warn >&2");
	x.c.log_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	x.c.on_output = collect;
	x.c.payload = &seen;
	x.out.max = 10;
	run_ok(&x);
	assert_int_equal(x.out.len, 10);
	assert_true(x.out.truncated);
	assert_int_equal(seen.len, 3893);
	assert_int_equal(file_size(path), 3893 + 5);
	close(x.c.log_fd);
	strbuf_release(&seen);
	free(path);
	run_end(&x);
}

static void discard_all(void *arg)
{
	struct child c = CHILD_INIT;
	struct child_result r;

	strvec_pushl(&c.argv, "sh", "-c", "echo out; echo err >&2", NULL);
	c.discard = arg != NULL;
	if (child_run(&c, &r, NULL) < 0)
		_exit(9);
	child_release(&c);
}

static void test_inherit_or_discard(void **state)
{
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;

	assert_int_equal(run_forked(discard_all, NULL, &out, &errors), 0);
	assert_string_equal(out.buf, "out\n");
	assert_string_equal(errors.buf, "err\n");
	strbuf_reset(&out);
	strbuf_reset(&errors);
	assert_int_equal(run_forked(discard_all, &out, &out, &errors), 0);
	assert_int_equal(out.len + errors.len, 0);
	strbuf_release(&out);
	strbuf_release(&errors);
}

/* ---- surroundings ---- */

static void test_environment(void **state)
{
	struct run x;

	setenv("KEPT", "kept", 1);
	setenv("DROPPED", "x", 1);
	setenv("CHANGED", "old", 1);
	run_init(&x, "echo $KEPT/$DROPPED/$CHANGED/$NEW");
	strvec_pushl(&x.c.env, "DROPPED", "CHANGED=new", "NEW=a=b", "NEW=last", NULL);
	run_ok(&x);
	assert_string_equal(x.out.buf, "kept//new/last\n");
	assert_string_equal(getenv("CHANGED"), "old");
	run_end(&x);
	run_init(&x, NULL);
	strvec_push(&x.c.argv, "env");
	strvec_push(&x.c.env, "ONLY=1");
	x.c.clean_env = true;
	run_ok(&x);
	assert_string_equal(x.out.buf, "ONLY=1\n");
	run_end(&x);
}

static void test_path_of_the_child_counts(void **state)
{
	char *tool = make_file("bin/my-own-tool", "#!/bin/sh\necho mine\n"),
	     *dir = in_scratch("bin");
	struct run x;

	chmod(tool, 0755);
	assert_null(child_which("my-own-tool"));
	run_init(&x, NULL);
	strvec_push(&x.c.argv, "my-own-tool");
	strvec_pushf(&x.c.env, "PATH=%s", dir);
	run_ok(&x);
	assert_string_equal(x.out.buf, "mine\n");
	run_end(&x);
	free(tool);
	free(dir);
}

static void test_directory(void **state)
{
	char *real = file_realpath(scratch), *want = xstrfmt("%s\n", real);
	struct run x;

	run_init(&x, "pwd -P");
	x.c.dir = scratch;
	run_ok(&x);
	assert_string_equal(x.out.buf, want);
	run_end(&x);
	free(real);
	free(want);
}

static void test_no_descriptor_leaks_into_the_child(void **state)
{
	/* without O_CLOEXEC, as a library might open it */
	int fd = open("/dev/null", O_RDONLY), high = dup2(fd, 77);

	assert_int_equal(high, 77);
	assert_prints(
		"for f in /proc/self/fd/*; do [ -e \"$f\" ] && echo \"${f##*/}\"; done | sort -n"
		" | grep -cE '^(77|[4-9]|[1-9][0-9]+)$'; true",
		"0\n");
	close(fd);
	close(high);
}

static void test_signals_are_default_in_the_child(void **state)
{
	const unsigned long long reserved = 3ULL << 31;
	sigset_t set, old;
	struct run x;
	char *end;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &old);
	run_init(&x, "sed -n 's/^Sig[BI][lg][kn]:.//p' /proc/self/status");
	run_ok(&x);
	/* 32 and 33 belong to the C library, which does not let us touch them */
	assert_int_equal(strtoull(x.out.buf, &end, 16) & ~reserved, 0);
	assert_int_equal(strtoull(end, &end, 16) & ~reserved, 0);
	assert_string_equal(end, "\n");
	run_end(&x);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static void test_limits(void **state)
{
	struct run x;

	run_init(&x, "exec dd if=/dev/zero of=/dev/null bs=800M count=1");
	x.c.limits.memory_bytes = 300 << 20;
	run_ok(&x);
	assert_end(&x, CHILD_EXITED, 1);
	assert_non_null(strstr(x.errors.buf, "memory exhausted"));
	run_end(&x);

	run_init(&x, "exec dd if=/dev/zero of=big bs=1M count=4");
	x.c.limits.file_bytes = 1 << 20;
	x.c.dir = scratch;
	run_ok(&x);
	assert_end(&x, CHILD_SIGNALED, SIGXFSZ);
	run_end(&x);

	run_init(&x, "while :; do :; done");
	x.c.limits.cpu_seconds = 1;
	x.c.limits.wall_seconds = 60;
	run_ok(&x);
	assert_end(&x, CHILD_SIGNALED, SIGXCPU);
	assert_true(x.r.cpu > 0.5 && x.r.cpu < 3);
	run_end(&x);
}

static void test_we_leak_no_descriptors(void **state)
{
	size_t before;

	assert_prints("true", "");
	before = open_fds();
	for (int i = 0; i < 20; i++) {
		struct run x;

		run_init(&x, i % 2 ? "cat" : "yes");
		x.c.in = "abc";
		x.c.in_len = 3;
		x.c.limits.output_bytes = 1000;
		run_ok(&x);
		run_end(&x);
		start_fails("/no/such/program", NULL, "No such file");
		start_fails("no-such-program-anywhere", NULL, "not found");
	}
	assert_int_equal(open_fds(), before);
}

/* ---- handles and the pool ---- */

static void test_start_and_finish(void **state)
{
	struct child_handle *h;
	struct run x;

	run_init(&x, "echo $$; echo x");
	assert_ok(child_start(&x.c, &h, &err));
	assert_ok(child_finish(h, &x.r, &err));
	assert_end(&x, CHILD_EXITED, 0);
	run_end(&x);
}

static void test_kill(void **state)
{
	struct child_handle *h;
	struct run x;
	pid_t pid;

	run_init(&x, "sleep 1000");
	assert_ok(child_start(&x.c, &h, &err));
	pid = child_pid(h);
	assert_int_equal(kill(pid, 0), 0);
	assert_int_equal(getpgid(pid), pid);
	child_kill(h);
	assert_int_equal(kill(pid, 0), -1);
	child_kill(NULL);
	run_end(&x);
}

struct tasks {
	const char *const *scripts;
	int n, given, done, running, most, failed_starts;
	char order[64];
};

static bool next_task(struct child *c, void **task, void *payload)
{
	struct tasks *t = payload;

	if (t->given == t->n)
		return false;
	*task = (void *)(intptr_t)t->given;
	if (!strcmp(t->scripts[t->given], "missing"))
		strvec_push(&c->argv, "/no/such/program");
	else
		strvec_pushl(&c->argv, "sh", "-c", t->scripts[t->given], NULL);
	t->given++;
	if (++t->running > t->most)
		t->most = t->running;
	return true;
}

static void task_done(struct child *c, const struct child_result *r, const char *start_error,
		      void *task, void *payload)
{
	struct tasks *t = payload;

	t->order[t->done++] = (char)('a' + (intptr_t)task);
	t->running--;
	if (!r) {
		assert_non_null(strstr(start_error, "No such file"));
		t->failed_starts++;
		return;
	}
	assert_null(start_error);
	assert_int_equal(r->kind, CHILD_EXITED);
	assert_int_equal(r->code, (intptr_t)task % 7);
}

static void run_tasks(struct tasks *t, int jobs)
{
	struct child_task ct = { .next = next_task, .done = task_done, .payload = t };

	assert_ok(child_run_parallel(&ct, jobs, &err));
	assert_int_equal(t->done, t->n);
	assert_int_equal(t->running, 0);
}

static void test_parallel_completion_order(void **state)
{
	const char *const scripts[] = { "sleep 1.4; exit 0", "sleep 0.1; exit 1",
					"sleep 0.7; exit 2" };
	struct tasks t = { .scripts = scripts, .n = 3 };

	run_tasks(&t, 3);
	assert_string_equal(t.order, "bca");
	assert_int_equal(t.most, 3);
}

static void test_parallel_one_job_keeps_the_order(void **state)
{
	const char *const scripts[] = { "sleep 0.1; exit 0", "exit 1", "missing", "exit 3",
					"exit 4" };
	struct tasks t = { .scripts = scripts, .n = 5 };

	run_tasks(&t, 1);
	assert_string_equal(t.order, "abcde");
	assert_int_equal(t.most, 1);
	assert_int_equal(t.failed_starts, 1);
}

static void test_parallel_many(void **state)
{
	const char *scripts[40];
	char *owned[40];
	struct tasks t = { .scripts = scripts, .n = 40 };

	for (int i = 0; i < 40; i++)
		scripts[i] = owned[i] = xstrfmt("exit %d", i % 7);
	run_tasks(&t, 4);
	assert_int_equal(t.most, 4);
	for (int i = 0; i < 40; i++)
		free(owned[i]);
}

static void test_parallel_nothing(void **state)
{
	struct tasks t = { .n = 0 };

	run_tasks(&t, 0);
}

static void *thread_runs(void *arg)
{
	for (int i = 0; i < 15; i++) {
		struct run x;
		struct strbuf e = STRBUF_INIT;

		run_init(&x, "cat; exit 4");
		x.c.in = "abc";
		x.c.in_len = 3;
		if (child_run(&x.c, &x.r, &e) || x.r.code != 4 || strcmp(x.out.buf, "abc"))
			return "wrong";
		run_end(&x);
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t t[4];
	void *bad;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, thread_runs, NULL), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &bad);
		assert_null(bad);
	}
}

/* ---- hook, words ------------------------------------------------------------------------------
 */

static void count_runs(const struct child *c, const struct child_result *r, void *payload)
{
	strbuf_addf(payload, "%s:", c->argv.v[0]);
	if (r)
		child_describe(r, payload);
	strbuf_addch(payload, '\n');
}

static void test_hook(void **state)
{
	struct strbuf seen = STRBUF_INIT;
	struct run x;

	child_set_hook(count_runs, &seen);
	run_init(&x, "exit 2");
	run_ok(&x);
	run_end(&x);
	start_fails("/no/such/program", NULL, "No such file");
	child_set_hook(NULL, NULL);
	assert_prints("true", "");
	assert_string_equal(seen.buf, "sh:exit code 2\n/no/such/program:\n");
	strbuf_release(&seen);
}

static void test_describe(void **state)
{
	const struct {
		struct child_result r;
		const char *want;
	} cases[] = {
		{ { .kind = CHILD_EXITED, .code = 2 }, "exit code 2" },
		{ { .kind = CHILD_SIGNALED, .code = 9 }, "signal 9 (Killed)" },
		{ { .kind = CHILD_TIMEOUT, .wall = 60.04 }, "timeout after 60 s" },
		{ { .kind = CHILD_TIMEOUT, .wall = 1800.2 }, "timeout after 1800 s" },
		{ { .kind = CHILD_TIMEOUT, .wall = 0.3 }, "timeout after 0.3 s" },
		{ { .kind = CHILD_OUTPUT_CAP }, "killed: too much output" },
		{ { .kind = CHILD_INTERRUPTED }, "interrupted" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		child_describe(&cases[i].r, &sb);
		assert_string_equal(sb.buf, cases[i].want);
		assert_false(child_ok(&cases[i].r));
		strbuf_release(&sb);
	}
}

static void test_which(void **state)
{
	char *sh = child_which("sh");

	assert_non_null(sh);
	assert_int_equal(*sh, '/');
	free(sh);
	assert_null(child_which(""));
	assert_null(child_which("no-such-program-anywhere"));
	assert_null(child_which("/no/such"));
}

/* Of each Debian, and not on the PATH of an ordinary user. */
static void test_which_system(void **state)
{
	char *old = xstrdup(getenv("PATH")), *found;

	setenv("PATH", "/usr/local/bin:/usr/games", 1);
	found = child_which("ldconfig");
	setenv("PATH", old, 1);
	assert_non_null(found);
	free(found);
	free(old);
}

#define T(f) cmocka_unit_test(f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_exit_code),
		T(test_start_failure),
		T(test_signal),
		T(test_timeout),
		T(test_timeout_of_one_that_closed_its_output),
		T(test_output_cap),
		T(test_grandchildren_die_at_a_timeout),
		T(test_grandchildren_die_with_the_leader),
		T(test_escaped_grandchild_does_not_hold_us),
		T(test_big_data_both_ways),
		T(test_big_output_on_both_streams),
		T(test_stdin_nobody_reads),
		T(test_no_stdin),
		T(test_err_to_out),
		T(test_log_callback_and_bounded_buffer),
		T(test_inherit_or_discard),
		T(test_environment),
		T(test_path_of_the_child_counts),
		T(test_directory),
		T(test_no_descriptor_leaks_into_the_child),
		T(test_signals_are_default_in_the_child),
		T(test_limits),
		T(test_we_leak_no_descriptors),
		T(test_start_and_finish),
		T(test_kill),
		T(test_parallel_completion_order),
		T(test_parallel_one_job_keeps_the_order),
		T(test_parallel_many),
		T(test_parallel_nothing),
		T(test_threads),
		T(test_hook),
		T(test_describe),
		T(test_which),
		T(test_which_system),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
