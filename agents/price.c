// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/price.h"

#include <fnmatch.h>

#include "base/error.h"
#include "base/file.h"

#define MAX_FILE (1 << 20)

static bool amount(const char *s, double *out)
{
	char *end;

	*out = strtod(s, &end);
	return end != s && !*end && *out >= 0 && *out < 1e9;
}

static int take_line(const char *path, const char *line, size_t number, const char *model,
		     struct price *out, struct strbuf *err)
{
	struct strvec words = STRVEC_INIT;
	int ret = KP_NOTFOUND;

	strvec_split(&words, line, " \t\r");
	if (words.n && (words.n != 4 || !amount(words.v[1], &out->in) || !amount(words.v[2], &out->out) ||
			strlen(words.v[3]) >= sizeof(out->currency)))
		ret = kp_fail(err, KP_ERR, "'%s': line %zu is not: model, price in, price out, currency",
			      path, number);
	else if (words.n && !fnmatch(words.v[0], model, 0)) {
		snprintf(out->currency, sizeof(out->currency), "%s", words.v[3]);
		ret = 0;
	}
	strvec_release(&words);
	return ret;
}

int price_find(const char *path, const char *model, struct price *out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, MAX_FILE, &text, err);
	size_t number = 0;

	if (ret)
		goto out;
	ret = KP_NOTFOUND;
	for (char *p = text.buf; ret == KP_NOTFOUND && *p;) {
		char *nl = strchr(p, '\n'), *next = nl ? nl + 1 : p + strlen(p);

		if (nl)
			*nl = '\0';
		p[strcspn(p, "#")] = '\0';
		ret = take_line(path, p, ++number, model, out, err);
		p = next;
	}
	if (ret == KP_NOTFOUND)
		kp_fail(err, ret, "'%s' has no price for '%s'", path, model);
out:
	strbuf_release(&text);
	return ret;
}

double price_of(const struct price *p, const struct usage *u)
{
	if (u->in < 0 || u->out < 0)
		return -1;
	return ((double)u->in * p->in + (double)u->out * p->out) / 1e6;
}
