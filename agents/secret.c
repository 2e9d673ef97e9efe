// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/secret.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"

#define MAX_KEY	 4096
#define REDACTED "[redacted]"

struct secret {
	char *text;
	size_t len;
	char *quoted; /* as it stands in JSON, where that differs; else NULL */
};

void strbuf_wipe(struct strbuf *sb)
{
	if (sb->alloc)
		explicit_bzero(sb->buf, sb->alloc);
	strbuf_release(sb);
}

static void forbid_dumps(void)
{
	struct rlimit none = { 0, 0 };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
}

/* Into a buffer of fixed size, so that nothing is left in memory that was grown out of. */
static int read_key(const char *path, char *buf, size_t *len, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;
	int ret = 0;

	if (fd < 0)
		return kp_fail_errno(err, "key file '%s'", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		ret = kp_fail(err, KP_ERR, "key file '%s' is no regular file", path);
	else if (st.st_mode & 077)
		ret = kp_fail(err, KP_ERR, "key file '%s' can be read by others; run: chmod 600 %s",
			      path, path);
	else if (st.st_uid != geteuid() && geteuid())
		ret = kp_fail(err, KP_ERR, "key file '%s' belongs to somebody else", path);
	else if ((n = read(fd, buf, MAX_KEY + 2)) < 0)
		ret = kp_fail_errno(err, "key file '%s'", path);
	close(fd);
	*len = n > 0 ? (size_t)n : 0;
	return ret;
}

static int check_key(const char *from, const char *key, size_t len, struct strbuf *err)
{
	if (!len)
		return kp_fail(err, KP_ERR, "the key in '%s' is empty", from);
	if (len > MAX_KEY)
		return kp_fail(err, KP_ERR, "the key in '%s' is longer than %d bytes", from, MAX_KEY);
	for (size_t i = 0; i < len; i++) {
		if (key[i] <= ' ' || key[i] > '~')
			return kp_fail(err, KP_ERR, "the key in '%s' is not one line of printable "
				       "characters", from);
	}
	return 0;
}

static char *quote(const char *text)
{
	char *out = xmalloc(2 * strlen(text) + 1), *p = out;

	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*p++ = '\\';
		*p++ = *text;
	}
	*p = '\0';
	return out;
}

static struct secret *make(const char *text, size_t len)
{
	struct secret *s = xcalloc(1, sizeof(*s));

	s->text = xmalloc(len + 1);
	memcpy(s->text, text, len);
	s->text[len] = '\0';
	s->len = len;
	if (strpbrk(s->text, "\"\\"))
		s->quoted = quote(s->text);
	return s;
}

static int take_file(const char *file, struct secret **out, struct strbuf *err)
{
	char buf[MAX_KEY + 2];
	size_t len = 0;
	int ret = read_key(file, buf, &len, err);

	while (len && (buf[len - 1] == '\n' || buf[len - 1] == '\r'))
		len--;
	if (!ret)
		ret = check_key(file, buf, len, err);
	if (!ret)
		*out = make(buf, len);
	explicit_bzero(buf, sizeof(buf));
	return ret;
}

int secret_take(const char *variable, const char *file, struct secret **out, struct strbuf *err)
{
	char *value = variable ? getenv(variable) : NULL;
	int ret = 0;

	*out = NULL;
	forbid_dumps();
	if (!file && !value)
		return kp_fail(err, KP_NOTFOUND, "no key: neither the variable '%s' nor a key file is "
			       "set", variable ? variable : "-");
	if (!file)
		ret = check_key(variable, value, strlen(value), err);
	if (!file && !ret)
		*out = make(value, strlen(value));
	if (value) {
		explicit_bzero(value, strlen(value));
		unsetenv(variable);
	}
	return file ? take_file(file, out, err) : ret;
}

const char *secret_text(const struct secret *s)
{
	return s->text;
}

void secret_free(struct secret *s)
{
	if (!s)
		return;
	explicit_bzero(s->text, s->len);
	free(s->text);
	if (s->quoted)
		explicit_bzero(s->quoted, strlen(s->quoted));
	free(s->quoted);
	free(s);
}

static void redact(struct strbuf *text, const char *key, size_t len)
{
	char *at = text->buf;

	while ((at = memmem(at, text->len - (size_t)(at - text->buf), key, len))) {
		size_t pos = (size_t)(at - text->buf);

		strbuf_splice(text, pos, len, REDACTED, strlen(REDACTED));
		at = text->buf + pos + strlen(REDACTED);
	}
}

void secret_redact(const struct secret *s, struct strbuf *text)
{
	/* Shorter ones are words of ordinary text. */
	if (!s || s->len < 6)
		return;
	if (s->quoted)
		redact(text, s->quoted, strlen(s->quoted));
	redact(text, s->text, s->len);
}
