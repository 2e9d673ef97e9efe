/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One interface to model servers: a conversation goes out, text comes back.
 *
 *	struct backend_opts o = BACKEND_OPTS_INIT;
 *	o.model = "openai:llama-3"; o.url = "http://127.0.0.1:8080/v1"; o.record = path;
 *	backend_open(&o, &b, err);
 *	struct ask q = ASK_INIT;
 *	q.system = "..."; ask_add(&q, ASK_USER, text);
 *	backend_ask(b, &q, &answer, err);
 *	answer_release(&answer); ask_release(&q);
 *	backend_close(b);
 *
 * The model is "openai:NAME" (chat completions: OpenAI, vLLM, llama.cpp, Ollama, most
 * gateways), "anthropic:NAME" (messages), or "replay" (no network: answers come from the
 * record alone). One more kind: a wire.h table in wire-NAME.c.
 *
 * Every answer is recorded (transcript.h) before it is handed out. A request whose hash is in
 * the record is answered from there and costs nothing, so that a run that was killed goes on
 * without paying for an exchange twice, and a recorded run gives the same bytes anywhere. The
 * hash covers kind and whole body, with the number of the sample, not the address. What was
 * on its way when the process died is asked again: no server gives it out a second time.
 *
 * Overload, gateway trouble, cut streams and timeouts are tried again (retries, with full
 * jitter, at least as long as Retry-After says, when that is below retry_max_seconds).
 *
 * Errors: KP_ERR the request is at fault (wrong key, unknown model, too large an answer, not
 * in the record when replaying), KP_INFRA the server or the network, KP_INTERRUPTED.
 */
#ifndef KPORT_BACKEND_H
#define KPORT_BACKEND_H

#include <jansson.h>
#include "agents/http.h"
#include "base/hash.h"

enum ask_role { ASK_USER, ASK_ASSISTANT };

struct ask {
	const char *system;	/* or NULL */
	struct {
		enum ask_role role;
		char *text;
	} *turn;
	size_t n, alloc;
	unsigned max_tokens;	/* of the answer; 0: 4096 */
	double temperature;	/* below 0: the server's default */
	unsigned sample;	/* number of the sample: the same question asked again */
	const char *grammar;	/* GBNF, for servers that take one (llama.cpp); or NULL */
	double deadline;	/* clock_seconds() by which it must be there; 0: none */
};
#define ASK_INIT { .temperature = -1 }
void ask_add(struct ask *q, enum ask_role role, const char *text);
void ask_release(struct ask *q);

struct usage {
	int64_t in, out; /* tokens as the server counted them; -1: unknown */
};

struct answer {
	struct strbuf text;
	char *finish;		/* "stop", "length", ... in the server's words, or NULL */
	char *model;		/* as the server calls it, or NULL */
	struct usage usage;
	bool replayed;		/* from the record: nothing was paid */
	unsigned attempts;
	double seconds;
	struct hash_hex *request; /* hash of what was asked, and */
	struct hash_hex *reply;	  /* of the text */
};
void answer_init(struct answer *a);
void answer_release(struct answer *a);

struct backend_opts {
	const char *model;
	const char *url;	/* base, without "/chat/completions"; NULL: the vendor's */
	const char *key_env, *key_file; /* NULL: the vendor's variable; no key is fine for other addresses */
	bool no_key;		/* nothing will be sent: none is taken */
	const char *ca_file, *proxy;
	const char *record;	/* file of exchanges; NULL: none is kept */
	const char *label;	/* kept with each exchange: the policy that asked, or NULL */
	struct http_limits limits;
	size_t max_text;	/* of an answer; 0: 1 MiB */
	int retries;		/* after the first try; -1: 5 */
	double retry_seconds,	/* first pause; 0: 1 */
		retry_max_seconds; /* longest pause; 0: 300 */
	void (*on_text)(const char *text, size_t n, void *payload); /* as it arrives; or NULL */
	void *payload;
};
#define BACKEND_OPTS_INIT { .retries = -1 }
/* Fills what is unset from the section "agents" of kport.conf. */
int backend_opts_config(struct backend_opts *o, struct strbuf *err);

/* Does the server answer, and does it take the key? Costs nothing: it asks for the list of models. */
int backend_probe(const struct backend_opts *o, struct strbuf *what, struct strbuf *err);

struct backend;
int backend_open(const struct backend_opts *o, struct backend **out, struct strbuf *err);
/* The record, when it was not known at opening. */
int backend_use_record(struct backend *b, const char *path, struct strbuf *err);
void backend_close(struct backend *b);
/* a: initialised. On failure it is as it was. */
int backend_ask(struct backend *b, const struct ask *q, struct answer *a, struct strbuf *err);
/* The JSON body that would be sent; the caller's. */
json_t *backend_request(const struct backend *b, const struct ask *q);
const char *backend_model(const struct backend *b); /* "openai:llama-3" */
/* The key must not turn up in what others write. */
void backend_redact(const struct backend *b, struct strbuf *text);
/* The label of the first exchange in a record, newly allocated, or NULL. */
char *backend_record_label(const char *path);

#endif
