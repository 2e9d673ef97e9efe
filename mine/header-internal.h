/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the header parser (mine/header-*.c) only.
 *
 * A declaration is handed around as a "struct dtoks": the indices of its tokens
 * with each bracket group represented by its opening token, attributes and
 * storage words taken out and noted as flags.
 */
#ifndef KPORT_HEADER_INTERNAL_H
#define KPORT_HEADER_INTERNAL_H

#include "base/ctoken.h"
#include "base/strbuf.h"
#include "mine/header-parse.h"

#define HEADER_MAX_EXPANSION 8	       /* depth of generator macros */
#define HEADER_MAX_EXPANDED (256u << 10) /* bytes of generated text of one header */
#define HEADER_MAX_DEPTH 40	       /* nested structures */
/* A tagged structure inside another is read twice per level: bound what nesting may cost. */
#define HEADER_MAX_REREAD 16
#define HEADER_MAX_BODY 4096
#define HEADER_MAX_TEXT 2048	       /* of a type or parameter list */

struct header_cond {
	uint32_t text;	  /* condition of this branch, 0: trivial */
	uint32_t others;  /* "!(A) && !(B)" of the branches before, 0: none or trivial */
	int8_t state;	  /* of this branch */
	int8_t left;	  /* HEADER_OFF once a branch certainly held, ON while all were certainly off */
	bool guard;	  /* the include guard: no condition at all */
};

struct header_macro {
	const char *params; /* in the text, behind "(" */
	size_t params_len;
	uint32_t body;	    /* pool */
	bool function_like;
};

struct header_ctx {
	const struct header_config *cfg;
	struct header_syms *out;
	struct pool *pool;
	struct header_cond *cond;
	size_t ncond, cond_alloc, cond_over; /* over: levels too deep to be kept */
	uint32_t cond_text;	/* joined, of the current position */
	int8_t state;
	uint32_t guard;		/* name of the include guard, 0: none seen */
	struct strmap macros;	/* name -> struct header_macro * of generator-like macros */
	struct strmap docs;	/* name -> summary, heap */
	int depth;		/* of expansion */
	size_t expanded;	/* bytes */
	size_t budget;		/* tokens of structure bodies still to be looked at */
	uint32_t fixed_line;	/* line of the outermost invocation while expanding, else 0 */
	struct strbuf tmp;
};

enum decl_flags {
	DECL_TYPEDEF = 1 << 0,
	DECL_EXTERN = 1 << 1,
	DECL_STATIC = 1 << 2,
	DECL_INLINE = 1 << 3,
	DECL_MUST_CHECK = 1 << 4,
};

struct dtoks {
	const struct ctoks *ts;
	uint32_t *i;
	size_t n, alloc;
	unsigned flags;
};

/* header-cond.c: directives; returns false for one that is no conditional. */
bool header_cond_directive(struct header_ctx *h, const struct ctoks *ts, size_t i);
/*
 * Of conditionals inside the tokens [from, to) keep one branch, the one that
 * holds or else the first that may: the others' tokens are flagged CTOK_DEAD.
 */
void header_cond_choose(struct header_ctx *h, const struct ctoks *ts, size_t from, size_t to);
/* Is the current position invisible to drivers? */
bool header_cond_hidden(const struct header_ctx *h);

/* header-text.c */
bool attr_word(const struct ctoks *ts, size_t i);
void dtoks_add(struct dtoks *d, size_t i);
/* Takes attributes and storage words out of d, in place. */
void dtoks_strip(struct dtoks *d);
/* Normalised text of tokens [from, to), attributes left out. */
void text_range(struct strbuf *out, const struct ctoks *ts, size_t from, size_t to);
/* The same of d's entries [from, to), groups included. */
void text_dtoks(struct strbuf *out, const struct dtoks *d, size_t from, size_t to);
/* Text of tokens [from, to) as written, without comments, on one line. */
void text_flat(struct strbuf *out, const struct ctoks *ts, size_t from, size_t to);
/* The same with its lines. */
void text_lines(struct strbuf *out, const struct ctoks *ts, size_t from, size_t to);
uint32_t pool_tok(struct header_ctx *h, const struct ctoks *ts, size_t i);
uint32_t pool_buf(struct header_ctx *h, const struct strbuf *sb); /* 0 when empty */
static inline bool tok_char(const struct ctoks *ts, size_t i, char c)
{
	return i < ts->n && ts->t[i].kind == CTOK_PUNCT && ts->t[i].len == 1 &&
	       ts->text[ts->t[i].off] == c;
}
/* Closing token of the group that opens at i; the end of input when unpaired. */
size_t group_end(const struct ctoks *ts, size_t i, size_t end);

/* header-decl.c */
struct declarator {
	size_t name;	     /* token, or (size_t)-1 */
	struct strbuf type;
	struct strbuf params;
	bool callable;	     /* params is valid */
	bool is_function;    /* not a pointer to one */
};
#define DECLARATOR_INIT { .name = (size_t)-1, .type = STRBUF_INIT, .params = STRBUF_INIT }
void declarator_release(struct declarator *d);
/*
 * d[from, to) is one declarator; base is the type text before it for all but
 * the first of a list, else NULL. False when it is none.
 */
bool declarator_parse(const struct dtoks *d, size_t from, size_t to, const char *base,
		      struct declarator *out);
/* Number of specifier entries (the type that all declarators share) at the start of d[from, to). */
size_t declarator_base(const struct dtoks *d, size_t from, size_t to);
/* First entry in [from, to) that is this punctuation, or to. */
size_t dtoks_find(const struct dtoks *d, size_t from, size_t to, char c);
void param_list(struct strbuf *out, const struct ctoks *ts, size_t open, size_t close);
/* A whole declaration; body_open is the "{" of a function body or (size_t)-1. */
void declaration(struct header_ctx *h, struct dtoks *d, size_t body_open, size_t body_close);

/* header-members.c: the body [open, close] of a structure or enum whose symbol is "owner". */
void struct_body(struct header_ctx *h, const struct ctoks *ts, size_t open, size_t close,
		 uint32_t owner, uint32_t parent, const char *path, uint32_t *order, int depth);
void enum_body(struct header_ctx *h, const struct ctoks *ts, size_t open, size_t close,
	       uint32_t owner, uint32_t parent);

/* header-macro.c */
void macro_define(struct header_ctx *h, const struct ctoks *ts, size_t i);
/* Expands the macro at token i (its arguments in the group at i + 1 when function-like) to out. */
bool macro_expand(struct header_ctx *h, const struct ctoks *ts, size_t i, size_t end,
		  bool members, struct strbuf *out);
/* Is token i the name of a function-like macro that may declare things? */
bool macro_is_generator(const struct header_ctx *h, const struct ctoks *ts, size_t i);
/* The same of an object-like one whose body is a list of members. */
bool macro_is_members(const struct header_ctx *h, const struct ctoks *ts, size_t i);
uint32_t alias_of_call(struct header_ctx *h, const struct ctoks *ts, size_t from, size_t to,
		       const char *params, bool named_params);

/* header-parse.c */
struct header_sym *sym_add(struct header_ctx *h, enum api_kind kind, uint32_t name, uint32_t line);
uint32_t sym_line(const struct header_ctx *h, const struct ctoks *ts, size_t i);
void parse_range(struct header_ctx *h, const struct ctoks *ts, size_t from, size_t to);

#endif
