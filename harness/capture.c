// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <dirent.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"
#include "harness/capture.h"

#define MAX_RECORD (24u << 20)
#define MAX_RECORDS 20000
#define MAX_TOTAL (1ULL << 30)

int capture_make_shims(const char *dir, const struct kernel *k, struct strbuf *err)
{
	static const char *const names[] = { "gcc", "cc", "clang", "gcc-10", "gcc-11", "gcc-12", "gcc-13",
					     "gcc-14", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-gcc-10",
					     "x86_64-linux-gnu-gcc-12", "x86_64-linux-gnu-gcc-14", "uname" };
	char *shim = kport_libexec_path("kport-cc");
	int ret = file_mkdirs(dir, err);

	if (!ret && !file_exists(shim))
		ret = kp_fail(err, KP_INFRA, "'%s' is missing; build or install kport completely", shim);
	for (size_t i = 0; i < ARRAY_SIZE(names) + 1 && !ret; i++) {
		const char *name = i < ARRAY_SIZE(names) ? names[i] : k->cc;
		char *path;

		if (!name || strchr(name, '/'))
			continue;
		path = path_join(dir, name);
		if (symlink(shim, path) < 0 && errno != EEXIST)
			ret = kp_fail_errno(err, "cannot make '%s'", path);
		free(path);
	}
	free(shim);
	return ret;
}

void kbuild_unit_release(struct kbuild_unit *u)
{
	free(u->source);
	free(u->object);
	free(u->cwd);
	strvec_release(&u->argv);
	diag_list_release(&u->diags);
	diag_list_release(&u->raw);
	memset(u, 0, sizeof(*u));
}

/* One "NAME LENGTH\n<bytes>\n" at *p; false at the end or when it is broken. */
static bool next_field(const char **p, const char *end, char *name, size_t size, const char **data,
		       size_t *len)
{
	const char *nl = memchr(*p, '\n', end - *p), *space;
	char *stop;

	if (!nl)
		return false;
	space = memchr(*p, ' ', nl - *p);
	if (!space || (size_t)(space - *p) >= size)
		return false;
	memcpy(name, *p, space - *p);
	name[space - *p] = '\0';
	*len = strtoul(space + 1, &stop, 10);
	if (stop != nl || *len >= (size_t)(end - nl - 1))
		return false;
	*data = nl + 1;
	*p = nl + 1 + *len + 1;
	return true;
}

static void split_argv(struct strvec *argv, const char *data, size_t len)
{
	const char *end = data + len;

	while (data < end) {
		const char *nul = memchr(data, '\0', end - data);

		if (!nul)
			return;
		strvec_push(argv, data);
		data = nul + 1;
	}
}

static void find_files(struct kbuild_unit *u)
{
	for (size_t i = 1; i < u->argv.n; i++) {
		const char *a = u->argv.v[i];

		if (!strcmp(a, "-o") && i + 1 < u->argv.n)
			u->object = path_absolute(u->cwd, u->argv.v[++i]);
		else if (*a != '-' && ends_with(a, ".c") && !u->source)
			u->source = path_absolute(u->cwd, a);
	}
}

/* What the compiler's driver says of its command line, "gcc: error: ...", which is no diagnostic. */
static char *driver_error(const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *mark = memmem(p, (size_t)((eol ? eol : end) - p), ": error: ", 9);

		if (mark && *p != '[' && *p != '{')
			return xstrndup(mark + 9, (size_t)((eol ? eol : end) - mark - 9));
		p = eol ? eol + 1 : end;
	}
	return NULL;
}

static void add_unexplained(struct diag_list *raw, const char *text, size_t len, int exit_code)
{
	struct diag *d = diag_list_add(raw);

	d->level = DIAG_ERROR;
	d->message = exit_code > 128 ? xstrfmt("the compiler was killed by signal %d", exit_code - 128) :
				       driver_error(text, len);
	if (!d->message)
		d->message = xstrfmt("the compiler ended with exit code %d and no diagnostics", exit_code);
}

void capture_parse(const char *text, size_t len, const char *cwd, const char *tree, int exit_code,
		   struct diag_list *raw)
{
	struct strbuf ignored = STRBUF_INIT;
	bool explained = false;

	if (len && diag_parse_gcc(text, len, cwd, raw, &ignored) < 0)
		diag_parse_clang(text, len, cwd, raw);
	strbuf_release(&ignored);
	diag_localise(raw, tree);
	diag_read_sources(raw);
	for (size_t i = 0; i < raw->n; i++)
		explained |= raw->d[i].level >= DIAG_ERROR;
	if (exit_code && !explained)
		add_unexplained(raw, text, len, exit_code);
}

