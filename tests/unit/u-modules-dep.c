// SPDX-License-Identifier: GPL-2.0-only
/* Module facts and load order, on small ELF files made here. */
#include "tests/unit/unit.h"

#include <elf.h>

#include "base/child.h"
#include "harness/devices.h"
#include "harness/modules-dep.h"

enum { SEC_NULL, SEC_INFO, SEC_SYM, SEC_STR, SEC_NAMES, SEC_COUNT };

static void put(struct strbuf *elf, Elf64_Shdr *sh, uint32_t type, size_t name, const void *data,
		size_t len)
{
	sh->sh_type = type;
	sh->sh_name = (Elf64_Word)name;
	sh->sh_offset = elf->len;
	sh->sh_size = len;
	strbuf_add(elf, data, len);
	while (elf->len % 8)
		strbuf_addch(elf, 0);
}

/* info: NUL-separated items; symbol: the one defined symbol. */
static void make_elf(const char *info, size_t info_len, const char *symbol, struct strbuf *elf)
{
	static const char names[] = "\0.modinfo\0.symtab\0.strtab\0.shstrtab";
	Elf64_Ehdr eh = { .e_type = ET_REL, .e_machine = EM_X86_64,
			  .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SEC_COUNT,
			  .e_shstrndx = SEC_NAMES };
	Elf64_Shdr sh[SEC_COUNT] = { 0 };
	Elf64_Sym sym[2] = { { 0 }, { .st_name = 1, .st_shndx = 1 } };
	char strtab[64] = "";

	snprintf(strtab + 1, sizeof(strtab) - 1, "%s", symbol);
	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	strbuf_add(elf, &eh, sizeof(eh));
	put(elf, &sh[SEC_INFO], SHT_PROGBITS, 1, info, info_len);
	put(elf, &sh[SEC_SYM], SHT_SYMTAB, 10, sym, sizeof(sym));
	sh[SEC_SYM].sh_link = SEC_STR;
	put(elf, &sh[SEC_STR], SHT_STRTAB, 18, strtab, strlen(symbol) + 2);
	put(elf, &sh[SEC_NAMES], SHT_STRTAB, 26, names, sizeof(names));
	eh.e_shoff = elf->len;
	strbuf_add(elf, sh, sizeof(sh));
	memcpy(elf->buf, &eh, sizeof(eh));
}

#define INFO(s) s, sizeof(s)

/* A module file below the scratch directory; the caller frees the path. */
static char *make_module(const char *rel, const char *info, size_t len)
{
	struct strbuf elf = STRBUF_INIT;
	char *path = in_scratch(rel);

	make_elf(info, len, "cleanup_module", &elf);
	assert_ok(file_mkdirs_for(path, &err));
	assert_ok(file_write(path, elf.buf, elf.len, &err));
	strbuf_release(&elf);
	return path;
}

static void compress(const char *path, const char *tool)
{
	struct child c = CHILD_INIT;
	struct child_result r;

	strvec_pushl(&c.argv, tool, "-q", path, NULL);
	assert_ok(child_run(&c, &r, &err));
	assert_true(child_ok(&r));
	child_release(&c);
}

static void test_facts(void **state)
{
	char *path = make_module("facts/snd-foo.ko",
				 INFO("license=GPL\0depends=snd-pcm,snd\0vermagic=6.12 SMP\0"
				      "softdep=pre: crc32c post: later\0name=snd_foo"));
	struct module_info i;

	assert_ok(module_info_read(path, &i, &err));
	assert_string_equal(i.name, "snd_foo");
	assert_string_equal(i.license, "GPL");
	assert_string_equal(i.vermagic, "6.12 SMP");
	assert_int_equal(i.depends.n, 2);
	assert_string_equal(i.depends.v[0], "snd_pcm");
	assert_int_equal(i.soft_pre.n, 1);
	assert_string_equal(i.soft_pre.v[0], "crc32c");
	assert_true(i.has_exit);
	module_info_release(&i);
	free(path);
}

static void test_file_names(void **state)
{
	static const char *const names[][2] = { { "/a/snd-hda.ko.xz", "snd_hda" },
						{ "x.ko", "x" },
						{ "x.ko.zst", "x" },
						{ "x.ko.gz", "x" },
						{ ".ko", NULL },
						{ "x.o", NULL } };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *name = module_name_of_file(names[i][0]);

		if (names[i][1])
			assert_string_equal(name, names[i][1]);
		else
			assert_null(name);
		free(name);
	}
}

