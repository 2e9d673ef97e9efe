/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the histories are that were mined here or imported. */
#ifndef KPORT_HISTORIES_H
#define KPORT_HISTORIES_H

#include "base/strvec.h"

/* Appends the files of cochange_open(), those of this machine first. */
void histories_list(struct strvec *paths);

#endif