static bool parse_record(const char *text, size_t len, const char *tree, struct kbuild_unit *u)
{
	const char *p = text, *end = text + len, *data, *json = "";
	size_t n, json_len = 0;
	char name[16];

	memset(u, 0, sizeof(*u));
	strvec_init(&u->argv);
	if (!skip_prefix(p, "kport-cc 1\n", &p))
		return false;
	u->exit_code = -1;
	while (next_field(&p, end, name, sizeof(name), &data, &n)) {
		if (!strcmp(name, "cwd") && !u->cwd)
			u->cwd = xstrndup(data, n);
		else if (!strcmp(name, "exit"))
			u->exit_code = atoi(data) & 0xff;
		else if (!strcmp(name, "argv") && !u->argv.n)
			split_argv(&u->argv, data, n);
		else if (!strcmp(name, "json")) {
			json = data;
			json_len = n;
		}
	}
	if (!u->cwd || *u->cwd != '/' || u->argv.n < 2 || u->exit_code < 0)
		return false;
	find_files(u);
	if (!u->source)
		return false;
	capture_parse(json, json_len, u->cwd, tree, u->exit_code, &u->raw);
	diag_fold(&u->raw, &u->diags);
	return true;
}

static int by_source(const void *a, const void *b)
{
	const struct kbuild_unit *x = a, *y = b;
	int c = strcmp(x->source, y->source);

	if (c || !x->object || !y->object)
		return c ? c : !!x->object - !!y->object;
	return strcmp(x->object, y->object);
}

static int list_records(const char *dir, struct strvec *names, struct strbuf *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return kp_fail_errno(err, "cannot read '%s'", dir);
	while ((e = readdir(d)) != NULL && names->n < MAX_RECORDS)
		if (ends_with(e->d_name, ".rec"))
			strvec_push(names, e->d_name);
	closedir(d);
	strvec_sort(names);
	return 0;
}

int capture_read(const char *dir, const char *tree, struct kbuild_unit **units, size_t *n,
		 struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	struct strmap seen = STRMAP_INIT;
	int ret = list_records(dir, &names, err);
	uint64_t total = 0;
	size_t alloc = 0;

	*units = NULL;
	*n = 0;
	for (size_t i = 0; i < names.n && !ret && total < MAX_TOTAL; i++) {
		char *path = path_join(dir, names.v[i]), *key;
		struct strbuf text = STRBUF_INIT, why = STRBUF_INIT;
		struct kbuild_unit u = { 0 };

		if (file_read(path, MAX_RECORD, &text, &why) == 0 &&
		    parse_record(text.buf, text.len, tree, &u)) {
			key = xstrfmt("%s\n%s", u.source, u.object ? u.object : "");
			if (!strmap_has(&seen, key)) {
				strmap_put(&seen, key, NULL);
				ALLOC_GROW(*units, *n + 1, alloc);
				(*units)[(*n)++] = u;
				memset(&u, 0, sizeof(u));
				strvec_init(&u.argv);
			}
			free(key);
		}
		total += text.len;
		kbuild_unit_release(&u);
		strbuf_release(&text);
		strbuf_release(&why);
		free(path);
	}
	if (*n)
		sort_items(*units, *n, sizeof(**units), by_source);
	strvec_release(&names);
	strmap_release(&seen, NULL);
	return ret;
}

/* The same list as in the shim: what would write files. */
static bool is_side_output(const char *arg, bool *takes_value)
{
	static const char *const with_value[] = { "-o", "-MF", "-MT", "-MQ", "-dumpbase", "-dumpdir" };
	static const char *const prefix[] = { "-Wp,-MD", "-Wp,-MMD", "-MD", "-MMD", "-MP", "-MF", "-MT",
					      "-MQ", "-gsplit-dwarf", "-save-temps", "-fdump-",
					      "-fstack-usage", "-fcallgraph-info", "-fdiagnostics-",
					      "-ftest-coverage" };

	*takes_value = false;
	for (size_t i = 0; i < ARRAY_SIZE(with_value); i++)
		if (!strcmp(arg, with_value[i]))
			return *takes_value = true;
	for (size_t i = 0; i < ARRAY_SIZE(prefix); i++)
		if (starts_with(arg, prefix[i]))
			return true;
	return false;
}

void capture_check_argv(const struct kbuild_unit *u, bool full, struct strvec *out)
{
	bool takes_value;

	for (size_t i = 0; i < u->argv.n; i++) {
		if (i && is_side_output(u->argv.v[i], &takes_value)) {
			i += takes_value;
			continue;
		}
		strvec_push(out, u->argv.v[i]);
	}
	if (u->argv.n && starts_with(path_base(u->argv.v[0]), "clang"))
		strvec_pushl(out, CLANG_DIAG_OPTIONS, NULL);
	else
		strvec_push(out, "-fdiagnostics-format=json");
	if (full)
		strvec_pushl(out, "-o", "/dev/null", NULL);
	else
		strvec_push(out, "-fsyntax-only");
}
