// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/hash.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

struct hash {
	EVP_MD_CTX *ctx;
};

struct hash *hash_new(void)
{
	struct hash *h = xcalloc(1, sizeof(*h));

	h->ctx = EVP_MD_CTX_new();
	if (!h->ctx || EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL) != 1)
		BUG("libcrypto has no SHA-256");
	return h;
}

void hash_add(struct hash *h, const void *data, size_t len)
{
	if (EVP_DigestUpdate(h->ctx, data, len) != 1)
		BUG("SHA-256 failed");
}

void hash_add_str(struct hash *h, const char *s)
{
	uint64_t len = strlen(s);
	unsigned char le[8];

	for (int i = 0; i < 8; i++)
		le[i] = (unsigned char)(len >> (8 * i));
	hash_add(h, le, sizeof(le));
	hash_add(h, s, len);
}

static void hash_free(struct hash *h)
{
	EVP_MD_CTX_free(h->ctx);
	free(h);
}

struct hash_hex hash_final(struct hash *h)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char md[EVP_MAX_MD_SIZE];
	struct hash_hex out;
	unsigned int n = 0;

	if (EVP_DigestFinal_ex(h->ctx, md, &n) != 1 || n * 2 != HASH_HEX_LEN)
		BUG("SHA-256 failed");
	for (unsigned int i = 0; i < n; i++) {
		out.hex[2 * i] = digits[md[i] >> 4];
		out.hex[2 * i + 1] = digits[md[i] & 15];
	}
	out.hex[HASH_HEX_LEN] = '\0';
	hash_free(h);
	return out;
}

struct hash_hex hash_buf(const void *data, size_t len)
{
	struct hash *h = hash_new();

	hash_add(h, data, len);
	return hash_final(h);
}

int hash_file(const char *path, struct hash_hex *out, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char chunk[65536];
	struct hash *h;
	struct stat st;
	ssize_t n;
	int ret = 0;

	if (fd < 0)
		return kp_fail_errno(err, "cannot read '%s'", path);
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd);
		return kp_fail(err, KP_ERR, "cannot read '%s': not a regular file", path);
	}
	h = hash_new();
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n > 0)
			hash_add(h, chunk, (size_t)n);
		else if (errno != EINTR)
			break;
	}
	if (n < 0)
		ret = kp_fail_errno(err, "cannot read '%s'", path);
	close(fd);
	if (ret < 0)
		hash_free(h);
	else
		*out = hash_final(h);
	return ret;
}

struct tree {
	const char *dir;
	struct hash *h;
};

static int hash_content(const struct tree *t, const char *path, mode_t mode, struct strbuf *err)
{
	struct hash_hex hex;
	char target[4096];
	ssize_t n;
	int ret;

	if (S_ISREG(mode)) {
		ret = hash_file(path, &hex, err);
		if (!ret)
			hash_add_str(t->h, hex.hex);
		return ret;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return kp_fail_errno(err, "cannot read '%s'", path);
	target[n] = '\0';
	hash_add_str(t->h, target);
	return 0;
}

static int hash_entry(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	const struct tree *t = payload;
	char *path, *mode;
	int ret;

	if (S_ISDIR(st->st_mode))
		return 0;
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return kp_fail(err, KP_ERR, "'%s/%s' is neither file, directory nor symlink",
			       t->dir, rel);
	path = path_join(t->dir, rel);
	mode = xstrfmt("%o", (unsigned)st->st_mode);
	hash_add_str(t->h, rel);
	hash_add_str(t->h, mode);
	ret = hash_content(t, path, st->st_mode, err);
	free(mode);
	free(path);
	return ret;
}

int hash_tree(const char *dir, struct hash_hex *out, struct strbuf *err)
{
	struct tree t = { .dir = dir, .h = hash_new() };
	int ret = file_walk(dir, hash_entry, &t, err);

	if (ret < 0)
		hash_free(t.h);
	else
		*out = hash_final(t.h);
	return ret;
}
