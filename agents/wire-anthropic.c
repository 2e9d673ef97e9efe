// SPDX-License-Identifier: GPL-2.0-only
/* Messages. */
#include "base/compat.h"
#include "agents/wire.h"

#include "base/error.h"
#include "base/jsonutil.h"

static json_t *request(const char *model, const struct ask *q, bool stream)
{
	json_t *o = json_object(), *messages = json_array();

	for (size_t i = 0; i < q->n; i++) {
		json_t *m = json_object();

		json_set_str(m, "role", q->turn[i].role == ASK_USER ? "user" : "assistant");
		json_set_str(m, "content", q->turn[i].text);
		json_array_append_new(messages, m);
	}
	json_set_str(o, "model", model);
	json_set_str(o, "system", q->system);
	json_object_set_new(o, "messages", messages);
	json_set_int(o, "max_tokens", q->max_tokens ? q->max_tokens : 4096);
	if (q->temperature >= 0)
		json_set_num(o, "temperature", q->temperature);
	if (stream)
		json_set_bool(o, "stream", true);
	return o;
}

static void take_usage(const json_t *u, struct answer *a)
{
	int64_t in = json_get_int(u, "input_tokens", -1);

	/* What was read from or written to a cache is input too. */
	if (in >= 0)
		a->usage.in = in + json_get_int(u, "cache_read_input_tokens", 0) +
			      json_get_int(u, "cache_creation_input_tokens", 0);
	a->usage.out = json_get_int(u, "output_tokens", a->usage.out);
}

static int event(const json_t *data, struct answer *a, bool *done, struct strbuf *err)
{
	const char *type = json_get_str(data, "type"), *error = wire_error(data);
	const json_t *delta = json_object_get(data, "delta"), *message = json_object_get(data, "message");

	if (error)
		return kp_fail(err, KP_ERR, "%s", error);
	if (!type)
		return 0;
	if (!strcmp(type, "message_start")) {
		wire_set(&a->model, json_get_str(message, "model"));
		take_usage(json_object_get(message, "usage"), a);
	} else if (!strcmp(type, "content_block_delta")) {
		wire_add_str(delta, "text", &a->text);
	} else if (!strcmp(type, "message_delta")) {
		wire_set(&a->finish, json_get_str(delta, "stop_reason"));
		take_usage(json_object_get(data, "usage"), a);
	} else if (!strcmp(type, "message_stop")) {
		*done = true;
	}
	return 0;
}

static int whole(const json_t *body, struct answer *a, struct strbuf *err)
{
	json_t *content = json_object_get(body, "content"), *block;
	size_t i;

	if (!json_is_array(content))
		return kp_fail(err, KP_ERR, "the answer has no content");
	json_array_foreach(content, i, block)
		wire_add_str(block, "text", &a->text);
	wire_set(&a->model, json_get_str(body, "model"));
	wire_set(&a->finish, json_get_str(body, "stop_reason"));
	take_usage(json_object_get(body, "usage"), a);
	return 0;
}

const struct wire wire_anthropic = {
	.name = "anthropic",
	.url = "https://api.anthropic.com/v1",
	.path = "/messages",
	.key_env = "ANTHROPIC_API_KEY",
	.key_header = "x-api-key: ",
	.header = "anthropic-version: 2023-06-01",
	.done_ends = true,
	.request = request,
	.event = event,
	.whole = whole,
};
