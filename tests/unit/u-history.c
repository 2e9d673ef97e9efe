// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "mine/history-pack.h"
#include "mine/history-parse.h"
#include "mine/history-release.h"

#define ID_A "0123456789abcdef0123456789abcdef01234567"
#define ID_B "ffffffffffffffffffffffffffffffffffffffff"

static bool parse(const char *text, struct commit_text *c)
{
	return commit_parse(text, strlen(text), c);
}

static void test_commit(void **state)
{
	struct commit_text c;
	char hex[GIT_OID_HEXSZ + 1];
	git_oid id;

	assert_true(parse("tree " ID_A "\nparent " ID_B "\nparent " ID_A "\n"
			  "author A <a@x> 100 +0100\ncommitter C <c@x> 200 +0000\n"
			  "gpgsig -----\n tree is not a header here\n\nsubject\n\nbody\n",
			  &c));
	assert_string_equal(git_oid_tostr(hex, sizeof(hex), &c.tree), ID_A);
	assert_int_equal(c.nparents, 2);
	commit_parent(&c, 0, &id);
	assert_string_equal(git_oid_tostr(hex, sizeof(hex), &id), ID_B);
	commit_parent(&c, 1, &id);
	assert_string_equal(git_oid_tostr(hex, sizeof(hex), &id), ID_A);
	assert_int_equal(c.author_time, 100);
	assert_int_equal(c.time, 200);
	assert_int_equal(c.author_len, 3);
	assert_memory_equal(c.author, "a@x", 3);
	assert_int_equal(c.message_len, strlen("subject\n\nbody\n"));
	assert_memory_equal(c.message, "subject", 7);
}

/* What git reads, although fsck would complain. */
static void test_commit_odd(void **state)
{
	struct commit_text c;

	assert_true(parse("tree " ID_A "\n", &c));
	assert_int_equal(c.message_len, 0);
	assert_int_equal(c.time, 0);
	assert_true(parse("tree " ID_A "\nauthor nobody\ncommitter C <c> x\n\nm", &c));
	assert_int_equal(c.time, 0);
	assert_int_equal(c.author_len, 0);
	assert_int_equal(c.message_len, 1);
	assert_true(parse("tree " ID_A "\nauthor > < 5\ncommitter <<a>> 7 +0", &c));
	assert_int_equal(c.time, 7);
	assert_true(parse("tree " ID_A "\ncommitter C <c> 99999999999999999999999999 +0000\n\n", &c));
	assert_int_equal(c.time, 0);
}

static void test_commit_broken(void **state)
{
	struct commit_text c;
	struct strbuf sb = STRBUF_INIT;

	assert_false(parse("", &c));
	assert_false(parse("tree " ID_A, &c));
	assert_false(parse("tree 0123\n", &c));
	assert_false(parse("tree " ID_A "x\n", &c));
	assert_false(parse("tree g123456789abcdef0123456789abcdef01234567\n", &c));
	assert_false(parse("parent " ID_A "\ntree " ID_B "\n", &c));
	assert_false(parse("tree " ID_A "\nparent 12\nauthor a <a> 1 +0\n\n", &c));
	assert_false(parse("tree " ID_A "\nauthor a <a> 1 +0\nparent " ID_A "\n\n", &c));
	strbuf_addstr(&sb, "tree " ID_A "\n");
	for (int i = 0; i <= COMMIT_MAX_PARENTS; i++)
		strbuf_addstr(&sb, "parent " ID_B "\n");
	strbuf_addstr(&sb, "\nm\n");
	assert_false(commit_parse(sb.buf, sb.len, &c));
	strbuf_release(&sb);
}

static void add_entry(struct strbuf *sb, const char *mode, const char *name, int id)
{
	strbuf_addf(sb, "%s %s", mode, name);
	strbuf_addch(sb, 0);
	for (int i = 0; i < GIT_OID_RAWSZ; i++)
		strbuf_addch(sb, id);
}

