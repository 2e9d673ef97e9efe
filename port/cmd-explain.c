// SPDX-License-Identifier: GPL-2.0-only
/* kport explain: what happened to a symbol, member or header between two kernels. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "port/apiview.h"
#include "port/evidence.h"

static const char *opt_from, *opt_to;
static int64_t opt_examples = 3;

static const struct option options[] = {
	OPTION_STR('f', "from", &opt_from, "KERNEL", "the older kernel"),
	OPTION_STR('t', "to", &opt_to, "KERNEL", "the newer kernel"),
	OPTION_INT(0, "examples", &opt_examples, "N", "how other drivers followed, when that was mined (default: 3)"),
	OPTION_END()
};

/* What was asked, taken apart. */
struct question {
	char *name;	/* symbol, "struct foo", or header */
	char *member;	/* of a structure, or NULL */
	bool header;
};

static bool is_tag(const char *s)
{
	return starts_with(s, "struct ") || starts_with(s, "union ") || starts_with(s, "enum ");
}

/* "struct foo.bar", "foo.bar", "foo->bar", "<linux/foo.h>", "del_timer". */
static void parse_question(const char *word, struct question *q)
{
	size_t len = strlen(word);
	const char *dot;

	memset(q, 0, sizeof(*q));
	if (*word == '<' && len > 2 && word[len - 1] == '>') {
		q->name = xstrndup(word + 1, len - 2);
		q->header = true;
		return;
	}
	if (ends_with(word, ".h") && strchr(word, '/')) {
		q->name = xstrdup(word);
		q->header = true;
		return;
	}
	dot = strpbrk(word, ".-");
	if (dot && dot[1] && dot > word && (*dot == '.' || dot[1] == '>')) {
		q->name = xstrndup(word, dot - word);
		q->member = xstrdup(dot + (*dot == '.' ? 1 : 2));
		return;
	}
	q->name = xstrdup(word);
	if (ends_with(q->name, "()"))
		q->name[len - 2] = '\0';
}

/* A plain name may be that of a structure: say so in full. */
static void complete_tag(struct question *q, const struct api_pair *p)
{
	const struct api_symbol *s;
	unsigned tags = API_STRUCT | API_UNION | API_ENUM, plain = API_ANY & ~tags & ~API_MEMBER;
	char *full;

	if (q->header || is_tag(q->name))
		return;
	if (!q->member && (api_lookup(p->old_ix, q->name, plain) || api_lookup(p->new_ix, q->name, plain)))
		return;
	s = api_lookup(p->old_ix, q->name, tags);
	if (!s)
		s = api_lookup(p->new_ix, q->name, tags);
	if (!s)
		return;
	full = xstrfmt("%s %s", s->kind == API_STRUCT ? "struct" : s->kind == API_UNION ? "union" : "enum",
		       q->name);
	free(q->name);
	q->name = full;
}

static const struct api_symbol *declaration(struct api_index *ix, const struct question *q)
{
	if (q->header)
		return NULL;
	if (q->member)
		return api_member(ix, q->name, q->member);
	return api_lookup(ix, q->name, API_ANY & ~API_MEMBER);
}

static bool concerns(const struct api_change *c, const struct question *q)
{
	const char *last;

	if (!q->member)
		return true;
	if (!c->member)
		return c->kind != CHANGE_ADDED && c->kind != CHANGE_HEADER_MOVED;
	last = strrchr(c->member, '.');
	return !strcmp(c->member, q->member) || (last && !strcmp(last + 1, q->member)) ||
	       (c->to_name && !strcmp(c->to_name, q->member));
}

/* ---- answers ---------------------------------------------------------------- */

