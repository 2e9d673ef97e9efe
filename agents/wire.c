// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/wire.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/jsonutil.h"

static const struct wire *const wires[] = { &wire_openai, &wire_anthropic };

int wire_parse(const char *model, const struct wire **out, const char **name, struct strbuf *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(wires); i++) {
		if (skip_prefix(model, wires[i]->name, name) && **name == ':' && (*name)[1]) {
			(*name)++;
			*out = wires[i];
			return 0;
		}
	}
	return kp_fail(err, KP_ERR, "model '%s' is neither openai:NAME, anthropic:NAME nor replay", model);
}

const char *wire_error(const json_t *body)
{
	const json_t *e = json_object_get(body, "error");
	const char *s = json_get_str(e, "message");

	if (!s)
		s = json_string_value(e);
	if (!s)
		s = json_get_str(body, "message");
	return s ? s : json_get_str(body, "detail");
}

void wire_add_str(const json_t *o, const char *key, struct strbuf *sb)
{
	const json_t *s = json_object_get(o, key);

	/* What is used and shown is what a record can hold: a zero byte would end a turn that quotes the text. */
	if (json_is_string(s))
		utf8_add(sb, json_string_value(s), json_string_length(s));
}

void wire_set(char **field, const char *value)
{
	if (!value)
		return;
	free(*field);
	*field = xstrdup(value);
}
