// SPDX-License-Identifier: GPL-2.0-only
/* What t0002-audit.sh does not show: the format, the head, redaction, children. */
#include "tests/unit/unit.h"

#include "base/audit.h"
#include "base/child.h"
#include "base/jsonutil.h"

static struct strbuf text = STRBUF_INIT;

static char *lines_of(const char *path)
{
	strbuf_reset(&text);
	assert_ok(file_read(path, 0, &text, &err));
	return text.buf;
}

static uint64_t verified(const char *path)
{
	uint64_t n;

	assert_ok(audit_verify(path, &n, &err));
	return n;
}

/* A second implementation of the format, from the words of audit.h. */
static void test_format(void **state)
{
	char *path = in_scratch("format"), *rest = NULL, prev[65];
	struct audit *a;

	assert_ok(audit_open(path, &a, &err));
	memset(prev, '0', 64);
	prev[64] = '\0';
	assert_string_equal(audit_head(a).hex, prev);
	assert_ok(audit_add(a, "start", json_pack("{s:s}", "k", "v\n\xc3\xa4"), &err));
	assert_ok(audit_add(a, "end", NULL, &err));
	lines_of(path);
	for (int i = 0; i < 2; i++) {
		char *line = strtok_r(rest ? NULL : text.buf, "\n", &rest),
		     *tail = strstr(line, ",\"hash\":\"");
		struct strbuf body = STRBUF_INIT;
		json_t *o = json_loads(line, 0, NULL);

		assert_int_equal(json_get_int(o, "seq", -1), i);
		assert_string_equal(json_get_str(o, "event"), i ? "end" : "start");
		assert_string_equal(json_get_str(o, "prev"), prev);
		assert_int_equal(strlen(json_get_str(o, "time")),
				 strlen("2024-01-02T03:04:05.678Z"));
		strbuf_add(&body, line, (size_t)(tail - line));
		strbuf_addch(&body, '}');
		assert_string_equal(json_get_str(o, "hash"), hash_buf(body.buf, body.len).hex);
		memcpy(prev, hash_buf(line, strlen(line)).hex, 65);
		strbuf_release(&body);
		json_decref(o);
	}
	assert_string_equal(audit_head(a).hex, prev);
	audit_close(a);
	assert_int_equal(verified(path), 2);
	free(path);
}

static void test_null_swallows(void **state)
{
	assert_ok(audit_add(NULL, "x", json_object(), &err));
	audit_close(NULL);
}

static void test_goes_on(void **state)
{
	char *path = in_scratch("goes-on");
	struct hash_hex head;
	struct audit *a;

	for (int i = 0; i < 5; i++) {
		assert_ok(audit_open(path, &a, &err));
		if (i)
			assert_string_equal(audit_head(a).hex, head.hex);
		assert_ok(audit_add(a, "again", json_integer(i), &err));
		head = audit_head(a);
		audit_close(a);
	}
	assert_int_equal(verified(path), 5);
	free(path);
}

static void test_data_is_consumed_and_left_alone(void **state)
{
	char *path = in_scratch("data");
	json_t *kept = json_pack("{s:s}", "k", "swordfish-1");
	struct audit *a;

	setenv("DB_PASSWORD", "swordfish-1", 1);
	assert_ok(audit_open(path, &a, &err));
	assert_ok(audit_add(a, "e", json_incref(kept), &err));
	/* the caller's object is as it was */
	assert_int_equal(kept->refcount, 1);
	assert_string_equal(json_get_str(kept, "k"), "swordfish-1");
	json_decref(kept);
	audit_close(a);
	unsetenv("DB_PASSWORD");
	assert_null(strstr(lines_of(path), "swordfish"));
	free(path);
}

static void test_secrets(void **state)
{
	char *path = in_scratch("secrets");
	struct audit *a;

	setenv("MY_API_KEY", "k3y-value-k3y-value", 1);
	setenv("github_token", "ghp_0123456789", 1);
	setenv("SECRETS_DIR", "/run/secrets", 1);
	setenv("SHORT_KEY", "ab", 1);
	setenv("HARMLESS", "harmless value", 1);
	assert_ok(audit_open(path, &a, &err));
	assert_ok(
		audit_add(a, "e",
			  json_pack("{s:s, s:[s,{s:s}], s:s, s:s}", "a", "x k3y-value-k3y-value y",
				    "list", "ghp_0123456789ghp_0123456789", "deep",
				    "/run/secrets/file", "h", "harmless value", "s", "cab"),
			  &err));
	audit_close(a);
	lines_of(path);
	assert_null(strstr(text.buf, "k3y-value"));
	assert_null(strstr(text.buf, "ghp_"));
	assert_null(strstr(text.buf, "/run/secrets"));
	assert_non_null(strstr(text.buf, "x [redacted] y"));
	assert_non_null(strstr(text.buf, "\"[redacted][redacted]\""));
	assert_non_null(strstr(text.buf, "harmless value"));
	/* too short to be told from other text */
	assert_non_null(strstr(text.buf, "cab"));
	assert_int_equal(verified(path), 1);
	unsetenv("MY_API_KEY");
	unsetenv("github_token");
	unsetenv("SECRETS_DIR");
	free(path);
}

