/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * API index of one kernel: what its headers declare, one SQLite file per kernel
 * tree under CACHE/index/, made on first use (some seconds) and keyed by the
 * content of the tree's identity (release, Module.symvers, header list).
 *
 *	struct api_index *ix;
 *	api_index_open(common_dir, build_dir, symvers, &ix, err);
 *	const struct api_symbol *s = api_lookup(ix, "timer_delete", API_ANY_CALLABLE);
 *	api_index_close(ix);
 *
 * Symbols belong to the index and live until it is closed. Lookups return the
 * best declaration first (defined for our architecture and configuration before
 * others, definitions before declarations).
 *
 * Headers are read as text, without preprocessing: both branches of an #if are
 * listed, with the conditions that hold for each in "cond". What a generator macro
 * of the same header declares (PAGEFLAG, SIMPLE_..) is listed too.
 *
 * Types are normalised: one blank between words, "*" tight to what follows,
 * storage words, attributes and comments dropped, address spaces (__user,
 * __iomem) kept. An array's "[n]" and a bit-field's ":3" follow the type without
 * a blank ("u8[6]", "unsigned int:3"); of a pointer to a function, type is what
 * the function returns and params what it takes.
 *
 * Lookups of "struct foo", "union foo" and "enum foo" are for that kind only.
 * Errors: KP_ERR no headers there; KP_INFRA cache not writable. One thread.
 */
#ifndef KPORT_APIINDEX_H
#define KPORT_APIINDEX_H

#include "base/strbuf.h"
#include "base/strvec.h"

enum api_kind {
	API_FUNCTION = 1 << 0,	 /* declared: type = return type, params */
	API_INLINE = 1 << 1,	 /* static inline with body */
	API_MACRO = 1 << 2,	 /* object-like: body */
	API_MACRO_FN = 1 << 3,	 /* function-like: params = "a, b, ...", body */
	API_STRUCT = 1 << 4,	 /* tag with a body: "struct foo" is looked up as name "foo" */
	API_UNION = 1 << 5,
	API_ENUM = 1 << 6,
	API_ENUMERATOR = 1 << 7, /* parent = enum tag or ""; type = value text when given */
	API_TYPEDEF = 1 << 8,	 /* type = underlying declaration text */
	API_VARIABLE = 1 << 9,	 /* extern objects: type */
	API_MEMBER = 1 << 10,	 /* parent = "struct foo"; type; params when a function pointer */
	API_ANY_CALLABLE = API_FUNCTION | API_INLINE | API_MACRO_FN,
	API_ANY = ~0
};

struct api_symbol {
	int id;
	enum api_kind kind;
	const char *name;
	const char *header; /* as one would include it: "linux/timer.h", "asm/io.h"; "uapi/" stripped */
	int line;
	const char *type;   /* normalised: one blank between words, "*" tight to the right */
	const char *params; /* normalised "struct timer_list *timer, int x"; "void" for none; NULL: no function */
	const char *body;   /* macro replacement or inline body, comments removed; NULL above 4 KiB */
	const char *parent; /* of members and enumerators; nested anonymous structs belong to the outer one */
	const char *path;   /* members inside a named nested struct: "a.b" is the way to them, else name */
	const char *cond;   /* "#if" conditions, " && "-joined, NULL when none */
	const char *alias;  /* macro or inline that only forwards: the function it calls, else NULL */
	int order;	    /* position among its siblings: members, enumerators */
	bool exported, gpl; /* from Module.symvers */
	bool must_check;    /* __must_check */
	bool active;	    /* false: the kernel's configuration excludes it (cond) */
	bool generated;	    /* by a macro of its header */
	const char *ns;	    /* namespace or NULL */
	const char *doc;    /* kernel-doc summary or NULL */
};

struct api_index;

int api_index_open(const char *common_dir, const char *build_dir, const char *symvers,
		   struct api_index **out, struct strbuf *err);
/* An index that lies in a file, wherever it came from. Its tree need not be there. */
int api_index_open_file(const char *path, struct api_index **out, struct strbuf *err);
/* The file of an open one. */
const char *api_index_file(const struct api_index *ix);
void api_index_close(struct api_index *ix);
const char *api_index_release(const struct api_index *ix);

/* First match of any of the kinds, or NULL. */
const struct api_symbol *api_lookup(struct api_index *ix, const char *name, unsigned kinds);
/* All matches; the array is the caller's to free, its elements are not. */
size_t api_lookup_all(struct api_index *ix, const char *name, unsigned kinds,
		      const struct api_symbol ***out);
/* Members of "struct foo" (with anonymous nested ones), in order. */
size_t api_members(struct api_index *ix, const char *parent, const struct api_symbol ***out);
const struct api_symbol *api_member(struct api_index *ix, const char *parent, const char *name);
/* Everything declared in a header ("linux/timer.h"). */
size_t api_in_header(struct api_index *ix, const char *header, unsigned kinds,
		     const struct api_symbol ***out);
/* Functions with a parameter or return value of this base type ("struct timer_list"). */
size_t api_taking_type(struct api_index *ix, const char *type, unsigned kinds,
		       const struct api_symbol ***out);
size_t api_returning_type(struct api_index *ix, const char *type, unsigned kinds,
			  const struct api_symbol ***out);
/* Is the type ("struct foo") spoken of by any declaration or macro, however it is used there? */
bool api_mentions(struct api_index *ix, const char *type);
bool api_has_header(struct api_index *ix, const char *header);
/* Headers with this base name ("unaligned.h"), as included. */
size_t api_headers_named(struct api_index *ix, const char *basename, struct strvec *out);
/* Headers that "header" includes, directly; transitive closure with deep. */
size_t api_includes(struct api_index *ix, const char *header, bool deep, struct strvec *out);
/* Is it in Module.symvers? For functions that no header declares. */
bool api_is_exported(struct api_index *ix, const char *name, bool *gpl, const char **ns);

#endif