/* Every cut of a module and some damage: an error or an answer, never a crash. */
static void test_damage(void **state)
{
	struct strbuf elf = STRBUF_INIT;
	char *path = in_scratch("damaged.ko");
	struct module_info i;

	make_elf(INFO("name=x\0depends=y"), "cleanup_module", &elf);
	for (size_t len = 0; len < elf.len; len += 7) {
		assert_ok(file_write_nosync(path, elf.buf, len, &err));
		assert_int_equal(module_info_read(path, &i, &err), KP_ERR);
		strbuf_reset(&err);
	}
	for (size_t at = 0; at < elf.len; at++) {
		char was = elf.buf[at];

		elf.buf[at] = (char)0xff;
		assert_ok(file_write_nosync(path, elf.buf, elf.len, &err));
		if (module_info_read(path, &i, &err) == 0)
			module_info_release(&i);
		strbuf_reset(&err);
		elf.buf[at] = was;
	}
	strbuf_release(&elf);
	free(path);
}

static void test_names_are_checked(void **state)
{
	char *path = make_module("evil.ko", INFO("name=../../x\0depends="));
	struct module_info i;

	assert_fails(KP_ERR, "no usable module name", module_info_read(path, &i, &err));
	free(path);
}

static struct kernel fake_kernel(void)
{
	static char *dir;

	free(dir);
	dir = in_scratch("mods");
	return (struct kernel){ .name = (char *)"6.12", .modules_dir = dir };
}

static void make_kernel_modules(void)
{
	char *mc = make_module("mods/kernel/media/mc.ko", INFO("name=mc\0depends="));
	char *videodev = make_module("mods/kernel/media/videodev.ko",
				     INFO("name=videodev\0depends=mc\0softdep=pre: absent"));

	free(make_module("mods/kernel/one.ko", INFO("name=one\0depends=two")));
	free(make_module("mods/kernel/two.ko", INFO("name=two\0depends=one")));
	compress(mc, "xz");
	compress(videodev, "gzip");
	free(mc);
	free(videodev);
}

static int resolve(const struct strvec *kos, struct module_list *l)
{
	struct kernel k = fake_kernel();
	char *work = in_scratch("work");
	int ret;

	assert_ok(file_remove(work, &err));
	assert_ok(file_mkdirs(work, &err));
	ret = modules_resolve(&k, kos, NULL, work, l, &err);
	free(work);
	return ret;
}

static void test_order(void **state)
{
	char *b = make_module("drv/b.ko", INFO("name=b\0depends=a,videodev"));
	char *a = make_module("drv/a.ko", INFO("name=a\0depends=mc"));
	static const char *const want[] = { "mc", "a", "videodev", "b" };
	struct strvec kos = STRVEC_INIT;
	struct module_list l;

	make_kernel_modules();
	strvec_pushl(&kos, b, a, NULL);
	assert_ok(resolve(&kos, &l));
	assert_int_equal(l.n, 4);
	for (size_t i = 0; i < l.n; i++) {
		assert_string_equal(l.m[i].info.name, want[i]);
		assert_true(file_exists(l.m[i].file));
		assert_int_equal(l.m[i].driver, want[i][1] == '\0');
	}
	assert_ptr_equal(module_list_find(&l, "videodev"), &l.m[2]);
	assert_null(module_list_find(&l, "v"));
	module_list_release(&l);
	strvec_release(&kos);
	free(a);
	free(b);
}

/* The driver's own copy of a kernel's module wins. */
static void test_override(void **state)
{
	char *mc = make_module("drv/mc.ko", INFO("name=mc\0depends="));
	struct strvec kos = STRVEC_INIT;
	struct module_list l;

	strvec_push(&kos, mc);
	assert_ok(resolve(&kos, &l));
	assert_int_equal(l.n, 1);
	assert_true(l.m[0].driver);
	module_list_release(&l);
	strvec_release(&kos);
	free(mc);
}

/* A softdep on an algorithm; a module of the kernel that needs one of the driver's. */
static void test_less_common(void **state)
{
	char *drv = make_module("odd/mc.ko", INFO("name=mc\0depends=crc32c_generic"));
	char *top = make_module("odd/top.ko",
				INFO("name=top\0depends=videodev\0softdep=pre: crc32c"));
	struct strvec kos = STRVEC_INIT;
	struct module_list l;

	free(make_module("mods/crypto/crc32c_generic.ko", INFO("name=crc32c_generic\0depends=")));
	strvec_pushl(&kos, top, drv, NULL);
	assert_ok(resolve(&kos, &l));
	assert_int_equal(l.n, 4);
	assert_string_equal(l.m[0].info.name, "crc32c_generic");
	assert_false(l.m[0].driver);
	assert_string_equal(l.m[1].info.name, "mc");
	assert_string_equal(l.m[2].info.name, "videodev");
	assert_true(l.m[2].driver);
	assert_string_equal(l.m[3].info.name, "top");
	module_list_release(&l);
	strvec_release(&kos);
	free(drv);
	free(top);
}

