/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kport.conf in git-config syntax, read through libgit2's parser: system
 * (/etc/kport.conf), user ($XDG_CONFIG_HOME/kport/kport.conf), project (the
 * nearest kport.conf from the current directory upwards), then --config
 * KEY=VALUE; later wins. Keys are "section.name", for example "port.timeout".
 */
#ifndef KPORT_CONFIG_H
#define KPORT_CONFIG_H

#include "base/compat.h"
#include "base/strbuf.h"

int config_load(struct strbuf *err);		/* a syntax error names file and line */
int config_set(const char *key_value, struct strbuf *err); /* "section.name=value" */
const char *config_str(const char *key, const char *dflt);
int config_int(const char *key, int64_t dflt, int64_t *out, struct strbuf *err);
int config_bool(const char *key, bool dflt, bool *out, struct strbuf *err);
void config_release(void);

#endif
