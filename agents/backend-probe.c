// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/wire.h"

#include "base/alloc.h"
#include "base/error.h"

int backend_probe(const struct backend_opts *o, struct strbuf *what, struct strbuf *err)
{
	struct http_request q = { .headers = STRVEC_INIT, .ca_file = o->ca_file, .proxy = o->proxy };
	struct secret *key = NULL;
	const struct wire *w = NULL;
	const char *name, *base;
	struct strbuf why = STRBUF_INIT;
	struct http_reply r = { 0 };
	char *url = NULL;
	int ret = wire_parse(o->model, &w, &name, err), n;

	if (ret)
		return ret;
	base = o->url ? o->url : w->url;
	for (n = (int)strlen(base); n && base[n - 1] == '/';)
		n--;
	url = xstrfmt("%.*s/models", n, base);
	ret = secret_take(o->key_env ? o->key_env : w->key_env, o->key_file, &key, &why);
	if (ret == KP_NOTFOUND && o->url && !o->key_file)
		ret = 0;
	if (ret) {
		strbuf_addbuf(err, &why);
		goto out;
	}
	q.url = url;
	q.key = key;
	q.key_header = w->key_header;
	q.limits = (struct http_limits){ .connect_seconds = 3, .idle_seconds = 5, .total_seconds = 8 };
	if (w->header)
		strvec_push(&q.headers, w->header);
	ret = http_post(&q, &r, err);
	if (!ret && (r.status == 401 || r.status == 403))
		ret = kp_fail(err, KP_ERR, "'%s' answered %ld: the key is refused", url, r.status);
	else if (!ret && r.status != 200)
		/* Not every gateway lists its models. */
		strbuf_addf(what, "answers (%ld)", r.status);
	else if (!ret)
		strbuf_addstr(what, "answers");
	http_reply_release(&r);
out:
	secret_free(key);
	strvec_release(&q.headers);
	strbuf_release(&why);
	free(url);
	return ret;
}
