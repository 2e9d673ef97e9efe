// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/backend.h"

#include <poll.h>
#include <sys/random.h>

#include "agents/sse.h"
#include "agents/transcript.h"
#include "agents/wire.h"
#include "base/alloc.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"
#include "base/log.h"

#define MAX_TEXT    ((size_t)1 << 20)
#define MAX_MESSAGE 300
#define STREAM_END  1

struct backend {
	struct backend_opts o;
	const struct wire *wire; /* NULL: only replays */
	const char *name;	 /* of the model, in model */
	char *model, *url, *record_path;
	struct secret *key;
	struct transcript *record;
	size_t max_text;
};

/* ---- questions and answers -------------------------------------------------- */

void ask_add(struct ask *q, enum ask_role role, const char *text)
{
	ALLOC_GROW(q->turn, q->n + 1, q->alloc);
	q->turn[q->n].role = role;
	q->turn[q->n++].text = xstrdup(text);
}

void ask_release(struct ask *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->turn[i].text);
	free(q->turn);
	q->turn = NULL;
	q->n = q->alloc = 0;
}

void answer_init(struct answer *a)
{
	memset(a, 0, sizeof(*a));
	strbuf_init(&a->text);
	a->usage.in = a->usage.out = -1;
}

void answer_release(struct answer *a)
{
	strbuf_release(&a->text);
	free(a->finish);
	free(a->model);
	free(a->request);
	free(a->reply);
	answer_init(a);
}

/* ---- opening ----------------------------------------------------------------- */

int backend_use_record(struct backend *b, const char *path, struct strbuf *err)
{
	free(b->record_path);
	b->record_path = xstrdup(path);
	return transcript_open(path, b->wire != NULL, &b->record, err);
}

/* The vendor's own address needs a key; a server of one's own may do without. */
static int open_key(struct backend *b, struct strbuf *err)
{
	const char *env = b->o.key_env ? b->o.key_env : b->wire->key_env;
	struct strbuf why = STRBUF_INIT;
	int ret = b->o.no_key ? 0 : secret_take(env, b->o.key_file, &b->key, &why);

	if (ret == KP_NOTFOUND && !b->o.key_file && b->o.url)
		ret = 0;
	else if (ret)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret == KP_NOTFOUND ? KP_ERR : ret;
}

int backend_open(const struct backend_opts *o, struct backend **out, struct strbuf *err)
{
	struct backend *b = xcalloc(1, sizeof(*b));
	int ret = 0;

	b->o = *o;
	b->max_text = o->max_text ? o->max_text : MAX_TEXT;
	b->model = xstrdup(o->model);
	if (strcmp(b->model, "replay"))
		ret = wire_parse(b->model, &b->wire, &b->name, err);
	if (!ret && b->wire) {
		const char *base = o->url ? o->url : b->wire->url;
		int n = (int)strlen(base);

		while (n && base[n - 1] == '/')
			n--;
		b->url = xstrfmt("%.*s%s", n, base, b->wire->path);
		ret = open_key(b, err);
	}
	if (!ret && b->url)
		ret = http_check_url(b->url, b->o.proxy, b->key != NULL, err);
	if (!ret && o->record)
		ret = backend_use_record(b, o->record, err);
	if (ret) {
		backend_close(b);
		return ret;
	}
	*out = b;
	return 0;
}

void backend_close(struct backend *b)
{
	if (!b)
		return;
	transcript_close(b->record);
	secret_free(b->key);
	free(b->model);
	free(b->url);
	free(b->record_path);
	free(b);
}

const char *backend_model(const struct backend *b)
{
	return b->model;
}

void backend_redact(const struct backend *b, struct strbuf *text)
{
	secret_redact(b->key, text);
}

char *backend_record_label(const char *path)
{
	struct strbuf ignored = STRBUF_INIT;
	struct transcript *t = NULL;
	char *label = NULL;

	if (!transcript_open(path, false, &t, &ignored))
		label = xstrdup(json_get_str(transcript_at(t, 0), "label"));
	transcript_close(t);
	strbuf_release(&ignored);
	return label;
}

/* ---- one attempt --------------------------------------------------------------- */

struct attempt {
	struct backend *b;
	struct answer *a;
	struct sse sse;
	struct strbuf whole; /* an answer that is no stream */
	bool done, overloaded;
	struct http_reply reply;
	struct strbuf *err;
};

