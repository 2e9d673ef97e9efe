// SPDX-License-Identifier: GPL-2.0-only
/* Chat completions. */
#include "base/compat.h"
#include "agents/wire.h"

#include "base/error.h"
#include "base/jsonutil.h"

static void add_message(json_t *list, const char *role, const char *text)
{
	json_t *m = json_object();

	json_set_str(m, "role", role);
	json_set_str(m, "content", text);
	json_array_append_new(list, m);
}

static json_t *request(const char *model, const struct ask *q, bool stream)
{
	json_t *o = json_object(), *messages = json_array();

	if (q->system)
		add_message(messages, "system", q->system);
	for (size_t i = 0; i < q->n; i++)
		add_message(messages, q->turn[i].role == ASK_USER ? "user" : "assistant", q->turn[i].text);
	json_set_str(o, "model", model);
	json_object_set_new(o, "messages", messages);
	json_set_int(o, "max_tokens", q->max_tokens ? q->max_tokens : 4096);
	if (q->temperature >= 0)
		json_set_num(o, "temperature", q->temperature);
	if (q->grammar)
		json_set_str(o, "grammar", q->grammar);
	if (stream) {
		json_set_bool(o, "stream", true);
		json_object_set_new(o, "stream_options", json_pack("{s:b}", "include_usage", 1));
	}
	return o;
}

static void take_common(const json_t *data, struct answer *a)
{
	const json_t *usage = json_object_get(data, "usage");

	wire_set(&a->model, json_get_str(data, "model"));
	if (json_is_object(usage)) {
		a->usage.in = json_get_int(usage, "prompt_tokens", a->usage.in);
		a->usage.out = json_get_int(usage, "completion_tokens", a->usage.out);
	}
}

static int take_choice(const json_t *data, const char *part, struct answer *a)
{
	const json_t *choice = json_array_get(json_object_get(data, "choices"), 0);

	wire_add_str(json_object_get(choice, part), "content", &a->text);
	wire_set(&a->finish, json_get_str(choice, "finish_reason"));
	return choice ? 0 : -1;
}

static int event(const json_t *data, struct answer *a, bool *done, struct strbuf *err)
{
	const char *error = wire_error(data);

	if (error)
		return kp_fail(err, KP_ERR, "%s", error);
	take_common(data, a);
	take_choice(data, "delta", a);
	/* Usage comes in an event of its own behind this one, "[DONE]" behind that. */
	*done = a->finish != NULL;
	return 0;
}

static int whole(const json_t *body, struct answer *a, struct strbuf *err)
{
	take_common(body, a);
	if (take_choice(body, "message", a))
		return kp_fail(err, KP_ERR, "the answer has no choices");
	return 0;
}

const struct wire wire_openai = {
	.name = "openai",
	.url = "https://api.openai.com/v1",
	.path = "/chat/completions",
	.key_env = "OPENAI_API_KEY",
	.key_header = "authorization: Bearer ",
	.request = request,
	.event = event,
	.whole = whole,
};