static void print_side(const char *label, struct api_index *ix, const struct question *q)
{
	const struct api_symbol *s = declaration(ix, q);
	struct strbuf decl = STRBUF_INIT;

	if (q->header) {
		printf("  %-8s %s\n", label, api_has_header(ix, q->name) ? "there" : "not there");
		return;
	}
	if (!s) {
		printf("  %-8s not declared%s\n", label,
		       !q->member && api_is_exported(ix, q->name, NULL, NULL) ? ", but exported" : "");
		return;
	}
	apiview_decl(s, &decl);
	printf("  %-8s %s\n", label, decl.buf);
	printf("  %-8s <%s> line %d%s%s%s%s\n", "", s->header, s->line,
	       s->exported ? (s->gpl ? ", exported GPL-only" : ", exported") : "",
	       s->cond ? ", under " : "", s->cond ? s->cond : "",
	       s->active ? "" : " (off in this configuration)");
	if (s->alias)
		printf("  %-8s forwards to %s\n", "", s->alias);
	if (s->doc)
		printf("  %-8s \"%s\"\n", "", s->doc);
	strbuf_release(&decl);
}

static void print_text(const struct api_pair *p, const struct question *q,
		       const struct api_change **list, size_t n)
{
	size_t i, shown = 0;

	printf("%s%s%s\n", q->name, q->member ? "." : "", q->member ? q->member : "");
	print_side(p->from_name, p->old_ix, q);
	print_side(p->to_name, p->new_ix, q);
	for (i = 0; i < n; i++) {
		struct strbuf sb = STRBUF_INIT;

		if (!concerns(list[i], q))
			continue;
		apiview_change(list[i], &sb);
		printf("  -> %s\n", sb.buf);
		strbuf_release(&sb);
		shown++;
	}
	if (!shown)
		printf("  no change in the headers\n");
}

static json_t *side_json(const char *kernel, struct api_index *ix, const struct question *q)
{
	json_t *o = json_object();

	json_set_str(o, "kernel", kernel);
	json_set_str(o, "release", api_index_release(ix));
	if (q->header)
		json_set_bool(o, "present", api_has_header(ix, q->name));
	else
		json_object_set_new(o, "symbol", apiview_symbol_json(declaration(ix, q)));
	return o;
}

static void print_json(const struct api_pair *p, const struct question *q,
		       const struct api_change **list, size_t n, const struct evidence *ev)
{
	json_t *o = json_object(), *changes = json_array();
	size_t i;

	json_set_str(o, "name", q->name);
	json_set_str(o, "member", q->member);
	json_object_set_new(o, "from", side_json(p->from_name, p->old_ix, q));
	json_object_set_new(o, "to", side_json(p->to_name, p->new_ix, q));
	for (i = 0; i < n; i++)
		if (concerns(list[i], q))
			json_array_append_new(changes, apiview_change_json(list[i]));
	json_object_set_new(o, "changes", changes);
	evidence_json(ev, o);
	json_print(o);
}

/* What takes the place of what was asked for, or NULL. */
static const char *replacement(const struct question *q, const struct api_change **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (concerns(list[i], q) && list[i]->to_name && (!q->member == !list[i]->member) &&
		    (list[i]->kind == CHANGE_RENAMED || list[i]->kind == CHANGE_MEMBER_RENAMED ||
		     list[i]->kind == CHANGE_MEMBER_MOVED))
			return list[i]->to_name;
	return NULL;
}

static bool known(const struct api_pair *p, const struct question *q, size_t nchanges)
{
	if (nchanges)
		return true;
	if (q->header)
		return api_has_header(p->old_ix, q->name) || api_has_header(p->new_ix, q->name);
	if (declaration(p->old_ix, q) || declaration(p->new_ix, q))
		return true;
	return !q->member && (api_is_exported(p->old_ix, q->name, NULL, NULL) ||
			      api_is_exported(p->new_ix, q->name, NULL, NULL));
}

static int explain(const struct api_pair *p, const char *word)
{
	const struct api_change **list = NULL;
	struct question q;
	struct evidence ev = { 0 };
	size_t n;
	int code = EXIT_YES;

	parse_question(word, &q);
	complete_tag(&q, p);
	n = api_diff_lookup(p->diff, q.name, &list);
	if (!known(p, &q, n)) {
		log_error("neither kernel's headers know '%s'; structures are 'struct NAME', members "
			  "'struct NAME.MEMBER', headers 'linux/NAME.h'", word);
		code = EXIT_NO;
	} else {
		/* Without a change others did what they did for reasons of their own. */
		evidence_find(p, q.name, q.member, replacement(&q, list, n),
			      n && opt_examples > 0 ? (size_t)opt_examples : 0, &ev);
		if (opt_json) {
			print_json(p, &q, list, n, &ev);
		} else {
			print_text(p, &q, list, n);
			evidence_print(&ev);
		}
	}
	evidence_release(&ev);
	free(list);
	free(q.name);
	free(q.member);
	return code;
}

