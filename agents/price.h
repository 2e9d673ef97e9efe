/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tokens cost, from a table of the user's: prices change, so none are shipped.
 *
 *	# model (shell pattern)		for a million tokens: in	out	currency
 *	openai:some-model*		0.50				1.50	USD
 *
 * Fields are separated by blanks; "#" begins a comment; the first line that fits counts.
 *
 *	price_find(path, "openai:some-model", &p, err);	// KP_NOTFOUND: no line fits
 *	cost = price_of(&p, &usage);			// below 0: usage is unknown
 */
#ifndef KPORT_PRICE_H
#define KPORT_PRICE_H

#include "agents/backend.h"

struct price {
	double in, out; /* for a million tokens */
	char currency[8];
};

int price_find(const char *path, const char *model, struct price *out, struct strbuf *err);
double price_of(const struct price *p, const struct usage *u);

#endif
