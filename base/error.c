// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/error.h"
#include "base/strbuf.h"

int kp_fail(struct strbuf *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	strbuf_vaddf(err, fmt, ap);
	va_end(ap);
	return code;
}

static int errno_code(int e)
{
	switch (e) {
	case ENOENT:
	case ENOTDIR:
		return KP_NOTFOUND;
	case EACCES:
	case EPERM:
	case EISDIR:
	case ELOOP:
	case EEXIST:
	case ENOTEMPTY:
	case EINVAL:
	case ENAMETOOLONG:
		return KP_ERR;
	default:
		return KP_INFRA;
	}
}

int kp_fail_errno(struct strbuf *err, const char *fmt, ...)
{
	int e = errno;
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		strbuf_vaddf(err, fmt, ap);
		va_end(ap);
		strbuf_addf(err, ": %s", strerror(e));
	}
	return errno_code(e);
}

int kp_exit_code(int code)
{
	switch (code) {
	case KP_OK:
		return EXIT_YES;
	case KP_INFRA:
		return EXIT_INFRA;
	case KP_NOTFOUND:
		return EXIT_NO;
	case KP_INTERRUPTED:
		return EXIT_SIGINT;
	default:
		return EXIT_FATAL;
	}
}