static void test_tree(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	const uint8_t *p, *end;
	struct tree_entry e;

	add_entry(&sb, "100664", "a", 1);
	add_entry(&sb, "40000", "dir", 0);
	add_entry(&sb, "160000", "sub", 3);
	add_entry(&sb, "120000", "z", 4);
	p = (const uint8_t *)sb.buf;
	end = p + sb.len;
	assert_int_equal(tree_next(&p, end, &e), 1);
	assert_string_equal(e.name, "a");
	assert_int_equal(e.mode, 0100644);
	assert_int_equal(e.id[19], 1);
	assert_int_equal(tree_next(&p, end, &e), 1);
	assert_true(tree_is_dir(e.mode));
	assert_int_equal(e.id[0], 0);
	assert_int_equal(tree_next(&p, end, &e), 1);
	assert_int_equal(e.mode, TREE_MODE_COMMIT);
	assert_int_equal(tree_next(&p, end, &e), 1);
	assert_int_equal(e.mode, TREE_MODE_LINK);
	assert_int_equal(tree_next(&p, end, &e), 0);
	/* cut anywhere it is broken or ends at an entry, and is never read beyond */
	for (size_t cut = 1; cut < sb.len; cut++) {
		uint8_t *copy = xmalloc(cut + 1);
		int got;

		memcpy(copy, sb.buf, cut);
		copy[cut] = 0;
		p = copy;
		while ((got = tree_next(&p, copy + cut, &e)) > 0)
			assert_true(p <= copy + cut);
		assert_int_equal(got == 0, p == copy + cut);
		free(copy);
	}
	strbuf_release(&sb);
}

static void test_tree_broken(void **state)
{
	static const char *const modes[] = { "", "9", "100644000", "x00644" };
	struct strbuf sb = STRBUF_INIT;
	struct tree_entry e;
	const uint8_t *p;

	for (size_t i = 1; i < ARRAY_SIZE(modes); i++) {
		strbuf_reset(&sb);
		add_entry(&sb, modes[i], "a", 1);
		p = (const uint8_t *)sb.buf;
		assert_int_equal(tree_next(&p, p + sb.len, &e), -1);
	}
	strbuf_release(&sb);
}

static struct tree_entry entry(const char *name, unsigned mode)
{
	return (struct tree_entry){ .name = name, .len = strlen(name), .mode = mode };
}

static int cmp(const char *a, unsigned am, const char *b, unsigned bm)
{
	struct tree_entry x = entry(a, am), y = entry(b, bm);
	int c = tree_name_cmp(&x, &y);

	return c < 0 ? -1 : c > 0;
}

static void test_tree_order(void **state)
{
	assert_int_equal(cmp("a", TREE_MODE_FILE, "b", TREE_MODE_FILE), -1);
	assert_int_equal(cmp("a", TREE_MODE_FILE, "a", TREE_MODE_FILE), 0);
	assert_int_equal(cmp("a", TREE_MODE_DIR, "a", TREE_MODE_DIR), 0);
	assert_int_equal(cmp("a", TREE_MODE_FILE, "a", TREE_MODE_DIR), -1);
	assert_int_equal(cmp("a", TREE_MODE_DIR, "a.c", TREE_MODE_FILE), 1);
	assert_int_equal(cmp("a", TREE_MODE_DIR, "a0", TREE_MODE_FILE), -1);
	assert_int_equal(cmp("\xff", TREE_MODE_FILE, "a", TREE_MODE_FILE), 1);
}

static void test_tree_names(void **state)
{
	static const char *const bad[] = { "", ".", "..", "a/b", "/", "../x" };
	static const char *const good[] = { "a", "...", ".x", "a b", "-" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct tree_entry e = entry(bad[i], TREE_MODE_FILE);

		assert_false(tree_name_is_good(&e));
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct tree_entry e = entry(good[i], TREE_MODE_FILE);

		assert_true(tree_name_is_good(&e));
	}
}

