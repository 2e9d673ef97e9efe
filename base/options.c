// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/options.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/config.h"
#include "base/error.h"
#include "base/log.h"
#include "base/strbuf.h"

#define HELP_COLUMN 28

bool opt_json;

static bool opt_quiet, opt_verbose;
static const char *opt_color;
static struct strvec opt_config = STRVEC_INIT;

static const struct option common[] = {
	OPTION_GROUP("Common options"),
	OPTION_BOOL(0, "json", &opt_json, "answer in JSON on standard output"),
	OPTION_BOOL('q', "quiet", &opt_quiet, "print errors and the answer only"),
	OPTION_BOOL('v', "verbose", &opt_verbose, "print what is done, for debugging"),
	OPTION_STR(0, "color", &opt_color, "WHEN", "auto, always or never"),
	OPTION_LIST(0, "config", &opt_config, "KEY=VALUE", "override a key of kport.conf"),
	OPTION_END(),
};

struct parse {
	const struct command *cmd;
	const struct option *opts;
	int argc, i;
	const char **argv;
};

NORETURN static void wrong(const struct parse *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void wrong(const struct parse *p, const char *fmt, ...)
{
	struct strbuf msg = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&msg, fmt, ap);
	va_end(ap);
	usage("%s", msg.buf);
}

/* ---- suggestions ---- */

static int min3(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits between two words; a swap of neighbours counts as one. */
static int distance(const char *a, const char *b)
{
	int n = (int)strlen(b), row[3][66];

	if (n > 64 || strlen(a) > 64)
		return 99;
	for (int j = 0; j <= n; j++)
		row[0][j] = j;
	for (int i = 1; a[i - 1]; i++) {
		int *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		cur[0] = i;
		for (int j = 1; j <= n; j++) {
			int diff = a[i - 1] != b[j - 1];

			cur[j] = min3(up[j] + 1, cur[j - 1] + 1, up[j - 1] + diff);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < cur[j])
				cur[j] = up2[j - 2] + 1;
		}
	}
	return row[strlen(a) % 3][n];
}

const char *closest_word(const char *word, const char *const *list)
{
	size_t len = strlen(word);
	int limit = len > 12 ? 4 : 1 + (int)len / 4, best = limit + 1;
	const char *found = NULL;

	for (; *list; list++) {
		int d = distance(word, *list);

		/* "conf" for "config" */
		if (len >= 3 && starts_with(*list, word) && d > 1)
			d = 1;
		if (d < best) {
			best = d;
			found = *list;
		}
	}
	return found;
}

/* ---- help ---- */

static void print_usage(const char *text)
{
	const char *head = "usage: ";

	while (*text) {
		size_t len = strcspn(text, "\n");

		printf("%s%.*s\n", head, (int)len, text);
		head = "   or: ";
		text += text[len] ? len + 1 : len;
	}
}

static void print_option(const struct option *o)
{
	struct strbuf left = STRBUF_INIT;

	if (o->kind == OPT_GROUP) {
		printf("\n%s\n", o->name);
		return;
	}
	if (o->letter)
		strbuf_addf(&left, "    -%c, ", o->letter);
	else
		strbuf_addstr(&left, "        ");
	strbuf_addf(&left, "--%s", o->name);
	if (o->kind != OPT_BOOL)
		strbuf_addf(&left, " %s", o->arg ? o->arg : "VALUE");
	if (left.len + 2 > HELP_COLUMN)
		printf("%s\n%*s%s\n", left.buf, HELP_COLUMN, "", o->help);
	else
		printf("%-*s%s\n", HELP_COLUMN, left.buf, o->help);
	strbuf_release(&left);
}

NORETURN static void print_help(const struct parse *p)
{
	const struct option *o = p->opts;

	print_usage(p->cmd->usage);
	printf("\n%s\n", p->cmd->summary);
	if (o && o->kind != OPT_END && o->kind != OPT_GROUP)
		printf("\nOptions\n");
	for (; o && o->kind != OPT_END; o++)
		print_option(o);
	for (o = common; o->kind != OPT_END; o++)
		print_option(o);
	printf("    -h, %-*s%s\n", HELP_COLUMN - 8, "--help", "print this text");
	if (fflush(stdout))
		die("cannot write to standard output: %s", strerror(errno));
	exit(EXIT_YES);
}

/* ---- parsing ---- */

static const struct option *find_in(const struct option *o, const char *name, char letter)
{
	for (; o && o->kind != OPT_END; o++) {
		if (o->kind == OPT_GROUP)
			continue;
		if (name ? !strcmp(o->name, name) : o->letter == letter)
			return o;
	}
	return NULL;
}

/* The command's own options win over the common ones. */
static const struct option *find_option(const struct parse *p, const char *name, char letter)
{
	const struct option *o = find_in(p->opts, name, letter);

	return o ? o : find_in(common, name, letter);
}

static void set_int(const struct parse *p, const struct option *o, const char *arg)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(arg, &end, 10);
	if (end == arg || *end || errno)
		wrong(p, "option '--%s' needs a whole number, not '%s'", o->name, arg);
	if (o->kind == OPT_COUNT && v < 1)
		wrong(p, "option '--%s' needs a whole number of at least 1, not '%s'", o->name, arg);
	*(int64_t *)o->value = v;
}

static void set_double(const struct parse *p, const struct option *o, const char *arg)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(arg, &end);
	if (end == arg || *end || errno || v - v != 0)
		wrong(p, "option '--%s' needs a number, not '%s'", o->name, arg);
	*(double *)o->value = v;
}

