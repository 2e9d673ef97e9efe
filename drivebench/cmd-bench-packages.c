// SPDX-License-Identifier: GPL-2.0-only
/* kport bench packages: candidates of the track out-of-tree, from a list of two versions of a DKMS package and two kernels. */
#include "base/compat.h"
#include "drivebench/cmd-bench.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "drivebench/bundle.h"
#include "mine/cases.h"

struct version {
	struct strbuf text;
	struct hash_hex hash;
};

/* The sources of one version, and what it is known by. KP_NOTFOUND: no suite has it. */
static int read_version(const char *package, const char *version, struct version *out, struct strbuf *err)
{
	char *deb = NULL;
	int ret = refs_deb(package, version, NULL, &deb, err);

	if (!ret)
		ret = hash_file(deb, &out->hash, err);
	if (!ret)
		ret = bundle_read_package(deb, &out->text, err);
	free(deb);
	return ret;
}

static int one_pair(const struct strvec *f, const struct kernel *from, const struct kernel *to, struct case_list *l,
		    struct strbuf *err)
{
	struct version old = { .text = STRBUF_INIT }, new = { .text = STRBUF_INIT };
	int ret = read_version(f->v[0], f->v[1], &old, err);

	if (!ret)
		ret = read_version(f->v[0], f->v[2], &new, err);
	if (!ret) {
		const struct case_package p = { .name = f->v[0], .old_version = f->v[1], .new_version = f->v[2],
			.old_hash = old.hash, .new_hash = new.hash, .old_text = old.text.buf, .new_text = new.text.buf };

		ret = cases_from_package(from->source_dir, to->source_dir, &p, l, err);
	}
	strbuf_release(&old.text);
	strbuf_release(&new.text);
	return ret;
}

static int kernels_of(const struct strvec *f, struct kernel *k[2], struct strbuf *err)
{
	int ret = 0;

	for (int i = 0; !ret && i < 2; i++)
		ret = refs_kernel_word(f->v[3 + i], &k[i], err);
	return ret;
}

/* A package that is not to be had costs its own lines only, and is named. */
static int one_line(const char *line, const char *where, struct case_list *l, size_t *left_out, struct strbuf *err)
{
	struct kernel *k[2] = { NULL, NULL };
	struct strvec f = STRVEC_INIT;
	size_t before = l->n;
	int ret = 0;

	strvec_split(&f, line, "\t ");
	if (!f.n || *f.v[0] == '#')
		goto out;
	if (f.n != 5)
		ret = kp_fail(err, KP_ERR, "%s: not 'PACKAGE OLD NEW FROM TO'", where);
	if (!ret)
		ret = kernels_of(&f, k, err);
	if (!ret)
		ret = one_pair(&f, k[0], k[1], l, err);
	if (ret == KP_INFRA || (ret == KP_NOTFOUND && k[1])) {
		log_warn("%s: left out: %s", where, err->buf);
		strbuf_reset(err);
		ret = 0;
	} else if (!ret && l->n == before) {
		log_warn("%s: left out: no interface that changed between the kernels is in the lines that changed", where);
	}
	*left_out += !ret && l->n == before;
out:
	kernel_free(k[0]);
	kernel_free(k[1]);
	strvec_release(&f);
	return ret;
}

int bench_packages(const struct command *cmd, int argc, const char **argv)
{
	const char *list = NULL, *out = NULL;
	const struct option table[] = {
		OPTION_STR('l', "list", &list, "FILE", "a line for each: PACKAGE OLD NEW FROM TO (kernels as for --kernel)"),
		OPTION_STR('o', "out", &out, "FILE", "the candidates go there"),
		OPTION_END()
	};
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	struct case_list l = { 0 };
	size_t left_out = 0;
	int ret;

	options_parse(cmd, table, argc, argv, NULL);
	if (!list || !out || !*out)
		usage("name the list and where the candidates go: --list FILE --out FILE");
	ret = file_check_out(out, &err);
	if (!ret)
		ret = file_read(list, 1 << 20, &text, &err);
	strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; !ret && i < lines.n; i++) {
		char *where = xstrfmt("%s: %s", list, lines.v[i]);

		ret = one_line(lines.v[i], where, &l, &left_out, &err);
		free(where);
	}
	if (!ret) {
		cases_finish(&l);
		ret = cases_write(&l, out, &err);
	}
	if (!ret)
		printf("%zu candidates, %zu lines left out\n", l.n, left_out);
	case_list_release(&l);
	strvec_release(&lines);
	strbuf_release(&text);
	return command_end(ret, &err) == EXIT_NO ? EXIT_FATAL : ret ? kp_exit_code(ret) : EXIT_YES;
}
