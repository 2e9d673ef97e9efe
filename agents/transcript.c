// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/transcript.h"

#include <fcntl.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"

struct transcript {
	char *path;
	int fd; /* -1: only read */
	json_t *list;
	struct strmap by_hash;
};

static int take_line(struct transcript *t, const char *line, size_t len, size_t number, struct strbuf *err)
{
	json_error_t e;
	json_t *v = json_loadb(line, len, JSON_ALLOW_NUL, &e);
	const char *hash = json_get_str(v, "request_hash");

	if (!v || !hash || !json_is_object(json_object_get(v, "reply"))) {
		json_decref(v);
		return kp_fail(err, KP_ERR, "'%s': line %zu is no exchange", t->path, number);
	}
	if (!strmap_has(&t->by_hash, hash))
		strmap_put(&t->by_hash, hash, v);
	json_array_append_new(t->list, v);
	return 0;
}

/* *whole: length of the text without a torn last line. */
static int take_text(struct transcript *t, const struct strbuf *text, size_t *whole, struct strbuf *err)
{
	const char *p = text->buf, *end = text->buf + text->len, *nl;
	size_t number = 0;
	int ret = 0;

	while (!ret && p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		ret = take_line(t, p, (size_t)(nl - p), ++number, err);
		p = nl + 1;
	}
	*whole = (size_t)(p - text->buf);
	return ret;
}

static int open_for_writing(struct transcript *t, struct strbuf *err)
{
	t->fd = open(t->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (t->fd < 0)
		return kp_fail_errno(err, "'%s'", t->path);
	if (flock(t->fd, LOCK_EX | LOCK_NB) < 0)
		return kp_fail(err, KP_ERR, "'%s' is being written by another run", t->path);
	return 0;
}

int transcript_open(const char *path, bool write, struct transcript **out, struct strbuf *err)
{
	struct transcript *t = xcalloc(1, sizeof(*t));
	struct strbuf text = STRBUF_INIT;
	size_t whole = 0;
	int ret = 0;

	t->path = xstrdup(path);
	t->fd = -1;
	t->list = json_array();
	if (write)
		ret = open_for_writing(t, err);
	if (!ret)
		ret = file_read(path, 0, &text, err);
	if (!ret)
		ret = take_text(t, &text, &whole, err);
	if (!ret && write && whole < text.len && ftruncate(t->fd, (off_t)whole) < 0)
		ret = kp_fail_errno(err, "'%s'", path);
	strbuf_release(&text);
	if (ret) {
		transcript_close(t);
		return ret;
	}
	*out = t;
	return 0;
}

const json_t *transcript_find(const struct transcript *t, const char *request_hash)
{
	return strmap_get(&t->by_hash, request_hash);
}

const json_t *transcript_at(const struct transcript *t, size_t i)
{
	return json_array_get(t->list, i);
}

static int append(struct transcript *t, const char *p, size_t n, struct strbuf *err)
{
	off_t start = lseek(t->fd, 0, SEEK_END);

	while (n) {
		ssize_t k = write(t->fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			int saved = errno;

			/* No half line stays when the disk is full. */
			if (start >= 0 && ftruncate(t->fd, start) < 0)
				saved = errno;
			errno = saved;
			return kp_fail_errno(err, "'%s'", t->path);
		}
		p += k;
		n -= (size_t)k;
	}
	return fsync(t->fd) < 0 ? kp_fail_errno(err, "'%s'", t->path) : 0;
}

int transcript_add(struct transcript *t, json_t *exchange, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	int ret;

	json_dump_compact(exchange, &line);
	strbuf_rtrim(&line);
	strbuf_addch(&line, '\n');
	ret = append(t, line.buf, line.len, err);
	strbuf_release(&line);
	if (ret) {
		json_decref(exchange);
		return ret;
	}
	strmap_put(&t->by_hash, json_get_str(exchange, "request_hash"), exchange);
	json_array_append_new(t->list, exchange);
	return 0;
}

void transcript_close(struct transcript *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	strmap_release(&t->by_hash, NULL);
	json_decref(t->list);
	free(t->path);
	free(t);
}
