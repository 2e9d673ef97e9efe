// SPDX-License-Identifier: GPL-2.0-only
/* Reading the store of co-changes. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/cochange-internal.h"

const char *cochange_class_name(enum cochange_class c)
{
	static const char *const names[COCHANGE_CLASS_COUNT] = {
		"none", "rename", "signature", "removal", "header-move", "member", "macro", "constant",
		"namespace", "licence", "semantic", "hardening", "layout", "adoption",
	};

	return (unsigned)c < COCHANGE_CLASS_COUNT ? names[c] : "unknown";
}

const char *cochange_filter_name(enum cochange_filter f)
{
	static const char *const names[FILTER_COUNT] = {
		"none", "merge", "whitespace", "comments", "spdx", "revert", "reverted", "treewide",
		"unrelated", "private", "new-code", "moved", "unreadable",
	};

	return (unsigned)f < FILTER_COUNT ? names[f] : "unknown";
}

const char *cochange_link_name(enum cochange_link l)
{
	static const char *const names[LINK_COUNT] = { "same-commit", "series", "follow-up" };

	return (unsigned)l < LINK_COUNT ? names[l] : "unknown";
}
