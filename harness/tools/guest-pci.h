/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Some of QEMU's devices are not part of a saved state: they come back as
 * after power on, without the addresses that the kernel gave them. No driver has
 * touched them yet, so the header of their configuration is all there is to put back.
 * Included by kport-init.c alone, which has say().
 *
 *	pci_remember();		// before the machine is saved
 *	pci_restore();		// behind the restore
 */
#ifndef KPORT_GUEST_PCI_H
#define KPORT_GUEST_PCI_H

#define MAX_PCI	   64
#define PCI_HEADER 64

static struct pci_header {
	char name[32];
	unsigned char bytes[PCI_HEADER];
} pci[MAX_PCI];
static size_t npci;

static int pci_open(const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.31s/config", name);
	return open(path, flags | O_CLOEXEC);
}

static bool pci_read(const char *name, unsigned char *to)
{
	int fd = pci_open(name, O_RDONLY);
	bool ok = fd >= 0 && pread(fd, to, PCI_HEADER, 0) == PCI_HEADER;

	if (fd >= 0)
		close(fd);
	return ok;
}

static void pci_remember(void)
{
	DIR *d = opendir("/sys/bus/pci/devices");
	struct dirent *e;

	while (d && npci < MAX_PCI && (e = readdir(d))) {
		struct pci_header *h = &pci[npci];

		snprintf(h->name, sizeof(h->name), "%.31s", e->d_name);
		if (e->d_name[0] != '.' && pci_read(h->name, h->bytes))
			npci++;
	}
	if (d)
		closedir(d);
}

/* Base addresses, ROM, interrupt line, and last the command that switches them on. */
static void pci_write(const struct pci_header *h)
{
	static const struct { off_t at; size_t len; } parts[] = {
		{ 0x0c, 2 }, { 0x10, 24 }, { 0x30, 4 }, { 0x3c, 1 }, { 0x04, 2 },
	};
	int fd = pci_open(h->name, O_WRONLY);

	for (size_t i = 0; fd >= 0 && i < sizeof(parts) / sizeof(*parts); i++)
		if (pwrite(fd, h->bytes + parts[i].at, parts[i].len, parts[i].at) < 0)
			say("fault pci %s: %s", h->name, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* The status register (6) and what a bridge has seen (0x1e) may differ. */
static bool pci_same(const struct pci_header *h)
{
	unsigned char now_is[PCI_HEADER];

	if (!pci_read(h->name, now_is))
		return false;
	memcpy(now_is + 6, h->bytes + 6, 2);
	if (h->bytes[0x0e] & 0x7f)
		memcpy(now_is + 0x1e, h->bytes + 0x1e, 2);
	return !memcmp(now_is, h->bytes, PCI_HEADER);
}

static void pci_restore(void)
{
	for (size_t i = 0; i < npci; i++) {
		if (pci_same(&pci[i]))
			continue;
		pci_write(&pci[i]);
		if (pci_same(&pci[i]))
			say("restored %s", pci[i].name);
		else
			say("fault pci %s is not what it was", pci[i].name);
	}
}

#endif
