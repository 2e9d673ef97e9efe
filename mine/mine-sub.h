/* SPDX-License-Identifier: GPL-2.0-only */
/* Words behind "kport mine": each parses its own options and gives the exit code. */
#ifndef KPORT_MINE_SUB_H
#define KPORT_MINE_SUB_H

int mine_status(int argc, const char **argv); /* mine-status.c */
int mine_cases(int argc, const char **argv);  /* mine-cases.c */

#endif
