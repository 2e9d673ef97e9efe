/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzz target is tests/fuzz/fuzz-NAME.c with one function fuzz_one(), which gets
 * bytes and checks what must hold for all bytes; it ends the program (abort, or
 * a sanitizer does) when that is not so. The same file is linked with
 * standalone.c, which runs the corpus and fixed mutations of it, and with
 * libFuzzer (make fuzz T=NAME).
 */
#ifndef KPORT_FUZZ_H
#define KPORT_FUZZ_H

#include "base/compat.h"
#include "base/log.h"

void fuzz_one(const uint8_t *data, size_t size);

/* Longer inputs only make it slow; both drivers cut them off here. */
#define FUZZ_MAX 65536

#define FUZZ_CHECK(cond)                                                                           \
	do {                                                                                       \
		if (!(cond))                                                                       \
			BUG("not so: %s", #cond);                                                  \
	} while (0)

/* The bytes as a C string, up to the first NUL; the caller frees. */
char *fuzz_string(const uint8_t *data, size_t size);
/* The bytes as a file in a scratch directory (the current directory of the target). */
const char *fuzz_file(const uint8_t *data, size_t size, const char *name);

#endif
