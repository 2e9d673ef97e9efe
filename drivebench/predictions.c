// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/predictions.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"

#define MAX_LINE (16u << 20)
#define MAX_ATTEMPT 1000

struct reader {
	const struct case_set *cases;
	const char *file, *dir;
	struct predictions *out;
	struct strvec *problems;
	struct strmap seen;
	unsigned line;
};

static void problem(struct reader *r, const char *what)
{
	strvec_pushf(r->problems, "%s:%u: %s", r->file, r->line, what);
	r->out->refused++;
}

static const char *either(const json_t *v, const char *own, const char *alias)
{
	const char *s = json_get_str(v, own);

	return s ? s : json_get_str(v, alias);
}

static int take(struct reader *r, const json_t *v, struct strbuf *err)
{
	const char *id = either(v, "case", "instance_id"), *patch = either(v, "patch", "model_patch");
	const json_t *n = json_object_get(v, "attempt");
	int64_t attempt = n ? json_integer_value(n) : 1;
	char *key, *path;
	int ret = 0;

	if (!json_is_object(v) || !id || !patch) {
		problem(r, "a prediction has 'case' and 'patch' (or 'instance_id' and 'model_patch')");
		return 0;
	}
	if (attempt < 1 || attempt > MAX_ATTEMPT) {
		problem(r, "'attempt' is no number from 1 to 1000");
		return 0;
	}
	if (!case_set_find(r->cases, id)) {
		problem(r, "the case is not known");
		return 0;
	}
	key = xstrfmt("%s.%d", id, (int)attempt);
	path = xstrfmt("%s/%s.patch", r->dir, key);
	if (strmap_has(&r->seen, key)) {
		problem(r, "the case and attempt were there before");
	} else {
		strmap_put(&r->seen, key, NULL);
		ret = file_write(path, patch, strlen(patch), err);
		r->out->taken++;
		if (attempt > r->out->attempts)
			r->out->attempts = attempt;
	}
	free(key);
	free(path);
	return ret;
}

static int take_line(struct reader *r, const struct strbuf *line, bool too_long, struct strbuf *err)
{
	json_error_t e;
	json_t *v;
	int ret = 0;

	r->line++;
	if (too_long) {
		problem(r, "a line of more than 16 MiB");
		return 0;
	}
	if (strspn(line->buf, " \t\r") == line->len)
		return 0;
	v = json_loadb(line->buf, line->len, JSON_REJECT_DUPLICATES, &e);
	if (!v)
		problem(r, "no JSON");
	else
		ret = take(r, v, err);
	json_decref(v);
	return ret;
}

/* Lines of any length in bounded memory. */
static int read_lines(struct reader *r, FILE *f, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	char chunk[65536];
	bool too_long = false, some = false;
	size_t n;
	int ret = 0;

	while (!ret && (n = fread(chunk, 1, sizeof(chunk), f)) > 0) {
		for (const char *p = chunk, *end = chunk + n; !ret && p < end;) {
			const char *nl = memchr(p, '\n', (size_t)(end - p));
			size_t len = nl ? (size_t)(nl - p) : (size_t)(end - p);

			too_long |= line.len + len > MAX_LINE;
			if (!too_long)
				strbuf_add(&line, p, len);
			some = !nl;
			if (nl) {
				ret = take_line(r, &line, too_long, err);
				strbuf_reset(&line);
				too_long = false;
			}
			p += len + 1;
		}
	}
	if (!ret && ferror(f))
		ret = kp_fail_errno(err, "cannot read '%s'", r->file);
	if (!ret && some)
		ret = take_line(r, &line, too_long, err);
	strbuf_release(&line);
	return ret;
}

int predictions_read(const char *file, const struct case_set *cases, const char *dir, struct predictions *out,
		     struct strvec *problems, struct strbuf *err)
{
	struct reader r = { .cases = cases, .file = file, .dir = dir, .out = out, .problems = problems,
			    .seen = STRMAP_INIT };
	FILE *f = fopen(file, "re");
	int ret;

	memset(out, 0, sizeof(*out));
	if (!f)
		return kp_fail_errno(err, "cannot open '%s'", file);
	ret = file_mkdirs(dir, err);
	if (!ret)
		ret = read_lines(&r, f, err);
	fclose(f);
	strmap_release(&r.seen, NULL);
	return ret;
}
