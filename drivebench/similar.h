/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How near a port is to the maintainers' own, as text. A file is cut into units: each
 * function definition by its name, and one unit "" of all that is in none. Definitions with
 * formulas: docs/drivebench.md. Never a verdict: that is for the gates.
 */
#ifndef KPORT_SIMILAR_H
#define KPORT_SIMILAR_H

#include <jansson.h>
#include "base/compat.h"

struct similar {
	size_t units;		/* that the maintainers changed */
	size_t exact, token;	/* of them, those that are the same in the port: bytes, tokens */
	double delta;		/* mean over them; 0 for a port that changed nothing */
	double codebleu, bleu, weighted_bleu, syntax, dataflow; /* means over them */
	size_t both, any;	/* units changed by both, by either */
	double function_iou;
	double edit_ratio;	/* tokens that the port edits for one that the maintainers edit; NAN: they edit none */
	size_t api_hit, api_gold; /* changes of counts of the case's API names: shared, maintainers' */
	size_t hit, ours;	/* of all names: shared, the port's */
	double recall, precision; /* NAN: nothing to find, nothing changed */
	bool capped;		/* a unit was too large for exact distances: a bound was taken */
};

/* Texts are NUL-terminated; names: what changed under the driver and what takes its place. */
void similar_compare(const char *old, const char *ours, const char *gold, const char *const *names, size_t nnames,
		     struct similar *out);
json_t *similar_json(const struct similar *s); /* NAN becomes null */

#endif
