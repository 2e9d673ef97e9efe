/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in a driver's sources where the layout of a structure matters, with the structure as the
 * debug information knows it.
 *
 *	struct use_list l = { 0 };
 *	uses_read(&g, KERNEL_VERSION(6,12,0), &l, err);
 *	use_list_release(&l);		// before dbg_release(&g)
 *
 * The text says where and by what (an ioctl number, a copy to user space, a cast), never how a structure
 * lies. Only files that were compiled are read, as the kernel's version sees them (ppview.h).
 */
#ifndef KPORT_LAYOUT_USES_H
#define KPORT_LAYOUT_USES_H

#include "base/cfunc.h"
#include "checks/layout-expr.h"

enum use_kind {
	USE_ABI,	/* user space has it: what: "ioctl FOO_SET", "copy_to_user()" */
	USE_DEVICE,	/* hardware has it: "__iomem", "dma_alloc_coherent()" */
	USE_WIRE,	/* laid over bytes: a cast of a pointer to bytes */
	USE_SIZEOF,
	USE_CAST,	/* st laid over other */
	USE_COPY,	/* memcpy() and the like: st, other the second structure or NULL; number: length */
	USE_SET,	/* memset(); number: length */
	USE_MEMBER,	/* of a structure of the kernel: member; flags, number, bits */
	USE_INIT,	/* by position: number: index */
	USE_OFFSET	/* number: bytes behind the start of a structure of the kernel */
};

enum use_flags {
	USE_NUMBER = 1 << 0,	/* number is known */
	USE_WRITE = 1 << 1,	/* assigned to */
	USE_NEGATIVE = 1 << 2,	/* "< 0" or ">= 0" is asked */
	USE_VALUE = 1 << 3	/* USE_WRITE: bits (and signed) of the value are known */
};

struct use {
	enum use_kind kind;
	unsigned flags;
	const struct dbg_struct *st, *other;
	char *file, *function, *what, *member;
	int line;
	int64_t number;
	uint32_t bits;
};

struct use_list {
	struct use *u;
	size_t n, alloc;
	struct strmap missing;	/* structures that user space has and the debug information has not */
};

int uses_read(const struct dbg *g, unsigned version, struct use_list *out, struct strbuf *err);
void use_list_release(struct use_list *l);

/* One file while it is read; for layout-uses.c, layout-calls.c and layout-members.c. */
struct use_file {
	const struct dbg *g;
	const struct strmap *numbers;	/* "#define NAME 12": name -> value */
	const char *file;
	struct ctoks *ts;
	struct cfile *cf;
	struct expr_scope s;
	const char *function;		/* that s is in */
	const char *macro;		/* being defined, or NULL */
	struct use_list *out;
};

/* A type's name of [first, end) that expr_typename() does not know. */
void use_missing(struct use_file *f, uint32_t first, uint32_t end);
struct use *use_add(struct use_file *f, enum use_kind kind, const struct dbg_struct *st, uint32_t token);
/* A number or the name of one. */
bool use_number(const struct use_file *f, uint32_t first, uint32_t end, int64_t *out);
/* Does the operand end in room that subsystems leave to drivers for their own state (skb->cb)? */
bool use_is_scratch(const struct use_file *f, uint32_t last);
/* Token i is a name with "(" behind it. */
void uses_of_call(struct use_file *f, uint32_t i);
/* Token i is "->" or ".". */
void uses_of_member(struct use_file *f, uint32_t i);
/* Token i is the "{" of an initialiser. */
void uses_of_initialiser(struct use_file *f, uint32_t i);
/* First token of the operand whose last token is "last". */
uint32_t use_operand_start(const struct ctoks *ts, uint32_t last);

#endif
