// SPDX-License-Identifier: GPL-2.0-only
/*
 * modpost prints one line per finding: "ERROR: modpost: ..." or "WARNING:
 * modpost: ...". Its wordings from 5.10 to 7.3 as a table. In a pattern "%s",
 * "%m", "%n" and "%_" take the text up to what follows: symbol, module,
 * namespace, anything.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "harness/diag.h"

static const struct {
	const char *pattern;
	enum diag_kind kind;
} wordings[] = {
	{ "\"%s\" [%m] undefined!", DIAG_UNDEFINED_SYMBOL },
	{ "%m: symbol '%s' undefined!", DIAG_UNDEFINED_SYMBOL },
	{ "%m: \"%s\" undefined!", DIAG_UNDEFINED_SYMBOL },
	{ "GPL-incompatible module %m uses GPL-only symbol '%s'", DIAG_GPL_ONLY },
	{ "GPL-incompatible module %m uses GPL-only symbol %s", DIAG_GPL_ONLY },
	{ "%m: GPL-incompatible module uses GPL-only symbol '%s'", DIAG_GPL_ONLY },
	{ "module %m uses symbol %s from namespace %n, but does not import it.", DIAG_NAMESPACE },
	{ "module \"%m\" uses symbol \"%s\" from namespace \"%n\", but does not import it.",
	  DIAG_NAMESPACE },
	{ "%m: module uses symbol '%s' from namespace '%n', but does not import it.",
	  DIAG_NAMESPACE },
	{ "module %m uses symbol %s from module namespace %_ but is not allowed%_", DIAG_NAMESPACE },
	{ "%m: section mismatch in reference: %s (section: %_", DIAG_SECTION_MISMATCH },
	{ "%m: Section mismatch in reference from the function %s() to %_", DIAG_SECTION_MISMATCH },
	{ "%m: Section mismatch in reference from the variable %s to %_", DIAG_SECTION_MISMATCH },
	{ "%m: '%s' exported twice. Previous export was in %_", DIAG_REDEFINITION },
	{ "missing MODULE_LICENSE() in %m", DIAG_OTHER },
	{ "%_", DIAG_OTHER },
};

static char **field(struct diag *d, char letter)
{
	switch (letter) {
	case 's':
		return &d->symbol;
	case 'm':
		return &d->type;
	case 'n':
		return &d->expected;
	}
	return NULL;
}

static void clear(struct diag *d)
{
	free(d->symbol);
	free(d->type);
	free(d->expected);
	d->symbol = d->type = d->expected = NULL;
}

static bool match(const char *p, const char *m, struct diag *d)
{
	while (*p) {
		char **slot, *literal;
		const char *end;
		size_t n;

		if (*p != '%') {
			if (*p++ != *m++)
				return false;
			continue;
		}
		slot = field(d, p[1]);
		p += 2;
		n = strcspn(p, "%");
		literal = xstrndup(p, n);
		end = n ? strstr(m, literal) : m + strlen(m);
		free(literal);
		if (!end || (end == m && slot))
			return false;
		if (slot) {
			free(*slot);
			*slot = xstrndup(m, end - m);
		}
		m = end;
	}
	return !*m;
}

/* "/build/sub/foo.ko", "foo.o(.text+0x1c)" and "foo" name the same module. */
static void trim_module(struct diag *d)
{
	char *s = d->type, *cut, *base;

	if (!s)
		return;
	cut = strchr(s, '(');
	if (cut)
		*cut = '\0';
	cut = strrchr(s, '/');
	base = xstrdup(cut ? cut + 1 : s);
	if (ends_with(base, ".ko") || ends_with(base, ".o"))
		*strrchr(base, '.') = '\0';
	free(s);
	d->type = base;
}

/* "foo.o: error: objtool: init_module(): ...": the function is the word in front of "()" or "+0x". */
static bool parse_objtool(const char *line, struct diag_list *out)
{
	const char *mark = strstr(line, ": error: objtool: "), *m;
	struct diag *d;
	size_t n;

	if (!mark || mark - line < 3 || memcmp(mark - 2, ".o", 2))
		return false;
	m = mark + strlen(": error: objtool: ");
	d = diag_list_add(out);
	d->level = DIAG_ERROR;
	d->kind = DIAG_OBJTOOL;
	d->message = xstrfmt("objtool: %s", m);
	d->type = xstrndup(line, (size_t)(mark - line));
	trim_module(d);
	n = strcspn(m, "(+: ");
	if (m[n] == '(' || m[n] == '+')
		d->symbol = xstrndup(m, n);
	return true;
}

bool diag_parse_modpost(const char *line, struct diag_list *out)
{
	enum diag_level level;
	struct diag *d;
	const char *m;
	size_t i;

	if (skip_prefix(line, "ERROR: modpost: ", &m) || skip_prefix(line, "FATAL: modpost: ", &m))
		level = DIAG_ERROR;
	else if (skip_prefix(line, "WARNING: modpost: ", &m))
		level = DIAG_WARNING;
	else
		return parse_objtool(line, out);
	d = diag_list_add(out);
	d->level = level;
	d->message = xstrdup(m);
	for (i = 0; i < ARRAY_SIZE(wordings); i++) {
		clear(d);
		if (match(wordings[i].pattern, m, d))
			break;
	}
	d->kind = i < ARRAY_SIZE(wordings) ? wordings[i].kind : DIAG_OTHER;
	trim_module(d);
	/* Missing symbols are warnings when the build was told to go on without. */
	d->dangerous = level == DIAG_WARNING &&
		       (d->kind == DIAG_UNDEFINED_SYMBOL || d->kind == DIAG_NAMESPACE);
	return true;
}
