// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a compiler's message says, from a table of wordings (gcc 8 to 16, clang 14 to 19).
 *
 * Pattern language: literal text, and
 *	@x	quoted text goes to field x, with an optional {aka '...'} behind it:
 *		s symbol, t type, e expected, f found, _ ignored
 *	#x	unquoted text up to the literal that follows: s e f as above, n argument number
 *	*	(last only) anything
 * The first pattern that matches the whole message wins.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "harness/diag.h"

struct wording {
	const char *pattern;
	enum diag_kind kind;
	enum diag_context context;
};

static const struct wording wordings[] = {
	{ "#s: No such file or directory", DIAG_MISSING_HEADER },
	{ "implicit declaration of function @s*", DIAG_IMPLICIT_FUNCTION },
	{ "@s undeclared*", DIAG_UNDECLARED },
	{ "@t has no member named @s*", DIAG_NO_MEMBER },
	{ "unknown field @s specified in initializer*", DIAG_NO_MEMBER },
	{ "request for member @s in something not a structure or union", DIAG_NO_MEMBER },

	{ "initialization of @e from incompatible pointer type @f*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_INIT },
	{ "assignment to @e from incompatible pointer type @f*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ASSIGN },
	{ "passing argument #n of @s from incompatible pointer type*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ARGUMENT },
	{ "returning @f from a function with incompatible return type @e*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_RETURN },
	{ "comparison of distinct pointer types*", DIAG_INCOMPATIBLE_POINTER },
	{ "pointer type mismatch in conditional expression*", DIAG_INCOMPATIBLE_POINTER },

	{ "initialization discards @_ qualifier*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_INIT },
	{ "assignment discards @_ qualifier*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_ASSIGN },
	{ "passing argument #n of @s discards @_ qualifier*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_ARGUMENT },
	{ "return discards @_ qualifier*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_RETURN },
	{ "cast discards @_ qualifier*", DIAG_DISCARDED_QUALIFIER },

	{ "initialization of @e from @f makes *", DIAG_INT_CONVERSION, DIAG_CTX_INIT },
	{ "assignment to @e from @f makes *", DIAG_INT_CONVERSION, DIAG_CTX_ASSIGN },
	{ "passing argument #n of @s makes *", DIAG_INT_CONVERSION, DIAG_CTX_ARGUMENT },
	{ "returning @f from a function with return type @e makes *", DIAG_INT_CONVERSION, DIAG_CTX_RETURN },
	{ "comparison between pointer and integer*", DIAG_INT_CONVERSION },
	{ "pointer/integer type mismatch in conditional expression*", DIAG_INT_CONVERSION },

	{ "incompatible types when initializing type @e using type @f", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_INIT },
	{ "incompatible types when assigning to type @e from type @f", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ASSIGN },
	{ "incompatible types when returning type @f but @e was expected", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_RETURN },
	{ "incompatible type for argument #n of @s", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ARGUMENT },
	{ "invalid type argument of @_ (have @f)", DIAG_INCOMPATIBLE_TYPES },
	{ "invalid initializer", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_INIT },
	{ "invalid operands to binary *", DIAG_INCOMPATIBLE_TYPES },
	{ "wrong type argument to *", DIAG_INCOMPATIBLE_TYPES },
	{ "used @f type value where scalar is required", DIAG_INCOMPATIBLE_TYPES },
	{ "aggregate value used where *", DIAG_INCOMPATIBLE_TYPES },
	{ "cannot convert to a pointer type", DIAG_INCOMPATIBLE_TYPES },
	{ "conversion to non-scalar type requested", DIAG_INCOMPATIBLE_TYPES },
	{ "assignment to expression with array type", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ASSIGN },
	{ "called object @s is not a function or function pointer", DIAG_INCOMPATIBLE_TYPES },
	{ "called object is not a function or function pointer", DIAG_INCOMPATIBLE_TYPES },
	{ "subscripted value is neither array nor pointer nor vector", DIAG_INCOMPATIBLE_TYPES },
	{ "switch quantity not an integer", DIAG_INCOMPATIBLE_TYPES },
	{ "@s is a pointer; did you mean to use *", DIAG_INCOMPATIBLE_TYPES },

	{ "conflicting types for @s; have @f", DIAG_CONFLICTING_TYPES },
	{ "conflicting types for @s*", DIAG_CONFLICTING_TYPES },
	{ "conflicting type qualifiers for @s*", DIAG_CONFLICTING_TYPES },
	{ "too few arguments to function @s*", DIAG_TOO_FEW_ARGS },
	{ "too many arguments to function @s*", DIAG_TOO_MANY_ARGS },
	{ "too few arguments to function*", DIAG_TOO_FEW_ARGS },
	{ "too many arguments to function*", DIAG_TOO_MANY_ARGS },
	{ "macro \"#s\" requires #e arguments, but only #f given", DIAG_MACRO_ARITY },
	{ "macro \"#s\" passed #f arguments, but takes just #e", DIAG_MACRO_ARITY },
	{ "unterminated argument list invoking macro \"#s\"", DIAG_SYNTAX },

	{ "invalid use of undefined type @t", DIAG_INCOMPLETE_TYPE },
	{ "invalid use of incomplete typedef @t", DIAG_INCOMPLETE_TYPE },
	{ "dereferencing pointer to incomplete type @t", DIAG_INCOMPLETE_TYPE },
	{ "variable @s has initializer but incomplete type", DIAG_INCOMPLETE_TYPE },
	{ "storage size of @s isn't known", DIAG_INCOMPLETE_TYPE },
	{ "storage size of @s isn't constant", DIAG_INCOMPLETE_TYPE },
	{ "invalid application of @_ to incomplete type @t", DIAG_INCOMPLETE_TYPE },
	{ "field @s has incomplete type*", DIAG_INCOMPLETE_TYPE },
	{ "parameter #n (@s) has incomplete type", DIAG_INCOMPLETE_TYPE },
	{ "type of formal parameter #n is incomplete", DIAG_INCOMPLETE_TYPE },
	{ "@s has an incomplete type @t", DIAG_INCOMPLETE_TYPE },
	{ "return type is an incomplete type", DIAG_INCOMPLETE_TYPE },
	{ "array type has incomplete element type @t", DIAG_INCOMPLETE_TYPE },
	{ "@t declared inside parameter list *", DIAG_INCOMPLETE_TYPE },
	{ "unknown type name @s*", DIAG_UNKNOWN_TYPE },

	{ "void value not ignored as it ought to be", DIAG_VOID_VALUE },
	{ "invalid use of void expression", DIAG_VOID_VALUE },
	{ "variable or field @s declared void", DIAG_VOID_VALUE },

	{ "redefinition of typedef @s*", DIAG_REDEFINITION },
	{ "redefinition of @s*", DIAG_REDEFINITION },
	{ "redeclaration of enumerator @s*", DIAG_REDEFINITION },
	{ "redeclaration of @s*", DIAG_REDEFINITION },
	{ "nested redefinition of @s*", DIAG_REDEFINITION },
	{ "@s redeclared as *", DIAG_REDEFINITION },
	{ "static declaration of @s follows non-static declaration", DIAG_REDEFINITION },
	{ "non-static declaration of @s follows static declaration", DIAG_REDEFINITION },
	{ "previous definition of @s *", DIAG_REDEFINITION },
	{ "\"#s\" redefined", DIAG_REDEFINITION },

	{ "@_ with a value, in function returning void", DIAG_RETURN_TYPE },
	{ "@_ with no value, in function returning non-void", DIAG_RETURN_TYPE },
	{ "initializer element is not *", DIAG_NOT_CONSTANT, DIAG_CTX_INIT },
	{ "case label does not reduce to an integer constant", DIAG_NOT_CONSTANT },
	{ "variably modified @s at file scope", DIAG_NOT_CONSTANT },
	{ "enumerator value for @s is not an integer constant", DIAG_NOT_CONSTANT },
	{ "array size missing in @s", DIAG_NOT_CONSTANT },

	{ "assignment of member @s in read-only object", DIAG_READ_ONLY, DIAG_CTX_ASSIGN },
	{ "assignment of read-only #f @s", DIAG_READ_ONLY, DIAG_CTX_ASSIGN },
	{ "increment of read-only #f @s", DIAG_READ_ONLY },
	{ "decrement of read-only #f @s", DIAG_READ_ONLY },
	{ "increment of member @s in read-only object", DIAG_READ_ONLY },
	{ "decrement of member @s in read-only object", DIAG_READ_ONLY },

	{ "type defaults to @_ in declaration of @s", DIAG_SYNTAX },
	{ "type of @s defaults to @_", DIAG_SYNTAX },
	{ "return type defaults to @_", DIAG_SYNTAX },
	{ "data definition has no type or storage class", DIAG_SYNTAX },
	{ "parameter names (without types) in function declaration", DIAG_SYNTAX },
	{ "declaration for parameter @s but no such parameter", DIAG_SYNTAX },
	{ "old-style parameter declarations in prototyped function definition", DIAG_SYNTAX },
	{ "expected *", DIAG_SYNTAX },
	{ "stray *", DIAG_SYNTAX },
	{ "missing terminating *", DIAG_SYNTAX },
	{ "unterminated *", DIAG_SYNTAX },
	{ "invalid storage class for function @s", DIAG_SYNTAX },
	{ "two or more data types in declaration specifiers", DIAG_SYNTAX },

	{ "unused variable @s", DIAG_UNUSED },
	{ "unused label @s", DIAG_UNUSED },
	{ "unused parameter @s", DIAG_UNUSED },
	{ "@s defined but not used", DIAG_UNUSED },
	{ "label @s defined but not used", DIAG_UNUSED },
	{ "variable @s set but not used", DIAG_UNUSED },
	{ "parameter @s set but not used", DIAG_UNUSED },
	{ "@s declared @_ but never defined", DIAG_UNUSED },
	{ "ignoring return value of @s declared with attribute *", DIAG_UNUSED_RESULT },
	{ "ignoring return value of function declared with *", DIAG_UNUSED_RESULT },
	{ "@s used but never defined", DIAG_UNDECLARED },
	{ "@s is used uninitialized*", DIAG_UNINITIALIZED },
	{ "@s may be used uninitialized*", DIAG_UNINITIALIZED },
	{ "format @_ expects argument of type @e, but argument #n has type @f", DIAG_FORMAT },
	{ "label @s used but not defined", DIAG_UNDECLARED },

	/* clang */
	{ "@s file not found", DIAG_MISSING_HEADER },
	{ "call to undeclared function @s*", DIAG_IMPLICIT_FUNCTION },
	{ "call to undeclared library function @s*", DIAG_IMPLICIT_FUNCTION },
	{ "use of undeclared identifier @s*", DIAG_UNDECLARED },
	{ "use of undeclared label @s*", DIAG_UNDECLARED },
	{ "no member named @s in @t*", DIAG_NO_MEMBER },
	{ "field designator @s does not refer to any field in type @t*", DIAG_NO_MEMBER },
	{ "incompatible function pointer types initializing @e with an expression of type @f*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_INIT },
	{ "incompatible pointer types initializing @e with an expression of type @f*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_INIT },
	{ "incompatible function pointer types assigning to @e from @f*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ASSIGN },
	{ "incompatible pointer types assigning to @e from @f*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ASSIGN },
	{ "incompatible function pointer types passing @f to parameter of type @e*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ARGUMENT },
	{ "incompatible pointer types passing @f to parameter of type @e*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ARGUMENT },
	{ "incompatible function pointer types returning @f from a function with result type @e*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_RETURN },
	{ "incompatible pointer types returning @f from a function with result type @e*", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_RETURN },
	{ "initializing @e with an expression of type @f discards qualifiers*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_INIT },
	{ "assigning to @e from @f discards qualifiers*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_ASSIGN },
	{ "passing @f to parameter of type @e discards qualifiers*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_ARGUMENT },
	{ "returning @f from a function with result type @e discards qualifiers*", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_RETURN },
	{ "incompatible integer to pointer conversion initializing @e with an expression of type @f*", DIAG_INT_CONVERSION, DIAG_CTX_INIT },
	{ "incompatible integer to pointer conversion assigning to @e from @f*", DIAG_INT_CONVERSION, DIAG_CTX_ASSIGN },
	{ "incompatible integer to pointer conversion passing @f to parameter of type @e*", DIAG_INT_CONVERSION, DIAG_CTX_ARGUMENT },
	{ "incompatible integer to pointer conversion returning @f from a function with result type @e*", DIAG_INT_CONVERSION, DIAG_CTX_RETURN },
	{ "incompatible pointer to integer conversion initializing @e with an expression of type @f*", DIAG_INT_CONVERSION, DIAG_CTX_INIT },
	{ "incompatible pointer to integer conversion assigning to @e from @f*", DIAG_INT_CONVERSION, DIAG_CTX_ASSIGN },
	{ "incompatible pointer to integer conversion passing @f to parameter of type @e*", DIAG_INT_CONVERSION, DIAG_CTX_ARGUMENT },
	{ "incompatible pointer to integer conversion returning @f from a function with result type @e*", DIAG_INT_CONVERSION, DIAG_CTX_RETURN },
	{ "initializing @e with an expression of incompatible type 'void'", DIAG_VOID_VALUE, DIAG_CTX_INIT },
	{ "assigning to @e from incompatible type 'void'", DIAG_VOID_VALUE, DIAG_CTX_ASSIGN },
	{ "initializing @e with an expression of incompatible type @f*", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_INIT },
	{ "assigning to @e from incompatible type @f*", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ASSIGN },
	{ "passing @f to parameter of incompatible type @e*", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ARGUMENT },
	{ "returning @f from a function with incompatible result type @e*", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_RETURN },
	{ "invalid operands to binary expression *", DIAG_INCOMPATIBLE_TYPES },
	{ "member reference type @f is *", DIAG_INCOMPATIBLE_TYPES },
	{ "member reference base type @f is not a structure or union", DIAG_INCOMPATIBLE_TYPES },
	{ "called object type @f is not a function or function pointer", DIAG_INCOMPATIBLE_TYPES },
	{ "array type @f is not assignable", DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ASSIGN },
	{ "statement requires expression of scalar type (@f invalid)", DIAG_INCOMPATIBLE_TYPES },
	{ "operand of type @f where arithmetic or pointer type is required", DIAG_INCOMPATIBLE_TYPES },
	{ "too few arguments provided to function-like macro invocation", DIAG_MACRO_ARITY },
	{ "too many arguments provided to function-like macro invocation", DIAG_MACRO_ARITY },
	{ "incomplete definition of type @t", DIAG_INCOMPLETE_TYPE },
	{ "variable has incomplete type @t", DIAG_INCOMPLETE_TYPE },
	{ "field has incomplete type @t", DIAG_INCOMPLETE_TYPE },
	{ "array has incomplete element type @t", DIAG_INCOMPLETE_TYPE },
	{ "incomplete result type @t in function definition", DIAG_INCOMPLETE_TYPE },
	{ "argument type @t is incomplete", DIAG_INCOMPLETE_TYPE },
	{ "tentative definition has type @t that is never completed", DIAG_INCOMPLETE_TYPE },
	{ "invalid application of @_ to an incomplete type @t", DIAG_INCOMPLETE_TYPE },
	{ "declaration of @t will not be visible outside of this function", DIAG_INCOMPLETE_TYPE },
	{ "typedef redefinition with different types *", DIAG_REDEFINITION },
	{ "non-void function does not return a value*", DIAG_RETURN_TYPE },
	{ "non-void function @s should return a value", DIAG_RETURN_TYPE },
	{ "void function @s should not return a value", DIAG_RETURN_TYPE },
	{ "initializer element is not a compile-time constant", DIAG_NOT_CONSTANT, DIAG_CTX_INIT },
	{ "cannot assign to non-static data member @s with const-qualified type *", DIAG_READ_ONLY, DIAG_CTX_ASSIGN },
	{ "cannot assign to variable @s with const-qualified type *", DIAG_READ_ONLY, DIAG_CTX_ASSIGN },
	{ "read-only variable is not assignable", DIAG_READ_ONLY, DIAG_CTX_ASSIGN },
	{ "type specifier missing, defaults to *", DIAG_SYNTAX },
	{ "unused function @s", DIAG_UNUSED },
	{ "variable @s is uninitialized when *", DIAG_UNINITIALIZED },
	{ "variable @s is used uninitialized whenever *", DIAG_UNINITIALIZED },
	{ "variable @s may be uninitialized when *", DIAG_UNINITIALIZED },
};

/* Kinds that an option alone decides, where the wording is open-ended. */
static const struct {
	const char *option;
	enum diag_kind kind;
	bool prefix;
} by_option[] = {
	{ "-Wreturn-type", DIAG_RETURN_TYPE },
	{ "-Wunused", DIAG_UNUSED, true },
	{ "-Wuninitialized", DIAG_UNINITIALIZED },
	{ "-Wmaybe-uninitialized", DIAG_UNINITIALIZED },
	{ "-Wformat", DIAG_FORMAT, true },
	{ "-Wimplicit-int", DIAG_SYNTAX },
	{ "-Wimplicit-function-declaration", DIAG_IMPLICIT_FUNCTION },
	{ "-Wincompatible-pointer-types", DIAG_INCOMPATIBLE_POINTER },
	{ "-Wint-conversion", DIAG_INT_CONVERSION },
	{ "-Wdiscarded-qualifiers", DIAG_DISCARDED_QUALIFIER },
};

static const char *const dangerous_options[] = {
	"-Wint-conversion", "-Wincompatible-pointer-types", "-Wdiscarded-qualifiers",
	"-Wimplicit-function-declaration", "-Wimplicit-int", "-Wreturn-type", "-Wreturn-mismatch",
	"-Wuninitialized", "-Wmaybe-uninitialized", "-Wunused-value", "-Wunused-result", "-Wformat",
	"-Wformat=", "-Wformat-extra-args",
	/* clang's */
	"-Wincompatible-function-pointer-types", "-Wincompatible-pointer-types-discards-qualifiers",
	"-Wsometimes-uninitialized", "-Wconditional-uninitialized",
};

struct capture {
	char *text[128], *aka[128]; /* by field letter */
};

static void capture_release(struct capture *c)
{
	for (int i = 0; i < 128; i++) {
		free(c->text[i]);
		free(c->aka[i]);
	}
	memset(c, 0, sizeof(*c));
}

static void capture_set(char **slot, const char *s, size_t n)
{
	free(*slot);
	*slot = xstrndup(s, n);
}

/* Takes "'...'" and an optional " {aka '...'}" off m; NULL when there is none. */
static const char *take_quoted(const char *m, char field, struct capture *c)
{
	const char *end, *aka;

	if (*m != '\'')
		return NULL;
	end = strchr(++m, '\'');
	if (!end)
		return NULL;
	capture_set(&c->text[(int)field], m, end - m);
	m = end + 1;
	if (skip_prefix(m, " {aka '", &aka)) {
		end = strstr(aka, "'}");
		if (!end)
			return NULL;
		capture_set(&c->aka[(int)field], aka, end - aka);
		m = end + 2;
	} else if (skip_prefix(m, " (aka '", &aka)) { /* clang */
		end = strstr(aka, "')");
		if (!end)
			return NULL;
		capture_set(&c->aka[(int)field], aka, end - aka);
		m = end + 2;
	}
	return m;
}

/* Takes the shortest text in front of the literal that follows in the pattern. */
static const char *take_plain(const char *m, const char *after, char field, struct capture *c)
{
	size_t n = strcspn(after, "@#*");
	char *literal = xstrndup(after, n);
	const char *end = n ? strstr(m, literal) : m + strlen(m);

	free(literal);
	if (!end || end == m)
		return NULL;
	capture_set(&c->text[(int)field], m, end - m);
	return end;
}

static bool match(const char *p, const char *m, struct capture *c)
{
	for (; *p; p++) {
		if (*p == '*')
			return true;
		if (*p == '@') {
			m = take_quoted(m, *++p, c);
			if (!m)
				return false;
		} else if (*p == '#') {
			p++;
			m = take_plain(m, p + 1, *p, c);
			if (!m)
				return false;
		} else if (*p != *m++) {
			return false;
		}
	}
	return !*m;
}

static void move(char **dst, char **src)
{
	if (!*src)
		return;
	free(*dst);
	*dst = *src;
	*src = NULL;
}

static void apply(struct diag *d, const struct wording *w, struct capture *c)
{
	d->kind = w->kind;
	d->context = w->context;
	move(&d->symbol, &c->text['s']);
	move(&d->type, &c->text['t']);
	move(&d->expected, &c->text['e']);
	move(&d->expected_aka, &c->aka['e']);
	move(&d->found, &c->text['f']);
	move(&d->found_aka, &c->aka['f']);
	if (c->text['n'])
		d->arg = atoi(c->text['n']);
}

/* The compiler's UTF-8 quotes become plain ones. */
static char *plain_quotes(const char *s)
{
	struct strbuf sb = STRBUF_INIT;

	for (; *s; s++) {
		if (!strncmp(s, "\xe2\x80\x98", 3) || !strncmp(s, "\xe2\x80\x99", 3)) {
			strbuf_addch(&sb, '\'');
			s += 2;
		} else {
			strbuf_addch(&sb, *s);
		}
	}
	return strbuf_detach(&sb, NULL);
}

static void find_hint(struct diag *d)
{
	const char *p = strstr(d->message, "did you mean '"), *end;

	if (!p)
		return;
	p += strlen("did you mean '");
	end = strchr(p, '\'');
	if (end && end > p && !d->hint)
		d->hint = xstrndup(p, end - p);
}

static void classify_by_option(struct diag *d)
{
	for (size_t i = 0; d->option && i < ARRAY_SIZE(by_option); i++) {
		if (by_option[i].prefix ? !starts_with(d->option, by_option[i].option) :
					  strcmp(d->option, by_option[i].option) != 0)
			continue;
		d->kind = by_option[i].kind;
		return;
	}
}

static bool is_dangerous(const struct diag *d)
{
	for (size_t i = 0; d->option && i < ARRAY_SIZE(dangerous_options); i++)
		if (!strcmp(d->option, dangerous_options[i]))
			return true;
	/* Warnings that have no option of their own. */
	return d->kind == DIAG_INT_CONVERSION || d->kind == DIAG_INCOMPATIBLE_POINTER ||
	       d->kind == DIAG_CONFLICTING_TYPES || d->kind == DIAG_INCOMPLETE_TYPE;
}

void diag_classify(struct diag *d, const char *message, const char *option)
{
	struct capture c = { 0 };

	free(d->message);
	free(d->option);
	d->message = plain_quotes(message);
	d->option = xstrdup(option);
	d->kind = DIAG_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(wordings); i++) {
		capture_release(&c);
		if (!match(wordings[i].pattern, d->message, &c))
			continue;
		apply(d, &wordings[i], &c);
		break;
	}
	capture_release(&c);
	if (d->kind == DIAG_OTHER)
		classify_by_option(d);
	find_hint(d);
	d->dangerous = d->level == DIAG_WARNING && is_dangerous(d);
}
