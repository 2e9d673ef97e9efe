// SPDX-License-Identifier: GPL-2.0-only
/* Learned rules: generalisation, leave-one-out counted by hand, semantic patches. */
#include "tests/unit/names-fixture.h"

#include "port/learn-internal.h"
#include "port/learn-store.h"
#include "port/smpl.h"

static struct learn l;
static struct api_pair pair;
static struct learn_change *c;

static void begin(const char *name, enum learn_place place, const char *parent)
{
	static struct api_change change;

	pair = (struct api_pair){ .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new };
	learn_init(&l, &pair, NULL, NULL);
	c = xcalloc(1, sizeof(*c));
	c->place = place;
	c->name = xstrdup(name);
	c->parent = xstrdup(parent);
	c->title = parent ? xstrfmt("%s.%s", parent, name) : xstrdup(name);
	c->text = xstrdup("removed");
	c->change = &change;
	ALLOC_GROW(l.change, 1, l.alloc);
	l.change[l.n++] = c;
}

/* A file of its own; after NULL: left alone. */
static void site(const char *before, const char *after)
{
	struct learn_site *s;
	struct ctoks ts;

	strvec_pushf(&l.paths, "drivers/d%zu.c", l.paths.n);
	ALLOC_GROW(c->site, c->nsites + 1, c->site_alloc);
	s = &c->site[c->nsites++];
	memset(s, 0, sizeof(*s));
	s->file = (int)l.paths.n - 1;
	s->path = l.paths.v[s->file];
	s->before = xstrdup(before);
	s->after = xstrdup(after);
	s->answered = after && !strstr(after, c->name);
	s->occ = xcalloc(16, sizeof(*s->occ));
	ctoks_scan(&ts, before, strlen(before));
	for (uint32_t i = 0; i < ts.n; i++)
		if (ctok_is(&ts, i, c->name))
			s->occ[s->nocc++] = i;
	ctoks_release(&ts);
}

static void learn_them(void)
{
	/* The strings moved while files were added. */
	for (size_t i = 0; i < c->nsites; i++)
		c->site[i].path = l.paths.v[c->site[i].file];
	learn_rules(&l);
	smpl_rules(&l, c);
}

static const struct learn_rule *only_rule(void)
{
	const struct learn_rule *r = NULL;

	for (size_t k = 0; k < c->nrules; k++)
		if (c->rule[k].chosen && !c->rule[k].guard) {
			assert_null(r);
			r = &c->rule[k];
		}
	return r;
}

/* Ten files did it, one did something else, one left another constant alone. */
static void counted_by_hand(void **state)
{
	const struct learn_rule *r;

	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 10; i++)
		site("old_thing(&priv->a, TIMER_FLAG);", "timer_write(&priv->a);");
	site("old_thing(x, TIMER_FLAG);", "timer_delete(x);");
	site("old_thing(x, 5);", NULL);
	learn_them();
	assert_int_equal(c->score.exact, 10);
	assert_int_equal(c->score.within, 0);
	assert_int_equal(c->score.wrong, 1);
	assert_int_equal(c->score.missed, 0);
	assert_int_equal(c->score.kept, 1);
	assert_int_equal(c->score.alone, 0);
	assert_true(learn_precision(&c->score) > 0.909 && learn_precision(&c->score) < 0.91);
	r = only_rule();
	assert_non_null(r);
	assert_int_equal(r->support, 10);
	assert_int_equal(r->risk, RISK_REVIEW); /* wrong in a file that it had not seen */
	assert_string_equal(r->smpl, "@depends on patch@\nexpression E1;\n@@\n- old_thing(E1, TIMER_FLAG)\n"
				     "+ timer_write(E1)\n");
	learn_release(&l);
}

static void all_alike_is_safe(void **state)
{
	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 4; i++)
		site("err = old_thing(p, n);", "err = timer_write(p, n);");
	learn_them();
	assert_int_equal(c->score.exact, 4);
	assert_int_equal(only_rule()->risk, RISK_SAFE);
	assert_string_equal(only_rule()->smpl, "@depends on patch@\n@@\n- old_thing\n+ timer_write\n");
	learn_release(&l);
}

/* What would have been changed although the kernel left it costs precision and safety. */
static void left_alone_counts(void **state)
{
	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 19; i++)
		site("old_thing(p);", "timer_write(p);");
	site("old_thing(q);", NULL);
	learn_them();
	assert_int_equal(c->score.exact, 19);
	assert_int_equal(c->score.alone, 1);
	assert_true(learn_safety(&c->score) < 0.01);
	assert_true(learn_precision(&c->score) < 0.951);
	assert_int_equal(only_rule()->risk, RISK_REVIEW);
	learn_release(&l);
}

