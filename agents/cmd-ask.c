// SPDX-License-Identifier: GPL-2.0-only
/* kport ask: one question to a model, to see whether the back end works. */
#include "base/compat.h"

#include "agents/backend.h"
#include "agents/price.h"
#include "base/command.h"
#include "base/config.h"
#include "base/error.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"

#define MAX_QUESTION ((size_t)4 << 20)

static const char *model, *url, *record, *system_text, *grammar_text;
static int64_t max_tokens, sample;
static double timeout;
static bool dump;

static const struct option options[] = {
	OPTION_STR('m', "model", &model, "KIND:NAME", "openai:NAME, anthropic:NAME or replay (default: agents.model)"),
	OPTION_STR(0, "url", &url, "URL", "base address of the server (default: the vendor's)"),
	OPTION_STR(0, "exchanges", &record, "FILE", "record of exchanges: written, and answered from"),
	OPTION_STR(0, "system", &system_text, "TEXT", "instructions in front of the question"),
	OPTION_STR(0, "grammar", &grammar_text, "GBNF", "grammar of the answer, for servers that take one"),
	OPTION_COUNT(0, "max-tokens", &max_tokens, "N", "longest answer (default: 4096)"),
	OPTION_INT(0, "sample", &sample, "N", "number of the sample: another answer to the same question"),
	OPTION_DBL(0, "timeout", &timeout, "SECONDS", "limit of one try"),
	OPTION_BOOL(0, "dump-prompt", &dump, "print what would be sent, and send nothing"),
	OPTION_END()
};

static void on_text(const char *text, size_t n, void *payload)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_add_shown(&sb, text, n);
	fwrite(sb.buf, 1, sb.len, stdout);
	fflush(stdout);
	strbuf_release(&sb);
}

static json_t *known(int64_t n)
{
	return n < 0 ? json_string("unknown") : json_integer(n);
}

static void print_json(const struct answer *a, double cost, const char *currency)
{
	json_t *o = json_object();

	json_object_set_new(o, "text", json_strn(a->text.buf, a->text.len));
	json_set_str(o, "model", a->model);
	json_set_str(o, "finish", a->finish);
	json_object_set_new(o, "tokens_in", known(a->usage.in));
	json_object_set_new(o, "tokens_out", known(a->usage.out));
	if (cost >= 0) {
		json_set_num(o, "cost", cost);
		json_set_str(o, "currency", currency);
	}
	json_set_bool(o, "replayed", a->replayed);
	json_set_int(o, "attempts", a->attempts);
	json_set_num(o, "seconds", a->seconds);
	json_print(o);
}

static void add_count(struct strbuf *sb, int64_t n)
{
	if (n < 0)
		strbuf_addstr(sb, "unknown");
	else
		strbuf_addf(sb, "%" PRId64, n);
}

static void print_rest(const struct answer *a, double cost, const char *currency)
{
	struct strbuf sb = STRBUF_INIT;

	/* A stream was printed as it came. */
	if (a->replayed)
		on_text(a->text.buf, a->text.len, NULL);
	printf("\n");
	strbuf_addf(&sb, "%s: tokens in ", a->model ? a->model : "model");
	add_count(&sb, a->usage.in);
	strbuf_addstr(&sb, ", out ");
	add_count(&sb, a->usage.out);
	if (cost >= 0)
		strbuf_addf(&sb, ", %.6f %s", cost, currency);
	if (a->replayed)
		strbuf_addstr(&sb, ", from the record");
	else
		strbuf_addf(&sb, ", %.1f s, %u tr%s", a->seconds, a->attempts, a->attempts == 1 ? "y" : "ies");
	if (a->finish && strcmp(a->finish, "stop") && strcmp(a->finish, "end_turn"))
		strbuf_addf(&sb, ", ended by '%s'", a->finish);
	log_info("%s", sb.buf);
	strbuf_release(&sb);
}

static int answer_question(struct backend *b, struct ask *q, struct strbuf *err)
{
	const char *prices = config_str("agents.prices", NULL);
	struct strbuf why = STRBUF_INIT;
	struct price price = { 0 };
	struct answer a;
	double cost = -1;
	int ret;

	answer_init(&a);
	ret = backend_ask(b, q, &a, err);
	if (!ret) {
		if (prices && !price_find(prices, backend_model(b), &price, &why))
			cost = price_of(&price, &a.usage);
		if (opt_json)
			print_json(&a, cost, price.currency);
		else
			print_rest(&a, cost, price.currency);
	}
	answer_release(&a);
	strbuf_release(&why);
	return ret;
}

static int read_question(const struct strvec *operands, struct strbuf *out, struct strbuf *err)
{
	if (strcmp(operands->v[0], "-")) {
		strbuf_addstr(out, operands->v[0]);
		return 0;
	}
	out->max = MAX_QUESTION;
	if (strbuf_read_fd(out, STDIN_FILENO) < 0)
		return kp_fail_errno(err, "cannot read the question");
	return out->truncated ? kp_fail(err, KP_ERR, "the question is longer than %zu bytes", MAX_QUESTION) : 0;
}

static int run_ask(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT, text = STRBUF_INIT;
	struct backend_opts o = BACKEND_OPTS_INIT;
	struct ask q = ASK_INIT;
	struct backend *b = NULL;
	int ret;

	options_parse(cmd, options, argc, argv, &operands);
	if (operands.n != 1)
		usage("give one question, or '-' to read it from standard input");
	if (sample < 0 || timeout < 0)
		usage("limits cannot be negative");
	o.model = model;
	o.url = url;
	o.record = dump ? NULL : record;
	o.no_key = dump;
	o.limits.total_seconds = timeout;
	o.on_text = opt_json ? NULL : on_text;
	ret = backend_opts_config(&o, &err);
	if (!ret && !o.model)
		usage("--model is missing, and agents.model is not set");
	if (!ret)
		ret = backend_open(&o, &b, &err);
	if (!ret)
		ret = read_question(&operands, &text, &err);
	if (!ret) {
		q.system = system_text;
		q.grammar = grammar_text;
		q.max_tokens = (unsigned)max_tokens;
		q.sample = (unsigned)sample;
		ask_add(&q, ASK_USER, text.buf);
		if (dump)
			json_print(backend_request(b, &q));
		else
			ret = answer_question(b, &q, &err);
	}
	ask_release(&q);
	backend_close(b);
	strbuf_release(&text);
	strvec_release(&operands);
	return command_end(ret == KP_NOTFOUND ? KP_ERR : ret, &err);
}

const struct command cmd_ask = { "ask", "put one question to a model, to see whether the back end works",
				 "kport ask [options] TEXT|-", run_ask };
