/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver's sources say it does, as a flat list of facts that the honest
 * gate compares before and after: functions, calls, error checks, filled-in members of
 * ops tables, device ids, ioctl numbers, module macros, objects and flags of its Kbuild
 * files, and the marks of tricks (dead branches, casts, pragmas, constant conditions).
 *
 *	struct facts old, new;
 *	facts_read("/ws/orig", version_of_K1, &old, err);
 *	facts_read("/ws/new", version_of_K2, &new, err);
 *	facts_mark_changed(&old, &new);
 *	facts_lost(&old, &new, FACT_CALL, &list);	// a multiset difference
 *	facts_release(&old); ...
 *
 * Sources are seen through ppview() with the kernel's version. Facts point into the
 * files they came from and live as long as "struct facts". All .c, .h and .S files of the
 * tree count except *.mod.c; build files are Makefile, Kbuild, *.mk, Kconfig and dkms.conf.
 */
#ifndef KPORT_FACTS_H
#define KPORT_FACTS_H

#include "base/cfunc.h"
#include "base/strmap.h"
#include "base/strvec.h"

enum fact_kind {
	FACT_FUNCTION,	/* key: name; value: "static" or "global"; f */
	FACT_CALL,	/* key: callee, ".name" through a pointer; value: arguments; bare */
	FACT_CHECK,	/* key: function; value: the condition of an error check */
	FACT_RETURN,	/* key: function; value: what is returned, when no constant */
	FACT_CASE,	/* key: label of a case */
	FACT_MEMBER,	/* key: "struct object.path"; value: initialiser; struct_tag, member */
	FACT_ID,	/* key: "table entry" of a *_device_id array */
	FACT_MACRO,	/* key: "MACRO firstarg" at the top level; value: arguments */
	FACT_IOCTL,	/* key: macro name; value: _IOR(...) text */
	FACT_DEFINE,	/* key: macro name; value: replacement, "(a,b) text" when it has parameters */
	FACT_ASSIGN,	/* key: "function target"; value: right side, of plain assignments */
	FACT_CAST,	/* key: "function operand"; value: type; a cast to a pointer */
	FACT_CONST_IF,	/* key: function; value: the condition, known before it runs */
	FACT_DEAD_CODE,	/* key: function; behind an unconditional return or goto */
	FACT_DEAD_IF,	/* key: "#if 0" */
	FACT_CONDITION,	/* key: directive text of an #if, #ifdef, #ifndef or #elif */
	FACT_INCLUDE,	/* key: "linux/timer.h" with its brackets or quotes */
	FACT_PRAGMA,	/* key: text; also _Pragma and __diag macros */
	FACT_STRING,	/* key: text of a string literal that holds "kport" */
	FACT_OBJECT,	/* key: "foo.o" in a build file */
	FACT_FLAG,	/* key: compiler flag or make word in a build file that concerns warnings */
	FACT_DEFINE_FLAG, /* key: macro name of a -D in a build file; value: its text */
	FACT_KIND_COUNT
};

struct fact_file {
	char *path;	/* relative */
	struct strbuf text; /* the view */
	struct ctoks ts;
	struct cfile cf;
	bool is_build;	/* a build file: no tokens */
	bool changed;	/* against the other side */
};

struct fact {
	enum fact_kind kind;
	char *key, *value;	/* value may be NULL */
	const struct fact_file *file;
	int line;
	const char *function;	/* enclosing, or NULL; points to the function's fact key */
	bool bare;		/* FACT_CALL: result not used */
	const struct cfunc *f;	/* FACT_FUNCTION */
	char *struct_tag, *member; /* FACT_MEMBER; tag NULL when not "struct x" */
	size_t next;		/* index + 1 of the next fact with this kind and key */
};

/* What a function's body amounts to. */
struct body_weight {
	int calls;	/* of anything but logging */
	int effects;	/* control flow, assignments that outlive the function */
	int returns;	/* return statements with a value that is no constant */
	int constants;	/* the other return statements */
	int tokens;
};

struct facts {
	struct fact_file **files;
	size_t nfiles, files_alloc;
	struct fact *f;
	size_t n, alloc;
	struct strmap by_key[FACT_KIND_COUNT]; /* index + 1 of the first fact with that key */
	struct strmap functions; /* name -> index + 1 of its first FACT_FUNCTION */
	struct strmap refs;	 /* identifier -> number of uses outside definitions and prototypes */
};

int facts_read(const char *tree, unsigned version, struct facts *out, struct strbuf *err);
void facts_release(struct facts *fa);
/* Sets "changed" of both sides' files: other contents, or only on one side. */
void facts_mark_changed(struct facts *a, struct facts *b);

struct fact_refs {
	const struct fact **v;
	size_t n, alloc;
};
void fact_refs_release(struct fact_refs *r);
/* Facts of changed files in a whose key b has less often; appended. */
void facts_lost(const struct facts *a, const struct facts *b, enum fact_kind kind,
		struct fact_refs *out);
/* All facts of a kind with this key (NULL: any) in changed files; appended. */
void facts_find(const struct facts *fa, enum fact_kind kind, const char *key, struct fact_refs *out);
size_t facts_count(const struct facts *fa, enum fact_kind kind, const char *key);

const struct fact *facts_function(const struct facts *fa, const char *name);
int facts_ref_count(const struct facts *fa, const char *name);
struct body_weight facts_weight(const struct fact *function);
/* Does the macro's replacement (as in FACT_DEFINE) do nothing? */
bool facts_trivial_define(const char *value);
bool facts_is_log_call(const char *callee);

/* For facts-*.c: */
struct fact *facts_add(struct facts *fa, enum fact_kind kind, const struct fact_file *file,
		       uint32_t line, const char *function, const char *key);
void facts_of_source(struct facts *fa, struct fact_file *file);
void facts_of_body(struct facts *fa, const struct fact_file *file, const char *function,
		   const struct cfunc *f);
/* Calls in [from, to), which belong to a function or to a macro's replacement (function NULL). */
void facts_of_calls(struct facts *fa, const struct fact_file *file, const struct ctoks *ts,
		    struct cspan s, const char *function, int line);
/* "a->b + 1": ctoks_normal() of a span, newly allocated. */
char *facts_span_text(const struct ctoks *ts, uint32_t from, uint32_t to);
void facts_of_build_file(struct facts *fa, const struct fact_file *file);

#endif
