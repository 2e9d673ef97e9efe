// SPDX-License-Identifier: GPL-2.0-only
/* hash, lock and cache. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>

#include "base/cache.h"
#include "base/child.h"
#include "base/hash.h"
#include "base/lock.h"

/* ---- hash ---- */

static void test_known_sums(void **state)
{
	char *path = make_file("abc", "abc");
	struct hash_hex h;

	assert_string_equal(hash_buf("", 0).hex,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_string_equal(hash_buf("abc", 3).hex,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_ok(hash_file(path, &h, &err));
	assert_string_equal(h.hex, hash_buf("abc", 3).hex);
	assert_fails(KP_NOTFOUND, "/no/such", hash_file("/no/such", &h, &err));
	assert_fails(KP_ERR, "not a regular file", hash_file("/dev/zero", &h, &err));
	free(path);
}

static void test_strings_do_not_run_together(void **state)
{
	struct hash *a = hash_new(), *b = hash_new();

	hash_add_str(a, "ab");
	hash_add_str(a, "c");
	hash_add_str(b, "a");
	hash_add_str(b, "bc");
	assert_string_not_equal(hash_final(a).hex, hash_final(b).hex);
}

static struct hash_hex tree_hash(const char *dir)
{
	struct hash_hex h;

	assert_ok(hash_tree(dir, &h, &err));
	return h;
}

static void test_tree(void **state)
{
	char *dir = in_scratch("t"), *a = make_file("t/a", "1"), *b = make_file("t/d/b", "2");
	char *link = in_scratch("t/link"), *moved = in_scratch("t/c"), *fifo = in_scratch("t/fifo");
	struct hash_hex first, h;

	assert_int_equal(symlink("a", link), 0);
	first = tree_hash(dir);
	assert_string_equal(tree_hash(dir).hex, first.hex);
	/* times do not count; content, mode, name and link target do */
	assert_int_equal(utimensat(AT_FDCWD, a, NULL, 0), 0);
	assert_string_equal(tree_hash(dir).hex, first.hex);
	assert_ok(file_write(a, "x", 1, &err));
	assert_string_not_equal(tree_hash(dir).hex, first.hex);
	assert_ok(file_write(a, "1", 1, &err));
	assert_string_equal(tree_hash(dir).hex, first.hex);
	chmod(a, 0755);
	assert_string_not_equal(tree_hash(dir).hex, first.hex);
	chmod(a, 0644);
	assert_int_equal(rename(a, moved), 0);
	assert_string_not_equal(tree_hash(dir).hex, first.hex);
	assert_int_equal(rename(moved, a), 0);
	assert_string_equal(tree_hash(dir).hex, first.hex);
	unlink(link);
	assert_int_equal(symlink("d/b", link), 0);
	assert_string_not_equal(tree_hash(dir).hex, first.hex);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_fails(KP_ERR, "t/fifo", hash_tree(dir, &h, &err));
	free(dir);
	free(a);
	free(b);
	free(link);
	free(moved);
	free(fifo);
}

/* ---- lock ---- */

static void test_lock(void **state)
{
	char *dir = in_scratch("locked"), *who = xstrfmt("in use by process %ld", (long)getpid());
	struct lock a = LOCK_INIT, b = LOCK_INIT;

	assert_ok(lock_take(&a, dir, 0, &err));
	assert_fails(KP_ERR, who, lock_take(&b, dir, 0, &err));
	assert_int_equal(b.fd, -1);
	assert_fails(KP_ERR, who, lock_take(&b, dir, 0.12, &err));
	lock_release(&a);
	assert_ok(lock_take(&b, dir, 0, &err));
	lock_release(&b);
	lock_release(&b);
	free(dir);
	free(who);
}

static void test_lock_of_a_dead_process_is_free(void **state)
{
	char *dir = in_scratch("locked2");
	struct lock l = LOCK_INIT;
	int p[2], status;
	char c;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (!pid) {
		if (lock_take(&l, dir, 0, NULL) < 0 || write(p[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(p[0], &c, 1), 1);
	assert_fails(KP_ERR, "in use by process", lock_take(&l, dir, 0, &err));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_ok(lock_take(&l, dir, 0, &err));
	lock_release(&l);
	close(p[0]);
	close(p[1]);
	free(dir);
}

static void test_lock_waits(void **state)
{
	char *dir = in_scratch("locked3");
	struct lock l = LOCK_INIT;
	int p[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (!pid) {
		if (lock_take(&l, dir, 0, NULL) < 0 || write(p[1], "x", 1) != 1)
			_exit(1);
		usleep(200000);
		_exit(0);
	}
	assert_int_equal(read(p[0], &c, 1), 1);
	assert_ok(lock_take(&l, dir, 20, &err));
	lock_release(&l);
	waitpid(pid, NULL, 0);
	close(p[0]);
	close(p[1]);
	free(dir);
}

static void test_a_child_does_not_inherit_the_lock(void **state)
{
	char *dir = in_scratch("locked4");
	struct lock l = LOCK_INIT;
	struct child c = CHILD_INIT;
	struct child_handle *h;

	assert_ok(lock_take(&l, dir, 0, &err));
	strvec_pushl(&c.argv, "sleep", "100", NULL);
	assert_ok(child_start(&c, &h, &err));
	lock_release(&l);
	assert_ok(lock_take(&l, dir, 0, &err));
	lock_release(&l);
	child_kill(h);
	child_release(&c);
	free(dir);
}

/* ---- cache ---- */

static struct cache *open_cache(const char *rel)
{
	char *dir = in_scratch(rel);
	struct cache *c;

	assert_ok(cache_open(dir, &c, &err));
	free(dir);
	return c;
}

static struct hash_hex key_of(int i)
{
	return hash_buf(&i, sizeof(i));
}

static char *path_of(const char *rel, const struct hash_hex *key)
{
	return xstrfmt("%s/%s/%.2s/%s", scratch, rel, key->hex, key->hex + 2);
}

static void assert_miss(struct cache *c, const struct hash_hex *key)
{
	struct strbuf out = STRBUF_INIT;

	assert_fails(KP_NOTFOUND, "no entry", cache_get(c, key, &out, &err));
	assert_int_equal(out.len, 0);
	strbuf_release(&out);
}

static void assert_hit(struct cache *c, const struct hash_hex *key, const char *want, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_addstr(&out, ">");
	assert_ok(cache_get(c, key, &out, &err));
	assert_int_equal(out.len, len + 1);
	assert_memory_equal(out.buf + 1, want, len);
	strbuf_release(&out);
}

static void test_cache_put_get(void **state)
{
	struct cache *c = open_cache("cache1");
	struct hash_hex k = key_of(1), k2 = key_of(2);

	assert_miss(c, &k);
	assert_ok(cache_put(c, &k, "a\0b", 3, &err));
	assert_hit(c, &k, "a\0b", 3);
	assert_ok(cache_put(c, &k, "other", 5, &err));
	assert_hit(c, &k, "other", 5);
	assert_ok(cache_put(c, &k2, "", 0, &err));
	assert_hit(c, &k2, "", 0);
	cache_close(c);
	c = open_cache("cache1");
	assert_hit(c, &k, "other", 5);
	cache_close(c);
	cache_close(NULL);
}

static void test_cache_damage_is_a_miss(void **state)
{
	struct cache *c = open_cache("cache2");
	struct strbuf good = STRBUF_INIT;
	struct hash_hex k = key_of(1), k2 = key_of(2);
	char *path = path_of("cache2", &k), *path2 = path_of("cache2", &k2);

	assert_ok(cache_put(c, &k, "value", 5, &err));
	assert_ok(file_read(path, 0, &good, &err));
	/* each byte, each length */
	for (size_t i = 0; i < good.len; i++) {
		good.buf[i] ^= 1;
		assert_ok(file_write_nosync(path, good.buf, good.len, &err));
		good.buf[i] ^= 1;
		assert_miss(c, &k);
		assert_false(file_exists(path));
		assert_ok(file_write_nosync(path, good.buf, i, &err));
		assert_miss(c, &k);
		assert_false(file_exists(path));
	}
	/* whole, but of another key */
	assert_ok(file_mkdirs_for(path2, &err));
	assert_ok(file_write_nosync(path2, good.buf, good.len, &err));
	assert_miss(c, &k2);
	/* a directory in its place */
	assert_ok(file_mkdirs(path, &err));
	assert_miss(c, &k);
	assert_ok(cache_put(c, &k, "again", 5, &err));
	assert_hit(c, &k, "again", 5);
	strbuf_release(&good);
	cache_close(c);
	free(path);
	free(path2);
}

static void age(const char *rel, const struct hash_hex *key, time_t seconds)
{
	struct timespec t[2] = { { 1000000 - seconds, 0 }, { 1000000 - seconds, 0 } };
	char *path = path_of(rel, key);

	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
	free(path);
}

static void test_cache_prune(void **state)
{
	struct cache *c = open_cache("cache3");
	struct hash_hex k[6];
	char *tag = make_file("cache3/CACHEDIR.TAG", "keep"), *path;
	uint64_t one;

	for (int i = 0; i < 6; i++) {
		k[i] = key_of(i);
		assert_ok(cache_put(c, &k[i], "0123456789", 10, &err));
		age("cache3", &k[i], 100 - i);
	}
	path = path_of("cache3", &k[0]);
	one = file_size(path);
	/* reading makes it recent: now 1 is the oldest */
	assert_hit(c, &k[0], "0123456789", 10);
	assert_ok(cache_prune(c, one * 6, &err));
	assert_hit(c, &k[0], "0123456789", 10);
	assert_ok(cache_prune(c, one * 4, &err));
	assert_miss(c, &k[1]);
	assert_miss(c, &k[2]);
	for (int i = 3; i < 6; i++)
		assert_hit(c, &k[i], "0123456789", 10);
	assert_ok(cache_prune(c, 0, &err));
	for (int i = 0; i < 6; i++)
		assert_miss(c, &k[i]);
	assert_file(tag, "keep");
	cache_close(c);
	free(tag);
	free(path);
}

/* Processes that put, get and prune at once see whole values or none. */
static void hammer(const char *rel, unsigned seed)
{
	struct cache *c = open_cache(rel);
	struct strbuf out = STRBUF_INIT;
	char value[2000];

	for (int i = 0; i < 300; i++) {
		struct hash_hex k;

		seed = seed * 1103515245 + 12345;
		k = key_of(seed >> 16 & 7);
		memset(value, 'a' + (seed >> 20 & 15), sizeof(value));
		strbuf_reset(&out);
		if (seed >> 28 & 1 ? cache_put(c, &k, value, sizeof(value), NULL) < 0 : 0)
			_exit(1);
		if (i % 50 == 0 && cache_prune(c, 5000, NULL) < 0)
			_exit(2);
		if (cache_get(c, &k, &out, NULL) == 0)
			for (size_t j = 0; j < sizeof(value); j++)
				if (out.len != sizeof(value) || out.buf[j] != out.buf[0])
					_exit(3);
	}
	_exit(0);
}

static void test_cache_concurrent(void **state)
{
	int status;

	for (unsigned i = 0; i < 3; i++)
		if (!fork())
			hammer("cache4", i * 77);
	for (int i = 0; i < 3; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

#define T(f) cmocka_unit_test(f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_known_sums),
		T(test_strings_do_not_run_together),
		T(test_tree),
		T(test_lock),
		T(test_lock_of_a_dead_process_is_free),
		T(test_lock_waits),
		T(test_a_child_does_not_inherit_the_lock),
		T(test_cache_put_get),
		T(test_cache_damage_is_a_miss),
		T(test_cache_prune),
		T(test_cache_concurrent),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
