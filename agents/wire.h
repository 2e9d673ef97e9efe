/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How one kind of server is spoken to. To add one: write wire-NAME.c with a table, add it
 * to wire.c. All functions are pure. Source of facts: the vendors' published references of
 * "POST /v1/chat/completions" and "POST /v1/messages".
 */
#ifndef KPORT_WIRE_H
#define KPORT_WIRE_H

#include "agents/backend.h"

struct wire {
	const char *name;	/* "openai" */
	const char *url;	/* the vendor's base address */
	const char *path;	/* what is posted to */
	const char *key_env, *key_header;
	const char *header;	/* a further header, or NULL */
	json_t *(*request)(const char *model, const struct ask *q, bool stream);
	/*
	 * One event of the stream: adds to a->text and the rest. *done: the answer is whole.
	 * KP_ERR with the server's words for an event that is an error.
	 */
	bool done_ends; /* nothing of use follows what sets *done */
	int (*event)(const json_t *data, struct answer *a, bool *done, struct strbuf *err);
	/* An answer that came in one piece. */
	int (*whole)(const json_t *body, struct answer *a, struct strbuf *err);
};

extern const struct wire wire_openai, wire_anthropic;

/* "openai:NAME" into table and name; KP_ERR lists what is known. */
int wire_parse(const char *model, const struct wire **out, const char **name, struct strbuf *err);
/* The message in an error body ({"error": {"message"}} and the like), or NULL. */
const char *wire_error(const json_t *body);
/* A string of o at key appended to sb. */
void wire_add_str(const json_t *o, const char *key, struct strbuf *sb);
void wire_set(char **field, const char *value); /* NULL leaves it */

#endif
