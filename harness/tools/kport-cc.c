// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in front of the compiler on PATH during a build in the sandbox, under
 * the names gcc, gcc-12, cc, clang, ...; also as "uname", which answers with the
 * kernel that is built for.
 *
 * A compiler run on a kernel translation unit (-c, a .c input, -D__KERNEL__) is
 * passed on as it is; its stderr is passed through. When it printed anything, the
 * same command is repeated with the machine format of diagnostics and output to
 * /dev/null. One record a run is left in $KPORT_CAPTURE_DIR, written aside and
 * renamed:
 *
 *	kport-cc 1\n
 *	NAME LENGTH\n<bytes>\n	for cwd, exit, argv (NUL after each word), json
 *
 * Every other run replaces this process by the real tool.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_JSON (16u << 20)
#define MAX_ARGV (4u << 20)
#define MAX_STDERR (64u << 20) /* passed through; then the compiler is stopped */

static void fail(const char *what)
{
	dprintf(2, "kport-cc: %s: %s\n", what, strerror(errno));
	_exit(127);
}

/* The next program of that name on PATH which is not this one. */
static bool find_real(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	struct stat self, st;

	if (!path || stat("/proc/self/exe", &self) < 0)
		return false;
	while (*path) {
		size_t n = strcspn(path, ":");
		int len = snprintf(out, size, "%.*s/%s", (int)n, path, name);

		if (n && len > 0 && (size_t)len < size && stat(out, &st) == 0 &&
		    S_ISREG(st.st_mode) && access(out, X_OK) == 0 &&
		    (st.st_ino != self.st_ino || st.st_dev != self.st_dev))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

static bool starts_with(const char *s, const char *start)
{
	return !strncmp(s, start, strlen(start));
}

static bool is_kernel_unit(char **argv)
{
	bool c = false, source = false, kernel = false;

	for (int i = 1; argv[i]; i++) {
		if (!strcmp(argv[i], "-c"))
			c = true;
		else if (starts_with(argv[i], "-D__KERNEL__"))
			kernel = true;
		else if (argv[i][0] != '-' && ends_with(argv[i], ".c"))
			source = true;
	}
	return c && source && kernel;
}

/* Runs argv with stderr into a pipe; returns the pid. */
static pid_t spawn(const char *real, char **argv, int *fd, bool quiet)
{
	int pipe_fd[2];
	pid_t pid;

	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		fail("pipe");
	pid = vfork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		signal(SIGPIPE, SIG_DFL);
		if (quiet) {
			int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

			dup2(null, 1);
		}
		dup2(pipe_fd[1], 2);
		execv(real, argv);
		_exit(127);
	}
	close(pipe_fd[1]);
	*fd = pipe_fd[0];
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return;
		p += w;
		n -= w;
	}
}

/* Passes the compiler's stderr on and counts it. */
static int run_real(const char *real, char **argv, size_t *bytes)
{
	char buf[65536];
	ssize_t n;
	int fd;
	pid_t pid = spawn(real, argv, &fd, false);

	*bytes = 0;
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		write_all(2, buf, n);
		*bytes += n;
		if (*bytes > MAX_STDERR) {
			kill(pid, SIGKILL);
			break;
		}
	}
	close(fd);
	return finish(pid);
}

