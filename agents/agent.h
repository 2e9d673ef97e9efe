/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model with a budget, and the dialogue that ends in edits.
 *
 *	struct agent a;
 *	agent_init(&a, backend);
 *	agent_budget_parse("tokens=200000,rounds=3,money=2", &a.budget, err);
 *	struct agent_task t = { .role = "generator", .system = s, .question = q, .lookup = look };
 *	ret = agent_run(&a, &t, &reply, err);		// proto_reply_release(&reply)
 *
 * A reply that only asks (UNKNOWN) is answered through lookup() and the dialogue goes on, at
 * most max_lookups times; a reply with edits, or one that gives up, ends it. A reply of which
 * nothing can be read is answered once with what is wrong.
 *
 * A question that does not fit the window is refused before anything is sent (KP_ERR): the
 * caller splits it. Nothing is ever cut silently.
 *
 * Budgets: exchanges, tokens (those reported, else an estimate), money (needs a price),
 * seconds. What is answered from the record counts as it did when it was paid, so that a
 * replay takes the same way; only seconds are not the same, so a replay has no such bound.
 * Used up is KP_NOTFOUND with a message; nothing was sent then.
 */
#ifndef KPORT_AGENT_H
#define KPORT_AGENT_H

#include "agents/backend.h"
#include "agents/price.h"
#include "agents/prompt.h"
#include "agents/protocol.h"

struct agent_budget {
	unsigned rounds;    /* of amending one piece of work; 0: 3 */
	unsigned exchanges; /* 0: no bound */
	int64_t tokens;	    /* in and out; 0: 400000 */
	double money;	    /* 0: no bound */
	double seconds;	    /* 0: 1800 */
};

struct agent_spent {
	unsigned exchanges, replayed;
	int64_t in, out;   /* tokens as reported, where they were */
	unsigned unknown;  /* exchanges whose usage was not */
	int64_t estimated; /* tokens counted for these */
	double money;	   /* of those whose usage is known */
};

struct agent {
	struct backend *backend;
	struct agent_budget budget;
	struct agent_spent spent;
	struct price price;
	bool has_price;
	size_t window;	   /* tokens of question and answer; 0: 32768 */
	unsigned max_tokens; /* of an answer; 0: 4096 */
	double started;
	unsigned paid_before; /* exchanges of earlier passes, which come from the record now */
	char last_model[104]; /* who answered last, in printable characters without blanks */
	/* After each exchange, for the audit trail; may be NULL. */
	void (*on_exchange)(const char *role, const struct answer *a, void *payload);
	void *payload;
};

struct agent_task {
	const char *role, *system, *question;
	unsigned sample;
	unsigned max_lookups; /* 0: 5 */
	/* Appends what is known; false: nothing is. NULL: nothing can be asked. */
	bool (*lookup)(const char *kind, const char *name, struct strbuf *out, void *payload);
	void *payload;
};

void agent_init(struct agent *a, struct backend *b);
int agent_budget_parse(const char *words, struct agent_budget *out, struct strbuf *err);
/* Does a question of so many bytes fit, with room for the answer and for what is looked up? */
bool agent_fits(const struct agent *a, size_t bytes);
int agent_run(struct agent *a, const struct agent_task *t, struct proto_reply *out, struct strbuf *err);
/* The same dialogues once more, from the record as far as it goes: nothing is counted twice. */
void agent_again(struct agent *a);
json_t *agent_spent_json(const struct agent *a);

#endif
