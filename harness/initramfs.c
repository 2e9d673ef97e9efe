// SPDX-License-Identifier: GPL-2.0-only
/*
 * newc cpio archives, as Documentation/driver-api/early-userspace/buffer-format.rst
 * of the kernel describes them. Times are zero and inodes count up, so equal
 * input gives equal bytes.
 */
#include "base/compat.h"
#include "harness/machine.h"

#include <sys/random.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"

#define MAX_FILE  (256u << 20)
#define MAX_TOTAL (1024u << 20)

struct writer {
	struct strbuf out;
	unsigned inode;
	struct strmap seen;
};

static void pad(struct strbuf *sb)
{
	while (sb->len % 4)
		strbuf_addch(sb, '\0');
}

static void add_entry(struct writer *w, const char *path, unsigned mode, const void *data,
		      size_t len)
{
	bool dir = S_ISDIR(mode);

	strbuf_addf(&w->out, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		    w->inode++, mode, 0, 0, dir ? 2 : 1, 0, (unsigned)len, 0, 0, 0, 0,
		    (unsigned)strlen(path) + 1, 0);
	strbuf_add(&w->out, path, strlen(path) + 1);
	pad(&w->out);
	strbuf_add(&w->out, data, len);
	pad(&w->out);
}

static void add_parents(struct writer *w, const char *path)
{
	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		char *dir = xstrndup(path, (size_t)(p - path));

		if (!strmap_has(&w->seen, dir)) {
			strmap_put(&w->seen, dir, NULL);
			add_entry(w, dir, S_IFDIR | 0755, "", 0);
		}
		free(dir);
	}
}

static int add_file(struct writer *w, const struct initramfs_file *f, struct strbuf *err)
{
	unsigned mode = S_IFREG | (f->mode ? f->mode & 07777 : 0644);
	struct strbuf content = STRBUF_INIT;
	int ret = 0;

	if (!path_is_safe(f->path))
		return kp_fail(err, KP_ERR, "initramfs: unsafe path '%s'", f->path);
	if (strmap_has(&w->seen, f->path))
		return kp_fail(err, KP_ERR, "initramfs: '%s' is there twice", f->path);
	if (f->source) {
		ret = file_read(f->source, MAX_FILE, &content, err);
		if (ret < 0)
			goto out;
	}
	add_parents(w, f->path);
	strmap_put(&w->seen, f->path, NULL);
	add_entry(w, f->path, mode, f->source ? content.buf : f->data,
		  f->source ? content.len : f->len);
	if (w->out.len > MAX_TOTAL)
		ret = kp_fail(err, KP_ERR, "initramfs: larger than %u MiB", MAX_TOTAL >> 20);
out:
	strbuf_release(&content);
	return ret;
}

int initramfs_write(const char *path, const struct initramfs_file *files, size_t n,
		    struct strbuf *err)
{
	struct writer w = { .out = STRBUF_INIT, .inode = 1, .seen = STRMAP_INIT };
	int ret = 0;

	for (size_t i = 0; i < n && ret == 0; i++)
		ret = add_file(&w, &files[i], err);
	if (ret == 0) {
		add_entry(&w, "TRAILER!!!", 0, "", 0);
		while (w.out.len % 512)
			strbuf_addch(&w.out, '\0');
		ret = file_write_nosync(path, w.out.buf, w.out.len, err);
	}
	strmap_release(&w.seen, NULL);
	strbuf_release(&w.out);
	return ret;
}

int machine_nonce(char out[33], struct strbuf *err)
{
	unsigned char raw[16];

	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return kp_fail_errno(err, "no random numbers");
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(out + 2 * i, 3, "%02x", raw[i]);
	return 0;
}
