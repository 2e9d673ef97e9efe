// SPDX-License-Identifier: GPL-2.0-only
/*
 * The container of a shared index: a line with the hash of the rest, then a tar
 * archive with zstd, through libarchive. Nothing is unpacked by a name that
 * stands in the archive.
 */
#include "base/compat.h"
#include "mine/share-internal.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define HEAD "kport-index 1 sha256:"
#define HEAD_LEN (sizeof(HEAD) - 1 + HASH_HEX_LEN + 1)
#define CHUNK (256u << 10)

/* ---- writing ---------------------------------------------------------------------------- */

struct sink {
	int fd;
	struct hash *h;
};

static ssize_t sink_write(struct archive *a, void *payload, const void *data, size_t len)
{
	struct sink *s = payload;
	const char *p = data;
	size_t left = len;

	hash_add(s->h, data, len);
	while (left) {
		ssize_t n = write(s->fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			archive_set_error(a, errno, "%s", strerror(errno));
			return -1;
		}
		p += n;
		left -= (size_t)n;
	}
	return (ssize_t)len;
}

static int archive_fail(struct archive *a, const char *file, struct strbuf *err)
{
	const char *why = archive_error_string(a);
	int no = archive_errno(a);

	return kp_fail(err, no == ENOSPC || no == EIO || no == ENOMEM ? KP_INFRA : KP_ERR, "'%s': %s", file,
		       why ? why : "damaged");
}

static int begin_entry(struct archive *a, const char *name, uint64_t size, int64_t time, const char *file,
		       struct strbuf *err)
{
	struct archive_entry *e = archive_entry_new();
	int ret;

	archive_entry_set_pathname(e, name);
	archive_entry_set_size(e, (int64_t)size);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_mtime(e, time, 0);
	ret = archive_write_header(a, e) == ARCHIVE_OK ? 0 : archive_fail(a, file, err);
	archive_entry_free(e);
	return ret;
}

static int write_part(struct archive *a, const char *path, uint64_t size, const char *file, struct strbuf *err)
{
	char *buf = xmalloc(CHUNK);
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	uint64_t done = 0;
	ssize_t n = 0;

	if (fd < 0)
		ret = kp_fail_errno(err, "cannot open '%s'", path);
	while (!ret && (n = read(fd, buf, CHUNK)) > 0) {
		done += (uint64_t)n;
		if (archive_write_data(a, buf, (size_t)n) != n)
			ret = archive_fail(a, file, err);
	}
	if (!ret && (n < 0 || done != size))
		ret = kp_fail(err, KP_INFRA, "'%s' changed while it was read", path);
	if (fd >= 0)
		close(fd);
	free(buf);
	return ret;
}

static int write_entries(struct archive *a, const struct share_manifest *m, const char *const *paths,
			 const char *file, struct strbuf *err)
{
	json_t *o = share_manifest_json(m);
	struct strbuf text = STRBUF_INIT;
	int ret;

	json_dump_pretty(o, &text);
	json_decref(o);
	ret = begin_entry(a, SHARE_MANIFEST, text.len, m->info.created, file, err);
	if (!ret && archive_write_data(a, text.buf, text.len) != (ssize_t)text.len)
		ret = archive_fail(a, file, err);
	for (size_t i = 0; i < m->n && !ret; i++) {
		ret = begin_entry(a, share_part_name(m->entry[i].part), m->entry[i].size, m->info.created, file,
				  err);
		if (!ret)
			ret = write_part(a, paths[i], m->entry[i].size, file, err);
	}
	strbuf_release(&text);
	return ret;
}

static int write_archive(struct sink *s, const struct share_manifest *m, const char *const *paths,
			 const char *file, struct strbuf *err)
{
	struct archive *a = archive_write_new();
	int ret = 0;

	if (archive_write_add_filter_zstd(a) != ARCHIVE_OK || archive_write_set_format_pax_restricted(a) ||
	    archive_write_set_bytes_in_last_block(a, 1) ||
	    archive_write_open(a, s, NULL, sink_write, NULL) != ARCHIVE_OK)
		ret = archive_fail(a, file, err);
	if (!ret)
		ret = write_entries(a, m, paths, file, err);
	if (archive_write_close(a) != ARCHIVE_OK && !ret)
		ret = archive_fail(a, file, err);
	archive_write_free(a);
	return ret;
}

