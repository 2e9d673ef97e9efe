// SPDX-License-Identifier: GPL-2.0-only
/*
 * A line is the compact JSON object with sorted keys data, event, prev, seq,
 * time, and "hash" behind them. Checks work on the bytes of the file, never on
 * text that was written again: that would depend on the JSON library.
 */
#include "base/compat.h"
#include "base/audit.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define HASH_KEY	 ",\"hash\":\""
#define TAIL_LEN	 (sizeof(HASH_KEY) - 1 + HASH_HEX_LEN + 2) /* ,"hash":"...", then "} */
#define REDACTED	 "[redacted]"
#define MIN_SECRET_BYTES 6
#define MAX_ARG_BYTES	 4096

struct audit {
	int fd;
	char *path;
	uint64_t seq; /* of the next line */
	off_t size;
	struct hash_hex prev; /* of the line before */
	struct strvec secrets;
	struct strbuf failure; /* of the first write that failed */
	pthread_mutex_t mutex;
};

/* ---- secrets ---- */

/* Length of NAME in "NAME=value" where that is a secret, else 0. */
static size_t secret_assignment(const char *s)
{
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || s[len] == '_')
		len++;
	return len && s[len] == '=' && child_secret_name(s, len) ? len : 0;
}

static void note_secrets(struct audit *a, const char **env)
{
	for (; env && *env; env++) {
		size_t len = secret_assignment(*env);

		if (len && strlen(*env + len + 1) >= MIN_SECRET_BYTES &&
		    !strvec_contains(&a->secrets, *env + len + 1))
			strvec_push(&a->secrets, *env + len + 1);
	}
}

static bool redact_text(const struct audit *a, struct strbuf *s)
{
	bool changed = false;

	for (size_t i = 0; i < a->secrets.n; i++) {
		size_t len = strlen(a->secrets.v[i]);
		char *at = s->buf;

		while ((at = strstr(at, a->secrets.v[i]))) {
			size_t pos = (size_t)(at - s->buf);

			strbuf_splice(s, pos, len, REDACTED, strlen(REDACTED));
			at = s->buf + pos + strlen(REDACTED);
			changed = true;
		}
	}
	return changed;
}

static void redact_string(const struct audit *a, json_t *v)
{
	struct strbuf s = STRBUF_INIT;

	strbuf_addstr(&s, json_string_value(v));
	if (redact_text(a, &s))
		json_string_setn_nocheck(v, s.buf, s.len);
	strbuf_release(&s);
}

static void redact(const struct audit *a, json_t *v)
{
	const char *key;
	json_t *sub;
	size_t i;

	if (json_is_string(v)) {
		redact_string(a, v);
	} else if (json_is_array(v)) {
		json_array_foreach(v, i, sub)
			redact(a, sub);
	} else {
		json_object_foreach(v, key, sub)
			redact(a, sub);
	}
}

/* ---- the chain ---- */

struct chain {
	uint64_t seq;
	struct hash_hex prev;
};

static void chain_init(struct chain *c)
{
	c->seq = 0;
	memset(c->prev.hex, '0', HASH_HEX_LEN);
	c->prev.hex[HASH_HEX_LEN] = '\0';
}

/* The hash over what stands before ,"hash": and the closing brace. */
static struct hash_hex body_hash(const char *line, size_t len)
{
	struct hash *h = hash_new();

	hash_add(h, line, len);
	hash_add(h, "}", 1);
	return hash_final(h);
}

static bool hash_fits(const char *line, size_t len)
{
	const char *tail = line + len - TAIL_LEN;
	struct hash_hex sum;

	if (len <= TAIL_LEN || memcmp(tail, HASH_KEY, strlen(HASH_KEY)))
		return false;
	sum = body_hash(line, len - TAIL_LEN);
	return !memcmp(tail + strlen(HASH_KEY), sum.hex, HASH_HEX_LEN) &&
	       !memcmp(line + len - 2, "\"}", 2);
}