static void run_words(const char *first, ...)
{
	struct child c = CHILD_INIT;
	struct child_result r;
	struct strbuf e = STRBUF_INIT;
	const char *word;
	va_list ap;

	strvec_push(&c.argv, first);
	va_start(ap, first);
	while ((word = va_arg(ap, const char *)))
		strvec_push(&c.argv, word);
	va_end(ap);
	strvec_push(&c.env, "CHILD_TOKEN=only-in-the-child");
	c.discard = true;
	child_run(&c, &r, &e);
	child_release(&c);
	strbuf_release(&e);
}

static void test_children(void **state)
{
	char *path = in_scratch("children");
	struct audit *a;

	assert_ok(audit_open(path, &a, &err));
	audit_watch_children(a);
	run_words("sh", "-c", "exit 3", NULL);
	run_words("sh", "-c", "echo only-in-the-child", NULL);
	run_words("true", "--setenv", "SOME_KEY", "short", "PASSWORD=x", "plain", "\xff", NULL);
	run_words("/no/such/program", NULL);
	audit_watch_children(NULL);
	run_words("true", "unwatched", NULL);
	audit_watch_children(a);
	audit_close(a);
	/* closing ends the watch */
	run_words("true", NULL);
	assert_int_equal(verified(path), 4);
	lines_of(path);
	assert_non_null(strstr(text.buf, "\"argv\":[\"sh\",\"-c\",\"exit 3\"]"));
	assert_non_null(strstr(text.buf, "\"end\":\"exit code 3\""));
	assert_non_null(strstr(text.buf, "\"env\":[\"CHILD_TOKEN=[redacted]\"]"));
	assert_non_null(strstr(text.buf, "\"echo [redacted]\""));
	assert_non_null(strstr(text.buf, "[\"true\",\"--setenv\",\"SOME_KEY\",\"[redacted]\","
					 "\"PASSWORD=[redacted]\",\"plain\",\"\xef\xbf\xbd\"]"));
	assert_non_null(strstr(text.buf, "\"end\":\"not started\""));
	assert_null(strstr(text.buf, "unwatched"));
	free(path);
}

static void test_every_changed_byte_is_found(void **state)
{
	char *path = in_scratch("bytes"), *copy = in_scratch("bytes-copy");
	struct strbuf e = STRBUF_INIT;
	struct audit *a;
	uint64_t n;

	assert_ok(audit_open(path, &a, &err));
	for (int i = 0; i < 3; i++)
		assert_ok(audit_add(a, "event", json_integer(i), &err));
	audit_close(a);
	lines_of(path);
	for (size_t i = 0; i < text.len; i++) {
		char was = text.buf[i];

		text.buf[i] = (char)(was == '0' ? '1' : '0');
		assert_ok(file_write_nosync(copy, text.buf, text.len, &err));
		text.buf[i] = was;
		strbuf_reset(&e);
		if (audit_verify(copy, &n, &e) != KP_ERR)
			fail_msg("change of byte %zu ('%c') not found", i, was);
		if (!starts_with(e.buf, "line "))
			fail_msg("message without its line: %s", e.buf);
	}
	strbuf_release(&e);
	strbuf_release(&text);
	free(path);
	free(copy);
}

/* Each line is sound in itself and has the right number, but comes from another run. */
static void test_line_of_another_trail(void **state)
{
	char *path[2] = { in_scratch("run-a"), in_scratch("run-b") }, *rest;
	struct strbuf mixed = STRBUF_INIT;
	struct audit *a;
	uint64_t n;

	for (int i = 0; i < 2; i++) {
		assert_ok(audit_open(path[i], &a, &err));
		assert_ok(audit_add(a, "start", json_integer(i), &err));
		assert_ok(audit_add(a, "verdict", json_string(i ? "PASS" : "FAIL"), &err));
		audit_close(a);
	}
	rest = strchr(lines_of(path[0]), '\n');
	strbuf_add(&mixed, text.buf, (size_t)(rest + 1 - text.buf));
	strbuf_addstr(&mixed, strchr(lines_of(path[1]), '\n') + 1);
	assert_ok(file_write_nosync(path[0], mixed.buf, mixed.len, &err));
	assert_fails(KP_ERR, "line 2: does not follow", audit_verify(path[0], &n, &err));
	strbuf_release(&mixed);
	strbuf_release(&text);
	free(path[0]);
	free(path[1]);
}

static void test_not_through_a_link(void **state)
{
	char *target = make_file("target", ""), *link = in_scratch("trail-link");
	struct audit *a;

	assert_int_equal(symlink(target, link), 0);
	assert_fails(KP_ERR, "trail-link", audit_open(link, &a, &err));
	free(target);
	free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_null_swallows),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_data_is_consumed_and_left_alone),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_every_changed_byte_is_found),
		cmocka_unit_test(test_line_of_another_trail),
		cmocka_unit_test(test_not_through_a_link),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
