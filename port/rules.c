// SPDX-License-Identifier: GPL-2.0-only
/* Semantic patches: reading them. Conditions: rules-match.c. Running them: rules-apply.c. */
#include "base/compat.h"
#include "port/rules.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

#define MAX_RULE (64 << 10)

/* ---- heads ----------------------------------------------------------------- */

static void add_text(char **to, const char *s, size_t n)
{
	char *old = *to;

	*to = old ? xstrfmt("%s\n%.*s", old, (int)n, s) : xstrndup(s, n);
	free(old);
}

static void add_items(struct strvec *v, const char *value)
{
	struct strvec parts = STRVEC_INIT;

	strvec_split(&parts, value, ",");
	for (size_t i = 0; i < parts.n; i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_addstr(&sb, parts.v[i]);
		strbuf_trim(&sb);
		if (sb.len)
			strvec_push(v, sb.buf);
		strbuf_release(&sb);
	}
	strvec_release(&parts);
}

static int set_confidence(struct rule *r, const char *v, struct strbuf *err)
{
	static const struct {
		const char *word;
		double score;
	} known[] = { { "High", 0.97 }, { "Moderate", 0.8 }, { "Low", 0.5 } };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(v, known[i].word)) {
			r->score = known[i].score;
			return 0;
		}
	strbuf_addf(err, "rule '%s': Confidence is High, Moderate or Low, not '%s'", r->name, v);
	return KP_ERR;
}

static int set_risk(struct rule *r, const char *v, struct strbuf *err)
{
	for (int k = RISK_SAFE; k <= RISK_SHOWN; k++)
		if (!strcmp(v, risk_name(k))) {
			r->risk = k;
			return 0;
		}
	strbuf_addf(err, "rule '%s': Risk is safe, review or shown, not '%s'", r->name, v);
	return KP_ERR;
}

static int set_field(struct rule *r, const char *key, const char *v, struct strbuf *err)
{
	if (!strcmp(key, "Title"))
		r->title = xstrdup(v);
	else if (!strcmp(key, "Since"))
		r->since = xstrdup(v);
	else if (!strcmp(key, "Until"))
		r->until = xstrdup(v);
	else if (!strcmp(key, "Commit"))
		r->commit = xstrdup(v);
	else if (!strcmp(key, "Replaces") || !strcmp(key, "Uses"))
		add_items(&r->replaces, v);
	else if (!strcmp(key, "Before"))
		add_items(&r->before, v);
	else if (!strcmp(key, "Unless"))
		add_items(&r->unless, v);
	else if (!strcmp(key, "Needs"))
		add_items(&r->needs, v);
	else if (!strcmp(key, "Include"))
		add_items(&r->include, v);
	else if (!strcmp(key, "Options"))
		strvec_split(&r->options, v, " ");
	else if (!strcmp(key, "Confidence"))
		return set_confidence(r, v, err);
	else if (!strcmp(key, "Risk"))
		return set_risk(r, v, err);
	else if (strcmp(key, "SPDX-License-Identifier") && strcmp(key, "Comments") &&
		 strcmp(key, "Keywords")) {
		strbuf_addf(err, "rule '%s': unknown field '%s'", r->name, key);
		return KP_ERR;
	}
	return 0;
}

/* "// Key: value" */
static bool split_field(const char *line, size_t n, char **key, char **value)
{
	const char *p = line + 2, *end = line + n, *colon;

	while (p < end && *p == ' ')
		p++;
	colon = memchr(p, ':', (size_t)(end - p));
	if (!colon || memchr(p, ' ', (size_t)(colon - p)) || colon == p)
		return false;
	*key = xstrndup(p, (size_t)(colon - p));
	for (colon++; colon < end && (*colon == ' ' || *colon == '\t'); colon++)
		;
	*value = xstrndup(colon, (size_t)(end - colon));
	return true;
}

static int check_rule(const struct rule *r, struct strbuf *err)
{
	const char *lacks = !r->title ? "Title" : !r->replaces.n ? "Replaces" :
			    r->score <= 0 ? "Confidence" : !r->text ? "/// text" : NULL;

	if (!lacks)
		return 0;
	strbuf_addf(err, "rule '%s' has no %s", r->name, lacks);
	return KP_ERR;
}

