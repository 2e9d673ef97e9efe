// SPDX-License-Identifier: GPL-2.0-only
/* kport.conf, section "agents". */
#include "base/compat.h"
#include "agents/backend.h"

#include "base/config.h"
#include "base/error.h"

static int number(const char *key, double *out, struct strbuf *err)
{
	const char *s = config_str(key, NULL);
	char *end;

	if (!s || *out > 0)
		return 0;
	*out = strtod(s, &end);
	if (end == s || *end || !(*out > 0) || *out > 1e9)
		return kp_fail(err, KP_ERR, "%s: '%s' is no positive number", key, s);
	return 0;
}

static void text(const char *key, const char **out)
{
	if (!*out)
		*out = config_str(key, NULL);
}

int backend_opts_config(struct backend_opts *o, struct strbuf *err)
{
	double max_reply = (double)o->limits.max_bytes, max_text = (double)o->max_text;
	int64_t retries = o->retries;
	int ret;

	text("agents.model", &o->model);
	text("agents.url", &o->url);
	text("agents.key-env", &o->key_env);
	text("agents.key-file", &o->key_file);
	text("agents.ca-file", &o->ca_file);
	text("agents.proxy", &o->proxy);
	ret = number("agents.connect-timeout", &o->limits.connect_seconds, err);
	if (!ret)
		ret = number("agents.idle-timeout", &o->limits.idle_seconds, err);
	if (!ret)
		ret = number("agents.timeout", &o->limits.total_seconds, err);
	if (!ret)
		ret = number("agents.max-bytes", &max_reply, err);
	if (!ret)
		ret = number("agents.max-text", &max_text, err);
	if (!ret)
		ret = number("agents.retry-pause", &o->retry_seconds, err);
	if (!ret)
		ret = number("agents.retry-max-pause", &o->retry_max_seconds, err);
	if (!ret && retries < 0)
		ret = config_int("agents.retries", -1, &retries, err);
	if (!ret) {
		o->retries = (int)retries;
		o->limits.max_bytes = (size_t)max_reply;
		o->max_text = (size_t)max_text;
	}
	return ret;
}