int share_file_write(const char *file, const struct share_manifest *m, const char *const *paths,
		     struct strbuf *err)
{
	char *aside = xstrfmt("%s.part", file);
	struct sink s = { .h = hash_new() };
	struct strbuf head = STRBUF_INIT;
	struct hash_hex hex;
	int ret = 0;

	s.fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (s.fd < 0)
		ret = kp_fail_errno(err, "cannot write '%s'", aside);
	else if (lseek(s.fd, HEAD_LEN, SEEK_SET) < 0)
		ret = kp_fail_errno(err, "cannot write '%s'", aside);
	if (!ret)
		ret = write_archive(&s, m, paths, file, err);
	hex = hash_final(s.h);
	strbuf_addf(&head, "%s%s\n", HEAD, hex.hex);
	if (!ret && (pwrite(s.fd, head.buf, head.len, 0) != (ssize_t)head.len || fsync(s.fd) < 0))
		ret = kp_fail_errno(err, "cannot write '%s'", aside);
	if (s.fd >= 0)
		close(s.fd);
	if (!ret && rename(aside, file) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s'", aside);
	if (ret < 0 && s.fd >= 0)
		unlink(aside);
	strbuf_release(&head);
	free(aside);
	return ret;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The file's first line, and does the hash in it fit what follows? Leaves fd behind the line. */
static int check_whole(int fd, const char *file, struct strbuf *err)
{
	char head[HEAD_LEN + 1] = "", *buf;
	struct hash *h;
	struct hash_hex hex;
	ssize_t n = read(fd, head, HEAD_LEN);

	if (n != (ssize_t)HEAD_LEN || memcmp(head, "kport-index ", 12))
		return kp_fail(err, KP_ERR, "'%s' is no index that kport exported", file);
	if (memcmp(head, HEAD, sizeof(HEAD) - 1) || head[HEAD_LEN - 1] != '\n')
		return kp_fail(err, KP_ERR, "'%s' was exported by another version of kport", file);
	buf = xmalloc(CHUNK);
	h = hash_new();
	while ((n = read(fd, buf, CHUNK)) > 0)
		hash_add(h, buf, (size_t)n);
	hex = hash_final(h);
	free(buf);
	if (n < 0)
		return kp_fail_errno(err, "cannot read '%s'", file);
	if (memcmp(head + sizeof(HEAD) - 1, hex.hex, HASH_HEX_LEN))
		return kp_fail(err, KP_ERR, "'%s' is cut off or was altered: its SHA-256 is another one", file);
	if (lseek(fd, HEAD_LEN, SEEK_SET) < 0)
		return kp_fail_errno(err, "cannot read '%s'", file);
	return 0;
}

/* The next entry has to be this regular file. */
static int expect_entry(struct archive *a, const char *name, uint64_t max, uint64_t *size, const char *file,
			struct strbuf *err)
{
	struct archive_entry *e;
	const char *got;

	if (archive_read_next_header(a, &e) != ARCHIVE_OK)
		return kp_fail(err, KP_ERR, "'%s' holds no '%s' where it belongs", file, name);
	got = archive_entry_pathname(e);
	if (!got || strcmp(got, name) || archive_entry_filetype(e) != AE_IFREG || archive_entry_hardlink(e) ||
	    !archive_entry_size_is_set(e))
		return kp_fail(err, KP_ERR, "'%s' holds no '%s' where it belongs", file, name);
	if (archive_entry_size(e) < 0 || (uint64_t)archive_entry_size(e) > max)
		return kp_fail(err, KP_ERR, "'%s': '%s' is too large", file, name);
	*size = (uint64_t)archive_entry_size(e);
	return 0;
}

static int read_manifest(struct archive *a, const char *file, struct share_manifest *out, struct strbuf *err)
{
	uint64_t size = 0;
	char *text;
	int ret = expect_entry(a, SHARE_MANIFEST, SHARE_MAX_MANIFEST, &size, file, err);

	if (ret < 0)
		return ret;
	text = xmalloc(size + 1);
	if (archive_read_data(a, text, size) != (ssize_t)size)
		ret = archive_fail(a, file, err);
	else
		ret = share_manifest_parse(text, size, out, err);
	free(text);
	return ret;
}

static int copy_data(struct archive *a, int fd, const char *path, uint64_t size, struct hash *h, const char *file,
		     struct strbuf *err)
{
	char *buf = xmalloc(CHUNK);
	uint64_t done = 0;
	ssize_t n;
	int ret = 0;

	while (!ret && (n = archive_read_data(a, buf, CHUNK)) != 0) {
		if (n < 0)
			ret = archive_fail(a, file, err);
		else if ((done += (uint64_t)n) > size)
			ret = kp_fail(err, KP_ERR, "'%s': more data than its manifest says", file);
		else if (write(fd, buf, (size_t)n) != n)
			ret = kp_fail_errno(err, "cannot write '%s'", path);
		else
			hash_add(h, buf, (size_t)n);
	}
	if (!ret && done != size)
		ret = kp_fail(err, KP_ERR, "'%s': less data than its manifest says", file);
	free(buf);
	return ret;
}

static int unpack_part(struct archive *a, const struct share_entry *e, const char *dir, const char *file,
		       struct strbuf *err)
{
	char *path = path_join(dir, share_part_name(e->part));
	struct hash *h = hash_new();
	struct hash_hex hex;
	uint64_t size = 0;
	int fd = -1, ret = expect_entry(a, share_part_name(e->part), e->size, &size, file, err);

	if (!ret) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd < 0)
			ret = kp_fail_errno(err, "cannot write '%s'", path);
	}
	if (!ret)
		ret = copy_data(a, fd, path, e->size, h, file, err);
	hex = hash_final(h);
	if (!ret && strcmp(hex.hex, e->hash.hex))
		ret = kp_fail(err, KP_ERR, "'%s': '%s' was altered: its SHA-256 is another one", file,
			      share_part_name(e->part));
	if (!ret && fsync(fd) < 0)
		ret = kp_fail_errno(err, "cannot write '%s'", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return ret;
}

static int read_archive(struct archive *a, const char *file, const char *dir, struct share_manifest *out,
			struct strbuf *err)
{
	struct archive_entry *e;
	int ret = read_manifest(a, file, out, err);

