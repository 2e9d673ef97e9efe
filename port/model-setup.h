/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the command line to an open model: options of "kport port" and of whatever else ports.
 *
 *	struct model_cli cli = MODEL_CLI_INIT;		// filled by options
 *	struct model_setup s;
 *	model_setup_open(&cli, &s, err);		// takes the key: before any child is started
 *	model_setup_start(&s, out_dir, audit, err);	// opens the record of exchanges
 *	run.model = s.on ? &s.opts : NULL;
 *	model_setup_close(&s);
 */
#ifndef KPORT_MODEL_SETUP_H
#define KPORT_MODEL_SETUP_H

#include "port/model.h"

struct model_cli {
	const char *generator, *model, *url, *budget, *exchanges;
	int64_t samples, window, max_tokens;
	bool review, dump;
	struct strvec no_send;
};
#define MODEL_CLI_INIT { .no_send = STRVEC_INIT }

struct model_setup {
	bool on;	/* a model takes part */
	bool replay;
	char *exchanges; /* path of the record, as given */
	char *label;
	struct agent agent;
	struct backend *backend;
	struct model_opts opts;
	struct audit *audit;
};

/* KP_ERR for wrong words; nothing is started or written. */
int model_setup_open(const struct model_cli *cli, struct model_setup *s, struct strbuf *err);
int model_setup_start(struct model_setup *s, const char *out_dir, struct audit *audit, struct strbuf *err);
void model_setup_close(struct model_setup *s);

#endif
