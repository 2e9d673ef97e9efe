/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The findings of a ladder as SARIF 2.1.0, the form that code hosts and editors read. One run; rules are
 * "GATE/TOOL/RULE"; places are relative to the driver ("DRIVER" in originalUriBaseIds); the fingerprint is that of
 * finding.h, so a finding keeps it when lines move. Gates that could not be run are notifications.
 */
#ifndef KPORT_SARIF_H
#define KPORT_SARIF_H

#include <jansson.h>
#include "checks/gate.h"

/* compared: the findings are new ones, those of a driver before are taken off. A new reference. */
json_t *sarif_from_ladder(const struct gate_ladder *l, bool compared);
/* The same into a file, atomically. */
int sarif_write(const char *path, const struct gate_ladder *l, bool compared, struct strbuf *err);
/* A relative path as the path of a URI: other bytes than letters, digits and "-._~/" as %XX. Appended. */
void sarif_uri(const char *path, struct strbuf *out);

#endif
