// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/model-setup.h"

#include "base/alloc.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

/* ---- words ------------------------------------------------------------------------- */

/* "hybrid:2": policy and samples, kept with each exchange so that a replay asks the same. */
static void read_label(struct model_setup *s, const char *path)
{
	char *label = backend_record_label(path), *colon = label ? strchr(label, ':') : NULL;
	struct strbuf ignored = STRBUF_INIT;
	enum model_policy p;

	if (colon) {
		*colon = '\0';
		if (!model_policy_parse(label, &p, &ignored) && p != MODEL_OFF)
			s->opts.policy = p;
		if (!s->opts.samples)
			s->opts.samples = (unsigned)strtoul(colon + 1, NULL, 10);
	}
	strbuf_release(&ignored);
	free(label);
}

static int read_words(const struct model_cli *cli, struct model_setup *s, struct strbuf *err)
{
	const char *g = cli->generator ? cli->generator : config_str("port.generator", "engine");
	int ret = 0;

	if (cli->samples > 32)
		return kp_fail(err, KP_ERR, "--samples must be between 1 and 32");
	if (cli->window > (1 << 24) || cli->max_tokens > (1 << 20))
		return kp_fail(err, KP_ERR, "--window and --max-tokens must be numbers of tokens");
	s->replay = !strcmp(g, "replay");
	if (s->replay)
		s->opts.policy = MODEL_HYBRID;
	else
		ret = model_policy_parse(g, &s->opts.policy, err);
	if (!ret && cli->budget)
		ret = agent_budget_parse(cli->budget, &s->agent.budget, err);
	s->on = s->opts.policy != MODEL_OFF;
	s->opts.samples = (unsigned)cli->samples;
	s->opts.review = cli->review;
	s->opts.dump = cli->dump;
	s->exchanges = xstrdup(cli->exchanges);
	strvec_pushv(&s->opts.no_send, cli->no_send.v);
	if (config_str("agents.no-send", NULL))
		strvec_split(&s->opts.no_send, config_str("agents.no-send", NULL), " ,");
	return ret;
}

static int find_price(struct model_setup *s, struct strbuf *err)
{
	const char *table = config_str("agents.prices", NULL);
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	if (table)
		ret = price_find(table, backend_model(s->backend), &s->agent.price, &why);
	s->agent.has_price = table && !ret;
	/* Without a price money is unknown, which is no fault unless it was to be bounded. */
	if (s->agent.budget.money > 0 && !s->agent.has_price)
		ret = kp_fail(err, KP_ERR, "a budget of money needs the price of the model: %s",
			      table ? why.buf : "agents.prices is not set");
	else if (ret == KP_NOTFOUND)
		ret = 0;
	else if (ret)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret;
}

/* ---- the parts ----------------------------------------------------------------------- */

static void on_exchange(const char *role, const struct answer *a, void *payload)
{
	struct model_setup *s = payload;
	struct strbuf ignored = STRBUF_INIT;
	json_t *o = json_object();

	json_set_str(o, "role", role);
	json_set_str(o, "model", a->model ? a->model : backend_model(s->backend));
	json_set_str(o, "request", a->request->hex);
	json_set_str(o, "reply", a->reply->hex);
	json_set_int(o, "tokens_in", a->usage.in);
	json_set_int(o, "tokens_out", a->usage.out);
	json_set_bool(o, "replayed", a->replayed);
	json_set_int(o, "attempts", a->attempts);
	audit_add(s->audit, "model-exchange", o, &ignored);
	strbuf_release(&ignored);
}

static int open_backend(const struct model_cli *cli, struct model_setup *s, struct strbuf *err)
{
	struct backend_opts b = BACKEND_OPTS_INIT;
	int ret;

	b.model = s->replay ? "replay" : cli->model;
	b.url = cli->url;
	b.no_key = cli->dump;
	b.label = s->label;
	ret = backend_opts_config(&b, err);
	if (!ret && !b.model && cli->dump)
		b.model = "replay";
	if (!ret && !b.model)
		ret = kp_fail(err, KP_ERR, "--generator %s needs a model: --model openai:NAME, or agents.model "
			      "in kport.conf", model_policy_name(s->opts.policy));
	if (!ret)
		ret = backend_open(&b, &s->backend, err);
	if (!ret)
		s->agent.backend = s->backend;
	return ret;
}

int model_setup_open(const struct model_cli *cli, struct model_setup *s, struct strbuf *err)
{
	int ret;

	memset(s, 0, sizeof(*s));
	model_opts_init(&s->opts);
	agent_init(&s->agent, NULL);
	s->opts.agent = &s->agent;
	ret = read_words(cli, s, err);
	if (ret || !s->on)
		return ret;
	if (s->replay && s->exchanges)
		read_label(s, s->exchanges);
	s->label = xstrfmt("%s:%u", model_policy_name(s->opts.policy), s->opts.samples ? s->opts.samples : 1);
	s->agent.window = (size_t)cli->window;
	s->agent.max_tokens = (unsigned)cli->max_tokens;
	s->agent.on_exchange = on_exchange;
	s->agent.payload = s;
	ret = open_backend(cli, s, err);
	return ret ? ret : find_price(s, err);
}

int model_setup_start(struct model_setup *s, const char *out_dir, struct audit *audit, struct strbuf *err)
{
	if (!s->on || s->opts.dump)
		return 0;
	s->audit = audit;
	if (!s->exchanges) {
		s->exchanges = path_join(out_dir, "exchanges.jsonl");
		if (s->replay)
			read_label(s, s->exchanges);
	}
	return backend_use_record(s->backend, s->exchanges, err);
}

void model_setup_close(struct model_setup *s)
{
	backend_close(s->backend);
	model_opts_release(&s->opts);
	free(s->exchanges);
	free(s->label);
}
