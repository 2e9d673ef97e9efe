/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 through libcrypto, as lower-case hex. */
#ifndef KPORT_HASH_H
#define KPORT_HASH_H

#include "base/compat.h"
#include "base/strbuf.h"

#define HASH_HEX_LEN 64

struct hash_hex {
	char hex[HASH_HEX_LEN + 1];
};

struct hash;
struct hash *hash_new(void);
void hash_add(struct hash *h, const void *data, size_t len);
/* Adds the length first, so that ("ab","c") differs from ("a","bc"). */
void hash_add_str(struct hash *h, const char *s);
struct hash_hex hash_final(struct hash *h); /* frees h */

struct hash_hex hash_buf(const void *data, size_t len);
int hash_file(const char *path, struct hash_hex *out, struct strbuf *err);
/* Over relative paths, modes and contents of all files and links below dir. */
int hash_tree(const char *dir, struct hash_hex *out, struct strbuf *err);

#endif
