// SPDX-License-Identifier: GPL-2.0-only
/* Keys, events, prices, budgets, prompts and the record of exchanges. */
#include "tests/unit/unit.h"

#include <sys/prctl.h>

#include "agents/agent.h"
#include "agents/secret.h"
#include "agents/sse.h"
#include "agents/transcript.h"
#include "base/jsonutil.h"

/* ---- events -------------------------------------------------------------------- */

static struct strbuf events = STRBUF_INIT;

static int on_event(const char *event, const char *data, size_t len, void *payload)
{
	strbuf_addf(&events, "[%s|%.*s]", event, (int)len, data);
	return !strcmp(data, "stop") ? 7 : 0;
}

/* The same however it is cut. */
static void assert_events(const char *stream, const char *want)
{
	for (size_t step = 1; step <= strlen(stream); step++) {
		struct sse s;

		strbuf_reset(&events);
		sse_init(&s, on_event, NULL, 1000);
		for (size_t i = 0; i < strlen(stream); i += step) {
			size_t n = strlen(stream) - i;

			assert_int_equal(sse_feed(&s, stream + i, n < step ? n : step), 0);
		}
		assert_string_equal(events.buf, want);
		sse_release(&s);
	}
}

static void test_events(void **state)
{
	struct sse s;

	assert_events("data: one\n\nevent: e\ndata:two\ndata: lines\n\n", "[|one][e|two\nlines]");
	assert_events("data: a\r\n\r\n: a remark\r\nid: 4\r\ndata: b\r\r", "[|a][|b]");
	assert_events("event: x\n\ndata\n\n", "[|]");
	assert_events("data: cut", "");
	sse_init(&s, on_event, NULL, 10);
	assert_int_equal(sse_feed(&s, "data: 0123456789", 16), KP_ERR);
	sse_release(&s);
	sse_init(&s, on_event, NULL, 1000);
	assert_int_equal(sse_feed(&s, "data: stop\n\ndata: x\n\n", 21), 7);
	sse_release(&s);
}

/* ---- keys ------------------------------------------------------------------------ */

