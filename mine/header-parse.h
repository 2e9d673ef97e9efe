/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of one kernel header, read as text.
 *
 *	struct header_config cfg;
 *	header_config_init(&cfg, "x86");
 *	header_config_autoconf(&cfg, text);		// include/generated/autoconf.h
 *	struct header_syms hs = { .pool = &pool };
 *	header_parse(&cfg, text, len, &hs);		// appends to hs, never fails
 *	for (i = 0; i < hs.n; i++)
 *		use(pool_str(&pool, hs.s[i].name));
 *	header_syms_release(&hs);
 *
 * Nothing is preprocessed: each #if branch is read, with the conditions that
 * hold for it as text and, as far as the configuration decides them, as
 * "holds", "does not hold" or "unknown". Regions no driver's C code can see
 * ("#if 0", __ASSEMBLY__, __cplusplus, !__KERNEL__) are left out.
 *
 * What is understood besides C: attribute macros (dropped from types; a
 * __must_check is kept as a flag), member macros (DECLARE_BITMAP,
 * struct_group, ...), invocations of a generator macro defined earlier in
 * the same header (expanded, so that "PAGEFLAG(Dirty, ...)" declares
 * PageDirty), and kernel-doc summaries. Anything else is skipped up to the next
 * ";" or matching "}".
 *
 * Texts are normalised as mine/apiindex.h says. Any input is accepted; the work
 * is linear in its length apart from generator macros, whose expansion is bounded.
 */
#ifndef KPORT_HEADER_PARSE_H
#define KPORT_HEADER_PARSE_H

#include "base/strmap.h"
#include "mine/apiindex.h"
#include "mine/pool.h"

struct header_config {
	struct strmap set;  /* macro -> heap text of its value */
	struct strmap never; /* macros that are certainly not defined */
	bool have_config;   /* an autoconf.h was read: absent CONFIG_ symbols are off */
};

void header_config_init(struct header_config *cfg, const char *srcarch);
void header_config_autoconf(struct header_config *cfg, const char *text);
void header_config_release(struct header_config *cfg);

enum header_state { HEADER_OFF = -1, HEADER_UNKNOWN, HEADER_ON };

#define HEADER_NO_OWNER UINT32_MAX

/* Strings are pool numbers, 0 for none; the fields are those of struct api_symbol. */
struct header_sym {
	uint32_t kind;
	uint32_t name, type, params, body, parent, path, cond, alias, doc;
	uint32_t line, order;
	uint32_t owner;	     /* index in the same header_syms of the structure or enum, or HEADER_NO_OWNER */
	uint32_t header;     /* for the caller's use */
	int8_t state;	     /* enum header_state of cond */
	bool must_check;
	bool expanded;	     /* made by a generator macro */
};

struct header_include {
	uint32_t name;	     /* "linux/list.h" */
	uint32_t header;     /* for the caller's use */
	int8_t state;
	bool quoted;	     /* #include "..." */
};

struct header_syms {
	struct pool *pool;
	struct header_sym *s;
	size_t n, alloc;
	struct header_include *inc;
	size_t ninc, inc_alloc;
};

void header_parse(const struct header_config *cfg, const char *text, size_t len,
		  struct header_syms *out);
void header_syms_release(struct header_syms *hs);

/* Value of a condition text ("defined(CONFIG_X) && !IS_ENABLED(CONFIG_Y)"). */
enum header_state header_condition(const struct header_config *cfg, const char *text);

#endif
