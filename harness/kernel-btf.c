// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/kernel-btf.h"

#include <elf.h>
#include <fcntl.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/machine-internal.h"

#define MAX_SECTIONS 4096
#define MAX_NAMES (1u << 20)

static bool read_at(int fd, void *buf, size_t len, uint64_t off)
{
	return off <= INT64_MAX && pread(fd, buf, len, (off_t)off) == (ssize_t)len;
}

/* Is there a section of that name? Only headers are read. */
static bool elf_has_section(int fd, const char *name)
{
	Elf64_Ehdr e;
	Elf64_Shdr *sh = NULL;
	char *names = NULL;
	bool found = false;
	size_t i;

	if (!read_at(fd, &e, sizeof(e), 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_shentsize != sizeof(*sh) || !e.e_shnum ||
	    e.e_shnum > MAX_SECTIONS || e.e_shstrndx >= e.e_shnum)
		return false;
	sh = xcalloc(e.e_shnum, sizeof(*sh));
	if (!read_at(fd, sh, e.e_shnum * sizeof(*sh), e.e_shoff) ||
	    sh[e.e_shstrndx].sh_size > MAX_NAMES || !sh[e.e_shstrndx].sh_size)
		goto out;
	names = xcalloc(1, sh[e.e_shstrndx].sh_size + 1);
	if (!read_at(fd, names, sh[e.e_shstrndx].sh_size, sh[e.e_shstrndx].sh_offset))
		goto out;
	for (i = 0; i < e.e_shnum && !found; i++)
		found = sh[i].sh_name < sh[e.e_shstrndx].sh_size && !strcmp(names + sh[i].sh_name, name);
out:
	free(sh);
	free(names);
	return found;
}

static bool has_btf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = fd >= 0 && elf_has_section(fd, ".BTF");

	if (fd >= 0)
		close(fd);
	return found;
}

int kernel_btf(const struct kernel *k, char **out, struct strbuf *err)
{
	char *path = k->image ? machine_boot_image(k->image) : NULL;

	if (!path || !has_btf(path)) {
		free(path);
		path = k->build_dir ? path_join(k->build_dir, "vmlinux") : NULL;
	}
	if (path && has_btf(path)) {
		*out = path;
		return 0;
	}
	free(path);
	if (!k->image)
		return kp_fail(err, KP_NOTFOUND, "kernel '%s' has no image to read its BTF from; "
			       "'kport kernel add %s --with-image' brings one", k->name, k->name);
	return kp_fail(err, KP_NOTFOUND, "the image of kernel '%s' has no BTF", k->name);
}