static int check_line(struct chain *c, const char *line, size_t len, struct strbuf *err)
{
	uint64_t n = c->seq + 1;
	const char *prev;
	json_t *obj;
	int ret = 0;

	if (!hash_fits(line, len))
		return kp_fail(err, KP_ERR, "line %" PRIu64 ": its hash does not fit its content",
			       n);
	obj = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	prev = json_get_str(obj, "prev");
	if (!json_is_object(obj) || !json_get_str(obj, "event"))
		ret = kp_fail(err, KP_ERR, "line %" PRIu64 ": not a line of an audit trail", n);
	else if (!prev || strcmp(prev, c->prev.hex))
		ret = kp_fail(err, KP_ERR, "line %" PRIu64 ": does not follow the line before it",
			      n);
	else if (json_get_int(obj, "seq", -1) != (int64_t)c->seq)
		ret = kp_fail(err, KP_ERR, "line %" PRIu64 ": has the wrong sequence number", n);
	json_decref(obj);
	c->prev = hash_buf(line, len);
	c->seq = n;
	return ret;
}

/* Checks all whole lines; *end is where the last one ends. */
static int check_text(struct chain *c, const struct strbuf *text, size_t *end, struct strbuf *err)
{
	const char *line = text->buf, *stop = text->buf + text->len, *nl;
	int ret = 0;

	chain_init(c);
	while (!ret && (nl = memchr(line, '\n', (size_t)(stop - line)))) {
		ret = check_line(c, line, (size_t)(nl - line), err);
		line = nl + 1;
	}
	*end = (size_t)(line - text->buf);
	return ret;
}

int audit_verify(const char *path, uint64_t *lines, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct chain c;
	size_t end;
	int ret;

	*lines = 0;
	ret = file_read(path, 0, &text, err);
	if (ret < 0) {
		strbuf_release(&text);
		return ret;
	}
	ret = check_text(&c, &text, &end, err);
	if (!ret && end < text.len)
		ret = kp_fail(err, KP_ERR, "line %" PRIu64 ": incomplete (the writer was killed)",
			      c.seq + 1);
	*lines = c.seq;
	strbuf_release(&text);
	return ret;
}

/* ---- writing ---- */

static void utc_now(char *buf, size_t size)
{
	struct timespec ts;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, size - n, ".%03ldZ", ts.tv_nsec / 1000000);
}

static void make_line(struct audit *a, const char *event, json_t *data, struct strbuf *line)
{
	json_t *obj = json_object();
	struct hash_hex sum;
	char when[64];

	utc_now(when, sizeof(when));
	json_set_int(obj, "seq", (int64_t)a->seq);
	json_set_str(obj, "time", when);
	json_set_str(obj, "event", event);
	json_set_str(obj, "prev", a->prev.hex);
	json_object_set(obj, "data", data);
	json_dump_compact(obj, line);
	json_decref(obj);
	strbuf_setlen(line, line->len - 1);
	sum = body_hash(line->buf, line->len);
	strbuf_addf(line, "%s%s\"}", HASH_KEY, sum.hex);
}

/* All of it or nothing: a part would be taken for the mark of a kill. */
static int append(struct audit *a, const struct strbuf *line)
{
	size_t off = 0;
	int e;

	while (off < line->len) {
		ssize_t n = write(a->fd, line->buf + off, line->len - off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			e = errno;
			if (ftruncate(a->fd, a->size) < 0)
				e = errno;
			errno = e;
			return -1;
		}
		off += (size_t)n;
	}
	a->size += (off_t)line->len;
	return 0;
}

static int add_locked(struct audit *a, const char *event, json_t *data, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	struct hash_hex sum;
	int ret = 0;

	/* A trail with a gap would be a lie: after a failure nothing more is added. */
	if (a->failure.len)
		return kp_fail(err, KP_INFRA, "%s", a->failure.buf);
	make_line(a, event, data, &line);
	sum = hash_buf(line.buf, line.len);
	strbuf_addch(&line, '\n');
	if (append(a, &line) < 0) {
		kp_fail_errno(&a->failure, "cannot write '%s'", a->path);
		ret = kp_fail(err, KP_INFRA, "%s", a->failure.buf);
	} else {
		a->prev = sum;
		a->seq++;
	}
	strbuf_release(&line);
	return ret;
}

int audit_add(struct audit *a, const char *event, json_t *data, struct strbuf *err)
{
	json_t *copy;
	int ret = 0;

	if (a) {
		/* The caller may hold other references to parts of it. */
		copy = data ? json_deep_copy(data) : json_null();
		pthread_mutex_lock(&a->mutex);
		redact(a, copy);
		ret = add_locked(a, event, copy, err);
		pthread_mutex_unlock(&a->mutex);
		json_decref(copy);
	}
	json_decref(data);
	return ret;
}

struct hash_hex audit_head(struct audit *a)
{
	struct hash_hex head;

