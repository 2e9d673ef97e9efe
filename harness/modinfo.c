// SPDX-License-Identifier: GPL-2.0-only
/* Reads a module's .modinfo section and looks for its exit function. */
#include "base/compat.h"
#include "harness/modules-dep.h"

#include <elf.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

#define MAX_MODULE  (512u << 20)
#define MAX_ALIASES 20000
#define MAX_FIRMWARE 1000

struct elf {
	const char *data;
	size_t len;
	Elf64_Ehdr eh;
};

static bool elf_init(struct elf *e, const char *data, size_t len)
{
	e->data = data;
	e->len = len;
	if (len < sizeof(e->eh))
		return false;
	memcpy(&e->eh, data, sizeof(e->eh));
	return !memcmp(e->eh.e_ident, ELFMAG, SELFMAG) && e->eh.e_ident[EI_CLASS] == ELFCLASS64 &&
	       e->eh.e_ident[EI_DATA] == ELFDATA2LSB && e->eh.e_shentsize == sizeof(Elf64_Shdr) &&
	       e->eh.e_shoff <= len && e->eh.e_shnum <= (len - e->eh.e_shoff) / sizeof(Elf64_Shdr);
}

/* False when the section's contents are not inside the file. */
static bool elf_section(const struct elf *e, unsigned i, Elf64_Shdr *sh)
{
	if (i >= e->eh.e_shnum)
		return false;
	memcpy(sh, e->data + e->eh.e_shoff + i * sizeof(*sh), sizeof(*sh));
	return sh->sh_type != SHT_NOBITS && sh->sh_offset <= e->len &&
	       sh->sh_size <= e->len - sh->sh_offset;
}

/* A NUL-terminated string at off of a section, or "". */
static const char *elf_string(const struct elf *e, const Elf64_Shdr *sh, uint64_t off)
{
	const char *s = e->data + sh->sh_offset + off;

	if (off >= sh->sh_size || !memchr(s, '\0', sh->sh_size - off))
		return "";
	return s;
}

static bool elf_find(const struct elf *e, const char *name, Elf64_Shdr *out)
{
	Elf64_Shdr names;

	if (!elf_section(e, e->eh.e_shstrndx, &names))
		return false;
	for (unsigned i = 0; i < e->eh.e_shnum; i++)
		if (elf_section(e, i, out) && !strcmp(elf_string(e, &names, out->sh_name), name))
			return true;
	return false;
}

static bool elf_has_symbol(const struct elf *e, const char *name, bool defined)
{
	Elf64_Shdr tab, str;

	if (!elf_find(e, ".symtab", &tab) || !elf_section(e, tab.sh_link, &str))
		return false;
	for (size_t i = 0; i < tab.sh_size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym sym;

		memcpy(&sym, e->data + tab.sh_offset + i * sizeof(sym), sizeof(sym));
		if ((sym.st_shndx != SHN_UNDEF) == defined && !strcmp(elf_string(e, &str, sym.st_name), name))
			return true;
	}
	return false;
}

static void underscores(char *s)
{
	for (; *s; s++)
		if (*s == '-')
			*s = '_';
}

static void add_names(struct strvec *out, const char *list, const char *delims)
{
	char *copy = xstrdup(list);

	underscores(copy);
	strvec_split(out, copy, delims);
	free(copy);
}

static void set_once(char **slot, const char *value)
{
	if (!*slot)
		*slot = xstrdup(value);
}

/* "pre: a b post: c": the part behind "pre:". */
static void add_softdep(struct module_info *out, const char *value)
{
	struct strvec words = STRVEC_INIT;
	bool pre = false;

	strvec_split(&words, value, " \t");
	for (size_t i = 0; i < words.n; i++) {
		if (!strcmp(words.v[i], "pre:"))
			pre = true;
		else if (!strcmp(words.v[i], "post:"))
			pre = false;
		else if (pre)
			add_names(&out->soft_pre, words.v[i], " ");
	}
	strvec_release(&words);
}

static void add_item(struct module_info *out, const char *item)
{
	const char *v;

	if (skip_prefix(item, "name=", &v))
		set_once(&out->name, v);
	else if (skip_prefix(item, "depends=", &v))
		add_names(&out->depends, v, ",");
	else if (skip_prefix(item, "softdep=", &v))
		add_softdep(out, v);
	else if (skip_prefix(item, "alias=", &v) && out->aliases.n < MAX_ALIASES)
		strvec_push(&out->aliases, v);
	else if (skip_prefix(item, "firmware=", &v) && out->firmware.n < MAX_FIRMWARE)
		strvec_push(&out->firmware, v);
	else if (skip_prefix(item, "vermagic=", &v))
		set_once(&out->vermagic, v);
	else if (skip_prefix(item, "license=", &v))
		set_once(&out->license, v);
}

int module_info_read(const char *ko, struct module_info *out, struct strbuf *err)
{
	struct strbuf file = STRBUF_INIT;
	struct elf e;
	Elf64_Shdr info;
	int ret;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->depends);
	strvec_init(&out->soft_pre);
	strvec_init(&out->aliases);
	strvec_init(&out->firmware);
	ret = file_read(ko, MAX_MODULE, &file, err);
	if (ret < 0)
		goto out;
	if (!elf_init(&e, file.buf, file.len) || !elf_find(&e, ".modinfo", &info)) {
		ret = kp_fail(err, KP_ERR, "'%s' is not a kernel module", ko);
		goto out;
	}
	for (size_t off = 0; off < info.sh_size;) {
		const char *item = elf_string(&e, &info, off);

		add_item(out, item);
		off += strlen(item) + 1;
	}
	out->has_exit = elf_has_symbol(&e, "cleanup_module", true);
	out->platform = elf_has_symbol(&e, "__platform_driver_register", false) || elf_has_symbol(&e, "__platform_driver_probe", false) ||
			elf_has_symbol(&e, "__platform_register_drivers", false);
	if (!out->name)
		out->name = module_name_of_file(ko);
	if (!out->name || !*out->name || strlen(out->name) > 55 ||
	    out->name[strcspn(out->name, " /\n\t")])
		ret = kp_fail(err, KP_ERR, "'%s' has no usable module name", ko);
out:
	if (ret < 0)
		module_info_release(out);
	strbuf_release(&file);
	return ret;
}

void module_info_release(struct module_info *i)
{
	free(i->name);
	free(i->vermagic);
	free(i->license);
	strvec_release(&i->depends);
	strvec_release(&i->soft_pre);
	strvec_release(&i->aliases);
	strvec_release(&i->firmware);
	i->name = i->vermagic = i->license = NULL;
}

char *module_name_of_file(const char *path)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.gz", ".ko.zst" };
	const char *base = path_base(path);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (ends_with(base, ends[i]) && strlen(base) > strlen(ends[i])) {
			char *name = xstrndup(base, strlen(base) - strlen(ends[i]));

			underscores(name);
			return name;
		}
	}
	return NULL;
}
