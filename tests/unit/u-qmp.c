// SPDX-License-Identifier: GPL-2.0-only
/* The monitor's protocol, against an emulator of ours that follows a script. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "harness/qmp.h"

#define GREETING "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n"
#define OK	 "{\"return\": {}}\r\n"

/* Says lines[0], then one line for each that it reads; then it is gone. */
struct script {
	char *path;
	const char *const *lines;
	size_t n;
	char heard[4096];
	int got_fd;
	pthread_t thread;
};

static ssize_t hear(struct script *s, int fd)
{
	char buf[1024], control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { buf, sizeof(buf) - 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &m, 0);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&s->got_fd, CMSG_DATA(c), sizeof(int));
	buf[n > 0 ? n : 0] = '\0';
	strncat(s->heard, buf, sizeof(s->heard) - strlen(s->heard) - 1);
	return n;
}

static void *play(void *payload)
{
	struct script *s = payload;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(a.sun_path, s->path, strlen(s->path));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0) {
		for (size_t i = 0; i < s->n; i++) {
			if (i && hear(s, fd) <= 0)
				break;
			if (send(fd, s->lines[i], strlen(s->lines[i]), MSG_NOSIGNAL) < 0)
				break;
		}
	}
	close(fd);
	return NULL;
}

static bool alive(void *payload)
{
	return true;
}

static bool dead(void *payload)
{
	return false;
}

static int begin(struct qmp *q, struct script *s, const char *const *lines, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->got_fd = -1;
	s->path = in_scratch("qmp");
	s->lines = lines;
	s->n = n;
	*q = (struct qmp)QMP_INIT;
	assert_ok(qmp_listen(q, s->path, &err));
	assert_int_equal(pthread_create(&s->thread, NULL, play, s), 0);
	return qmp_accept(q, 5, alive, NULL, &err);
}

static void finish(struct qmp *q, struct script *s)
{
	qmp_release(q);
	pthread_join(s->thread, NULL);
	free(s->path);
	strbuf_reset(&err);
}

static void test_talk(void **state)
{
	/* An answer that comes in two parts, and events before one. */
	static const char *const lines[] = {
		GREETING, OK, "{\"return\": {\"status\": \"running\"}}\r\n",
		"{\"error\": {\"class\": \"GenericError\", \"desc\": \"no such thing\"}}\r\n",
		"{\"event\": \"STOP\"}\n{\"event\": \"SHUTDOWN\", \"data\": {\"guest\": true}}\n" OK,
	};
	struct qmp q;
	struct script s;
	json_t *v = NULL;

	assert_ok(begin(&q, &s, lines, 5));
	assert_ok(qmp_command(&q, "query-status", NULL, 5, &v, &err));
	assert_string_equal(json_string_value(json_object_get(v, "status")), "running");
	json_decref(v);
	assert_fails(KP_INFRA, "refuses 'bad': no such thing",
		     qmp_command(&q, "bad", json_pack("{s:i}", "a", 1), 5, NULL, &err));
	assert_ok(qmp_send_fd(&q, 0, "state", &err));
	assert_true(qmp_event(&q, &v));
	assert_string_equal(json_string_value(json_object_get(v, "event")), "STOP");
	json_decref(v);
	assert_true(qmp_event(&q, &v));
	assert_string_equal(json_string_value(json_object_get(v, "event")), "SHUTDOWN");
	json_decref(v);
	assert_false(qmp_event(&q, &v));
	pthread_join(s.thread, NULL);
	assert_true(s.got_fd >= 0);
	close(s.got_fd);
	assert_non_null(strstr(s.heard, "\"execute\":\"getfd\""));
	qmp_release(&q);
	free(s.path);
	strbuf_reset(&err);
}

/* An answer in pieces, and one that never ends. */
static void test_pieces(void **state)
{
	static const char *const lines[] = { "{\"QMP\":", " {}}\n" };
	static const char *const cut[] = { GREETING, OK, "{\"return\"" };
	struct qmp q;
	struct script s;

	assert_fails(KP_INFRA, "gone", begin(&q, &s, lines, 1));
	finish(&q, &s);
	assert_ok(begin(&q, &s, cut, 3));
	assert_fails(KP_INFRA, "gone", qmp_command(&q, "stop", NULL, 5, NULL, &err));
	assert_true(q.closed);
	assert_fails(KP_INFRA, "gone", qmp_command(&q, "stop", NULL, 5, NULL, &err));
	finish(&q, &s);
}

static void test_hostile(void **state)
{
	static const char *const strangers[] = { "{\"hello\": 1}\n", "[1]\n", "garbage\n", "\n" };
	static char *flood[1], many[64 * 1024];
	struct qmp q;
	struct script s;
	json_t *v;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(strangers); i++) {
		assert_fails(KP_INFRA, "emulator", begin(&q, &s, &strangers[i], 1));
		finish(&q, &s);
	}
	/* A line without an end is bounded. */
	flood[0] = malloc((6 << 20) + 1);
	memset(flood[0], 'x', 6 << 20);
	flood[0][6 << 20] = '\0';
	assert_fails(KP_INFRA, "gone", begin(&q, &s, (const char *const *)flood, 1));
	finish(&q, &s);
	free(flood[0]);
	/* So are events: the first ones are kept. */
	for (int i = 0; i < 1000; i++)
		n += (size_t)snprintf(many + n, sizeof(many) - n, "{\"event\": \"E%d\"}\n", i);
	{
		const char *lines[] = { GREETING, OK, many, OK };

		assert_ok(begin(&q, &s, lines, 3));
		assert_fails(KP_INFRA, "emulator", qmp_command(&q, "x", NULL, 0.5, NULL, &err));
		assert_int_equal(q.nevents, QMP_EVENTS);
		assert_true(qmp_event(&q, &v));
		assert_string_equal(json_string_value(json_object_get(v, "event")), "E0");
		json_decref(v);
		finish(&q, &s);
	}
}

static void test_nobody(void **state)
{
	struct qmp q = QMP_INIT;
	char path[200], *socket_path = in_scratch("nobody");

	assert_ok(qmp_listen(&q, socket_path, &err));
	free(socket_path);
	assert_int_equal(qmp_accept(&q, 5, dead, NULL, &err), KP_INFRA);
	assert_non_null(strstr(err.buf, "does not start"));
	strbuf_reset(&err);
	assert_int_equal(qmp_accept(&q, 0.1, alive, NULL, &err), KP_INFRA);
	assert_non_null(strstr(err.buf, "says nothing"));
	qmp_release(&q);
	strbuf_reset(&err);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(qmp_listen(&q, path, &err), KP_INFRA);
	assert_non_null(strstr(err.buf, "too long for a socket"));
	qmp_release(&q);
	strbuf_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_talk), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests_name("qmp", tests, scratch_make, scratch_remove);
}
