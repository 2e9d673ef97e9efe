/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include <elf.h>
#include "checks/elfmod.h"
#include "base/error.h"
#include "base/file.h"

#define MAX_MODULE (256u << 20)

struct elf {
	const char *path;
	const unsigned char *data;
	size_t len;
	Elf64_Ehdr eh;
};

struct section {
	const char *data; /* NULL: none */
	size_t len;
};

static bool inside(const struct elf *e, uint64_t off, uint64_t len)
{
	return off <= e->len && len <= e->len - off;
}

static int read_header(struct elf *e, struct strbuf *err)
{
	if (e->len < sizeof(e->eh) || memcmp(e->data, ELFMAG, SELFMAG))
		return kp_fail(err, KP_ERR, "'%s' is not an ELF file", e->path);
	memcpy(&e->eh, e->data, sizeof(e->eh));
	if (e->eh.e_ident[EI_CLASS] != ELFCLASS64 || e->eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    e->eh.e_type != ET_REL)
		return kp_fail(err, KP_ERR, "'%s' is no 64-bit little-endian kernel module", e->path);
	if (e->eh.e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(e, e->eh.e_shoff, (uint64_t)e->eh.e_shnum * sizeof(Elf64_Shdr)) ||
	    e->eh.e_shstrndx >= e->eh.e_shnum)
		return kp_fail(err, KP_ERR, "'%s' has a damaged section table", e->path);
	return 0;
}

static bool section_header(const struct elf *e, unsigned i, Elf64_Shdr *out)
{
	if (i >= e->eh.e_shnum)
		return false;
	memcpy(out, e->data + e->eh.e_shoff + (uint64_t)i * sizeof(*out), sizeof(*out));
	return true;
}

static struct section section_data(const struct elf *e, const Elf64_Shdr *sh)
{
	struct section s = { 0 };

	if (sh->sh_type != SHT_NOBITS && inside(e, sh->sh_offset, sh->sh_size)) {
		s.data = (const char *)e->data + sh->sh_offset;
		s.len = sh->sh_size;
	}
	return s;
}

/* The string at an offset of a string table; "" when it does not end inside. */
static const char *string_at(const struct section *s, uint64_t off)
{
	if (!s->data || off >= s->len || !memchr(s->data + off, '\0', s->len - off))
		return "";
	return s->data + off;
}

static void read_modinfo(const struct section *s, struct elfmod *out)
{
	size_t at = 0;

	while (at < s->len) {
		size_t n = strnlen(s->data + at, s->len - at);

		if (n) {
			struct strbuf sb = STRBUF_INIT;

			strbuf_add(&sb, s->data + at, n);
			strvec_push_nodup(&out->info, strbuf_detach(&sb, NULL));
		}
		at += n + 1;
	}
}

static void read_symbols(const struct section *syms, const struct section *names, struct elfmod *out)
{
	size_t i;

	for (i = 0; i + sizeof(Elf64_Sym) <= syms->len; i += sizeof(Elf64_Sym)) {
		Elf64_Sym sym;

		memcpy(&sym, syms->data + i, sizeof(sym));
		if (sym.st_shndx == SHN_UNDEF || ELF64_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		if (ELF64_ST_TYPE(sym.st_info) == STT_FUNC)
			strvec_push(&out->functions, string_at(names, sym.st_name));
		else if (ELF64_ST_TYPE(sym.st_info) == STT_OBJECT)
			strvec_push(&out->objects, string_at(names, sym.st_name));
	}
}

static void read_sections(const struct elf *e, struct elfmod *out)
{
	struct section names, data, strings;
	Elf64_Shdr sh, link;
	unsigned i;

	if (!section_header(e, e->eh.e_shstrndx, &sh))
		return;
	names = section_data(e, &sh);
	for (i = 0; section_header(e, i, &sh); i++) {
		data = section_data(e, &sh);
		if (!data.data)
			continue;
		if (!strcmp(string_at(&names, sh.sh_name), ".modinfo")) {
			read_modinfo(&data, out);
		} else if (sh.sh_type == SHT_SYMTAB && section_header(e, sh.sh_link, &link)) {
			strings = section_data(e, &link);
			read_symbols(&data, &strings, out);
		}
	}
}

int elfmod_read(const char *path, struct elfmod *out, struct strbuf *err)
{
	struct strbuf sb = STRBUF_INIT;
	struct elf e = { .path = path };
	int ret;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->info);
	strvec_init(&out->functions);
	strvec_init(&out->objects);
	ret = file_read(path, MAX_MODULE, &sb, err);
	if (ret < 0)
		goto out;
	e.data = (const unsigned char *)sb.buf;
	e.len = sb.len;
	ret = read_header(&e, err);
	if (ret < 0)
		goto out;
	read_sections(&e, out);
out:
	strbuf_release(&sb);
	return ret;
}

void elfmod_release(struct elfmod *m)
{
	strvec_release(&m->info);
	strvec_release(&m->functions);
	strvec_release(&m->objects);
}

const char *elfmod_info(const struct elfmod *m, const char *key)
{
	size_t i, n = strlen(key);

	for (i = 0; i < m->info.n; i++)
		if (!strncmp(m->info.v[i], key, n) && m->info.v[i][n] == '=')
			return m->info.v[i] + n + 1;
	return NULL;
}