	pthread_mutex_lock(&a->mutex);
	head = a->prev;
	pthread_mutex_unlock(&a->mutex);
	return head;
}

/* ---- opening ---- */

static int cut_torn_line(struct audit *a, size_t end, size_t torn, struct strbuf *err)
{
	json_t *data = json_object();

	if (ftruncate(a->fd, (off_t)end) < 0) {
		json_decref(data);
		return kp_fail_errno(err, "cannot write '%s'", a->path);
	}
	json_set_int(data, "dropped_bytes", (int64_t)torn);
	return audit_add(a, "torn-line", data, err);
}

static int go_on(struct audit *a, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, why = STRBUF_INIT;
	struct chain c;
	size_t end;
	int ret = file_read(a->path, 0, &text, err);

	if (!ret && check_text(&c, &text, &end, &why) < 0)
		ret = kp_fail(err, KP_ERR, "'%s': the audit trail is damaged: %s", a->path,
			      why.buf);
	if (!ret) {
		a->seq = c.seq;
		a->prev = c.prev;
		a->size = (off_t)end;
		if (end < text.len)
			ret = cut_torn_line(a, end, text.len - end, err);
	}
	strbuf_release(&text);
	strbuf_release(&why);
	return ret;
}

/* A writer that was just killed may take a moment to be gone. */
static int lock_trail(const struct audit *a)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	for (int tries = 0; flock(a->fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (tries == 50)
			return -1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int audit_open(const char *path, struct audit **out, struct strbuf *err)
{
	struct audit *a = xcalloc(1, sizeof(*a));
	int ret;

	*out = NULL;
	a->path = xstrdup(path);
	strvec_init(&a->secrets);
	strbuf_init(&a->failure);
	pthread_mutex_init(&a->mutex, NULL);
	a->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (a->fd < 0)
		ret = kp_fail_errno(err, "cannot write '%s'", path);
	else if (lock_trail(a) < 0)
		ret = kp_fail(err, KP_ERR, "'%s' is being written by another process", path);
	else
		ret = go_on(a, err);
	note_secrets(a, (const char **)environ);
	if (ret < 0)
		audit_close(a);
	else
		*out = a;
	return ret;
}

/* ---- children ---- */

static struct audit *watching;

static json_t *words(const struct strvec *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->n; i++) {
		size_t name = secret_assignment(v->v[i]);
		struct strbuf s = STRBUF_INIT;

		if (name)
			strbuf_addf(&s, "%.*s=%s", (int)name, v->v[i], REDACTED);
		else if (i >= 2 && !strcmp(v->v[i - 2], "--setenv") &&
			 child_secret_name(v->v[i - 1], strlen(v->v[i - 1])))
			strbuf_addstr(&s, REDACTED);
		else
			strbuf_add(&s, v->v[i], strnlen(v->v[i], MAX_ARG_BYTES));
		json_array_append_new(list, json_strn(s.buf, s.len));
		strbuf_release(&s);
	}
	return list;
}

static void on_child(const struct child *c, const struct child_result *r, void *payload)
{
	struct strbuf how = STRBUF_INIT;
	json_t *data = json_object();
	struct audit *a = payload;

	pthread_mutex_lock(&a->mutex);
	note_secrets(a, c->env.v);
	pthread_mutex_unlock(&a->mutex);
	json_object_set_new(data, "argv", words(&c->argv));
	if (c->env.n)
		json_object_set_new(data, "env", words(&c->env));
	json_set_str(data, "dir", c->dir);
	if (r) {
		child_describe(r, &how);
		json_set_str(data, "end", how.buf);
		json_set_num(data, "wall", r->wall);
		json_set_num(data, "cpu", r->cpu);
		json_set_int(data, "max_rss", (int64_t)r->max_rss);
	} else {
		json_set_str(data, "end", "not started");
	}
	/* A failure is kept and reported by the next audit_add() of the caller. */
	audit_add(a, "child", data, NULL);
	strbuf_release(&how);
}

void audit_watch_children(struct audit *a)
{
	watching = a;
	child_set_hook(a ? on_child : NULL, a);
}

void audit_close(struct audit *a)
{
	if (!a)
		return;
	if (watching == a)
		audit_watch_children(NULL);
	if (a->fd >= 0) {
		fdatasync(a->fd);
		close(a->fd);
	}
	free(a->path);
	strvec_release(&a->secrets);
	strbuf_release(&a->failure);
	pthread_mutex_destroy(&a->mutex);
	free(a);
}
