/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a guest that goes on from a saved state gets its files: QEMU's firmware
 * configuration device, which is in every machine and needs no module of the kernel, so that
 * nothing is loaded that a driver under test could be or stand on. Included by
 * kport-init.c alone.
 *
 *	while (!payload_fetch(&data, &len))	// "wait" stands there until a state is restored
 *		sleep
 *	payload_unpack(data, len)		// a newc archive, into the root
 *
 * Facts: docs/specs/fw_cfg.txt of QEMU: selector 0x510, data 0x511, DMA address 0x514 (big endian, the
 * low half starts it); item 0 is "QEMU", 1 the features (bit 1: DMA), 0x19 the directory. A page's physical
 * address is in /proc/self/pagemap.
 */
#ifndef KPORT_GUEST_PAYLOAD_H
#define KPORT_GUEST_PAYLOAD_H

#include <sys/io.h>
#include <sys/mman.h>

#define FW_PORT	     0x510
#define FW_DMA	     0x514
#define FW_SIGNATURE 0
#define FW_FEATURES  1
#define FW_DIR	     0x19
#define FW_PAYLOAD   "opt/kport/test"
#define FW_PAGE	     4096u
#define FW_MAX	     (1024u << 20)
#define FW_ARCHIVE   "070701"

struct fw_dma { /* all big endian */
	uint32_t control, length;
	uint64_t address;
};
enum { FW_DMA_ERROR = 1, FW_DMA_READ = 2, FW_DMA_SELECT = 8 };

/* One locked page: the command at its start, what is read behind it. */
static unsigned char *fw_page;
static uint64_t fw_phys;
static bool fw_dma;

static void fw_read_port(uint16_t item, void *to, uint32_t len)
{
	outw(item, FW_PORT);
	insb(FW_PORT + 1, to, len);
}

static uint64_t fw_physical(const void *p)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, &entry, 8, (off_t)((uintptr_t)p / FW_PAGE * 8)) != 8)
		entry = 0;
	if (fd >= 0)
		close(fd);
	/* Bit 63: present; 0 to 54: frame. */
	return entry >> 63 ? (entry & ((1ULL << 55) - 1)) * FW_PAGE : 0;
}

/* One transfer through the page. select: where an item begins, else -1: go on. */
static bool fw_transfer(int select, void *to, uint32_t len)
{
	volatile struct fw_dma *d = (volatile struct fw_dma *)fw_page;
	uint32_t most = FW_PAGE - 64, control = FW_DMA_READ;

	if (select >= 0)
		control |= FW_DMA_SELECT | (uint32_t)select << 16;
	while (len) {
		uint32_t n = len < most ? len : most;

		d->control = htobe32(control);
		d->length = htobe32(n);
		d->address = htobe64(fw_phys + 64);
		__sync_synchronize();
		outl(htobe32((uint32_t)(fw_phys >> 32)), FW_DMA);
		outl(htobe32((uint32_t)fw_phys), FW_DMA + 4);
		__sync_synchronize();
		if (d->control) /* it is done at once, or wrong */
			return false;
		memcpy(to, fw_page + 64, n);
		to = (char *)to + n;
		len -= n;
		control = FW_DMA_READ;
	}
	return true;
}

static bool fw_read(uint16_t item, void *to, uint32_t len)
{
	if (fw_dma)
		return fw_transfer(item, to, len);
	fw_read_port(item, to, len);
	return true;
}

static bool payload_init(void)
{
	char signature[4];
	uint32_t features = 0;

	if (ioperm(FW_PORT, 12, 1) < 0)
		return false;
	fw_read_port(FW_SIGNATURE, signature, 4);
	if (memcmp(signature, "QEMU", 4))
		return false;
	fw_read_port(FW_FEATURES, &features, 4);
	fw_page = mmap(NULL, FW_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fw_page == MAP_FAILED)
		return false;
	memset(fw_page, 0, FW_PAGE);
	mlock(fw_page, FW_PAGE);
	fw_phys = fw_physical(fw_page);
	fw_dma = (features & 2) && fw_phys;
	return true;
}

/* The item and size of our file in the directory of this moment. */
static bool fw_find(uint16_t *item, uint32_t *size)
{
	static struct {
		uint32_t size;
		uint16_t select, reserved;
		char name[56];
	} files[128];
	uint32_t count;
	size_t n;

	if (!fw_read(FW_DIR, &count, 4))
		return false;
	n = be32toh(count);
	if (n > sizeof(files) / sizeof(*files))
		n = sizeof(files) / sizeof(*files);
	/* The count is read again, because an item is read from its start. */
	static unsigned char raw[4 + sizeof(files)];
	if (!fw_read(FW_DIR, raw, 4 + n * sizeof(*files)))
		return false;
	memcpy(files, raw + 4, n * sizeof(*files));
	for (size_t i = 0; i < n; i++) {
		if (strncmp(files[i].name, FW_PAYLOAD, sizeof(files[i].name)))
			continue;
		*item = be16toh(files[i].select);
		*size = be32toh(files[i].size);
		return true;
	}
	return false;
}

/* True when there is an archive; what was cut in two by saving and restoring is read again. */
static bool payload_fetch(char **data, size_t *len)
{
	uint16_t item;
	uint32_t size;

	if (!fw_find(&item, &size) || size < 512 || size > FW_MAX)
		return false;
	*data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*data == MAP_FAILED)
		return false;
	*len = size;
	if (fw_read(item, *data, size) && !memcmp(*data, FW_ARCHIVE, strlen(FW_ARCHIVE)))
		return true;
	munmap(*data, size);
	return false;
}

/* ---- the archive ------------------------------------------------------------------ */

static size_t hex8(const char *p)
{
	char buf[9];

	memcpy(buf, p, 8);
	buf[8] = '\0';
	return strtoul(buf, NULL, 16);
}

static bool write_file(const char *path, mode_t mode, const char *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode & 0777);
	ssize_t n = 0;

	if (fd < 0)
		return false;
	while (len && (n = write(fd, data, len)) > 0) {
		data += n;
		len -= (size_t)n;
	}
	close(fd);
	return len == 0;
}

/* newc: 110 bytes of header, the name, the content, each padded to four. */
static bool payload_unpack(const char *data, size_t len)
{
	size_t at = 0;

	while (at + 110 < len && !memcmp(data + at, FW_ARCHIVE, strlen(FW_ARCHIVE))) {
		const char *h = data + at;
		size_t mode = hex8(h + 14), size = hex8(h + 54), namesize = hex8(h + 94);
		size_t body = (at + 110 + namesize + 3) & ~(size_t)3;
		char path[512];

		if (!namesize || namesize > sizeof(path) - 1 || body > len || size > len - body)
			return false;
		snprintf(path, sizeof(path), "/%.*s", (int)namesize - 1, h + 110);
		if (!strcmp(path, "/TRAILER!!!"))
			return true;
		if (S_ISDIR(mode))
			mkdir(path, mode & 0777);
		else if (strcmp(path, "/init") && !write_file(path, mode, data + body, size))
			return false;
		at = (body + size + 3) & ~(size_t)3;
	}
	return false;
}

#endif
