// SPDX-License-Identifier: GPL-2.0-only
/* Initramfs archives, as cpio and as bytes; the domain's XML; a kernel's image. */
#include "tests/unit/unit.h"

#include <elf.h>

#include "base/child.h"
#include "harness/machine-internal.h"

static void run(struct child *c, struct strbuf *out)
{
	struct child_result r;

	c->out = out;
	assert_ok(child_run(c, &r, &err));
	assert_true(child_ok(&r));
	child_release(c);
}

static void write_archive(const char *path)
{
	char *source = make_file("source", "from a file\n");
	const struct initramfs_file files[] = {
		{ .path = "init", .source = source, .mode = 0755 },
		{ .path = "a/b/one", .data = "1", .len = 1, .mode = 0600 },
		{ .path = "a/b/empty", .data = "", .len = 0 },
		{ .path = "a/two", .data = "22", .len = 2 },
	};

	assert_ok(initramfs_write(path, files, ARRAY_SIZE(files), &err));
	free(source);
}

/* The kernel's own words of the format: 110 bytes of header, names and data padded to four. */
static void test_layout(void **state)
{
	char *path = in_scratch("x.cpio");
	struct strbuf a = STRBUF_INIT;
	size_t at = 0, files = 0, dirs = 0;
	bool trailer = false;

	write_archive(path);
	assert_ok(file_read(path, 0, &a, &err));
	assert_int_equal(a.len % 512, 0);
	while (!trailer) {
		unsigned mode, size, name_len;
		char field[9] = "";

		assert_true(at + 110 <= a.len);
		assert_memory_equal(a.buf + at, "070701", 6);
		mode = (unsigned)strtoul(memcpy(field, a.buf + at + 14, 8), NULL, 16);
		size = (unsigned)strtoul(memcpy(field, a.buf + at + 54, 8), NULL, 16);
		name_len = (unsigned)strtoul(memcpy(field, a.buf + at + 94, 8), NULL, 16);
		trailer = !strcmp(a.buf + at + 110, "TRAILER!!!");
		assert_int_equal(strlen(a.buf + at + 110) + 1, name_len);
		files += !trailer && S_ISREG(mode);
		dirs += S_ISDIR(mode);
		at = (at + 110 + name_len + 3) / 4 * 4;
		at = (at + size + 3) / 4 * 4;
	}
	assert_int_equal(files, 4);
	assert_int_equal(dirs, 2);
	strbuf_release(&a);
	free(path);
}

static void test_same_input_same_bytes(void **state)
{
	char *one = in_scratch("1.cpio"), *two = in_scratch("2.cpio");
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	write_archive(one);
	write_archive(two);
	assert_ok(file_read(one, 0, &a, &err));
	assert_ok(file_read(two, 0, &b, &err));
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.buf, b.buf, a.len);
	strbuf_release(&a);
	strbuf_release(&b);
	free(one);
	free(two);
}

static void check_refused(const char *path, int code, const char *says)
{
	char *out = in_scratch("refused.cpio");
	const struct initramfs_file files[] = { { .path = "dir/x", .data = "1", .len = 1 },
						{ .path = path, .data = "2", .len = 1 } };

	assert_fails(code, says, initramfs_write(out, files, 2, &err));
	assert_false(file_exists(out));
	free(out);
}

static void test_refusals(void **state)
{
	char *out = in_scratch("refused.cpio");
	const struct initramfs_file missing = { .path = "x", .source = "/no/such/file" };

	check_refused("/etc/passwd", KP_ERR, "unsafe path");
	check_refused("a/../../b", KP_ERR, "unsafe path");
	check_refused("", KP_ERR, "unsafe path");
	check_refused("dir/x", KP_ERR, "there twice");
	assert_fails(KP_NOTFOUND, "/no/such/file", initramfs_write(out, &missing, 1, &err));
	free(out);
}

static void test_nonces_differ(void **state)
{
	char a[33], b[33];

	assert_ok(machine_nonce(a, &err));
	assert_ok(machine_nonce(b, &err));
	assert_int_equal(strspn(a, "0123456789abcdef"), 32);
	assert_string_not_equal(a, b);
}

static void test_domain(void **state)
{
	struct strvec args = STRVEC_INIT;
	struct machine_start s = { .image = "/tmp/a&b", .initrd = "/i<", .console_path = "/c'\"",
				   .cmdline = "x=\"1\"", .qemu_args = &args, .memory_mib = 300,
				   .accel = MACHINE_ACCEL_TCG };
	struct strbuf xml = STRBUF_INIT;

	machine_domain_xml(&s, "k", &xml);
	assert_non_null(strstr(xml.buf, "<domain type='qemu'"));
	assert_non_null(strstr(xml.buf, "<kernel>/tmp/a&amp;b</kernel>"));
	assert_non_null(strstr(xml.buf, "<initrd>/i&lt;</initrd>"));
	assert_non_null(strstr(xml.buf, "path='/c&apos;&quot;'"));
	assert_non_null(strstr(xml.buf, "<cmdline>x=&quot;1&quot;</cmdline>"));
	assert_non_null(strstr(xml.buf, "<memory unit='MiB'>300</memory>"));
	/* nothing of the host but the three files, and no way out */
	assert_null(strstr(xml.buf, "<interface"));
	assert_null(strstr(xml.buf, "<disk"));
	assert_null(strstr(xml.buf, "<filesystem"));
	assert_null(strstr(xml.buf, "<qemu:commandline"));
	strbuf_reset(&xml);
	strvec_pushl(&args, "-device", "edu,x='1'", NULL);
	s.accel = MACHINE_ACCEL_KVM;
	machine_domain_xml(&s, "k", &xml);
	assert_non_null(strstr(xml.buf, "<domain type='kvm'"));
	assert_non_null(strstr(xml.buf, "<qemu:arg value='edu,x=&apos;1&apos;'/>"));
	strbuf_release(&xml);
	strvec_release(&args);
}