	if (!ret && disk_free(dir) < out->info.bytes + (64u << 20))
		ret = kp_fail(err, KP_INFRA, "'%s' needs %" PRIu64 " MiB in '%s', which are not free", file,
			      out->info.bytes >> 20, dir);
	for (size_t i = 0; !ret && i < out->n; i++)
		ret = unpack_part(a, &out->entry[i], dir, file, err);
	if (!ret && archive_read_next_header(a, &e) != ARCHIVE_EOF)
		ret = kp_fail(err, KP_ERR, "'%s' holds more than its manifest says", file);
	return ret;
}

int share_file_read(const char *file, const char *dir, struct share_manifest *out, struct strbuf *err)
{
	struct archive *a = archive_read_new();
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC), ret; /* a FIFO must not block */
	struct stat st;

	memset(out, 0, sizeof(*out));
	if (fd < 0 || fstat(fd, &st) < 0)
		ret = kp_fail_errno(err, "cannot open '%s'", file);
	else if (!S_ISREG(st.st_mode))
		ret = kp_fail(err, KP_ERR, "'%s' is no regular file", file);
	else
		ret = check_whole(fd, file, err);
	if (!ret && (archive_read_support_filter_zstd(a) != ARCHIVE_OK ||
		     archive_read_support_format_tar(a) != ARCHIVE_OK ||
		     archive_read_open_fd(a, fd, CHUNK) != ARCHIVE_OK))
		ret = archive_fail(a, file, err);
	if (!ret)
		ret = read_archive(a, file, dir, out, err);
	archive_read_free(a);
	if (fd >= 0)
		close(fd);
	if (ret < 0)
		share_manifest_release(out);
	return ret;
}