static void test_refusals(void **state)
{
	char *lost = make_module("drv/lost.ko", INFO("name=lost\0depends=nowhere"));
	char *loop = make_module("drv/loop.ko", INFO("name=loop\0depends=one"));
	char *twin = make_module("drv/twin.ko", INFO("name=lost\0depends="));
	char *text = make_file("drv/text.ko", "not an object");
	const char *const one[][3] = { { lost }, { loop }, { lost, twin }, { text } };
	static const char *const says[] = { "needs 'nowhere'", "depend on each other",
					    "two modules are named 'lost'",
					    "is not a kernel module" };

	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		struct strvec kos = STRVEC_INIT;
		struct module_list l;

		strvec_pushv(&kos, one[i]);
		assert_fails(i ? KP_ERR : KP_INFRA, says[i], resolve(&kos, &l));
		assert_int_equal(l.n, 0);
		strvec_release(&kos);
	}
	free(lost);
	free(loop);
	free(twin);
	free(text);
}

/* ---- emulated devices ------------------------------------------------------------ */

static void check_devices(const char *info, size_t len, const char *modalias, const char *needs,
			  const char *arg)
{
	char *ko = make_module("alias/x.ko", info, len);
	struct strvec kos = STRVEC_INIT;
	struct machine_devices d;

	strvec_push(&kos, ko);
	strvec_push(&kos, ko);
	assert_ok(machine_devices_choose(&kos, &d, &err));
	assert_int_equal(d.modalias.n, modalias ? 1 : 0);
	assert_int_equal(d.needs.n, needs ? 1 : 0);
	if (modalias)
		assert_string_equal(d.modalias.v[0], modalias);
	if (needs)
		assert_string_equal(d.needs.v[0], needs);
	if (arg)
		assert_true(strvec_contains(&d.qemu_args, arg));
	assert_int_equal(d.qemu_args.n % 2, 0);
	machine_devices_release(&d);
	strvec_release(&kos);
	free(ko);
}

static void test_devices(void **state)
{
	check_devices(INFO("name=x\0alias=pci:v00001234d000011E8sv*sd*bc*sc*i*"),
		      "pci:v00001234d000011E8sv00001AF4sd00001100bc00scFFi00", NULL, "edu");
	check_devices(INFO("name=x\0alias=virtio:d00000004v*"), "virtio:d00000004v00001AF4",
		      "virtio_pci", "virtio-rng-pci");
	check_devices(INFO("name=x\0alias=pci:v0000FFFFd0000FFFFsv*sd*bc*sc*i*"), NULL, NULL, NULL);
	check_devices(INFO("name=x\0depends="), NULL, NULL, NULL);
}

/* What several devices share (a controller) is given once. */
static void test_shared_devices(void **state)
{
	char *a = make_module("shared/a.ko", INFO("name=a\0alias=usb:v*p*d*dc*dsc*dp*ic08isc06ip50in*"));
	char *b = make_module("shared/b.ko", INFO("name=b\0alias=usb:v0525pA4A2d*dc*dsc*dp*ic*isc*ip*in*"));
	struct strvec kos = STRVEC_INIT;
	struct machine_devices d;
	size_t controllers = 0;

	strvec_pushl(&kos, a, b, NULL);
	assert_ok(machine_devices_choose(&kos, &d, &err));
	assert_int_equal(d.modalias.n, 2);
	assert_int_equal(d.needs.n, 2); /* xhci_pci once, sd_mod for the disk */
	for (size_t i = 0; i < d.qemu_args.n; i++)
		controllers += starts_with(d.qemu_args.v[i], "qemu-xhci");
	assert_int_equal(controllers, 1);
	machine_devices_release(&d);
	strvec_release(&kos);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),	 cmocka_unit_test(test_file_names),
		cmocka_unit_test(test_damage),	 cmocka_unit_test(test_names_are_checked),
		cmocka_unit_test(test_order),	 cmocka_unit_test(test_override),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_devices),
		cmocka_unit_test(test_shared_devices), cmocka_unit_test(test_less_common),
	};

	return cmocka_run_group_tests_name("modules-dep", tests, scratch_make, scratch_remove);
}