/* ---- images ----------------------------------------------------------------- */

static void add32(struct strbuf *sb, size_t at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		sb->buf[at + (size_t)i] = (char)(v >> 8 * i);
}

/* An ELF file with one PT_NOTE segment that holds one note. */
static void make_vmlinux(unsigned note, struct strbuf *out)
{
	Elf64_Ehdr e = { .e_type = ET_EXEC, .e_machine = EM_X86_64, .e_phnum = 1,
			 .e_phoff = sizeof(e), .e_phentsize = sizeof(Elf64_Phdr) };
	Elf64_Nhdr n = { .n_namesz = 4, .n_descsz = 8, .n_type = note };
	Elf64_Phdr p = { .p_type = PT_NOTE, .p_offset = sizeof(e) + sizeof(p),
			 .p_filesz = sizeof(n) + 12 };

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	strbuf_add(out, &e, sizeof(e));
	strbuf_add(out, &p, sizeof(p));
	strbuf_add(out, &n, sizeof(n));
	strbuf_add(out, "Xen\0entry-at", 12);
}

/* A bzImage around it, compressed by "tool". trailer: size bytes behind the payload. */
static char *make_bzimage(const char *name, const char *tool, unsigned note, size_t trailer)
{
	struct strbuf elf = STRBUF_INIT, payload = STRBUF_INIT, image = STRBUF_INIT;
	struct child c = CHILD_INIT;
	char *path = in_scratch(name);

	make_vmlinux(note, &elf);
	strvec_pushl(&c.argv, tool, "-c", NULL);
	c.in = elf.buf;
	c.in_len = elf.len;
	run(&c, &payload);
	for (size_t i = 0; i < trailer; i++)
		strbuf_addch(&payload, 'L');
	for (int i = 0; i < 1024; i++)
		strbuf_addch(&image, 0);
	memcpy(image.buf + 0x202, "HdrS", 4);
	image.buf[0x1f1] = 1;
	add32(&image, 0x248, 0);
	add32(&image, 0x24c, (uint32_t)payload.len);
	strbuf_addbuf(&image, &payload);
	strbuf_addstr(&image, "the rest");
	assert_ok(file_write(path, image.buf, image.len, &err));
	strbuf_release(&elf);
	strbuf_release(&payload);
	strbuf_release(&image);
	return path;
}

static void check_image(const char *path, bool extracted)
{
	struct strbuf elf = STRBUF_INIT;
	char *got = machine_boot_image(path), *again = machine_boot_image(path);

	assert_string_equal(got, again);
	assert_int_equal(strcmp(got, path) != 0, extracted);
	assert_ok(file_read(got, 0, &elf, &err));
	if (extracted)
		assert_memory_equal(elf.buf, ELFMAG, SELFMAG);
	strbuf_release(&elf);
	free(got);
	free(again);
}

static void test_images(void **state)
{
	char *cache = in_scratch("cache");
	char *xz = make_bzimage("xz", "xz", 18, 4), *zstd = make_bzimage("zstd", "zstd", 18, 4);
	char *gzip = make_bzimage("gzip", "gzip", 18, 0), *other = make_bzimage("o", "xz", 17, 4);
	char *text = make_file("text", "no kernel at all"), *dir;

	setenv("KPORT_CACHE_HOME", cache, 1);
	check_image(xz, true);
	check_image(zstd, true);
	check_image(gzip, true);
	check_image(other, false); /* cannot be started directly */
	check_image(text, false);
	/* another image at the same place replaces the old one's kernel */
	dir = path_join(cache, "machine");
	assert_int_equal(count_names(dir), 3);
	free(make_bzimage("gzip", "xz", 18, 4));
	check_image(gzip, true);
	assert_int_equal(count_names(dir), 3);
	free(dir);
	assert_int_equal(truncate(xz, 1100), 0);
	check_image(xz, false);
	free(cache);
	free(xz);
	free(zstd);
	free(gzip);
	free(other);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	  cmocka_unit_test(test_same_input_same_bytes),
		cmocka_unit_test(test_refusals),  cmocka_unit_test(test_nonces_differ),
		cmocka_unit_test(test_domain),	  cmocka_unit_test(test_images),
	};

	return cmocka_run_group_tests_name("initramfs", tests, scratch_make, scratch_remove);
}
