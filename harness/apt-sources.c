// SPDX-License-Identifier: GPL-2.0-only
/* Which Debian mirror does this machine use? Reads apt's source lists, both formats. */
#include "base/compat.h"

#include <ctype.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/apt.h"

/* Names that Debian gives to suites; "-updates" and "-backports" may follow, "-security" may not.
 */
static const char *const debian_suites[] = {
	"bullseye", "bookworm",	 "trixie",  "forky",	"sid",
	"stable",   "oldstable", "testing", "unstable", "oldoldstable",
};

static bool suite_is_debian(const char *s)
{
	const char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(debian_suites); i++)
		if (skip_prefix(s, debian_suites[i], &rest) &&
		    (!*rest || !strcmp(rest, "-updates") || !strcmp(rest, "-backports")))
			return true;
	return false;
}

static bool any_debian_suite(const struct strvec *suites)
{
	for (size_t i = 0; i < suites->n; i++)
		if (suite_is_debian(suites->v[i]))
			return true;
	return false;
}

/* Fields of one deb822 stanza, or of one line. */
struct source {
	struct strvec types, uris, suites, components;
	char *signed_by;
	bool disabled;
};

static void source_release(struct source *s)
{
	strvec_release(&s->types);
	strvec_release(&s->uris);
	strvec_release(&s->suites);
	strvec_release(&s->components);
	free(s->signed_by);
}

static struct source source_new(void)
{
	return (struct source){ .types = STRVEC_INIT,
				.uris = STRVEC_INIT,
				.suites = STRVEC_INIT,
				.components = STRVEC_INIT };
}

/* Another vendor's key means another vendor's repository, even under a Debian suite name. */
static bool source_is_foreign(const struct source *s)
{
	return s->signed_by && *s->signed_by && !strstr(s->signed_by, "debian-archive");
}

static void source_take(struct source *s, struct strvec *good, struct strvec *doubtful)
{
	if (s->disabled || !strvec_contains(&s->types, "deb") ||
	    !strvec_contains(&s->components, "main") || !any_debian_suite(&s->suites))
		return;
	for (size_t i = 0; i < s->uris.n; i++) {
		const char *u = s->uris.v[i];
		struct strvec *to = source_is_foreign(s) ? doubtful : good;

		if (strchr(u, ':') && !starts_with(u, "cdrom:") && !strvec_contains(to, u))
			strvec_push(to, u);
	}
}

static void deb822_field(struct source *s, const char *name, size_t len, const char *value)
{
#define FIELD(n) (len == strlen(n) && !strncasecmp(name, n, len))
	if (FIELD("Types"))
		strvec_split(&s->types, value, " \t");
	else if (FIELD("URIs"))
		strvec_split(&s->uris, value, " \t");
	else if (FIELD("Suites"))
		strvec_split(&s->suites, value, " \t");
	else if (FIELD("Components"))
		strvec_split(&s->components, value, " \t");
	else if (FIELD("Enabled"))
		s->disabled = !strcasecmp(value, "no") || !strcasecmp(value, "false");
	else if (FIELD("Signed-By") && !s->signed_by)
		s->signed_by = xstrdup(value);
#undef FIELD
}

static void parse_deb822(const struct strvec *lines, struct strvec *good, struct strvec *doubtful)
{
	struct source s = source_new();
	struct strbuf field = STRBUF_INIT;

	for (size_t i = 0; i <= lines->n; i++) {
		const char *line = i < lines->n ? lines->v[i] : "";
		const char *colon;

		if (*line == '#')
			continue;
		if (*line == ' ' || *line == '\t') { /* continues the field before */
			char *name = xstrdup(field.buf);

			deb822_field(&s, name, strlen(name), line + 1);
			free(name);
			continue;
		}
		if (line[strspn(line, " \t\r")] == '\0') {
			source_take(&s, good, doubtful);
			source_release(&s);
			s = source_new();
			continue;
		}
		colon = strchr(line, ':');
		if (!colon)
			continue;
		strbuf_reset(&field);
		strbuf_add(&field, line, colon - line);
		colon += 1 + strspn(colon + 1, " \t");
		deb822_field(&s, field.buf, field.len, colon);
	}
	source_release(&s);
	strbuf_release(&field);
}

