// SPDX-License-Identifier: GPL-2.0-only
/* header_parse and the comparison of what it says: bounded, well-formed symbols for any text. */
#include "tests/fuzz/fuzz.h"

#include "base/strbuf.h"
#include "mine/header-parse.h"
#include "mine/signature.h"

static void check_symbol(const struct header_syms *hs, size_t i)
{
	const struct header_sym *s = &hs->s[i];
	const char *name = pool_str(hs->pool, s->name), *params = pool_str(hs->pool, s->params);
	bool variadic;

	FUZZ_CHECK(name && *name);
	FUZZ_CHECK(s->owner == HEADER_NO_OWNER || s->owner < i);
	FUZZ_CHECK(s->state >= HEADER_OFF && s->state <= HEADER_ON);
	if (s->kind == API_MEMBER)
		FUZZ_CHECK(s->owner == HEADER_NO_OWNER || hs->s[s->owner].kind != API_MEMBER);
	if (params) {
		FUZZ_CHECK(strlen(params) < 64 << 10);
		sig_arity(params, &variadic);
		FUZZ_CHECK(sig_compare_params(params, params) == SIG_SAME);
	}
	if (s->type)
		FUZZ_CHECK(sig_compare_types(pool_str(hs->pool, s->type), pool_str(hs->pool, s->type)) ==
			   SIG_SAME);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct header_config cfg;
	struct pool pool;
	struct header_syms hs = { .pool = &pool };

	pool_init(&pool);
	header_config_init(&cfg, "x86");
	header_config_autoconf(&cfg, "#define CONFIG_A 1\n");
	header_parse(&cfg, (const char *)data, size, &hs);
	for (size_t i = 0; i < hs.n; i++)
		check_symbol(&hs, i);
	/* The work is bounded: so is what comes out. */
	FUZZ_CHECK(hs.n < 16 * size + 300000);
	header_syms_release(&hs);
	header_config_release(&cfg);
	pool_release(&pool);
}
