/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First include of every source file: feature macros, the C library headers
 * that everything uses, a few compiler helpers, and the list of banned calls.
 */
#ifndef KPORT_COMPAT_H
#define KPORT_COMPAT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	 (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define NORETURN	 __attribute__((noreturn))
#define UNUSED		 __attribute__((unused))
#define MUST_CHECK	 __attribute__((warn_unused_result))

/* Unsafe calls are compile errors; use strbuf, strtoll with checks, memcpy. */
#undef strcpy
#define strcpy(a, b)	banned_strcpy_use_strbuf
#undef strcat
#define strcat(a, b)	banned_strcat_use_strbuf
#undef sprintf
#define sprintf(...)	banned_sprintf_use_strbuf_addf
#undef vsprintf
#define vsprintf(...)	banned_vsprintf_use_strbuf_vaddf
#undef strtok
#define strtok(a, b)	banned_strtok_use_strcspn
#undef gets
#define gets(a)		banned_gets
#undef system
#define system(a)	banned_system_use_child
#undef popen
#define popen(a, b)	banned_popen_use_child

#endif