static int parse_line(struct rule *r, const char *line, size_t n, char **key, char **value,
		      struct strbuf *err)
{
	char *k, *v, *old;
	int ret;

	if (n >= 3 && line[2] == '\t' && *key) { /* goes on */
		old = *value;
		*value = xstrfmt("%s %.*s", old, (int)(n - 3), line + 3);
		free(old);
		return 0;
	}
	ret = *key ? set_field(r, *key, *value, err) : 0;
	free(*key);
	free(*value);
	*key = *value = NULL;
	if (ret < 0)
		return ret;
	if (n >= 3 && line[2] == '/')
		add_text(&r->text, line + (n > 3 ? 4 : 3), n - (n > 3 ? 4 : 3));
	else if (split_field(line, n, &k, &v)) {
		*key = k;
		*value = v;
	}
	return 0;
}

int rule_parse(const char *name, const char *text, size_t len, struct rule *out, struct strbuf *err)
{
	char *key = NULL, *value = NULL;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->replaces);
	strvec_init(&out->needs);
	strvec_init(&out->include);
	strvec_init(&out->options);
	strvec_init(&out->before);
	strvec_init(&out->unless);
	out->name = xstrdup(name);
	out->risk = RISK_REVIEW;
	out->hash = hash_buf(text, len);
	out->reports = memmem(text, len, "\nvirtual report", 15) != NULL;
	for (size_t pos = 0; pos < len && ret == 0;) {
		const char *nl = memchr(text + pos, '\n', len - pos);
		size_t n = (nl ? (size_t)(nl - text) : len) - pos;

		if (n < 2 || memcmp(text + pos, "//", 2))
			break;
		ret = parse_line(out, text + pos, n, &key, &value, err);
		pos += n + 1;
	}
	if (ret == 0 && key)
		ret = set_field(out, key, value, err);
	if (ret == 0)
		ret = check_rule(out, err);
	free(key);
	free(value);
	if (ret < 0)
		rule_release(out);
	return ret;
}

void rule_release(struct rule *r)
{
	free(r->name);
	free(r->path);
	free(r->title);
	free(r->text);
	free(r->since);
	free(r->until);
	free(r->commit);
	strvec_release(&r->replaces);
	strvec_release(&r->needs);
	strvec_release(&r->include);
	strvec_release(&r->options);
	strvec_release(&r->before);
	strvec_release(&r->unless);
	memset(r, 0, sizeof(*r));
}

static int load_one(struct rule_set *rs, const char *dir, const char *rel, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = path_join(dir, rel);
	char *name = xstrndup(rel, strlen(rel) - strlen(".cocci"));
	int ret = file_read(path, MAX_RULE, &text, err);

	if (ret == 0) {
		ALLOC_GROW(rs->r, rs->n + 1, rs->alloc);
		ret = rule_parse(name, text.buf, text.len, &rs->r[rs->n], err);
	}
	if (ret == 0)
		rs->r[rs->n++].path = xstrdup(path);
	free(name);
	free(path);
	strbuf_release(&text);
	return ret;
}

int rule_set_load(const char *dir, struct rule_set **out, struct strbuf *err)
{
	struct rule_set *rs = xcalloc(1, sizeof(*rs));
	struct strvec files = STRVEC_INIT;
	int ret = file_list(dir, &files, err);

	for (size_t i = 0; i < files.n && ret == 0; i++)
		if (ends_with(files.v[i], ".cocci"))
			ret = load_one(rs, dir, files.v[i], err);
	strvec_release(&files);
	if (ret < 0) {
		rule_set_free(rs);
		return ret;
	}
	*out = rs;
	return 0;
}

void rule_set_free(struct rule_set *rs)
{
	if (!rs)
		return;
	for (size_t i = 0; i < rs->n; i++)
		rule_release(&rs->r[i]);
	free(rs->r);
	free(rs);
}

char *rule_item_name(const char *item)
{
	const char *from = item + (*item == '!'), *end, *cut;

	if (*from == '<')
		return xstrndup(from + 1, strcspn(from + 1, ">"));
	end = from + strcspn(from, "/:~@");
	while ((cut = memchr(from, ' ', (size_t)(end - from))))
		from = cut + 1;
	while ((cut = memchr(from, '.', (size_t)(end - from))))
		from = cut + 1;
	return xstrndup(from, (size_t)(end - from));
}