/* Skipping stands at the entry that differs, wherever the first other byte is. */
static void test_tree_skip(void **state)
{
	static const char *const names[] = { "a", "ab", "abc", "b", "bb", "c" };
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	for (size_t odd = 0; odd < ARRAY_SIZE(names); odd++) {
		for (int how = 0; how < 4; how++) {
			const uint8_t *p, *q, *pend, *qend;
			struct tree_entry e;

			strbuf_reset(&a);
			strbuf_reset(&b);
			for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
				add_entry(&a, "100644", names[i], 7);
				if (i != odd)
					add_entry(&b, "100644", names[i], 7);
				else if (how == 0)
					add_entry(&b, "100644", names[i], 8);
				else if (how == 1)
					add_entry(&b, "100755", names[i], 7);
				else if (how == 2)
					continue;
				else
					add_entry(&b, "40000", names[i], 7);
			}
			p = (const uint8_t *)a.buf;
			q = (const uint8_t *)b.buf;
			pend = p + a.len;
			qend = q + b.len;
			assert_int_equal(tree_skip_same(&p, pend, &q, qend), 1);
			assert_int_equal(p - (const uint8_t *)a.buf, q - (const uint8_t *)b.buf);
			assert_int_equal(tree_next(&p, pend, &e), 1);
			assert_string_equal(e.name, names[odd]);
			if (how != 2) {
				assert_int_equal(tree_next(&q, qend, &e), 1);
				assert_int_equal(tree_skip_same(&p, pend, &q, qend), 0);
				assert_ptr_equal(p, pend);
				assert_ptr_equal(q, qend);
			}
		}
	}
	strbuf_release(&a);
	strbuf_release(&b);
}

static void test_delta(void **state)
{
	static const uint8_t base[] = "0123456789";
	/* 10 -> 8 bytes: copy 3 from 2, add "xy", copy 3 from 7 */
	static const uint8_t good[] = { 10, 8, 0x91, 2, 3, 2, 'x', 'y', 0x91, 7, 3 };
	uint8_t out[9] = { 0 }, bad[sizeof(good)];

	assert_int_equal(delta_result_size(good, sizeof(good), 10), 8);
	assert_int_equal(delta_result_size(good, sizeof(good), 11), -1);
	assert_int_equal(delta_result_size(good, 1, 10), -1);
	assert_true(delta_apply(good, sizeof(good), base, 10, out, 8));
	assert_string_equal((char *)out, "234xy789");
	assert_false(delta_apply(good, sizeof(good), base, 10, out, 7));
	for (size_t cut = 2; cut < sizeof(good); cut++)
		assert_false(delta_apply(good, cut, base, 10, out, 8));
	memcpy(bad, good, sizeof(good));
	bad[9] = 8; /* beyond the base */
	assert_false(delta_apply(bad, sizeof(bad), base, 10, out, 8));
	memcpy(bad, good, sizeof(good));
	bad[2] = 0; /* no operation */
	assert_false(delta_apply(bad, sizeof(bad), base, 10, out, 8));
}

static void assert_release(const char *tag, const char *release)
{
	char *got = release_of_tag(tag);

	if (release)
		assert_string_equal(got, release);
	else
		assert_null(got);
	free(got);
}

static void test_release(void **state)
{
	assert_release("v6.3", "v6.3");
	assert_release("v6.3-rc2", "v6.3");
	assert_release("v6.1.12", "v6.1.12");
	assert_release("v2.6.12-rc2", "v2.6.12");
	assert_release("2024.01-rc5", "2024.01");
	assert_release("v2008.10", "v2008.10");
	assert_release("v6.3-rt1", NULL);
	assert_release("v2.6.11-tree", NULL);
	assert_release("v6.3-", NULL);
	assert_release("v6.", NULL);
	assert_release("v6", NULL);
	assert_release("release", NULL);
	assert_release("", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commit),	     cmocka_unit_test(test_commit_odd),
		cmocka_unit_test(test_commit_broken), cmocka_unit_test(test_tree),
		cmocka_unit_test(test_tree_broken),  cmocka_unit_test(test_tree_order),
		cmocka_unit_test(test_tree_names),   cmocka_unit_test(test_tree_skip),
		cmocka_unit_test(test_delta),	     cmocka_unit_test(test_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