/* Options of the original that would write files besides -o. */
static bool is_side_output(const char *arg, bool *takes_value)
{
	static const char *const with_value[] = { "-o", "-MF", "-MT", "-MQ", "-dumpbase", "-dumpdir" };
	static const char *const prefix[] = { "-Wp,-MD", "-Wp,-MMD", "-MD", "-MMD", "-MP", "-gsplit-dwarf",
					      "-save-temps", "-fdump-", "-fstack-usage", "-fcallgraph-info",
					      "-fdiagnostics-", "-ftest-coverage", "-MF", "-MT", "-MQ" };

	*takes_value = false;
	for (size_t i = 0; i < sizeof(with_value) / sizeof(*with_value); i++) {
		if (!strcmp(arg, with_value[i])) {
			*takes_value = true;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (starts_with(arg, prefix[i]))
			return true;
	return arg[0] == '-' && arg[1] == 'o' && arg[2];
}

static char *run_json(const char *real, int argc, char **argv, size_t *len)
{
	static char *const clang[] = { "-fno-caret-diagnostics", "-fdiagnostics-print-source-range-info",
				       "-fno-color-diagnostics" };
	char **copy = calloc(argc + 6, sizeof(*copy)), *json = NULL;
	const char *base = strrchr(real, '/') ? strrchr(real, '/') + 1 : real;
	size_t alloc = 0, n = 0;
	bool takes_value;
	int k = 0, fd;
	pid_t pid;

	if (!copy)
		fail("memory");
	for (int i = 0; i < argc; i++) {
		if (i && is_side_output(argv[i], &takes_value)) {
			i += takes_value;
			continue;
		}
		copy[k++] = argv[i];
	}
	/* clang has no machine format of its own before 19, and none like gcc's. */
	if (starts_with(base, "clang"))
		for (size_t i = 0; i < sizeof(clang) / sizeof(*clang); i++)
			copy[k++] = clang[i];
	else
		copy[k++] = "-fdiagnostics-format=json";
	copy[k++] = "-o";
	copy[k++] = "/dev/null";
	pid = spawn(real, copy, &fd, true);
	for (;;) {
		ssize_t r;

		if (alloc - n < 65536) {
			alloc = alloc ? alloc * 2 : 1 << 18;
			json = realloc(json, alloc);
			if (!json)
				fail("memory");
		}
		r = read(fd, json + n, alloc - n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		n += r;
		if (n > MAX_JSON) {
			kill(pid, SIGKILL);
			n = 0;
			break;
		}
	}
	close(fd);
	finish(pid);
	free(copy);
	*len = n;
	return json;
}

static void put_field(FILE *f, const char *name, const char *data, size_t len)
{
	fprintf(f, "%s %zu\n", name, len);
	fwrite(data, 1, len, f);
	fputc('\n', f);
}

static void put_argv(FILE *f, const char *real, char **argv)
{
	size_t total = strlen(real) + 1;

	for (int i = 1; argv[i]; i++)
		total += strlen(argv[i]) + 1;
	if (total > MAX_ARGV)
		total = 0;
	fprintf(f, "argv %zu\n", total);
	if (total) {
		fwrite(real, 1, strlen(real) + 1, f);
		for (int i = 1; argv[i]; i++)
			fwrite(argv[i], 1, strlen(argv[i]) + 1, f);
	}
	fputc('\n', f);
}

static void record(const char *dir, const char *real, char **argv, int code, size_t printed,
		   const char *json, size_t json_len)
{
	char tmp[PATH_MAX], path[PATH_MAX], cwd[PATH_MAX], number[32];
	struct timespec ts;
	FILE *f;

	clock_gettime(CLOCK_REALTIME, &ts);
	snprintf(tmp, sizeof(tmp), "%s/.tmp-%d", dir, (int)getpid());
	snprintf(path, sizeof(path), "%s/%011lld.%09ld-%d.rec", dir, (long long)ts.tv_sec, ts.tv_nsec,
		 (int)getpid());
	f = fopen(tmp, "we");
	if (!f || !getcwd(cwd, sizeof(cwd)))
		fail(tmp);
	fputs("kport-cc 1\n", f);
	put_field(f, "cwd", cwd, strlen(cwd));
	snprintf(number, sizeof(number), "%d", code);
	put_field(f, "exit", number, strlen(number));
	snprintf(number, sizeof(number), "%zu", printed);
	put_field(f, "stderr", number, strlen(number));
	put_argv(f, real, argv);
	if (printed)
		put_field(f, "json", json ? json : "", json_len);
	if (fclose(f) != 0 || rename(tmp, path) < 0)
		fail(path);
}

/* uname with the release of the target; the options of coreutils. */
static int do_uname(char **argv, const char *release)
{
	const char *order = "snrvmpio", *want = "";
	char buf[64] = "";
	struct utsname u;
	size_t n = 0;

	uname(&u);
	for (int i = 1; argv[i]; i++) {
		const char *a = argv[i];

		if (!strcmp(a, "-a") || !strcmp(a, "--all"))
			a = "-snrvmo";
		else if (starts_with(a, "--kernel-r"))
			a = "-r";
		else if (starts_with(a, "--m"))
			a = "-m";
		for (a++; *a && n + 1 < sizeof(buf); a++)
			buf[n++] = *a;
	}
	want = n ? buf : "s";
	n = 0;
	for (const char *o = order; *o; o++) {
		const char *value = *o == 's' ? u.sysname : *o == 'n' ? u.nodename :
				    *o == 'r' ? release : *o == 'v' ? u.version :
				    *o == 'm' ? u.machine : *o == 'o' ? "GNU/Linux" : "unknown";

		if (strchr(want, *o))
			printf("%s%s", n++ ? " " : "", value);
	}
	putchar('\n');
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *dir = getenv("KPORT_CAPTURE_DIR"), *name = argc ? argv[0] : "cc";
	const char *release = getenv("KPORT_KERNEL_RELEASE");
	char real[PATH_MAX];
	size_t printed, json_len = 0;
	char *json = NULL;
	int code;

	if (strrchr(name, '/'))
		name = strrchr(name, '/') + 1;
	if (!strcmp(name, "uname") && release)
		return do_uname(argv, release);
	if (!find_real(name, real, sizeof(real))) {
		dprintf(2, "kport-cc: no '%s' on PATH\n", name);
		return 127;
	}
	argv[0] = real; /* gcc looks for its parts relative to this name */
	if (!dir || !is_kernel_unit(argv)) {
		execv(real, argv);
		fail(real);
	}
	signal(SIGPIPE, SIG_IGN);
	code = run_real(real, argv, &printed);
	if (printed)
		json = run_json(real, argc, argv, &json_len);
	record(dir, real, argv, code, printed, json, json_len);
	return code;
}