static void set_value(const struct parse *p, const struct option *o, const char *arg)
{
	switch (o->kind) {
	case OPT_STR:
		*(const char **)o->value = arg;
		break;
	case OPT_INT:
	case OPT_COUNT:
		set_int(p, o, arg);
		break;
	case OPT_DOUBLE:
		set_double(p, o, arg);
		break;
	case OPT_LIST:
		strvec_push(o->value, arg);
		break;
	default:
		BUG("option '--%s' has no value", o->name);
	}
}

/* The argument of an option: what is attached, or the next word. */
static const char *take_arg(struct parse *p, const struct option *o, const char *attached)
{
	if (attached)
		return attached;
	if (p->i + 1 >= p->argc)
		wrong(p, "option '--%s' needs a value (%s)", o->name, o->arg ? o->arg : "VALUE");
	return p->argv[++p->i];
}

NORETURN static void unknown_option(const struct parse *p, const char *name)
{
	const struct option *tables[] = { p->opts, common };
	struct strvec names = STRVEC_INIT;
	const char *near;

	if (skip_prefix(name, "no-", &near) && find_option(p, near, 0))
		wrong(p, "option '--%s' cannot be negated", near);
	strvec_push(&names, "help");
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct option *o = tables[t]; o && o->kind != OPT_END; o++)
			if (o->kind != OPT_GROUP)
				strvec_push(&names, o->name);
	near = closest_word(name, names.v);
	if (near)
		wrong(p, "unknown option '--%s'; did you mean '--%s'?", name, near);
	wrong(p, "unknown option '--%s'; 'kport %s -h' lists the options", name, p->cmd->name);
}

/* "--no-NAME", and "--NAME" where the option is called "no-NAME". */
static const struct option *find_negated(const struct parse *p, const char *name)
{
	const struct option *o;
	const char *rest;
	char *negative;

	if (skip_prefix(name, "no-", &rest)) {
		o = find_option(p, rest, 0);
	} else {
		negative = xstrfmt("no-%s", name);
		o = find_option(p, negative, 0);
		free(negative);
	}
	return o && o->kind == OPT_BOOL ? o : NULL;
}

static void parse_long(struct parse *p, const char *word)
{
	size_t len = strcspn(word, "=");
	const char *attached = word[len] ? word + len + 1 : NULL;
	char *name = xstrndup(word, len);
	const struct option *o;

	if (!strcmp(name, "help"))
		print_help(p);
	o = find_option(p, name, 0);
	if (o && o->kind != OPT_BOOL) {
		set_value(p, o, take_arg(p, o, attached));
	} else {
		bool value = o != NULL;

		if (!o)
			o = find_negated(p, name);
		if (!o)
			unknown_option(p, name);
		if (attached)
			wrong(p, "option '--%s' takes no value", name);
		*(bool *)o->value = value;
	}
	free(name);
}

static void parse_letters(struct parse *p, const char *s)
{
	for (; *s; s++) {
		const struct option *o = find_option(p, NULL, *s);

		if (!o && *s == 'h')
			print_help(p);
		if (!o)
			wrong(p, "unknown option '-%c'; 'kport %s -h' lists the options", *s,
			      p->cmd->name);
		if (o->kind != OPT_BOOL) {
			set_value(p, o, take_arg(p, o, s[1] ? s + 1 : NULL));
			return;
		}
		*(bool *)o->value = true;
	}
}

static void apply_common(const struct parse *p)
{
	struct strbuf err = STRBUF_INIT;

	if (opt_quiet)
		log_level = LOG_QUIET;
	else if (opt_verbose)
		log_level = LOG_DEBUG;
	if (opt_color && log_set_color(opt_color) < 0)
		wrong(p, "option '--color' needs auto, always or never, not '%s'", opt_color);
	for (size_t i = 0; i < opt_config.n; i++)
		if (config_set(opt_config.v[i], &err) < 0)
			wrong(p, "option '--config': %s", err.buf);
	strvec_release(&opt_config);
}

int options_leading(int argc, const char **argv)
{
	static const struct command none = { .name = "COMMAND", .usage = "kport COMMAND [options]" };
	struct parse p = { .cmd = &none, .argc = argc, .argv = argv };

	for (p.i = 1; p.i < argc && argv[p.i][0] == '-' && argv[p.i][1]; p.i++) {
		const char *arg = argv[p.i];

		if (!strcmp(arg, "-h") || !strcmp(arg, "--help") || !strcmp(arg, "--version"))
			break;
		if (arg[1] == '-')
			parse_long(&p, arg + 2);
		else
			parse_letters(&p, arg + 1);
	}
	return p.i - 1;
}

void options_parse(const struct command *cmd, const struct option *opts, int argc,
		   const char **argv, struct strvec *operands)
{
	struct parse p = { .cmd = cmd, .opts = opts, .argc = argc, .argv = argv };
	bool ended = false;

	log_set_command(cmd->name);
	for (p.i = 1; p.i < argc; p.i++) {
		const char *arg = argv[p.i];

		if (ended || arg[0] != '-' || !arg[1]) {
			if (!operands)
				wrong(&p, "unexpected operand '%s'", arg);
			strvec_push(operands, arg);
		} else if (!strcmp(arg, "--")) {
			ended = true;
		} else if (arg[1] == '-') {
			parse_long(&p, arg + 2);
		} else {
			parse_letters(&p, arg + 1);
		}
	}
	apply_common(&p);
}
