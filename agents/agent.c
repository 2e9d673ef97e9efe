// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/agent.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsonutil.h"

#define LOOKUPS	       5
#define MAX_LOOKED_UP  12000 /* bytes of one thing; more is cut with a remark */

void agent_init(struct agent *a, struct backend *b)
{
	memset(a, 0, sizeof(*a));
	a->backend = b;
	a->started = clock_seconds();
}

/* ---- budgets ------------------------------------------------------------------ */

static bool parse_amount(const char *s, double *out)
{
	char *end;

	*out = strtod(s, &end);
	if (end == s || !(*out > 0) || *out > 1e12)
		return false;
	if (*end == 'k')
		*out *= 1000;
	else if (*end == 'M')
		*out *= 1000000;
	else
		end--;
	return !end[1];
}

int agent_budget_parse(const char *words, struct agent_budget *out, struct strbuf *err)
{
	struct strvec list = STRVEC_INIT;
	int ret = 0;

	strvec_split(&list, words, ", ");
	for (size_t i = 0; !ret && i < list.n; i++) {
		const char *v;
		double n = 0;

		v = strchr(list.v[i], '=');
		if (!v || !parse_amount(v + 1, &n))
			ret = kp_fail(err, KP_ERR, "budget '%s' is not NAME=NUMBER", list.v[i]);
		else if (starts_with(list.v[i], "rounds="))
			out->rounds = n < 1 ? 1 : (unsigned)n;
		else if (starts_with(list.v[i], "exchanges="))
			out->exchanges = n < 1 ? 1 : (unsigned)n;
		else if (starts_with(list.v[i], "tokens="))
			out->tokens = (int64_t)n;
		else if (starts_with(list.v[i], "money="))
			out->money = n;
		else if (starts_with(list.v[i], "seconds="))
			out->seconds = n;
		else
			ret = kp_fail(err, KP_ERR, "there is no budget of '%.*s', but of rounds, exchanges, "
				      "tokens, money and seconds", (int)(v - list.v[i]), list.v[i]);
	}
	strvec_release(&list);
	return ret;
}

static bool replays(const struct agent *a)
{
	return !strcmp(backend_model(a->backend), "replay");
}

static double deadline(const struct agent *a)
{
	return a->started + (a->budget.seconds > 0 ? a->budget.seconds : 1800);
}

static int check_budget(const struct agent *a, struct strbuf *err)
{
	const struct agent_spent *s = &a->spent;
	int64_t tokens = a->budget.tokens ? a->budget.tokens : 400000;

	if (a->budget.exchanges && s->exchanges >= a->budget.exchanges)
		return kp_fail(err, KP_NOTFOUND, "the budget of %u exchanges is used up", a->budget.exchanges);
	if (s->in + s->out + s->estimated >= tokens)
		return kp_fail(err, KP_NOTFOUND, "the budget of %" PRId64 " tokens is used up", tokens);
	if (a->budget.money > 0 && s->money >= a->budget.money)
		return kp_fail(err, KP_NOTFOUND, "the budget of %.2f %s is used up", a->budget.money,
			       a->price.currency);
	if (!replays(a) && clock_seconds() >= deadline(a))
		return kp_fail(err, KP_NOTFOUND, "the budget of time is used up");
	return 0;
}

static void spend(struct agent *a, size_t asked, const struct answer *r)
{
	struct agent_spent *s = &a->spent;

	s->exchanges++;
	s->replayed += r->replayed;
	if (r->usage.in >= 0 && r->usage.out >= 0) {
		s->in += r->usage.in;
		s->out += r->usage.out;
	} else {
		s->unknown++;
		s->estimated += (int64_t)(prompt_tokens(asked) + prompt_tokens(r->text.len));
	}
	if (a->has_price && price_of(&a->price, &r->usage) > 0)
		s->money += price_of(&a->price, &r->usage);
}

void agent_again(struct agent *a)
{
	a->paid_before += a->spent.exchanges - a->spent.replayed;
	memset(&a->spent, 0, sizeof(a->spent));
}

json_t *agent_spent_json(const struct agent *a)
{
	const struct agent_spent *s = &a->spent;
	json_t *o = json_object();

	json_set_str(o, "model", backend_model(a->backend));
	json_set_int(o, "exchanges", s->exchanges);
	json_set_int(o, "replayed", s->replayed > a->paid_before ? s->replayed - a->paid_before : 0);
	json_set_int(o, "tokens_in", s->in);
	json_set_int(o, "tokens_out", s->out);
	json_set_int(o, "exchanges_without_usage", s->unknown);
	json_set_int(o, "tokens_estimated", s->estimated);
	if (a->has_price) {
		json_set_num(o, "cost", s->money);
		json_set_str(o, "currency", a->price.currency);
	}
	return o;
}

/* ---- the dialogue ---------------------------------------------------------------- */

static size_t window(const struct agent *a)
{
	return a->window ? a->window : 32768;
}

static size_t answer_tokens(const struct agent *a)
{
	return a->max_tokens ? a->max_tokens : 4096;
}