/* Two files teach a third; two alone teach each other nothing. */
static void two_files_are_no_evidence(void **state)
{
	begin("old_thing", LEARN_NAME, NULL);
	site("old_thing(p);", "timer_write(p);");
	site("old_thing(p);", "timer_write(p);");
	learn_them();
	assert_null(only_rule());
	assert_int_equal(c->score.missed, 2);
	learn_release(&l);
}

/* A, A, B: the two with A see both values, the one with B sees A alone. */
static void constants_vary_or_not(void **state)
{
	const struct learn_rule *r;

	begin("old_thing", LEARN_NAME, NULL);
	site("old_thing(p, 5);", "timer_write(p);");
	site("old_thing(p, 5);", "timer_write(p);");
	site("old_thing(p, 6);", "timer_write(p);");
	learn_them();
	r = only_rule();
	assert_non_null(r);
	assert_null(learn_fixed(r, 2, -1));
	assert_string_equal(learn_fixed(r, 2, 2), "5");
	assert_int_equal(c->score.exact, 2);
	assert_int_equal(c->score.missed, 1);
	assert_string_equal(r->smpl, "@depends on patch@\nexpression E1;\nexpression E2;\n@@\n"
				     "- old_thing(E1, E2)\n+ timer_write(E1)\n");
	learn_release(&l);
}

/* The statement changed in another place too. */
static void edit_within_a_statement(void **state)
{
	struct example *ex;
	size_t n;

	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 3; i++)
		site("old_thing(p);", "timer_write(p);");
	site("a = old_thing(p) + x;", "a = timer_write(p) + y(x);");
	n = learn_site_examples(&c->site[3], &ex);
	assert_int_equal(n, 2);
	assert_string_equal(ex[0].after, "a = timer_write(p) + y(x);");
	assert_string_equal(ex[1].after, "a = timer_write(p) + x;");
	examples_free_list(ex, n);
	learn_them();
	assert_int_equal(c->score.exact, 3);
	assert_int_equal(c->score.within, 1);
	learn_release(&l);
}

/* A more specific shape goes first; where the files differ a guard stops the general rule. */
static void specific_first(void **state)
{
	size_t guards = 0;

	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 6; i++)
		site("old_thing(p);", "timer_write(p);");
	for (int i = 0; i < 4; i++)
		site("x = old_thing(p) + 1;", "x = timer_poll_nested(1, p);");
	learn_them();
	assert_int_equal(c->score.exact, 10);
	assert_int_equal(c->score.wrong, 0);
	learn_release(&l);

	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 9; i++)
		site("old_thing(p);", "timer_write(p);");
	for (int i = 0; i < 3; i++)
		site("x = old_thing(p) + 1;", "x = timer_poll_nested(1, p);");
	for (int i = 0; i < 2; i++)
		site("x = old_thing(p) + 1;", "x = timer_delete(p);");
	learn_them();
	for (size_t k = 0; k < c->nrules; k++)
		guards += c->rule[k].guard;
	assert_int_equal(guards, 1);
	assert_int_equal(c->score.exact, 9);
	assert_int_equal(c->score.missed, 5);
	assert_non_null(strstr(only_rule()->smpl, "position p != { g1.p };\n@@\n- old_thing@p\n+ timer_write\n"));
	learn_release(&l);
}

/* A member that becomes a call is not replaced where it is assigned to. */
static void member_to_call(void **state)
{
	const struct learn_rule *r;

	begin("gone_member", LEARN_MEMBER, "struct thing");
	for (int i = 0; i < 3; i++)
		site("x = t->gone_member;", "x = timer_delete(t);");
	site("t->gone_member = 3;", "timer_write(t, 3);");
	learn_them();
	r = only_rule();
	assert_int_equal(c->score.exact, 3);
	assert_int_equal(c->score.wrong, 0);
	assert_int_equal(c->score.missed, 1);
	assert_non_null(strstr(r->smpl, "@w depends on patch@\nstruct thing * E1;\n"));
	assert_non_null(strstr(r->smpl, "- E1->gone_member@p\n+ timer_delete(E1)\n"));
	learn_release(&l);
}

