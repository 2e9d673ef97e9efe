/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of a check (DESIGN section 4). */
#ifndef KPORT_VERDICT_H
#define KPORT_VERDICT_H

enum verdict {
	VERDICT_NONE,	 /* not run */
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,	 /* not applicable, says why */
	VERDICT_UNKNOWN, /* the tool could not judge */
	VERDICT_INFRA,	 /* our or the machine's fault */
};

const char *verdict_name(enum verdict v); /* "PASS", ...; "NOT RUN" for none */
/* VERDICT_NONE when the word is not known. */
enum verdict verdict_parse(const char *name);

#endif
