// SPDX-License-Identifier: GPL-2.0-only
/* The headers of a commit: what is declared only before and only after it. */
#include "base/compat.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/error.h"
#include "mine/cochange-internal.h"

static struct header_config config;
static pthread_once_t config_once = PTHREAD_ONCE_INIT;

static void make_config(void)
{
	header_config_init(&config, "any");
}

static void parse(struct cc_commit *cc, int side, size_t header, const struct strbuf *text)
{
	struct header_syms *hs = &cc->side[side];
	size_t first = hs->n, first_inc = hs->ninc;

	if (!text->len)
		return;
	header_parse(&config, text->buf, text->len, hs);
	for (size_t i = first; i < hs->n; i++) {
		hs->s[i].header = (uint32_t)header;
		if (hs->s[i].owner != HEADER_NO_OWNER && hs->s[i].owner < first)
			hs->s[i].owner = HEADER_NO_OWNER;
	}
	for (size_t i = first_inc; i < hs->ninc; i++)
		hs->inc[i].header = (uint32_t)header;
}

static void one_header(struct cc_commit *cc, size_t i)
{
	const struct history_file *f = cc->hdr[i].f;
	struct strbuf only[2] = { STRBUF_INIT, STRBUF_INIT };
	struct cc_blob x, y;
	int a = cc_read(cc, &f->old_id, &x), b = cc_read(cc, &f->new_id, &y);

	if (a == KP_ERR || b == KP_ERR) {
		cc->nunreadable++;
	} else {
		enum cc_difference d = cc_chunks(x.text, x.len, y.text, y.len, &only[0], &only[1]);

		cc->nread++;
		cc->ncode += d == CC_CODE;
		cc->ncomment += d == CC_COMMENTS;
		cc->nspdx += d == CC_SPDX;
		cc->nsame += d == CC_SAME || d == CC_WHITESPACE;
		if (d == CC_CODE) {
			parse(cc, 0, i, &only[0]);
			parse(cc, 1, i, &only[1]);
		}
	}
	cc_put(cc, &x);
	cc_put(cc, &y);
	strbuf_release(&only[0]);
	strbuf_release(&only[1]);
}

/* Of very many, some from everywhere: what a change of the interface did in one it did in others. */
static size_t step_of(const struct cc_commit *cc)
{
	size_t step = (cc->nhdr + CC_MAX_HEADERS - 1) / CC_MAX_HEADERS;

	return step ? step : 1;
}

void cc_headers(struct cc_commit *cc)
{
	size_t step = step_of(cc);

	pthread_once(&config_once, make_config);
	pool_init(&cc->pool);
	cc->side[0].pool = cc->side[1].pool = &cc->pool;
	for (size_t i = 0; i < cc->nhdr; i += step)
		one_header(cc, i);
	cc_compare_symbols(cc);
}

unsigned cc_header_parts(struct cc_commit *cc)
{
	size_t step = step_of(cc);
	unsigned differ = 0;

	for (size_t i = 0; i < cc->nhdr; i += step) {
		struct strbuf only[2] = { STRBUF_INIT, STRBUF_INIT };
		struct cc_blob x, y;
		int a = cc_read(cc, &cc->hdr[i].f->old_id, &x), b = cc_read(cc, &cc->hdr[i].f->new_id, &y);

		if (a != KP_ERR && b != KP_ERR) {
			cc_changed_paragraphs(x.text, x.len, y.text, y.len, &only[0], &only[1]);
			differ |= cc_parts(&only[0], &only[1]);
		}
		cc_put(cc, &x);
		cc_put(cc, &y);
		strbuf_release(&only[0]);
		strbuf_release(&only[1]);
	}
	return differ;
}