static void header_moved(void **state)
{
	begin("linux/old.h", LEARN_HEADER, NULL);
	for (int i = 0; i < 4; i++)
		site("linux/old.h", "linux/new.h\nlinux/other.h\n");
	c->site[3].after[strlen("linux/new.h\n")] = '\0';
	learn_them();
	assert_int_equal(c->score.exact, 4);
	assert_string_equal(only_rule()->smpl,
			    "@depends on patch@\n@@\n- #include <linux/old.h>\n+ #include <linux/new.h>\n");
	learn_release(&l);
}

static void stored_and_found(void **state)
{
	char *path = path_join(scratch, "x-learned.db");
	struct learned *list;

	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 10; i++)
		site("old_thing(p, 5);", "timer_write(p);");
	site("old_thing(p, 5);", "timer_delete(p);");
	learn_them();
	assert_ok(learn_store_write(path, &l, &err));
	assert_ok(learn_store_write(path, &l, &err)); /* replaces */
	assert_int_equal(learn_store_of(path, "old_thing", &list), 1);
	assert_string_equal(list->key, "old_thing ( $1 , $2 ) => timer_write ( $1 )");
	assert_int_equal(list->score.exact, 10);
	assert_int_equal(list->score.wrong, 1);
	assert_int_equal(list->support, 10);
	learned_free(list, 1);
	assert_int_equal(learn_store_of(path, "other_thing", &list), 0);
	assert_int_equal(learn_store_of("/nowhere-learned.db", "old_thing", &list), 0);
	learn_release(&l);
	free(path);
}

/* Scores are found by the general template of one example, without those of excluded files. */
static void scores_by_key(void **state)
{
	char *path = path_join(scratch, "k-learned.db");
	struct strvec none = STRVEC_INIT, all = STRVEC_INIT;
	struct learn_store *st;
	struct learn_score score;

	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 4; i++)
		site("old_thing(p, 5);", "timer_write(p);");
	learn_them();
	assert_ok(learn_store_write(path, &l, &err));
	assert_ok(learn_store_open(path, &st, &err));
	assert_true(learn_store_find(st, "old_thing", "old_thing ( $1 , $2 ) => timer_write ( $1 )", &none, &score));
	assert_int_equal(learn_right(&score), 4);
	assert_false(learn_store_find(st, "old_thing", "old_thing ( $1 , 5 ) => timer_write ( $1 )", &none, &score));
	for (size_t i = 0; i < l.paths.n; i++)
		strvec_push(&all, l.paths.v[i]);
	assert_false(learn_store_find(st, "old_thing", "old_thing ( $1 , $2 ) => timer_write ( $1 )", &all, &score));
	learn_store_close(st);
	assert_int_equal(learn_store_open("/nowhere-learned.db", &st, &err), KP_NOTFOUND);
	strbuf_reset(&err);
	strvec_release(&all);
	learn_release(&l);
	free(path);
}

static void whole_file(void **state)
{
	struct strbuf text = STRBUF_INIT;
	char *name;

	begin("old_thing", LEARN_NAME, NULL);
	for (int i = 0; i < 4; i++)
		site("old_thing(p);", "timer_write(p);");
	learn_them();
	assert_true(smpl_file(&l, c, &text));
	assert_true(starts_with(text.buf, "// SPDX-License-Identifier: GPL-2.0-only\n/// old_thing changed"));
	assert_non_null(strstr(text.buf, "// Replaces: old_thing\n"));
	assert_non_null(strstr(text.buf, "// Since: 6.13\n"));
	assert_non_null(strstr(text.buf, "// Confidence: High\n// Risk: safe\n"));
	assert_non_null(strstr(text.buf, "\nvirtual patch\n"));
	assert_non_null(strstr(text.buf, "//\tdrivers/d0.c\n"));
	name = smpl_name(c);
	assert_string_equal(name, "old_thing");
	free(name);
	strbuf_release(&text);
	learn_release(&l);
	begin("old_thing", LEARN_NAME, NULL);
	learn_them();
	assert_false(smpl_file(&l, c, &text));
	learn_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_by_hand),   cmocka_unit_test(all_alike_is_safe),
		cmocka_unit_test(left_alone_counts), cmocka_unit_test(two_files_are_no_evidence),
		cmocka_unit_test(constants_vary_or_not), cmocka_unit_test(edit_within_a_statement),
		cmocka_unit_test(specific_first),    cmocka_unit_test(member_to_call),
		cmocka_unit_test(header_moved),	     cmocka_unit_test(stored_and_found),
		cmocka_unit_test(scores_by_key),
		cmocka_unit_test(whole_file),
	};

	return cmocka_run_group_tests_name("learn", tests, fix_open, fix_close);
}
