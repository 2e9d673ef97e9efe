// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/http.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"

#define MAX_ERROR_BODY 65536

struct transfer {
	const struct http_request *q;
	struct http_reply *r;
	CURL *curl;
	size_t max;
	int stop; /* why it was ended by us */
	bool too_large, interrupted;
};

static double or_default(double v, double dflt)
{
	return v > 0 ? v : dflt;
}

static void look_at_head(struct transfer *t)
{
	char *type = NULL;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->r->status);
	curl_easy_getinfo(t->curl, CURLINFO_CONTENT_TYPE, &type);
	t->r->event_stream = type && starts_with(type, "text/event-stream");
}

static size_t on_body(char *bytes, size_t size, size_t n, void *payload)
{
	struct transfer *t = payload;
	struct http_reply *r = t->r;

	n *= size;
	if (!r->received)
		look_at_head(t);
	r->received += n;
	if (r->received > t->max) {
		t->too_large = true;
		return 0;
	}
	if (r->status != 200 || !t->q->on_data) {
		strbuf_add(&r->body, bytes, n);
		return n;
	}
	t->stop = t->q->on_data(bytes, n, t->q->payload);
	return t->stop ? 0 : n;
}

static int on_progress(void *payload, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct transfer *t = payload;

	t->interrupted = child_interrupted();
	return t->interrupted;
}

/* By what it is, not how it looks: "127.example.org" is a name like any other. */
static bool is_loopback(const char *host)
{
	struct in_addr a;

	if (!strcmp(host, "localhost") || !strcmp(host, "[::1]") || !strcmp(host, "::1"))
		return true;
	return inet_pton(AF_INET, host, &a) == 1 && ntohl(a.s_addr) >> 24 == 127;
}

/* What connects to the proxy reads a request that is not encrypted. */
static bool is_local_proxy(const char *proxy)
{
	CURLU *u = curl_url();
	char *host = NULL;
	bool local = !curl_url_set(u, CURLUPART_URL, proxy, CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME) &&
		     !curl_url_get(u, CURLUPART_HOST, &host, 0) && is_loopback(host);

	curl_free(host);
	curl_url_cleanup(u);
	return local;
}

int http_check_url(const char *url, const char *proxy, bool with_key, struct strbuf *err)
{
	CURLU *u = curl_url();
	char *scheme = NULL, *host = NULL;
	const char *rest = strstr(url, "://");
	int ret = 0;

	/* libcurl takes "http:/a/b" for a host named a. */
	if (!rest || rest[3] == '/' || curl_url_set(u, CURLUPART_URL, url, 0) ||
	    curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) ||
	    curl_url_get(u, CURLUPART_HOST, &host, 0) ||
	    (strcmp(scheme, "http") && strcmp(scheme, "https")))
		ret = kp_fail(err, KP_ERR, "'%s' is no http or https address", url);
	else if (with_key && !strcmp(scheme, "http") && !is_loopback(host))
		ret = kp_fail(err, KP_ERR, "a key is not sent to '%s' in the clear: use https", url);
	else if (with_key && proxy && !strcmp(scheme, "http") && !is_local_proxy(proxy))
		ret = kp_fail(err, KP_ERR, "a key is not sent to '%s' in the clear through a proxy: use https", url);
	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(u);
	return ret;
}

static struct curl_slist *make_headers(const struct http_request *q)
{
	struct curl_slist *l = NULL;

	for (size_t i = 0; i < q->headers.n; i++)
		l = curl_slist_append(l, q->headers.v[i]);
	if (q->key) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_grow(&sb, strlen(q->key_header) + strlen(secret_text(q->key)) + 1);
		strbuf_addf(&sb, "%s%s", q->key_header, secret_text(q->key));
		l = curl_slist_append(l, sb.buf);
		strbuf_wipe(&sb);
	}
	/* Bodies are small: no round trip to ask whether they may be sent. */
	return curl_slist_append(l, "Expect:");
}

static void free_headers(struct curl_slist *l)
{
	for (struct curl_slist *i = l; i; i = i->next)
		explicit_bzero(i->data, strlen(i->data));
	curl_slist_free_all(l);
}

static void set_options(struct transfer *t, struct curl_slist *headers, char *message)
{
	const struct http_request *q = t->q;
	CURL *c = t->curl;

	curl_easy_setopt(c, CURLOPT_URL, q->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, message);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "kport");
	if (q->body) {
		curl_easy_setopt(c, CURLOPT_POST, 1L);
		curl_easy_setopt(c, CURLOPT_POSTFIELDS, q->body);
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->len);
	}
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(or_default(q->limits.connect_seconds, 10) * 1000));
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS,
			 (long)(or_default(q->limits.total_seconds, 600) * 1000));
	/* libcurl counts whole seconds here. */
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME,
			 (long)(or_default(q->limits.idle_seconds, 120) + 0.999));
	curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)t->max);
	if (q->ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, q->ca_file);
	/* A proxy of the environment (http_proxy) would read what is not encrypted, the key too. */
	if (q->proxy || (q->key && !strncasecmp(q->url, "http:", 5)))
		curl_easy_setopt(c, CURLOPT_PROXY, q->proxy ? q->proxy : "");
}

static int failure(const struct transfer *t, CURLcode code, const char *message, struct strbuf *err)
{
	const struct http_request *q = t->q;
	const char *what = *message ? message : curl_easy_strerror(code);

	if (t->interrupted)
		return kp_fail(err, KP_INTERRUPTED, "interrupted; run the same command again to go on");
	if (t->too_large || code == CURLE_FILESIZE_EXCEEDED)
		return kp_fail(err, KP_ERR, "'%s': the answer is larger than %zu bytes", q->url, t->max);
	if (t->stop)
		return t->stop;
	switch (code) {
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return kp_fail(err, KP_ERR, "'%s': %s", q->url, what);
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_PEER_FAILED_VERIFICATION:
		return kp_fail(err, KP_INFRA, "'%s': %s; a certificate authority of your own is named "
			       "by agents.ca-file", q->url, what);
	default:
		t->r->again = true;
		return kp_fail(err, KP_INFRA, "'%s': %s", q->url, what);
	}
}

int http_post(const struct http_request *q, struct http_reply *r, struct strbuf *err)
{
	struct transfer t = { .q = q, .r = r };
	char message[CURL_ERROR_SIZE] = "";
	struct curl_slist *headers;
	curl_off_t after = 0;
	CURLcode code;
	int ret;

	memset(r, 0, sizeof(*r));
	strbuf_init(&r->body);
	r->body.max = MAX_ERROR_BODY;
	ret = http_check_url(q->url, q->proxy, q->key != NULL, err);
	if (ret)
		return ret;
	t.max = q->limits.max_bytes ? q->limits.max_bytes : (size_t)16 << 20;
	t.curl = curl_easy_init();
	headers = make_headers(q);
	set_options(&t, headers, message);
	code = curl_easy_perform(t.curl);
	look_at_head(&t);
	curl_easy_getinfo(t.curl, CURLINFO_RETRY_AFTER, &after);
	r->retry_after = (double)after;
	curl_easy_cleanup(t.curl);
	free_headers(headers);
	return code == CURLE_OK ? 0 : failure(&t, code, message, err);
}

void http_reply_release(struct http_reply *r)
{
	strbuf_release(&r->body);
}

bool http_status_again(long status)
{
	return status == 408 || status == 425 || status == 429 || status == 529 ||
	       (status >= 500 && status <= 504);
}

const char *http_library(void)
{
	return curl_version();
}
