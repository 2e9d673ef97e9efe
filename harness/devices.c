// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/devices.h"

#include <fnmatch.h>

#include "base/error.h"
#include "base/file.h"

struct row {
	struct strvec f; /* modalias, needs, arguments */
};

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

/* "-device a -device b": what is there already, for another device, is shared. */
static int add_args(struct strvec *to, const char *text, struct strbuf *err)
{
	struct strvec words = STRVEC_INIT;
	int ret = 0;

	strvec_split(&words, text, " ");
	if (!words.n || words.n % 2)
		ret = kp_fail(err, KP_ERR, "odd number of arguments in '%s'", text);
	for (size_t i = 0; ret == 0 && i < words.n; i += 2)
		if (!has_pair(to, words.v[i], words.v[i + 1]))
			strvec_pushl(to, words.v[i], words.v[i + 1], NULL);
	strvec_release(&words);
	return ret;
}

static int add_device(const struct row *row, struct machine_devices *out, struct strbuf *err)
{
	struct strvec needs = STRVEC_INIT;

	strvec_push(&out->modalias, row->f.v[0]);
	strvec_split(&needs, row->f.v[1], " ");
	for (size_t i = 0; i < needs.n; i++)
		add_once(&out->needs, needs.v[i]);
	strvec_release(&needs);
	return add_args(&out->qemu_args, row->f.v[2], err);
}

static bool matches(const struct module_info *info, const char *modalias)
{
	for (size_t i = 0; i < info->aliases.n; i++)
		if (fnmatch(info->aliases.v[i], modalias, 0) == 0)
			return true;
	return false;
}

static int choose_for(const char *ko, const struct row *rows, size_t n,
		      struct machine_devices *out, struct strbuf *err)
{
	struct module_info info;
	int ret = module_info_read(ko, &info, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < n; i++) {
		const char *modalias = rows[i].f.v[0];

		if (!matches(&info, modalias))
			continue;
		if (!strvec_contains(&out->modalias, modalias))
			ret = add_device(&rows[i], out, err);
		break;
	}
	module_info_release(&info);
	return ret;
}

static int read_rows(struct row *rows, size_t max, size_t *n, struct strbuf *err)
{
	char *path = kport_data_path("harness/devices.tsv");
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret = file_read(path, 1 << 20, &text, err);

	*n = 0;
	if (ret == 0)
		strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; ret == 0 && i < lines.n && *n < max; i++) {
		if (*lines.v[i] == '#')
			continue;
		strvec_init(&rows[*n].f);
		strvec_split(&rows[(*n)++].f, lines.v[i], "\t");
		if (rows[*n - 1].f.n != 3)
			ret = kp_fail(err, KP_ERR, "'%s': wrong line '%s'", path, lines.v[i]);
	}
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
	return ret;
}

int machine_devices_choose(const struct strvec *kos, struct machine_devices *out,
			   struct strbuf *err)
{
	struct row rows[256];
	size_t n;
	int ret = read_rows(rows, ARRAY_SIZE(rows), &n, err);

	machine_devices_init(out);
	for (size_t i = 0; ret == 0 && i < kos->n; i++)
		if (out->modalias.n < MACHINE_MAX_DEVICES)
			ret = choose_for(kos->v[i], rows, n, out, err);
	for (size_t i = 0; i < n; i++)
		strvec_release(&rows[i].f);
	if (ret < 0)
		machine_devices_release(out);
	return ret;
}

void machine_devices_init(struct machine_devices *d)
{
	strvec_init(&d->modalias);
	strvec_init(&d->needs);
	strvec_init(&d->qemu_args);
}

void machine_devices_release(struct machine_devices *d)
{
	strvec_release(&d->modalias);
	strvec_release(&d->needs);
	strvec_release(&d->qemu_args);
}