/* deb [option=value ...] URI SUITE COMPONENT... */
static void parse_one_line(const char *line, struct strvec *good, struct strvec *doubtful)
{
	struct source s = source_new();
	struct strvec w = STRVEC_INIT;
	const char *rest, *end, *key;
	char *copy = xstrndup(line, strcspn(line, "#"));

	if (!skip_prefix(copy + strspn(copy, " \t"), "deb", &rest) ||
	    !isspace((unsigned char)*rest))
		goto out;
	rest += strspn(rest, " \t");
	if (*rest == '[') {
		end = strchr(rest, ']');
		if (!end)
			goto out;
		key = strstr(rest, "signed-by=");
		if (key && key < end)
			s.signed_by = xstrndup(key + 10, strcspn(key + 10, " ]"));
		rest = end + 1;
	}
	strvec_split(&w, rest, " \t\r");
	if (w.n < 3)
		goto out;
	strvec_push(&s.types, "deb");
	strvec_push(&s.uris, w.v[0]);
	strvec_push(&s.suites, w.v[1]);
	strvec_pushv(&s.components, (const char *const *)w.v + 2);
	source_take(&s, good, doubtful);
out:
	source_release(&s);
	strvec_release(&w);
	free(copy);
}

/* Lines without their end; unlike strvec_split() keeps empty ones, which end a stanza. */
static void split_lines(const char *text, struct strvec *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), keep = n;

		if (keep && text[keep - 1] == '\r')
			keep--;
		strvec_push_nodup(out, xstrndup(text, keep));
		text += n + (text[n] == '\n');
	}
}

static void parse_into(const char *text, bool deb822, struct strvec *good, struct strvec *doubtful)
{
	struct strvec lines = STRVEC_INIT;

	split_lines(text, &lines);
	if (deb822)
		parse_deb822(&lines, good, doubtful);
	else
		for (size_t i = 0; i < lines.n; i++)
			parse_one_line(lines.v[i], good, doubtful);
	strvec_release(&lines);
}

static void push_new(struct strvec *to, const struct strvec *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (!strvec_contains(to, from->v[i]))
			strvec_push(to, from->v[i]);
}

void apt_sources_parse(const char *text, bool deb822, struct strvec *out)
{
	struct strvec good = STRVEC_INIT, doubtful = STRVEC_INIT;

	parse_into(text, deb822, &good, &doubtful);
	push_new(out, &good);
	push_new(out, &doubtful);
	strvec_release(&good);
	strvec_release(&doubtful);
}

/* Where apt itself says that its lists are: first the main list, then the directory. */
static int apt_source_paths(char **list, char **parts, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret;

	strvec_pushl(&c.argv, "apt-config", "shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS",
		     "Dir::Etc::sourceparts/d", NULL);
	c.out = &text;
	c.discard = true;
	c.limits.wall_seconds = 120;
	ret = child_run(&c, &r, err);
	if (ret == 0 && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	else if (ret == 0 && !child_ok(&r))
		ret = kp_fail(err, KP_INFRA, "'apt-config shell' does not work: see what it prints");
	if (ret < 0)
		goto out;
	ret = strvec_split_shell(&lines, text.buf, err);
	if (ret < 0)
		goto out;
	for (size_t i = 0; i < lines.n; i++) {
		const char *v;

		if (skip_prefix(lines.v[i], "LIST=", &v))
			*list = xstrdup(v);
		else if (skip_prefix(lines.v[i], "PARTS=", &v))
			*parts = xstrdup(v);
	}
out:
	child_release(&c);
	strbuf_release(&text);
	strvec_release(&lines);
	return ret;
}

static void read_source_file(const char *path, struct strvec *good, struct strvec *doubtful)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;

	/* A file that cannot be read is no source for us either. */
	if (file_read(path, 1 << 20, &text, &ignored) == 0)
		parse_into(text.buf, ends_with(path, ".sources"), good, doubtful);
	strbuf_release(&text);
	strbuf_release(&ignored);
}

int apt_mirrors(struct strvec *out, struct strbuf *err)
{
	const char *own = config_str("kernel.mirror", NULL);
	struct strvec good = STRVEC_INIT, doubtful = STRVEC_INIT, names = STRVEC_INIT;
	struct strbuf ignored = STRBUF_INIT;
	char *list = NULL, *parts = NULL;
	int ret = 0;

	if (own && *own) {
		strvec_push(out, own);
		return 0;
	}
	ret = apt_source_paths(&list, &parts, err);
	if (ret < 0)
		goto out;
	if (list)
		read_source_file(list, &good, &doubtful);
	if (parts && file_list(parts, &names, &ignored) == 0) {
		for (size_t i = 0; i < names.n; i++) {
			char *path = path_join(parts, names.v[i]);

			if (ends_with(path, ".list") || ends_with(path, ".sources"))
				read_source_file(path, &good, &doubtful);
			free(path);
		}
	}
	push_new(out, &good);
	push_new(out, &doubtful);
	if (!out->n) {
		strbuf_addstr(err,
			      "apt on this machine names no Debian mirror; set kernel.mirror in "
			      "kport.conf to the address of one");
		ret = KP_INFRA;
	}
out:
	strvec_release(&good);
	strvec_release(&doubtful);
	strvec_release(&names);
	strbuf_release(&ignored);
	free(list);
	free(parts);
	return ret;
}
