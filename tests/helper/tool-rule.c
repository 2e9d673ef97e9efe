// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/file.h"
#include "checks/coccicheck.h"
#include "port/cautions.h"
#include "port/rules.h"
#include "tests/helper/test-tool.h"

static const struct rule *find_rule(const struct rule_set *rs, const char *name)
{
	for (size_t i = 0; i < rs->n; i++)
		if (!strcmp(path_base(rs->r[i].name), name))
			return &rs->r[i];
	return NULL;
}

static int list_rules(const struct rule_set *rs)
{
	for (size_t i = 0; i < rs->n; i++)
		printf("%s\n", rs->r[i].name);
	return 0;
}

/* The file behind the rule, on stdout. */
static int apply(const struct rule *r, const char *dir, const char *file, struct strbuf *err)
{
	struct edit_group *g = NULL;
	struct tree *t = NULL, *t2 = NULL;
	char *made = NULL, *scratch = NULL;
	int ret = tree_read(dir, &t, err);

	if (ret == 0)
		ret = file_mkdtemp(".", "rule", &made, err);
	if (ret == 0)
		scratch = file_realpath(made);
	if (ret == 0)
		ret = rule_apply(r, t, NULL, scratch, &g, err);
	if (ret == 0 && g) {
		t2 = tree_apply(t, g, err);
		ret = t2 ? 0 : -1;
	}
	if (ret == 0) {
		struct srcfile *f = tree_file(t2 ? t2 : t, file);

		if (f)
			fwrite(f->text, 1, f->len, stdout);
	}
	if (scratch && rmdir(scratch) < 0) {
		fprintf(stderr, "test-tool rule: '%s' is not empty\n", scratch);
		ret = -1;
	}
	free(made);
	free(scratch);
	edit_group_free(g);
	tree_unref(t2);
	tree_unref(t);
	return ret;
}

/* What a caution that only reports says of it. */
static int report(const struct rule *r, const char *dir, const char *file, struct strbuf *err)
{
	struct coccicheck cc = COCCICHECK_INIT;
	struct strvec files = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	struct tree *t = NULL;
	char *real = file_realpath(dir);
	int ret = tree_read(dir, &t, err);

	strvec_push(&files, file);
	if (ret == 0 && caution_concerns(r, t))
		ret = coccicheck_one(&cc, r->path, real, &files, err);
	for (size_t i = 0; i < cc.findings.n; i++) {
		finding_describe(&cc.findings.f[i], &out);
		strbuf_addch(&out, '\n');
	}
	fwrite(out.buf, 1, out.len, stdout);
	coccicheck_release(&cc);
	strvec_release(&files);
	strbuf_release(&out);
	tree_unref(t);
	free(real);
	return ret;
}

int tool_rule(int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct rule_set *rs = NULL;
	const struct rule *r;
	char *dir;
	int ret;

	if (argc != 2 && argc != 5)
		return 129;
	dir = file_realpath(argv[1]); /* spatch runs elsewhere */
	ret = dir ? rule_set_load(dir, &rs, &err) : -1;
	if (!dir)
		strbuf_addf(&err, "no directory '%s'", argv[1]);
	if (ret == 0 && argc == 2) {
		ret = list_rules(rs);
	} else if (ret == 0) {
		r = find_rule(rs, argv[2]);
		if (!r)
			strbuf_addf(&err, "no rule '%s'", argv[2]);
		ret = r ? (r->reports ? report : apply)(r, argv[3], argv[4], &err) : -1;
	}
	if (ret < 0)
		fprintf(stderr, "test-tool rule: %s\n", err.buf);
	rule_set_free(rs);
	free(dir);
	strbuf_release(&err);
	return ret < 0 ? 1 : 0;
}
