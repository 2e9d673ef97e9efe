// SPDX-License-Identifier: GPL-2.0-only
/* Base types of normalised parameter lists and types. */
#include "base/compat.h"
#include "mine/index-internal.h"
#include "base/strbuf.h"

static bool word_in(const char *w, size_t len, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == len && !memcmp(*list, w, len))
			return true;
	return false;
}

/*
 * The base type's name within [p, end), one parameter or type: the tag behind
 * "struct", or the first word that is neither qualifier nor a plain C type.
 */
static const char *base_name(const char *p, const char *end, size_t *len)
{
	static const char *const skip[] = { "const", "volatile", "__user", "__iomem", "__percpu",
					    "__rcu", "__force", "register", NULL };
	static const char *const plain[] = { "void", "char", "short", "int", "long", "unsigned",
					     "signed", "bool", "_Bool", "float", "double", "u8",
					     "u16", "u32", "u64", "s8", "s16", "s32", "s64",
					     "size_t", "ssize_t", "uint", "ulong", NULL };
	static const char *const tags[] = { "struct", "union", "enum", NULL };
	bool tagged = false;

	while (p < end) {
		const char *w;

		if (!is_word_char(*p)) {
			/* A word behind these is no type any more. */
			if (*p == '*' || *p == '(' || *p == '[' || *p == '.')
				return NULL;
			p++;
			continue;
		}
		for (w = p; p < end && is_word_char(*p); p++)
			;
		*len = p - w;
		if (word_in(w, *len, tags))
			tagged = true;
		else if (tagged || !word_in(w, *len, skip))
			return !tagged && word_in(w, *len, plain) ? NULL : w;
	}
	return NULL;
}

void type_names(const char *text, bool params, void (*fn)(const char *name, size_t len, void *payload),
		void *payload)
{
	const char *from = text, *p;
	size_t len;
	int depth = 0;

	for (p = text;; p++) {
		if (*p == '(' || *p == '[')
			depth++;
		if (*p == ')' || *p == ']')
			depth--;
		if (*p && !(params && *p == ',' && depth == 0))
			continue;
		from = base_name(from, p, &len);
		if (from)
			fn(from, len, payload);
		if (!*p)
			break;
		from = p + 1;
	}
}
