/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules made here byte by byte, whole and damaged. */
#include "base/compat.h"
#include <elf.h>
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "checks/elfmod.h"

static const char names[] = "\0.modinfo\0.symtab\0.strtab\0.shstrtab";
static const char info[] = "vermagic=6.1.0 SMP\0\0alias=pci:v1\0license=GPL";
static const char strings[] = "\0foo\0bar\0baz\0ext";

struct module {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[5];
	Elf64_Sym sym[5];
	char info[sizeof(info)], strings[sizeof(strings)], names[sizeof(names)];
};

static void section(struct module *m, int i, unsigned name, unsigned type, size_t off, size_t len,
		    unsigned link)
{
	m->sh[i] = (Elf64_Shdr){ .sh_name = name, .sh_type = type, .sh_offset = off, .sh_size = len,
				 .sh_link = link };
}

static void make(struct module *m)
{
	memset(m, 0, sizeof(*m));
	memcpy(m->eh.e_ident, ELFMAG, SELFMAG);
	m->eh.e_ident[EI_CLASS] = ELFCLASS64;
	m->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	m->eh.e_type = ET_REL;
	m->eh.e_shoff = offsetof(struct module, sh);
	m->eh.e_shentsize = sizeof(Elf64_Shdr);
	m->eh.e_shnum = 5;
	m->eh.e_shstrndx = 4;
	section(m, 1, 1, SHT_PROGBITS, offsetof(struct module, info), sizeof(info) - 1, 0);
	section(m, 2, 10, SHT_SYMTAB, offsetof(struct module, sym), sizeof(m->sym), 3);
	section(m, 3, 18, SHT_STRTAB, offsetof(struct module, strings), sizeof(strings), 0);
	section(m, 4, 26, SHT_STRTAB, offsetof(struct module, names), sizeof(names), 0);
	m->sym[1] = (Elf64_Sym){ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, 0 };
	m->sym[2] = (Elf64_Sym){ 5, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, 0, 0 };
	m->sym[3] = (Elf64_Sym){ 9, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 1, 0, 0 };
	m->sym[4] = (Elf64_Sym){ 13, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, SHN_UNDEF, 0, 0 };
	memcpy(m->info, info, sizeof(info));
	memcpy(m->strings, strings, sizeof(strings));
	memcpy(m->names, names, sizeof(names));
}

static int read_bytes(const void *data, size_t len, struct elfmod *out, struct strbuf *err)
{
	char *dir, *path;
	struct strbuf ignored = STRBUF_INIT;
	int ret;

	assert_int_equal(file_mkdtemp("/tmp", "kport-elf-", &dir, &ignored), 0);
	path = path_join(dir, "x.ko");
	assert_int_equal(file_write(path, data, len, &ignored), 0);
	ret = elfmod_read(path, out, err);
	file_remove(dir, &ignored);
	free(path);
	free(dir);
	strbuf_release(&ignored);
	return ret;
}

static void whole(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct elfmod e;
	struct module m;

	make(&m);
	assert_int_equal(read_bytes(&m, sizeof(m), &e, &err), 0);
	assert_int_equal(e.info.n, 3);
	assert_string_equal(elfmod_info(&e, "vermagic"), "6.1.0 SMP");
	assert_string_equal(elfmod_info(&e, "license"), "GPL");
	assert_null(elfmod_info(&e, "lic"));
	assert_int_equal(e.functions.n, 1);
	assert_string_equal(e.functions.v[0], "foo");
	assert_int_equal(e.objects.n, 1);
	assert_string_equal(e.objects.v[0], "baz");
	elfmod_release(&e);
	strbuf_release(&err);
}

static void no_module(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct elfmod e;
	struct module m;

	assert_int_equal(read_bytes("hello", 5, &e, &err), KP_ERR);
	elfmod_release(&e);
	make(&m);
	m.eh.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(read_bytes(&m, sizeof(m), &e, &err), KP_ERR);
	elfmod_release(&e);
	make(&m);
	m.eh.e_shoff = UINT64_MAX - 8;
	assert_int_equal(read_bytes(&m, sizeof(m), &e, &err), KP_ERR);
	elfmod_release(&e);
	assert_true(err.len > 0);
	strbuf_release(&err);
}

/* Every byte of the headers wrong in turn, and every length: no answer matters, no crash. */
static void damaged(void **state)
{
	static const unsigned char wrong[] = { 0, 1, 0x7f, 0xff };
	struct strbuf err = STRBUF_INIT;
	struct elfmod e;
	struct module m;
	size_t i, k;

	for (i = 0; i < offsetof(struct module, info); i += 3) {
		for (k = 0; k < sizeof(wrong); k++) {
			make(&m);
			((unsigned char *)&m)[i] = wrong[k];
			read_bytes(&m, sizeof(m), &e, &err);
			elfmod_release(&e);
		}
	}
	make(&m);
	for (i = 0; i < sizeof(m); i += 17) {
		read_bytes(&m, i, &e, &err);
		elfmod_release(&e);
	}
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole), cmocka_unit_test(no_module), cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
