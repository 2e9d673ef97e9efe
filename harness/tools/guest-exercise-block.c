// SPDX-License-Identifier: GPL-2.0-only
/* Block devices: blocks at the start, in the middle and at the end written, flushed and read again. */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CHUNK 65536u

/* Whole disks, not partitions. */
static bool takes_block(const char *item, char *target, size_t size)
{
	char path[300];

	if (!takes_class(item, "block", "", target, size))
		return false;
	snprintf(path, sizeof(path), "/sys/class/block/%s/partition", target);
	return access(path, F_OK) < 0;
}

static void fill(unsigned char *p, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1103515245u + 12345u;
		p[i] = (unsigned char)(seed >> 16);
	}
}

static int transfer(int fd, void *buf, size_t len, off_t at, bool out)
{
	ssize_t n = out ? pwrite(fd, buf, len, at) : pread(fd, buf, len, at);

	return n == (ssize_t)len ? 0 : n < 0 ? errno : EIO;
}

static enum exercise_result use_disk(int fd, uint64_t size, bool writable)
{
	size_t len = size < CHUNK ? (size_t)size : CHUNK;
	off_t places[3] = { 0, (off_t)(size / 2 & ~4095ull), (off_t)((size - len) & ~4095ull) };
	unsigned char *out, *in;
	int code = 0;

	if (posix_memalign((void **)&out, 4096, CHUNK) || posix_memalign((void **)&in, 4096, CHUNK))
		return result(EXERCISE_FAIL, "no memory");
	if ((uint64_t)places[1] + len > size)
		places[1] = 0;
	for (int i = 0; i < 3 && writable && !code; i++) {
		fill(out, len, 1 + (unsigned)places[i]);
		code = transfer(fd, out, len, places[i], true);
	}
	if (!code && writable && fsync(fd) < 0)
		code = errno;
	if (code)
		return result(EXERCISE_FAIL, "writing: %s", strerror(code));
	ioctl(fd, BLKFLSBUF, 0); /* what is read next comes from the device */
	for (int i = 0; i < 3; i++) {
		memset(in, 0, len);
		code = transfer(fd, in, len, places[i], false);
		if (code)
			return result(EXERCISE_FAIL, "reading: %s", strerror(code));
		fill(out, len, 1 + (unsigned)places[i]);
		if (writable && memcmp(in, out, len))
			return result(EXERCISE_FAIL, "what was written at %lld reads otherwise",
				      (long long)places[i]);
	}
	return result(EXERCISE_OK, "%llu KiB, 3 places %s", (unsigned long long)(size >> 10),
		      writable ? "written, flushed, read and compared" : "read (read only)");
}

static enum exercise_result run_block(const char *name)
{
	int fd = open_node(name, O_RDWR | O_DIRECT), sector = 0, ro = 0;
	bool writable = fd >= 0;
	uint64_t size = 0;

	if (fd < 0 && (errno == EROFS || errno == EACCES))
		fd = open_node(name, O_RDONLY | O_DIRECT);
	if (fd < 0 && errno == EINVAL)
		fd = open_node(name, O_RDWR);
	if (fd < 0)
		return result(errno == ENOMEDIUM || errno == ENXIO ? EXERCISE_SKIP : EXERCISE_FAIL, "open: %s",
			      strerror(errno));
	if (ioctl(fd, BLKGETSIZE64, &size) < 0 || ioctl(fd, BLKSSZGET, &sector) < 0)
		return result(EXERCISE_FAIL, "size: %s", strerror(errno));
	ioctl(fd, BLKROGET, &ro);
	got("sector", "%d", sector);
	got("read-only", "%d", ro);
	if (size < 4096)
		return result(EXERCISE_SKIP, "no medium");
	got("bytes", "%llu", (unsigned long long)size);
	return use_disk(fd, size, writable && !ro);
}

const struct exercise exercise_block = { "block", 20, takes_block, run_block };
