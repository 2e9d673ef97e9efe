/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostics of one translation unit, from the compiler's machine format
 * (gcc -fdiagnostics-format=json), and of modpost, from its text.
 */
#ifndef KPORT_DIAG_H
#define KPORT_DIAG_H

#include <jansson.h>
#include "base/strbuf.h"
#include "base/strvec.h"

enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR, DIAG_FATAL };

/*
 * What a diagnostic says, independent of the compiler's wording. Names in the
 * comments are the fields of struct diag that are filled.
 */
enum diag_kind {
	DIAG_OTHER,
	DIAG_MISSING_HEADER,	   /* symbol: header as written ("asm/unaligned.h") */
	DIAG_IMPLICIT_FUNCTION,	   /* symbol; hint: the compiler's suggestion */
	DIAG_UNDECLARED,	   /* symbol; hint */
	DIAG_NO_MEMBER,		   /* symbol: member; type: "struct foo"; hint; also for initialisers */
	DIAG_INCOMPATIBLE_POINTER, /* expected, found: types; symbol: function called, for arguments; context, target, value */
	DIAG_CONFLICTING_TYPES,	   /* symbol: declared twice differently */
	DIAG_TOO_FEW_ARGS,	   /* symbol: function */
	DIAG_TOO_MANY_ARGS,	   /* symbol: function */
	DIAG_MACRO_ARITY,	   /* symbol: macro; expected, found: counts as text */
	DIAG_DISCARDED_QUALIFIER,  /* type qualifiers lost: expected, found when given */
	DIAG_INT_CONVERSION,	   /* pointer <-> integer; expected, found */
	DIAG_INCOMPATIBLE_TYPES,   /* struct/void/int used where it cannot be; expected, found */
	DIAG_INCOMPLETE_TYPE,	   /* type: "struct foo" is only declared */
	DIAG_UNKNOWN_TYPE,	   /* symbol: type name */
	DIAG_VOID_VALUE,	   /* void value not ignored */
	DIAG_REDEFINITION,	   /* symbol: defined here and in a header; related: where */
	DIAG_RETURN_TYPE,	   /* return with(out) a value / control reaches the end */
	DIAG_NOT_CONSTANT,	   /* initialiser is not constant */
	DIAG_READ_ONLY,		   /* assignment of a const member or object; symbol */
	DIAG_SYNTAX,		   /* expected X before Y; symbol: the unknown macro behind it, when seen */
	DIAG_UNUSED,		   /* unused function or variable; symbol */
	DIAG_UNUSED_RESULT,	   /* of a function whose result must be looked at; symbol */
	DIAG_UNINITIALIZED,
	DIAG_FORMAT,
	/* modpost */
	DIAG_UNDEFINED_SYMBOL,	   /* symbol; type: module */
	DIAG_GPL_ONLY,		   /* symbol */
	DIAG_NAMESPACE,		   /* symbol; expected: the namespace to import */
	DIAG_SECTION_MISMATCH,
	DIAG_OBJTOOL,		   /* what objtool refuses; symbol: function; type: object */
	DIAG_KIND_COUNT
};

/* Where a mismatching pointer was used (DIAG_INCOMPATIBLE_POINTER and friends). */
enum diag_context { DIAG_CTX_NONE, DIAG_CTX_INIT, DIAG_CTX_ASSIGN, DIAG_CTX_ARGUMENT, DIAG_CTX_RETURN };

struct diag_loc {
	char *file;	/* as the compiler saw it, made absolute; NULL when unknown */
	int line, col;	/* 1-based byte column of the range's start; 0 when unknown */
	int end_line, end_col; /* end of the range, inclusive; equal to the start when none */
	int caret_line, caret_col; /* inside the range: the operator of a binary expression, "=", ... */
};

struct diag {
	enum diag_level level;
	enum diag_kind kind;
	enum diag_context context;
	bool dangerous;		/* a warning that this project counts as an error */
	struct diag_loc loc;	/* for macros the outermost expansion point, its range the invocation */
	struct diag_loc *notes; /* locations of notes ("declared here", "in expansion of") */
	char **note_text;
	size_t nnotes;
	char *message;		/* the compiler's words */
	char *option;		/* "-Wincompatible-pointer-types" or NULL */
	char *symbol, *type, *expected, *found, *hint; /* by kind, or NULL; types unquoted, "{aka}" removed */
	char *found_aka, *expected_aka; /* the {aka ...} forms, or NULL */
	int arg;		/* 1-based for DIAG_CTX_ARGUMENT */
	char *target;		/* DIAG_CTX_INIT: what is initialised, "ops.remove" ("(anonymous).remove") */
	char *macro;		/* the location lies in an expansion of this macro */
	char *value;		/* the mismatching expression when it is a plain identifier ("foo_remove") */
	int folded;		/* cascades that diag_fold() dropped for this root */
};

struct diag_list {
	struct diag *d;
	size_t n, alloc;
};

void diag_list_release(struct diag_list *l);
const char *diag_kind_name(enum diag_kind k); /* "missing-header", ... */

/*
 * Parse the compiler's stderr (may hold several JSON arrays and stray text,
 * which is ignored). cwd makes relative file names absolute. KP_ERR when there
 * is no JSON although "expect" says that the compiler failed.
 */
int diag_parse_gcc(const char *text, size_t len, const char *cwd, struct diag_list *out,
		   struct strbuf *err);
/*
 * clang's text, as CLANG_DIAG_OPTIONS make it print: what was found. Looks into the sources for whose
 * argument is meant. The kinds and fields are those of gcc's words for the same fault.
 */
size_t diag_parse_clang(const char *text, size_t len, const char *cwd, struct diag_list *out);
#define CLANG_DIAG_OPTIONS \
	"-fno-caret-diagnostics", "-fdiagnostics-print-source-range-info", "-fno-color-diagnostics"
/* One line of modpost's output, in the words of any kernel from 5.10 to 7.3, or an error of objtool; false when it is none. */
bool diag_parse_modpost(const char *line, struct diag_list *out);
/* Kind and fields of a gcc message (quotes may be UTF-8); option without "error=" or NULL. */
void diag_classify(struct diag *d, const char *message, const char *option);

/*
 * What follows reads the sources that the diagnostics name (as they are now).
 * diag_localise: where the primary location lies outside "tree" and a note is
 * inside, the two change places. diag_read_sources: fills macro and value, and
 * symbol when the kind leaves it empty.
 */
void diag_localise(struct diag_list *l, const char *tree);
void diag_read_sources(struct diag_list *l);
/*
 * Root causes of raw, in order: exact repetitions and cascades (the bogus
 * errors behind an unknown designator, int conversions of an implicitly
 * declared call, syntax errors behind an unknown type or macro, argument
 * mismatches of a call with a wrong count, ...) are dropped and counted in
 * their root. Never empty when raw is not.
 */
void diag_fold(const struct diag_list *raw, struct diag_list *roots);

/* Is this an error, or a warning of the kinds that gate "compile" counts as one (DESIGN section 4)? */
bool diag_is_failure(const struct diag *d);

json_t *diag_to_json(const struct diag *d);
int diag_from_json(const json_t *v, struct diag *out);
void diag_copy(struct diag *dst, const struct diag *src);
void diag_release(struct diag *d);
struct diag *diag_list_add(struct diag_list *l); /* zeroed element */

#endif