/* ---- from histories alone ------------------------------------------------------ */

/* What the newest commit that changed it made of it. */
static void print_newest(const struct evidence *ev)
{
	const struct cochange *c = &ev->commit[ev->ncommits - 1];
	const char *const sides[] = { c->old_decl, c->new_decl };

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		if (!sides[i])
			continue;
		printf("  %-8s ", i ? "became" : "was");
		print_shown(sides[i]);
		putchar('\n');
	}
	if (c->header) {
		printf("  %-8s ", "in");
		print_shown(c->header);
		putchar('\n');
	}
}

static void answer_from_history(const struct question *q, const char *name, const struct evidence *ev)
{
	json_t *o;

	if (opt_json) {
		o = json_object();
		json_set_str(o, "name", name);
		json_set_str(o, "member", q->member);
		evidence_json(ev, o);
		json_print(o);
		return;
	}
	printf("%s%s%s\n", name, q->member ? "." : "", q->member ? q->member : "");
	print_newest(ev);
	evidence_print(ev);
}

/* Without kernels: the commits of all mined histories that changed it. */
static int explain_history(const char *word)
{
	static const char *const tags[] = { "", "struct ", "union ", "enum " };
	struct question q;
	struct evidence ev = { 0 };
	char *name = NULL;
	int code = EXIT_NO;

	parse_question(word, &q);
	for (size_t i = 0; i < ARRAY_SIZE(tags) && !ev.ncommits; i++) {
		if (i && (q.header || is_tag(q.name)))
			break;
		evidence_release(&ev);
		free(name);
		name = xstrfmt("%s%s", tags[i], q.name);
		evidence_find(NULL, name, q.member, NULL, (size_t)opt_examples, &ev);
		if (!ev.histories)
			usage("give --from KERNEL and --to KERNEL; without them the mined histories are asked, and none "
			      "was mined ('kport mine REPO') or imported ('kport index import FILE')");
	}
	if (ev.ncommits) {
		answer_from_history(&q, name, &ev);
		code = EXIT_YES;
	} else {
		log_error("no commit of the %zu mined histories changed '%s' and its users; structures are "
			  "'struct NAME', members 'struct NAME.MEMBER'; --from and --to ask the headers of two kernels",
			  ev.histories, word);
	}
	evidence_release(&ev);
	free(name);
	free(q.name);
	free(q.member);
	return code;
}

/* ---- the command --------------------------------------------------------------- */

static int explain_kernels(const char *word)
{
	struct strbuf err = STRBUF_INIT;
	struct api_pair p;
	int code, ret = api_pair_open(&p, opt_from, opt_to, &err);

	if (ret < 0) {
		log_error("%s", err.buf);
		code = kp_exit_code(ret);
	} else {
		if (api_pair_is_reversed(&p))
			log_warn(API_PAIR_REVERSED, opt_from, opt_to);
		code = explain(&p, word);
	}
	api_pair_close(&p);
	strbuf_release(&err);
	return code;
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	int code;

	options_parse(cmd, options, argc, argv, &operands);
	if (operands.n != 1 || !*operands.v[0])
		usage("give one SYMBOL");
	if (!opt_from != !opt_to)
		usage("give --from KERNEL and --to KERNEL, or neither of them to ask the mined histories");
	if (opt_examples < 0 || opt_examples > 1000)
		usage("--examples: a number from 0 to 1000");
	code = opt_from ? explain_kernels(operands.v[0]) : explain_history(operands.v[0]);
	strvec_release(&operands);
	return code;
}

const struct command cmd_explain = {
	"explain", "say what happened to a symbol between two kernels, or in the mined histories",
	"kport explain SYMBOL --from KERNEL --to KERNEL [--json]\n"
	"kport explain SYMBOL [--json]", run
};
