// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-NAME [-n MUTATIONS] [FILE|DIR...]: runs a target without libFuzzer. By
 * default over tests/fuzz/corpus/NAME of the current directory, with 300 mutations
 * of each file, always the same ones. Prints TAP, one test for each file. The
 * input under which it died is left in the file crash-NAME.
 */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <signal.h>

#include "base/alloc.h"
#include "base/file.h"

#define INPUT_SECONDS 20

static uint8_t input[FUZZ_MAX];
static size_t input_len;
static char crash_path[4096];
static uint64_t rng;

static uint32_t next_random(void)
{
	rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(rng >> 33);
}

static size_t below(size_t n)
{
	return n ? next_random() % n : 0;
}

static void on_crash(int sig)
{
	int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, input, input_len) < 0)
		_exit(1);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_crashes(const char *name)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM };
	char *cwd = getcwd(NULL, 0);

	snprintf(crash_path, sizeof(crash_path), "%s/crash-%s", cwd ? cwd : ".", name);
	free(cwd);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], on_crash);
}

static void run(void)
{
	alarm(INPUT_SECONDS);
	fuzz_one(input, input_len);
	alarm(0);
}

static void insert(size_t at, const uint8_t *data, size_t len)
{
	if (input_len + len > FUZZ_MAX)
		len = FUZZ_MAX - input_len;
	memmove(input + at + len, input + at, input_len - at);
	memcpy(input + at, data, len);
	input_len += len;
}

static void cut(size_t at, size_t len)
{
	memmove(input + at, input + at + len, input_len - at - len);
	input_len -= len;
}

/* Bytes that parsers look at. */
static const char special[] = "\0\n\r\t \"'\\/{}[]()<>:;,.=#%*-+_0919azAZ\x7f\x80\xc3\xe2\xff";

static void mutate(const struct strbuf *seed)
{
	for (size_t n = 1 + below(4); n; n--) {
		size_t at = below(input_len + 1), len = below(1 + input_len - at);
		uint8_t byte = (uint8_t)special[below(sizeof(special) - 1)];
		size_t from = below(seed->len + 1), take = below(1 + seed->len - from);

		switch (below(7)) {
		case 0:
			if (at < input_len)
				input[at] ^= (uint8_t)(1 << below(8));
			break;
		case 1:
			if (at < input_len)
				input[at] = byte;
			break;
		case 2:
			insert(at, &byte, 1);
			break;
		case 3:
			cut(at, len > 8 ? 8 : len);
			break;
		case 4:
			cut(at, len);
			break;
		case 5:
			insert(at, (const uint8_t *)seed->buf + from, take > 64 ? 64 : take);
			break;
		case 6:
			input_len = at;
			break;
		}
	}
}

static void load(const struct strbuf *seed)
{
	input_len = seed->len < FUZZ_MAX ? seed->len : FUZZ_MAX;
	memcpy(input, seed->buf, input_len);
}

static void run_seed(const struct strbuf *seed, long mutations)
{
	rng = 0x9e3779b97f4a7c15ULL + seed->len;
	load(seed);
	run();
	for (long i = 0; i < mutations; i++) {
		load(seed);
		mutate(seed);
		run();
	}
}

static void add_inputs(const char *path, struct strvec *files)
{
	struct strvec names = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;

	if (!file_is_dir(path)) {
		strvec_push(files, path);
		return;
	}
	if (file_list(path, &names, &err) < 0)
		die("%s", err.buf);
	for (size_t i = 0; i < names.n; i++)
		strvec_push_nodup(files, path_join(path, names.v[i]));
	strvec_release(&names);
}

static int run_all(const struct strvec *files, long mutations)
{
	struct strvec real = STRVEC_INIT;
	struct strbuf seed = STRBUF_INIT, err = STRBUF_INIT;

	/* the target may change the directory */
	for (size_t i = 0; i < files->n; i++) {
		char *path = file_realpath(files->v[i]);

		if (!path)
			die("no such file: %s", files->v[i]);
		strvec_push_nodup(&real, path);
	}
	printf("1..%zu\n", files->n);
	for (size_t i = 0; i < files->n; i++) {
		strbuf_reset(&seed);
		if (file_read(real.v[i], 16 << 20, &seed, &err) < 0)
			die("%s", err.buf);
		run_seed(&seed, mutations);
		printf("ok %zu - %s\n", i + 1, files->v[i]);
		fflush(stdout);
	}
	strvec_release(&real);
	strbuf_release(&seed);
	return files->n == 0;
}

int main(int argc, const char **argv)
{
	const char *name = path_base(argv[0]);
	struct strvec files = STRVEC_INIT;
	long mutations = 300;
	char *corpus;
	int i = 1, ret;

	skip_prefix(name, "fuzz-", &name);
	if (argc > 2 && !strcmp(argv[1], "-n")) {
		mutations = strtol(argv[2], NULL, 10);
		i = 3;
	}
	corpus = xstrfmt("tests/fuzz/corpus/%s", name);
	if (i == argc)
		add_inputs(corpus, &files);
	for (; i < argc; i++)
		add_inputs(argv[i], &files);
	catch_crashes(name);
	log_level = LOG_QUIET;
	ret = run_all(&files, mutations);
	strvec_release(&files);
	free(corpus);
	return ret;
}
