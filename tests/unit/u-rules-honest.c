// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a rule makes of its fixture passes the honest check: for every rule,
 * tests/fixtures/rules/NAME/out.c is a port of in.c that loses nothing but what the rule says
 * the kernel took away. The target is made up for each: it declares every name of both files,
 * and every member that they fill in, but not those that the rule replaces.
 */
#include "base/compat.h"
#include "tests/unit/unit.h"

#include "checks/honest.h"
#include "port/rules.h"

#define KV(a, b, c) (((a) << 16) + ((b) << 8) + (c))

struct made {
	struct strbuf header;
	struct strmap done; /* names and "struct tag member" that are settled */
	struct strmap tags; /* tag -> struct strbuf of its members */
};

/* "name" is gone; what stands behind "name/2" or "struct s.m:type" is there in another form. */
static void leave_out(struct made *m, const struct rule *r)
{
	for (size_t i = 0; i < r->replaces.n; i++) {
		const char *item = r->replaces.v[i];

		if (!item[strcspn(item, "/~:@ <.")])
			strmap_put(&m->done, item, m);
		else if (starts_with(item, "struct ") && !item[strcspn(item, "~:")])
			strmap_put(&m->done, item, m);
	}
	for (size_t i = 0; i < r->needs.n; i++)
		if (r->needs.v[i][0] == '!' && !strchr(r->needs.v[i], ' '))
			strmap_put(&m->done, r->needs.v[i] + 1, m);
}

static void declare_names(struct made *m, const struct facts *fa)
{
	for (size_t i = 0; i < fa->nfiles; i++) {
		const struct ctoks *ts = &fa->files[i]->ts;

		for (size_t t = 0; t < ts->n; t++) {
			char *name;

			if (!ctok_is_ident(ts, t))
				continue;
			name = ctok_dup(ts, t);
			if (!strmap_has(&m->done, name) && !facts_function(fa, name))
				strbuf_addf(&m->header, ctok_is(ts, t + 1, "(") ? "int %s(int x);\n" :
									     "extern int %s;\n", name);
			strmap_put(&m->done, name, m);
			free(name);
		}
	}
}

static void declare_members(struct made *m, const struct facts *fa)
{
	for (size_t i = 0; i < fa->n; i++) {
		const struct fact *f = &fa->f[i];
		struct strbuf *body;
		char *key;

		if (f->kind != FACT_MEMBER || !f->struct_tag || !f->member)
			continue;
		key = xstrfmt("struct %s.%s", f->struct_tag, f->member);
		body = strmap_get(&m->tags, f->struct_tag);
		if (!body) {
			body = xcalloc(1, sizeof(*body));
			strbuf_init(body);
			strmap_put(&m->tags, f->struct_tag, body);
		}
		if (!strmap_has(&m->done, key))
			strbuf_addf(body, "\tint %s;\n", f->member);
		strmap_put(&m->done, key, m);
		free(key);
	}
}

static void make_target(const struct rule *r, struct honest *h, const char *dir)
{
	struct made m = { .header = STRBUF_INIT, .done = STRMAP_INIT, .tags = STRMAP_INIT };
	struct strvec dirs = STRVEC_INIT;
	struct strmap_entry *e;
	char *path = xstrfmt("%s/include/target.h", dir);

	leave_out(&m, r);
	declare_names(&m, &h->old);
	declare_names(&m, &h->new);
	declare_members(&m, &h->old);
	declare_members(&m, &h->new);
	strmap_for_each(&m.tags, e) {
		struct strbuf *body = e->value;

		strbuf_addf(&m.header, "struct %s {\n%s};\n", e->key, body->buf);
		strbuf_release(body);
	}
	assert_ok(file_mkdirs_for(path, &err));
	assert_ok(file_write(path, m.header.buf, m.header.len, &err));
	strvec_pushf(&dirs, "%s/include", dir);
	assert_ok(ktarget_open_dirs(&dirs, &h->target, &err));
	strvec_release(&dirs);
	strbuf_release(&m.header);
	strmap_release(&m.done, NULL);
	strmap_release(&m.tags, free);
	free(path);
}

static void place(const char *fixture, const char *file, const char *dir, const char *sub)
{
	char *from = xstrfmt("%s/%s", fixture, file), *to = xstrfmt("%s/%s/x.c", dir, sub);
	struct strbuf text = STRBUF_INIT;

	assert_ok(file_read(from, 0, &text, &err));
	assert_ok(file_mkdirs_for(to, &err));
	assert_ok(file_write(to, text.buf, text.len, &err));
	strbuf_release(&text);
	free(from);
	free(to);
}

static size_t judge(const struct rule *r)
{
	struct finding_list fail = { 0 }, review = { 0 };
	char *fixture = xstrfmt("tests/fixtures/rules/%s", path_base(r->name));
	struct strbuf text = STRBUF_INIT;
	char *dir, *old, *new;
	struct honest h;
	size_t n;

	assert_ok(file_mkdtemp(scratch, "rule", &dir, &err));
	old = path_join(dir, "old");
	new = path_join(dir, "new");
	place(fixture, "in.c", dir, "old");
	place(fixture, "out.c", dir, "new");
	honest_init(&h, &fail, &review);
	assert_ok(facts_read(old, KV(6, 1, 0), &h.old, &err));
	assert_ok(facts_read(new, KV(7, 2, 0), &h.new, &err));
	make_target(r, &h, dir);
	honest_compare(&h);
	n = fail.n;
	for (size_t i = 0; i < n; i++) {
		strbuf_reset(&text);
		finding_describe(&fail.f[i], &text);
		print_message("# %s: %s %s\n", r->name, fail.f[i].rule, text.buf);
	}
	honest_release(&h);
	finding_list_release(&fail);
	finding_list_release(&review);
	assert_ok(file_remove(dir, &err));
	strbuf_release(&text);
	free(fixture);
	free(old);
	free(new);
	free(dir);
	return n;
}

static void rules(void **state)
{
	struct rule_set *rs = NULL;
	size_t bad = 0;

	assert_ok(rule_set_load("port/rules", &rs, &err));
	assert_true(rs->n > 100);
	for (size_t i = 0; i < rs->n; i++)
		bad += judge(&rs->r[i]);
	rule_set_free(rs);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
