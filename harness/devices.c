// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/devices.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

static void add_once(struct strvec *to, const char *word)
{
	if (strcmp(word, "-") && !strvec_contains(to, word))
		strvec_push(to, word);
}

static bool has_pair(const struct strvec *args, const char *name, const char *value)
{
	for (size_t i = 0; i + 1 < args->n; i += 2)
		if (!strcmp(args->v[i], name) && !strcmp(args->v[i + 1], value))
			return true;
	return false;
}

/* What is there already, for another device, is shared. */
static void add_args(struct strvec *to, const struct strvec *args)
{
	for (size_t i = 0; i + 1 < args->n; i += 2)
		if (!has_pair(to, args->v[i], args->v[i + 1]))
			strvec_pushl(to, args->v[i], args->v[i + 1], NULL);
}

static void add_device(const struct device_row *row, struct machine_devices *out)
{
	strvec_push(&out->modalias, row->modalias);
	for (size_t i = 0; i < row->needs.n; i++)
		add_once(&out->needs, row->needs.v[i]);
	add_once(&out->interfaces, row->interface);
	add_args(&out->qemu_args, &row->qemu_args);
}

bool device_row_matches(const struct device_row *row, const struct strvec *aliases)
{
	for (size_t i = 0; i < aliases->n; i++)
		if (fnmatch(aliases->v[i], row->modalias, 0) == 0)
			return true;
	return false;
}

char *device_row_name(const struct device_row *row)
{
	const char *name = "";
	/* The others stand behind it; in front of it only the controller of its bus. */
	size_t skip = starts_with(row->modalias, "usb:") || starts_with(row->modalias, "hid:");

	for (size_t i = 0; i + 1 < row->qemu_args.n && !*name; i += 2)
		if (!strcmp(row->qemu_args.v[i], "-device") && !skip--)
			name = row->qemu_args.v[i + 1];
	return xstrndup(name, strcspn(name, ","));
}

static int choose_for(const char *ko, const struct device_table *t, struct machine_devices *out,
		      struct strbuf *err)
{
	struct module_info info;
	int ret = module_info_read(ko, &info, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < t->n; i++) {
		if (!device_row_matches(&t->row[i], &info.aliases))
			continue;
		if (!strvec_contains(&out->modalias, t->row[i].modalias))
			add_device(&t->row[i], out);
		break;
	}
	module_info_release(&info);
	return 0;
}

static int add_row(struct device_table *t, const char *line, const char *path, struct strbuf *err)
{
	struct strvec f = STRVEC_INIT;
	struct device_row *row;
	int ret = 0;

	strvec_split(&f, line, "\t");
	ALLOC_GROW(t->row, t->n + 1, t->alloc);
	row = &t->row[t->n++];
	memset(row, 0, sizeof(*row));
	strvec_init(&row->needs);
	strvec_init(&row->qemu_args);
	if (f.n == 4) {
		row->modalias = xstrdup(f.v[0]);
		strvec_split(&row->needs, f.v[1], " ");
		row->interface = xstrdup(f.v[2]);
		strvec_split(&row->qemu_args, f.v[3], " ");
	}
	if (f.n != 4 || !row->qemu_args.n || row->qemu_args.n % 2)
		ret = kp_fail(err, KP_ERR, "'%s': wrong line '%s'", path, line);
	if (row->needs.n && !strcmp(row->needs.v[0], "-"))
		strvec_remove(&row->needs, 0);
	strvec_release(&f);
	return ret;
}

int device_table_read(struct device_table *t, struct strbuf *err)
{
	char *path = kport_data_path("harness/devices.tsv");
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret = file_read(path, 1 << 20, &text, err);

	memset(t, 0, sizeof(*t));
	if (ret == 0)
		strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; ret == 0 && i < lines.n; i++)
		if (*lines.v[i] != '#')
			ret = add_row(t, lines.v[i], path, err);
	if (ret < 0)
		device_table_release(t);
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
	return ret;
}

void device_table_release(struct device_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->row[i].modalias);
		free(t->row[i].interface);
		strvec_release(&t->row[i].needs);
		strvec_release(&t->row[i].qemu_args);
	}
	free(t->row);
	memset(t, 0, sizeof(*t));
}

/* ---- stand-ins ------------------------------------------------------------------------ */