static int take_json(const char *text, size_t len, json_t **out)
{
	json_error_t e;
	json_t *clean;

	*out = json_loadb(text, len, JSON_ALLOW_NUL, &e);
	if (*out)
		return 0;
	/* Bytes that are no UTF-8 become U+FFFD: the text around them may still be of use. */
	clean = json_strn(text, len);
	*out = json_loadb(json_string_value(clean), json_string_length(clean), JSON_ALLOW_NUL, &e);
	json_decref(clean);
	return *out ? 0 : KP_ERR;
}

/* An error that came inside of a stream: the server's trouble, not the question's? */
static bool is_overload(const json_t *data)
{
	static const char *const types[] = { "overloaded_error", "api_error", "rate_limit_error",
					     "server_error", "timeout_error" };
	const char *type = json_get_str(json_object_get(data, "error"), "type");

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++) {
		if (!strcmp(type, types[i]))
			return true;
	}
	return false;
}

static int on_event(const char *event, const char *data, size_t len, void *payload)
{
	struct attempt *t = payload;
	size_t before = t->a->text.len;
	json_t *v;
	int ret;

	if (len == 6 && !memcmp(data, "[DONE]", 6)) {
		t->done = true;
		return STREAM_END;
	}
	if (take_json(data, len, &v))
		return kp_fail(t->err, KP_ERR, "'%s' sent an event that is no JSON", t->b->url);
	ret = t->b->wire->event(v, t->a, &t->done, t->err);
	t->overloaded = ret && is_overload(v);
	json_decref(v);
	if (!ret && t->a->text.len > t->b->max_text)
		return kp_fail(t->err, KP_ERR, "the answer is longer than %zu bytes", t->b->max_text);
	if (!ret && t->b->o.on_text && t->a->text.len > before)
		t->b->o.on_text(t->a->text.buf + before, t->a->text.len - before, t->b->o.payload);
	return ret ? ret : t->done && t->b->wire->done_ends ? STREAM_END : 0;
}

static int on_data(const char *bytes, size_t n, void *payload)
{
	struct attempt *t = payload;
	int ret;

	if (!t->reply.event_stream) {
		if (t->whole.len + n > t->b->max_text * 8)
			return kp_fail(t->err, KP_ERR, "the answer is longer than %zu bytes",
				       t->b->max_text);
		strbuf_add(&t->whole, bytes, n);
		return 0;
	}
	ret = sse_feed(&t->sse, bytes, n);
	if (ret == KP_ERR && !t->err->len)
		return kp_fail(t->err, KP_ERR, "'%s' sent an event that is too long", t->b->url);
	return ret;
}

/* The server's words about a failure, made short and harmless. */
static int status_failure(struct attempt *t, bool *again)
{
	struct strbuf why = STRBUF_INIT;
	const char *hint = "", *said;
	json_t *v = NULL;
	long status = t->reply.status;

	*again = http_status_again(status);
	take_json(t->reply.body.buf, t->reply.body.len, &v);
	said = wire_error(v);
	if (!said)
		said = t->reply.body.buf;
	strbuf_add_shown(&why, said, strnlen(said, MAX_MESSAGE));
	strbuf_trim(&why);
	for (size_t i = 0; i < why.len; i++) {
		if (why.buf[i] == '\n')
			why.buf[i] = ' ';
	}
	backend_redact(t->b, &why);
	if (status == 401 || status == 403)
		hint = "; is the key right?";
	else if (status == 404)
		hint = "; are address and model right?";
	kp_fail(t->err, KP_ERR, "'%s' answered %ld%s%s%s", t->b->url, status, why.len ? ": " : "", why.buf,
		hint);
	json_decref(v);
	strbuf_release(&why);
	return *again ? KP_INFRA : KP_ERR;
}

static int take_whole(struct attempt *t)
{
	json_t *v;
	int ret;

	if (take_json(t->whole.buf, t->whole.len, &v))
		return kp_fail(t->err, KP_ERR, "'%s' sent an answer that is no JSON", t->b->url);
	ret = t->b->wire->whole(v, t->a, t->err);
	if (!ret && t->a->text.len > t->b->max_text)
		ret = kp_fail(t->err, KP_ERR, "the answer is longer than %zu bytes", t->b->max_text);
	if (!ret && t->b->o.on_text)
		t->b->o.on_text(t->a->text.buf, t->a->text.len, t->b->o.payload);
	json_decref(v);
	return ret;
}

static int finish_attempt(struct attempt *t, bool *again)
{
	if (t->reply.status != 200)
		return status_failure(t, again);
	if (!t->reply.event_stream)
		return take_whole(t);
	if (t->done)
		return 0;
	*again = true;
	return kp_fail(t->err, KP_INFRA, "'%s' cut its answer off", t->b->url);
}

