/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What strangers wrote (compilers' messages, file names, Makefiles' words) and is shown on a
 * terminal must not command it: titles, answers typed back, hidden lines.
 *
 *	terminal_guard();		// once, in main: stdout, when it is a terminal
 *	terminal_defuse(buf, len);	// in place, for what goes elsewhere
 *
 * Of escape sequences only colours (ESC [ digits m) and the end of a line (ESC [ K) pass; any
 * other control character but newline and tab becomes "?". Files and pipes get all bytes.
 */
#ifndef KPORT_TERMINAL_H
#define KPORT_TERMINAL_H

#include "base/compat.h"

void terminal_guard(void);
void terminal_defuse(char *s, size_t len);

#endif
