/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands at the top level of a C file: function definitions, prototypes,
 * objects with their designated initialisers, structure definitions, and macro
 * invocations such as MODULE_LICENSE("GPL") or DEVICE_ATTR_RO(x).
 *
 *	struct ctoks ts;
 *	struct cfile cf;
 *
 *	ctoks_scan(&ts, text, len);
 *	cfile_parse(&cf, &ts);
 *	const struct cfunc *f = cfile_func(&cf, "foo_probe");
 *	... ts.t[f->body.first] is "{", ts.t[f->body.end - 1] is "}" ...
 *	cfile_release(&cf);		// before ctoks_release(&ts)
 *
 * Read without preprocessing: macros stay as written, both branches of an #if
 * are seen (so two functions may have one name), what is inside "#if 0" is not.
 * Text that fits no shape is passed over up to the next ";" or "}". Everything
 * refers to tokens by index; nothing of the text is copied.
 */
#ifndef KPORT_CFUNC_H
#define KPORT_CFUNC_H

#include "base/ctoken.h"

/* Tokens [first, end); empty when equal. */
struct cspan {
	uint32_t first, end;
};

struct cparam {
	struct cspan decl; /* "struct foo *f"; may hold directives */
	uint32_t name;	   /* token, CTOK_NONE when unnamed */
};

struct cfunc {
	uint32_t name;		/* token of the identifier */
	struct cspan ret;	/* specifiers and "*" in front of the name: "static int" */
	struct cspan paren;	/* parameter list with its parentheses */
	struct cparam *params;	/* "(void)" and "()" have none */
	size_t nparams;
	bool variadic;
	struct cspan body;	/* with braces; empty for a prototype */
	bool is_static, is_inline;
	bool from_macro;	/* NAME(...) { } without a type: SYSCALL_DEFINE1(...) { */
};

/* One element of an initialiser; nested ones have a parent. */
struct cmember {
	uint32_t name;		/* last identifier of the designator, CTOK_NONE for "[x] =" or by position */
	struct cspan designator; /* ".a.b" or "[x]"; empty by position */
	struct cspan value;	/* without the "=" and the "," */
	uint32_t parent;	/* index in members, CTOK_NONE at the outermost */
};

struct cobject {
	uint32_t name;
	struct cspan type;	/* specifiers: "static const struct pci_device_id" */
	uint32_t tag;		/* token of the structure's tag or the typedef's name, CTOK_NONE for plain types */
	bool tag_is_struct;	/* tag follows "struct" or "union" */
	bool is_static, is_extern, is_array;
	struct cspan init;	/* without "=", with braces; empty when there is none */
	struct cmember *members;
	size_t nmembers;
};

struct cstruct {
	uint32_t keyword;	/* struct, union or enum */
	uint32_t tag;		/* CTOK_NONE when anonymous */
	struct cspan body;	/* with braces */
};

struct cmacro_call {
	uint32_t name;
	struct cspan args;	/* with parentheses */
	bool is_static;
};

struct cfile {
	const struct ctoks *ts;
	struct cfunc *funcs;	 /* definitions, in order of the text */
	size_t nfuncs, funcs_alloc;
	struct cfunc *protos;
	size_t nprotos, protos_alloc;
	struct cobject *objects;
	size_t nobjects, objects_alloc;
	struct cstruct *structs; /* not those inside another one */
	size_t nstructs, structs_alloc;
	struct cmacro_call *calls;
	size_t ncalls, calls_alloc;
};

void cfile_parse(struct cfile *cf, const struct ctoks *ts);
void cfile_release(struct cfile *cf);

/* First definition of that name, or NULL. */
const struct cfunc *cfile_func(const struct cfile *cf, const char *name);
/* The definition whose head or body holds the token or line, or NULL. */
const struct cfunc *cfile_func_at(const struct cfile *cf, size_t token);
const struct cfunc *cfile_func_at_line(const struct cfile *cf, uint32_t line);
const struct cobject *cfile_object(const struct cfile *cf, const char *name);
const struct cstruct *cfile_struct(const struct cfile *cf, const char *tag);

/* ".driver.pm" and "[0].probe": designators from the outermost to this member. Appended to out. */
void cmember_path(const struct cfile *cf, const struct cobject *o, size_t member, struct strbuf *out);

/* Does the structure's body declare this member, at any depth of nesting? */
bool cstruct_has_member(const struct ctoks *ts, const struct cstruct *s, const char *member);

/*
 * Elements of a bracketed list, (a, b) or { .x = 1, y }; directives at its ends and empty
 * elements are left out.
 *
 *	struct clist l = clist_open(ts, open);	// token of the bracket
 *	while (clist_next(&l, &span)) ...
 */
struct clist {
	const struct ctoks *ts;
	uint32_t pos, end;
};
struct clist clist_open(const struct ctoks *ts, uint32_t open);
bool clist_next(struct clist *l, struct cspan *out);

/* An annotation that is neither type nor name: "__init", "__user", "__attribute__", ... */
bool ctok_is_annotation(const struct ctoks *ts, size_t i);

#endif