static void add_headers(const struct backend *b, struct http_request *q)
{
	strvec_push(&q->headers, "content-type: application/json");
	strvec_push(&q->headers, "accept: text/event-stream, application/json");
	if (b->wire->header)
		strvec_push(&q->headers, b->wire->header);
}

/* *again: another try may help; *pause: the server asks for as much. */
static int attempt(struct backend *b, const char *body, double deadline, struct answer *a, bool *again,
		   double *pause, struct strbuf *err)
{
	struct http_request q = { .url = b->url, .body = body, .len = strlen(body), .headers = STRVEC_INIT,
		.key = b->key, .key_header = b->wire->key_header, .ca_file = b->o.ca_file,
		.proxy = b->o.proxy, .limits = b->o.limits, .on_data = on_data };
	struct attempt t = { .b = b, .a = a, .whole = STRBUF_INIT, .err = err };
	int ret;

	if (deadline > 0) {
		double left = deadline - clock_seconds();
		double limit = q.limits.total_seconds > 0 ? q.limits.total_seconds : 600;

		q.limits.total_seconds = left < 0.1 ? 0.1 : left < limit ? left : limit;
	}
	q.payload = &t;
	add_headers(b, &q);
	sse_init(&t.sse, on_event, &t, b->max_text + (1 << 16));
	ret = http_post(&q, &t.reply, err);
	*again = t.reply.again || t.overloaded;
	if (ret == STREAM_END) {
		ret = 0;
	} else if (!ret) {
		ret = finish_attempt(&t, again);
	} else if (t.done && ret == KP_INFRA) {
		/* Everything had come when the connection broke. */
		strbuf_reset(err);
		ret = 0;
	}
	*pause = t.reply.retry_after;
	http_reply_release(&t.reply);
	sse_release(&t.sse);
	strbuf_release(&t.whole);
	strvec_release(&q.headers);
	return ret;
}

/* ---- trying again ---------------------------------------------------------------- */

/* Somewhere between nothing and the span, so that many clients do not come back together. */
static double jitter(double span)
{
	uint32_t r = 0;

	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) != sizeof(r))
		r = (uint32_t)(clock_seconds() * 1e6);
	return span * ((double)r / 4294967296.0);
}

static int wait_for(double seconds, struct strbuf *err)
{
	double end = clock_seconds() + seconds;

	for (double left; (left = end - clock_seconds()) > 0;) {
		if (child_interrupted())
			return kp_fail(err, KP_INTERRUPTED,
				       "interrupted; run the same command again to go on");
		poll(NULL, 0, left < 0.2 ? (int)(left * 1000) + 1 : 200);
	}
	return 0;
}

static int pause_before(struct backend *b, unsigned tries, double asked, double deadline,
			struct strbuf *why, struct strbuf *err)
{
	double base = b->o.retry_seconds > 0 ? b->o.retry_seconds : 1;
	double max = b->o.retry_max_seconds > 0 ? b->o.retry_max_seconds : 300;
	double span = base * (double)(1u << (tries < 10 ? tries : 10));

	if (asked > max)
		return kp_fail(err, KP_INFRA, "%s; it asks to wait for %.0f seconds, longer than %.0f",
			       why->buf, asked, max);
	span = asked + jitter(span > max ? max : span);
	if (deadline > 0 && clock_seconds() + span > deadline)
		return kp_fail(err, KP_INFRA, "%s; no time is left to try again", why->buf);
	log_debug("%s; waiting %.1f s", why->buf, span);
	return wait_for(span, err);
}

static int ask_server(struct backend *b, const char *body, double deadline, struct answer *a,
		      struct strbuf *err)
{
	unsigned retries = b->o.retries >= 0 ? (unsigned)b->o.retries : 5;

	for (unsigned tries = 0;; tries++) {
		struct strbuf why = STRBUF_INIT;
		bool again = false;
		double asked = 0;
		int ret;

		answer_release(a);
		ret = attempt(b, body, deadline, a, &again, &asked, &why);
		a->attempts = tries + 1;
		if (!ret || !again || ret == KP_INTERRUPTED) {
			strbuf_addbuf(err, &why);
		} else if (tries >= retries) {
			kp_fail(err, ret, "%s (after %u tries)", why.buf, tries + 1);
		} else {
			ret = pause_before(b, tries, asked, deadline, &why, err);
			again = !ret;
			strbuf_release(&why);
			if (again)
				continue;
			return ret;
		}
		strbuf_release(&why);
		return ret;
	}
}

