/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One POST over libcurl, with limits, and the question whether it may be tried again.
 *
 *	struct http_request q = { .url = url, .body = text, .len = n, .limits = limits };
 *	struct http_reply r;
 *	ret = http_post(&q, &r, err);
 *	http_reply_release(&r);
 *
 * What arrives is given to on_data as it comes when the status is 200, else kept in r.body
 * (64 KiB at most). Redirects are not followed; certificates are checked; a key goes over
 * plain HTTP to the loopback only. libcurl reads the proxy from the usual variables, unless
 * one is given.
 *
 * Errors: KP_INFRA no or no whole answer (r.again: it may help to try again), KP_ERR a wrong
 * address or more than the limit, KP_INTERRUPTED. An answer with any status is 0.
 */
#ifndef KPORT_HTTP_H
#define KPORT_HTTP_H

#include "agents/secret.h"
#include "base/strvec.h"

struct http_limits {
	double connect_seconds, /* 0: 10 */
		idle_seconds,	/* without a byte; 0: 120 */
		total_seconds;	/* 0: 600 */
	size_t max_bytes;	/* of the answer as sent; 0: 16 MiB */
};

struct http_request {
	const char *url;
	const char *body; /* NULL: GET */
	size_t len;
	struct strvec headers;		/* "name: value" without secrets */
	const struct secret *key;	/* NULL: none */
	const char *key_header;		/* "authorization: Bearer ", the key follows */
	const char *ca_file, *proxy;	/* or NULL */
	struct http_limits limits;
	/* Returns 0 to go on; else the transfer ends and http_post() returns it. */
	int (*on_data)(const char *bytes, size_t n, void *payload);
	void *payload;
};

struct http_reply {
	long status;
	double retry_after; /* seconds that the server asks for; 0: it does not */
	bool again;	    /* no answer, but the next try may get one */
	bool event_stream;  /* content type; known when on_data is called */
	struct strbuf body;
	size_t received;
};

int http_post(const struct http_request *q, struct http_reply *r, struct strbuf *err);
void http_reply_release(struct http_reply *r);
/* Too many requests, overload, a gateway's trouble. */
bool http_status_again(long status);
/*
 * Is it worth sending? KP_ERR: no http or https address, or a key would go in the clear. To the
 * loopback it may, without a proxy (that of the environment is not used then) or through one there.
 */
int http_check_url(const char *url, const char *proxy, bool with_key, struct strbuf *err);
const char *http_library(void); /* "libcurl/7.88.1 OpenSSL/..." */

#endif