static void test_keys(void **state)
{
	char *path = make_file("key", "secret-from-file\n");
	struct strbuf text = STRBUF_INIT;
	struct secret *s;

	setenv("TEST_KEY", "secret-from-env", 1);
	assert_ok(secret_take("TEST_KEY", NULL, &s, &err));
	assert_null(getenv("TEST_KEY"));
	assert_int_equal(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
	strbuf_addstr(&text, "a secret-from-env, twice: secret-from-env");
	secret_redact(s, &text);
	assert_string_equal(text.buf, "a [redacted], twice: [redacted]");
	secret_free(s);
	assert_fails(KP_NOTFOUND, "no key", secret_take("TEST_KEY", NULL, &s, &err));
	chmod(path, 0640);
	assert_fails(KP_ERR, "chmod 600", secret_take(NULL, path, &s, &err));
	chmod(path, 0600);
	assert_ok(secret_take(NULL, path, &s, &err));
	assert_string_equal(secret_text(s), "secret-from-file");
	secret_free(s);
	setenv("TEST_KEY", "two\nlines", 1);
	assert_fails(KP_ERR, "not one line", secret_take("TEST_KEY", NULL, &s, &err));
	assert_null(getenv("TEST_KEY"));
	strbuf_release(&text);
	free(path);
}

/* ---- the record -------------------------------------------------------------------- */

static json_t *exchange(const char *hash, const char *text)
{
	return json_pack("{s:s, s:{s:s}}", "request_hash", hash, "reply", "text", text);
}

static void test_record(void **state)
{
	char *path = in_scratch("rec.jsonl");
	struct transcript *t, *other;
	struct strbuf file = STRBUF_INIT;

	assert_ok(transcript_open(path, true, &t, &err));
	assert_null(transcript_find(t, "a"));
	assert_ok(transcript_add(t, exchange("a", "one\ntwo"), &err));
	assert_ok(transcript_add(t, exchange("b", "x"), &err));
	assert_fails(KP_ERR, "another run", transcript_open(path, true, &other, &err));
	assert_ok(transcript_open(path, false, &other, &err));
	assert_string_equal(json_get_str(json_object_get(transcript_find(other, "a"), "reply"), "text"), "one\ntwo");
	transcript_close(other);
	transcript_close(t);
	/* Killed in the middle of a line. */
	assert_ok(file_read(path, 0, &file, &err));
	assert_ok(file_write(path, file.buf, file.len - 5, &err));
	assert_ok(transcript_open(path, true, &t, &err));
	assert_non_null(transcript_find(t, "a"));
	assert_null(transcript_find(t, "b"));
	assert_ok(transcript_add(t, exchange("c", "y"), &err));
	transcript_close(t);
	assert_ok(transcript_open(path, false, &t, &err));
	assert_non_null(transcript_find(t, "c"));
	assert_null(transcript_at(t, 2));
	transcript_close(t);
	assert_ok(file_write(path, "[]\n", 3, &err));
	assert_fails(KP_ERR, "line 1 is no exchange", transcript_open(path, false, &t, &err));
	strbuf_release(&file);
	free(path);
}

/* ---- money and budgets ---------------------------------------------------------------- */

static void test_prices(void **state)
{
	char *path = make_file("prices", "# remark\n\nopenai:big* 10 30 USD # more\nopenai:* 1.5 0 EUR\n");
	struct usage u = { 1000, 2000 }, unknown = { 10, -1 };
	struct price p;

	assert_ok(price_find(path, "openai:big-1", &p, &err));
	assert_true(price_of(&p, &u) > 0.0699 && price_of(&p, &u) < 0.0701);
	assert_true(price_of(&p, &unknown) < 0);
	assert_ok(price_find(path, "openai:small", &p, &err));
	assert_string_equal(p.currency, "EUR");
	assert_fails(KP_NOTFOUND, "no price", price_find(path, "anthropic:x", &p, &err));
	assert_ok(file_write(path, "x 1\n", 4, &err));
	assert_fails(KP_ERR, "line 1", price_find(path, "y", &p, &err));
	free(path);
}

static void test_budgets(void **state)
{
	struct agent_budget b = { 0 };

	assert_ok(agent_budget_parse("rounds=2,tokens=40k,money=1.5,seconds=60,exchanges=7", &b, &err));
	assert_int_equal(b.rounds, 2);
	assert_int_equal(b.tokens, 40000);
	assert_int_equal(b.exchanges, 7);
	assert_true(b.money == 1.5 && b.seconds == 60);
	assert_fails(KP_ERR, "no budget of 'luck'", agent_budget_parse("luck=1", &b, &err));
	assert_fails(KP_ERR, "not NAME=NUMBER", agent_budget_parse("tokens", &b, &err));
	assert_fails(KP_ERR, "not NAME=NUMBER", agent_budget_parse("tokens=-4", &b, &err));
	assert_fails(KP_ERR, "not NAME=NUMBER", agent_budget_parse("tokens=4x", &b, &err));
	assert_fails(KP_ERR, "not NAME=NUMBER", agent_budget_parse("tokens=nan", &b, &err));
}

/* ---- prompts ---------------------------------------------------------------------------- */

static void test_prompts(void **state)
{
	static const char *const names[] = { "system", "generator", "refiner", "reviewer", "kind-removed",
					     "kind-signature", "kind-member", "kind-other" };
	struct strbuf out = STRBUF_INIT;
	struct prompt p = { .name = (char *)"x", .text = (char *)"a @ONE@ b@c.de @TWO@" };

	prompt_fill(&p, &out, "ONE", "@TWO@", "TWO", "2", NULL);
	assert_string_equal(out.buf, "a @TWO@ b@c.de 2");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_ok(prompt_load(names[i], &p, &err));
		assert_null(strstr(p.text, "#:"));
		assert_int_equal(strlen(p.hash.hex), HASH_HEX_LEN);
		prompt_release(&p);
	}
	assert_int_equal(prompt_load("no-such", &p, &err), KP_NOTFOUND);
	strbuf_reset(&err);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),	cmocka_unit_test(test_keys),
		cmocka_unit_test(test_record),	cmocka_unit_test(test_prices),
		cmocka_unit_test(test_budgets), cmocka_unit_test(test_prompts),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
