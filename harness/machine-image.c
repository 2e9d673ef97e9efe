// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the kernel out of a bzImage. An emulated processor needs more than a
 * second to decompress it, each time; the host does it once.
 *
 * Facts: Documentation/arch/x86/boot.rst (setup_sects at 0x1f1, "HdrS" at 0x202,
 * payload_offset and payload_length at 0x248 and 0x24c). All compressors but gzip
 * are followed by four bytes with the size. PVH start needs the ELF note of type
 * 18 of "Xen".
 */
#include "base/compat.h"
#include "harness/machine-internal.h"

#include <elf.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

#define MAX_IMAGE (512u << 20)
#define XEN_ELFNOTE_PHYS32_ENTRY 18

struct compressor {
	const char *magic;
	size_t magic_len, trailer;
	const char *argv[4];
};

static const struct compressor compressors[] = {
	{ "\xfd" "7zXZ", 5, 4, { "xz", "-dc", "--single-stream" } },
	{ "\x28\xb5\x2f\xfd", 4, 4, { "zstd", "-dcq" } },
	{ "\x1f\x8b", 2, 0, { "gzip", "-dc" } },
};

static uint32_t le32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return u[0] | u[1] << 8 | u[2] << 16 | (uint32_t)u[3] << 24;
}

static const struct compressor *find_payload(const struct strbuf *image, size_t *start, size_t *len)
{
	size_t sects;

	if (image->len < 0x250 || memcmp(image->buf + 0x202, "HdrS", 4))
		return NULL;
	sects = (unsigned char)image->buf[0x1f1];
	*start = ((sects ? sects : 4) + 1) * 512 + le32(image->buf + 0x248);
	*len = le32(image->buf + 0x24c);
	if (*start > image->len || *len > image->len - *start || *len < 16)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(compressors); i++)
		if (!memcmp(image->buf + *start, compressors[i].magic, compressors[i].magic_len))
			return &compressors[i];
	return NULL;
}

static bool decompress(const struct compressor *c, const char *data, size_t len, struct strbuf *out)
{
	struct child ch = CHILD_INIT;
	struct child_result r;
	struct strbuf dropped = STRBUF_INIT;
	bool ok;

	for (size_t i = 0; i < ARRAY_SIZE(c->argv) && c->argv[i]; i++)
		strvec_push(&ch.argv, c->argv[i]);
	ch.in = data;
	ch.in_len = len - c->trailer;
	ch.out = out;
	ch.discard = true;
	ch.limits.wall_seconds = 120;
	ch.limits.output_bytes = MAX_IMAGE;
	ok = child_run(&ch, &r, &dropped) == 0 && child_ok(&r);
	child_release(&ch);
	strbuf_release(&dropped);
	return ok;
}

/* Does a PT_NOTE segment hold the PVH entry? */
static bool notes_have_pvh(const char *p, size_t len)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		size_t size;

		memcpy(&h, p, sizeof(h));
		if (h.n_namesz > len || h.n_descsz > len)
			return false;
		size = sizeof(h) + ((h.n_namesz + 3) & ~3u) + ((h.n_descsz + 3) & ~3u);
		if (size > len)
			return false;
		if (h.n_type == XEN_ELFNOTE_PHYS32_ENTRY && h.n_namesz == 4 &&
		    !memcmp(p + sizeof(h), "Xen", 4))
			return true;
		p += size;
		len -= size;
	}
	return false;
}

static bool elf_has_pvh(const struct strbuf *elf)
{
	Elf64_Ehdr e;

	if (elf->len < sizeof(e))
		return false;
	memcpy(&e, elf->buf, sizeof(e));
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_machine != EM_X86_64 || e.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		Elf64_Phdr ph;

		if (e.e_phoff > elf->len || (i + 1) * sizeof(ph) > elf->len - e.e_phoff)
			return false;
		memcpy(&ph, elf->buf + e.e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type == PT_NOTE && ph.p_offset <= elf->len &&
		    ph.p_filesz <= elf->len - ph.p_offset &&
		    notes_have_pvh(elf->buf + ph.p_offset, ph.p_filesz))
			return true;
	}
	return false;
}

/*
 * The cached file's name says which image it came from: a hash of its path, then
 * one of its size and time.
 */
static char *cached_name(const char *image, const char *dir)
{
	char *stamp, *path;
	struct hash_hex where = hash_buf(image, strlen(image)), when;
	struct stat st;

	if (stat(image, &st) < 0)
		memset(&st, 0, sizeof(st));
	stamp = xstrfmt("%lld %lld.%ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			st.st_mtim.tv_nsec);
	when = hash_buf(stamp, strlen(stamp));
	path = xstrfmt("%s/%.16s-%.16s.vmlinux", dir, where.hex, when.hex);
	free(stamp);
	return path;
}

/* The kernels of earlier images at the same place are of no use any more. */
static void remove_older(const char *dir, const char *path)
{
	struct strvec files = STRVEC_INIT;
	const char *name = path_base(path);

	if (file_list(dir, &files, NULL) < 0)
		return;
	for (size_t i = 0; i < files.n; i++) {
		if (!strncmp(files.v[i], name, 17) && strcmp(files.v[i], name)) {
			char *old = path_join(dir, files.v[i]);

			file_remove(old, NULL);
			free(old);
		}
	}
	strvec_release(&files);
}

char *machine_boot_image(const char *image)
{
	struct strbuf raw = STRBUF_INIT, elf = STRBUF_INIT, dropped = STRBUF_INIT;
	char *real = file_realpath(image), *path, *cache, *dir;
	const struct compressor *c;
	size_t start, len;
	bool ok = false;

	if (!real)
		return xstrdup(image);
	cache = kport_cache_dir();
	dir = path_join(cache, "machine");
	free(cache);
	path = cached_name(real, dir);
	if (file_exists(path)) {
		ok = true;
	} else if (file_read(real, MAX_IMAGE, &raw, &dropped) == 0) {
		c = find_payload(&raw, &start, &len);
		ok = c && decompress(c, raw.buf + start, len, &elf) && elf_has_pvh(&elf) &&
		     file_mkdirs_for(path, &dropped) == 0 &&
		     file_write_mode(path, elf.buf, elf.len, 0644, &dropped) == 0;
		if (ok)
			remove_older(dir, path);
	}
	strbuf_release(&raw);
	strbuf_release(&elf);
	strbuf_release(&dropped);
	free(dir);
	free(ok ? real : path);
	return ok ? path : real;
}