bool agent_fits(const struct agent *a, size_t bytes)
{
	return prompt_tokens(bytes) + answer_tokens(a) <= window(a);
}

static size_t bytes_of(const struct ask *q)
{
	size_t n = q->system ? strlen(q->system) : 0;

	for (size_t i = 0; i < q->n; i++)
		n += strlen(q->turn[i].text);
	return n;
}

/* For commit messages: nothing but what a name is made of. */
static void name_model(struct agent *a, const struct answer *r)
{
	const char *s = r->model && *r->model ? r->model : backend_model(a->backend);
	size_t n = 0;

	for (; *s && n + 1 < sizeof(a->last_model); s++) {
		if (is_word_char(*s) || strchr(".:/@+-", *s))
			a->last_model[n++] = *s;
	}
	a->last_model[n] = '\0';
}

static int exchange(struct agent *a, const struct agent_task *t, const struct ask *q, struct answer *r,
		    struct strbuf *err)
{
	size_t asked = bytes_of(q);
	int ret = check_budget(a, err);

	if (!ret && !agent_fits(a, asked))
		return kp_fail(err, KP_ERR, "the question has about %zu tokens: with the answer that is more "
			       "than the window of %zu", prompt_tokens(asked), window(a));
	if (!ret)
		ret = backend_ask(a->backend, q, r, err);
	if (ret)
		return ret;
	spend(a, asked, r);
	name_model(a, r);
	if (a->on_exchange)
		a->on_exchange(t->role, r, a->payload);
	return 0;
}

/* Answers to the list, as many as fit; those that do not are named. */
static void look_up(const struct agent *a, const struct agent_task *t, const struct ask *q,
		    const struct proto_reply *r, struct strbuf *out)
{
	size_t used = bytes_of(q);

	for (size_t i = 0; i < r->nunknown; i++) {
		const struct proto_unknown *u = &r->unknown[i];
		struct strbuf one = STRBUF_INIT;

		strbuf_addf(out, "== %s %s\n", u->kind, u->name);
		if (!t->lookup || !t->lookup(u->kind, u->name, &one, t->payload)) {
			strbuf_addstr(out, "Nothing is known of it.\n");
		} else if (!agent_fits(a, used + out->len + MAX_LOOKED_UP / 4 +
					  (one.len < MAX_LOOKED_UP ? one.len : MAX_LOOKED_UP))) {
			strbuf_addstr(out, "There is no room left for it.\n");
		} else if (one.len > MAX_LOOKED_UP) {
			strbuf_add(out, one.buf, MAX_LOOKED_UP);
			strbuf_addf(out, "\n[%zu of %zu bytes are not shown]\n", one.len - MAX_LOOKED_UP,
				    one.len);
		} else {
			strbuf_addbuf(out, &one);
		}
		strbuf_release(&one);
	}
}

static void complain(const struct proto_reply *r, struct strbuf *out)
{
	strbuf_addstr(out, "No edit could be read from that.");
	for (size_t i = 0; i < r->problems.n; i++)
		strbuf_addf(out, "\n- %s", r->problems.v[i]);
	strbuf_addstr(out, "\nAnswer in the form that was described.");
}

/* What comes next in the dialogue; false: it has ended. */
static bool next_turn(const struct agent *a, const struct agent_task *t, struct ask *q,
		      const struct answer *r, const struct proto_reply *p, unsigned *lookups, bool *complained)
{
	unsigned max = t->max_lookups ? t->max_lookups : LOOKUPS;
	struct strbuf sb = STRBUF_INIT;

	if (p->nedits || p->give_up || p->concerns.n)
		return false;
	if (p->nunknown && *lookups < max) {
		++*lookups;
		look_up(a, t, q, p, &sb);
		if (*lookups == max)
			strbuf_addstr(&sb, "That was the last question that is answered. Write the edits now, "
					   "or give up.\n");
	} else if (!*complained && t->lookup) {
		*complained = true;
		complain(p, &sb);
	} else {
		return false;
	}
	ask_add(q, ASK_ASSISTANT, r->text.buf);
	ask_add(q, ASK_USER, sb.buf);
	strbuf_release(&sb);
	return true;
}

int agent_run(struct agent *a, const struct agent_task *t, struct proto_reply *out, struct strbuf *err)
{
	struct ask q = ASK_INIT;
	bool complained = false;
	unsigned lookups = 0;
	int ret;

	q.system = t->system;
	q.sample = t->sample;
	q.max_tokens = (unsigned)answer_tokens(a);
	q.deadline = replays(a) ? 0 : deadline(a);
	ask_add(&q, ASK_USER, t->question);
	memset(out, 0, sizeof(*out));
	for (;;) {
		struct answer r;
		bool more = false;

		answer_init(&r);
		ret = exchange(a, t, &q, &r, err);
		if (!ret) {
			proto_reply_release(out);
			proto_parse(r.text.buf, r.text.len, out);
			more = next_turn(a, t, &q, &r, out, &lookups, &complained);
		}
		answer_release(&r);
		if (ret || !more)
			break;
	}
	ask_release(&q);
	if (ret)
		proto_reply_release(out);
	return ret;
}