/* ---- asking ------------------------------------------------------------------------ */

json_t *backend_request(const struct backend *b, const struct ask *q)
{
	const struct wire *w = b->wire ? b->wire : &wire_openai;

	return w->request(b->wire ? b->name : "replay", q, true);
}

/*
 * A question is the same when its texts are: who answers it does not matter, so that a
 * replay needs no name of a model, and any server may go on where another stopped.
 */
static struct hash_hex request_hash(const struct ask *q)
{
	struct hash *h = hash_new();
	char number[32];

	hash_add_str(h, q->system ? q->system : "");
	for (size_t i = 0; i < q->n; i++) {
		hash_add_str(h, q->turn[i].role == ASK_USER ? "user" : "assistant");
		hash_add_str(h, q->turn[i].text);
	}
	hash_add_str(h, q->grammar ? q->grammar : "");
	snprintf(number, sizeof(number), "%u %u %.3f", q->sample, q->max_tokens, q->temperature);
	hash_add_str(h, number);
	return hash_final(h);
}

static void set_hashes(struct answer *a, const struct hash_hex *request)
{
	struct hash_hex reply = hash_buf(a->text.buf, a->text.len);

	free(a->request);
	free(a->reply);
	a->request = xmemdup(request, sizeof(*request));
	a->reply = xmemdup(&reply, sizeof(reply));
}

static void from_record(const json_t *v, struct answer *a)
{
	const json_t *r = json_object_get(v, "reply"), *u = json_object_get(r, "usage");

	answer_release(a);
	wire_add_str(r, "text", &a->text);
	wire_set(&a->finish, json_get_str(r, "finish"));
	wire_set(&a->model, json_get_str(r, "model"));
	a->usage.in = json_get_int(u, "in", -1);
	a->usage.out = json_get_int(u, "out", -1);
	a->replayed = true;
}

static json_t *count_json(int64_t n)
{
	return n < 0 ? json_string("unknown") : json_integer(n);
}

static int keep(struct backend *b, const struct ask *q, const char *body, const struct hash_hex *hash,
		const struct answer *a, struct strbuf *err)
{
	json_t *v, *r, *u;
	json_error_t e;

	if (!b->record)
		return 0;
	v = json_object();
	r = json_object();
	u = json_object();
	json_object_set_new(u, "in", count_json(a->usage.in));
	json_object_set_new(u, "out", count_json(a->usage.out));
	json_object_set_new(r, "text", json_strn(a->text.buf, a->text.len));
	json_set_str(r, "finish", a->finish);
	json_set_str(r, "model", a->model);
	json_object_set_new(r, "usage", u);
	json_set_str(v, "request_hash", hash->hex);
	json_set_str(v, "backend", b->model);
	json_set_str(v, "label", b->o.label);
	json_set_int(v, "sample", q->sample);
	json_set_int(v, "attempts", a->attempts);
	json_set_num(v, "seconds", a->seconds);
	json_object_set_new(v, "request", json_loads(body, 0, &e));
	json_object_set_new(v, "reply", r);
	return transcript_add(b->record, v, err);
}

int backend_ask(struct backend *b, const struct ask *q, struct answer *a, struct strbuf *err)
{
	struct hash_hex hash = request_hash(q);
	const json_t *had = b->record ? transcript_find(b->record, hash.hex) : NULL;
	struct strbuf body = STRBUF_INIT;
	double start = clock_seconds();
	json_t *request;
	int ret;

	if (had) {
		from_record(had, a);
		set_hashes(a, &hash);
		return 0;
	}
	if (!b->wire && !b->record)
		return kp_fail(err, KP_ERR, "replay needs the record of exchanges");
	if (!b->wire)
		return kp_fail(err, KP_ERR, "the record '%s' has no answer to this question (%.12s...): "
			       "driver, kernels, prompts or options differ", b->record_path, hash.hex);
	request = backend_request(b, q);
	json_dump_compact(request, &body);
	json_decref(request);
	/* A driver that quotes the key does not send it anywhere but in the header. */
	backend_redact(b, &body);
	ret = ask_server(b, body.buf, q->deadline, a, err);
	if (!ret) {
		backend_redact(b, &a->text);
		a->seconds = clock_seconds() - start;
		set_hashes(a, &hash);
		ret = keep(b, q, body.buf, &hash, a, err);
	}
	if (ret)
		answer_release(a);
	strbuf_release(&body);
	return ret;
}