/* "i2c:lm75": the one that is called as the module, else the first. */
static char *choose_i2c(const struct module_info *info)
{
	const char *first = NULL, *name;

	for (size_t i = 0; i < info->aliases.n; i++) {
		if (!skip_prefix(info->aliases.v[i], "i2c:", &name) || name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")])
			continue;
		if (!first || !strcmp(name, info->name))
			first = name;
	}
	return first ? xstrfmt("i2c %s " MACHINE_I2C_ADDRESS, first) : NULL;
}

/* "hid:b0003g0001v0000046Dp0000C216", the first; "*" is anything, and group 1 what has no special one. */
static char *choose_hid(const struct module_info *info)
{
	for (size_t i = 0; i < info->aliases.n; i++) {
		unsigned bus, vendor, product;
		const char *a = info->aliases.v[i];

		if (sscanf(a, "hid:b%4xg*v%8xp%8x", &bus, &vendor, &product) == 3 ||
		    sscanf(a, "hid:b%4xg0001v%8xp%8x", &bus, &vendor, &product) == 3)
			return xstrfmt("hid %x %x %x", bus, vendor, product);
	}
	return NULL;
}

static char *choose_input(const struct module_info *info)
{
	for (size_t i = 0; i < info->aliases.n; i++)
		if (starts_with(info->aliases.v[i], "input:"))
			return xstrdup("input");
	return NULL;
}

/*
 * One for the class of modems, which the gadget really speaks, else "usb:v046Dp0825d*...ic*...", the first with numbers; a device of the gadget's vendor is one
 * that speaks nothing but bulk transfers.
 */
static char *choose_usb(const struct module_info *info)
{
	unsigned vendor, product;

	for (size_t i = 0; i < info->aliases.n; i++)
		if (starts_with(info->aliases.v[i], "usb:v*p*") && strstr(info->aliases.v[i], "ic02isc02"))
			return xstrdup("usb 0525 a4a7 acm");
	for (size_t i = 0; i < info->aliases.n; i++)
		if (sscanf(info->aliases.v[i], "usb:v%4xp%4xd", &vendor, &product) == 2)
			return xstrfmt("usb %04x %04x %s", vendor, product,
				       strstr(info->aliases.v[i], "ic02") ? "acm" : "SourceSink");
	return NULL;
}

static char *choose_platform(const struct module_info *info)
{
	return info->platform ? xstrdup("platform") : NULL;
}

static const struct standin {
	char *(*choose)(const struct module_info *info); /* "KIND WORDS", newly allocated, or NULL */
	const char *needs;				 /* modules of the kernel that bring it up */
} standins[] = {
	{ choose_i2c, "i2c_stub" },
	{ choose_hid, "uhid evdev" },
	{ choose_input, "uinput" },
	{ choose_usb, "dummy_hcd usb_f_ss_lb usb_f_acm" },
	{ choose_platform, "" },
};

char *device_standin(const struct module_info *info, const char **needs)
{
	char *words = NULL;

	for (size_t i = 0; !words && i < ARRAY_SIZE(standins); i++) {
		words = standins[i].choose(info);
		*needs = standins[i].needs;
	}
	return words;
}

static int choose_standin(const char *ko, struct machine_devices *out, struct strbuf *err)
{
	struct strvec list = STRVEC_INIT;
	struct module_info info;
	const char *needs = "";
	int ret = module_info_read(ko, &info, err);
	char *words;

	if (ret < 0)
		return ret;
	words = device_standin(&info, &needs);
	if (words) {
		strvec_clear(&out->standins);
		strvec_push(&out->standins, words);
		strvec_split(&list, needs, " ");
	}
	for (size_t j = 0; j < list.n; j++)
		if (*list.v[j])
			add_once(&out->needs, list.v[j]);
	strvec_release(&list);
	free(words);
	module_info_release(&info);
	return 0;
}

/* A platform device is for those that ask for nothing better. */
static bool wants_better(const struct machine_devices *d)
{
	return !d->standins.n || !strcmp(d->standins.v[0], "platform");
}

int machine_devices_choose(const struct strvec *kos, struct machine_devices *out,
			   struct strbuf *err)
{
	struct device_table t;
	int ret = device_table_read(&t, err);

	machine_devices_init(out);
	for (size_t i = 0; ret == 0 && i < kos->n; i++)
		if (out->modalias.n < MACHINE_MAX_DEVICES)
			ret = choose_for(kos->v[i], &t, out, err);
	for (size_t i = 0; ret == 0 && !out->modalias.n && wants_better(out) && i < kos->n; i++)
		ret = choose_standin(kos->v[i], out, err);
	device_table_release(&t);
	if (ret < 0)
		machine_devices_release(out);
	return ret;
}

void machine_devices_init(struct machine_devices *d)
{
	strvec_init(&d->modalias);
	strvec_init(&d->needs);
	strvec_init(&d->interfaces);
	strvec_init(&d->standins);
	strvec_init(&d->qemu_args);
}

void machine_devices_release(struct machine_devices *d)
{
	strvec_release(&d->modalias);
	strvec_release(&d->needs);
	strvec_release(&d->interfaces);
	strvec_release(&d->standins);
	strvec_release(&d->qemu_args);
}
