// SPDX-License-Identifier: GPL-2.0-only
/*
 * Saved states: CACHE/machine/states/KEY/ holds "state" (what the emulator wrote), "initrd.cpio" (with which it was
 * booted), "boot.log" and "meta.json", which is written last. The key covers all that a state
 * depends on. "refused" in place of them: why the guest cannot be saved. A state is made by one process under the directory's lock; its content
 * is checked each time before it is used.
 */
#include "base/compat.h"
#include "harness/machine-internal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"
#include "base/lock.h"
#include "base/log.h"
#include "harness/emulator.h"

#define FORMAT	     1 /* of the guest's waiting; part of the key */
#define BOOT_SECONDS 120
#define SAVE_SECONDS 60
#define WAIT_SECONDS 300 /* for somebody else who is making the same */
#define DEFAULT_MIB  4096
#define GUEST_FAULT  ":fault no firmware configuration device"
#define REFUSED	     "refused"
#define CANNOT	     "this kernel's machine cannot be saved: "

/* ---- names and checks --------------------------------------------------------------- */

static char *states_dir(void)
{
	char *cache = kport_cache_dir(), *dir = path_join(cache, "machine/states");

	free(cache);
	return dir;
}

static void add_file_identity(struct strbuf *sb, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		memset(&st, 0, sizeof(st));
	strbuf_addf(sb, "%s %lld %lld.%ld\n", path, (long long)st.st_size,
		    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Under KVM the guest has seen this host's processor. */
static void add_processor(struct strbuf *sb)
{
	struct strbuf info = STRBUF_INIT;

	if (file_read("/proc/cpuinfo", 1 << 20, &info, NULL) == 0) {
		const char *p = strstr(info.buf, "flags");

		strbuf_addf(sb, "%.*s\n", (int)strcspn(info.buf, "\n"), info.buf);
		if (p)
			strbuf_addf(sb, "%.*s\n", (int)strcspn(p, "\n"), p);
	}
	strbuf_release(&info);
}

static int make_key(const struct machine_ops *ops, const struct machine_start *s, const char *init,
		    char **key, struct strbuf *err)
{
	const struct emulator *e = emulator_get(err);
	struct strbuf text = STRBUF_INIT, program = STRBUF_INIT;
	struct hash_hex h;
	int ret = e ? file_read(init, 0, &program, err) : KP_INFRA;

	if (ret == 0) {
		h = hash_buf(program.buf, program.len);
		strbuf_addf(&text, "%d %s %s\n%s\n%s\n%s %u\n", FORMAT, ops->name, e->identity,
			    h.hex, s->cmdline, machine_accel_name(s->accel), s->memory_mib);
		add_file_identity(&text, s->image);
		for (size_t i = 0; i < s->qemu_args->n; i++)
			strbuf_addf(&text, "%s\n", s->qemu_args->v[i]);
		if (s->accel == MACHINE_ACCEL_KVM)
			add_processor(&text);
		h = hash_buf(text.buf, text.len);
		*key = xstrfmt("%.32s", h.hex);
	}
	strbuf_release(&text);
	strbuf_release(&program);
	return ret;
}

/*
 * Not against attacks, only against damage: four chains of multiplications, at the
 * speed of memory, because it is done before each test.
 */
static uint64_t fast_sum(const unsigned char *p, size_t len)
{
	uint64_t h[4] = { len, 1, 2, 3 }, w[4];

	for (; len >= 32; p += 32, len -= 32) {
		memcpy(w, p, 32);
		for (int i = 0; i < 4; i++) {
			h[i] = (h[i] ^ w[i]) * 0x9e3779b97f4a7c15ULL;
			h[i] ^= h[i] >> 29;
		}
	}
	for (; len; p++, len--)
		h[0] = (h[0] ^ *p) * 0x100000001b3ULL;
	return h[0] ^ h[1] << 1 ^ h[2] << 2 ^ h[3] << 3;
}

static int sum_file(const char *path, uint64_t *size, char out[17], struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), ret = 0;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0) {
		ret = kp_fail_errno(err, "cannot read '%s'", path);
	} else if (!S_ISREG(st.st_mode) || !st.st_size) {
		ret = kp_fail(err, KP_INFRA, "'%s' is empty", path);
	} else {
		*size = (uint64_t)st.st_size;
		map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
		if (map == MAP_FAILED)
			ret = kp_fail_errno(err, "cannot read '%s'", path);
		else
			snprintf(out, 17, "%016llx", (unsigned long long)fast_sum(map, *size));
		if (map != MAP_FAILED)
			munmap(map, *size);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Whole, and what it was; a use counts for pruning. */
static bool is_good(const char *dir)
{
	char *meta = path_join(dir, "meta.json"), *state = path_join(dir, "state"), sum[17];
	json_t *v = NULL;
	uint64_t size = 0;
	const char *want;
	bool good = false;

	if (json_read_file(meta, 65536, &v, NULL) == 0) {
		want = json_get_str(v, "sum");
		good = want && json_get_int(v, "size", -1) == (int64_t)file_size(state) &&
		       sum_file(state, &size, sum, NULL) == 0 && !strcmp(sum, want);
		if (good)
			utimensat(AT_FDCWD, meta, NULL, 0);
		else
			log_debug("machine: the saved state in '%s' is damaged", dir);
	}
	json_decref(v);
	free(meta);
	free(state);
	return good;
}

/* All but the lock, which others may be waiting for. */
static void empty_dir(const char *dir)
{
	static const char *const files[] = { "meta.json", "state", "state.tmp", "initrd.cpio",
					     "boot.log" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = path_join(dir, files[i]);

		file_remove(path, NULL);
		free(path);
	}
}

void machine_snapshot_drop(const char *dir)
{
	char *meta = path_join(dir, "meta.json");

	file_remove(meta, NULL);
	free(meta);
}

/* ---- pruning --------------------------------------------------------------------------- */

struct entry {
	char *dir;
	uint64_t size;
	struct timespec used;
};

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static void entry_read(struct entry *e)
{
	static const char *const files[] = { "state", "state.tmp", "initrd.cpio", "boot.log" };
	char *meta = path_join(e->dir, "meta.json");
	struct stat st;

	/* Without it (being made, or left by a killed process) it is the oldest. */
	if (stat(meta, &st) == 0)
		e->used = st.st_mtim;
	free(meta);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = path_join(e->dir, files[i]);

		e->size += file_size(path);
		free(path);
	}
}

static void list_states(const char *base, struct entry **out, size_t *n)
{
	struct strvec files = STRVEC_INIT;
	size_t alloc = 0;
	const char *last = "";

	*out = NULL;
	*n = 0;
	if (file_list(base, &files, NULL) < 0)
		return;
	for (size_t i = 0; i < files.n; i++) {
		size_t len = strcspn(files.v[i], "/");

		if (!files.v[i][len] || (strlen(last) > len && !strncmp(last, files.v[i], len + 1)))
			continue;
		last = files.v[i];
		ALLOC_GROW(*out, *n + 1, alloc);
		(*out)[*n] = (struct entry){ .dir = xstrfmt("%s/%.*s", base, (int)len, last) };
		entry_read(&(*out)[(*n)++]);
	}
	strvec_release(&files);
}

/* The longest unused go until "room" more bytes fit below the limit; those in use stay. */
static void prune(const char *base, const char *keep, uint64_t room)
{
	struct strbuf dropped = STRBUF_INIT;
	struct entry *e;
	int64_t mib = DEFAULT_MIB;
	uint64_t total = room;
	size_t n;

	config_int("machine.states-mib", DEFAULT_MIB, &mib, &dropped);
	list_states(base, &e, &n);
	sort_items(e, n, sizeof(*e), by_use);
	for (size_t i = 0; i < n; i++)
		total += e[i].size;
	for (size_t i = 0; i < n; i++) {
		struct lock lock = LOCK_INIT;
		bool stale = e[i].size && !e[i].used.tv_sec;

		if ((stale || total > (uint64_t)(mib > 0 ? mib : 0) << 20) &&
		    strcmp(e[i].dir, keep) && e[i].size &&
		    lock_take(&lock, e[i].dir, 0, NULL) == 0) {
			empty_dir(e[i].dir);
			lock_release(&lock);
			total -= e[i].size;
		}
		free(e[i].dir);
	}
	free(e);
	strbuf_release(&dropped);
}

/* ---- making one -------------------------------------------------------------------------- */

static int write_initrd(const char *path, const char *init, const char *nonce, struct strbuf *err)
{
	char *plan = xstrfmt("nonce %s\nwait\n", nonce);
	struct initramfs_file files[] = {
		{ .path = "init", .source = init, .mode = 0755 },
		{ .path = "kport.plan", .data = plan, .len = strlen(plan), .mode = 0600 },
	};
	int ret = initramfs_write(path, files, ARRAY_SIZE(files), err);

	free(plan);
	return ret;
}

/* Room for the state, which can be as large as the machine's memory, and nothing less than that. */
static int check_room(const char *dir, const struct machine_start *s, struct strbuf *err)
{
	uint64_t free_bytes = disk_free(dir), need = (uint64_t)s->memory_mib << 20;

	if (free_bytes >= need)
		return 0;
	return kp_fail(err, KP_INFRA,
		       "no room for a saved machine in '%s': %llu MiB are free, %u can be needed "
		       "(free some, or boot afresh)",
		       dir, (unsigned long long)(free_bytes >> 20), s->memory_mib);
}

/* What our guest says of itself in front of its end: it cannot wait there for what a restored one is to do. */
static int guest_refused(const char *console, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	char *dir = path_dir(console), *path = path_join(dir, REFUSED);
	const char *fault = NULL;

	if (file_read(console, 1 << 20, &text, NULL) == 0)
		fault = strstr(text.buf, GUEST_FAULT);
	if (fault) {
		fault = strchr(fault, ' ') + 1;
		file_write(path, fault, strcspn(fault, "\r\n"), NULL);
		kp_fail(err, KP_NOTFOUND, CANNOT "%.*s", (int)strcspn(fault, "\r\n"), fault);
	}
	strbuf_release(&text);
	free(dir);
	free(path);
	return fault ? KP_NOTFOUND : 0;
}

/* So it was when it was tried: the key names kernel and guest, so it would be again. */
static int known_refusal(const char *dir, struct strbuf *err)
{
	char *path = path_join(dir, REFUSED);
	struct strbuf text = STRBUF_INIT;
	int ret = 0;

	if (file_exists(path) && file_read(path, 4096, &text, NULL) == 0)
		ret = kp_fail(err, KP_NOTFOUND, CANNOT "%s", text.buf);
	strbuf_release(&text);
	free(path);
	return ret;
}

static int boot_and_save(const struct machine_ops *ops, const struct machine_start *s,
			 const char *until, const char *state, struct strbuf *err)
{
	struct machine_run run = { 0 };
	struct strbuf why = STRBUF_INIT;
	void *handle = NULL;
	int ret = ops->start(s, &handle, &why);

	/* QEMU's words for what -only-migratable refuses. */
	if (ret == KP_INFRA && strstr(why.buf, "migrat"))
		ret = KP_NOTFOUND;
	if (ret < 0) {
		strbuf_addbuf(err, &why);
		goto out;
	}
	ret = machine_watch(ops, handle, s->console_path, until, s->wall_seconds - SAVE_SECONDS, &run, err);
	if (ret == 0 && run.end != MACHINE_UNTIL)
		ret = guest_refused(s->console_path, err);
	if (ret == 0 && run.end != MACHINE_UNTIL)
		ret = kp_fail(err, KP_INFRA,
			      "the machine to be saved did not reach user space (%s after %.0f s)%s%s",
			      machine_end_name(run.end), run.wall, run.detail ? ": " : "",
			      run.detail ? run.detail : "");
	if (ret == 0)
		ret = ops->save(handle, state, SAVE_SECONDS, err);
	ops->stop(handle);
out:
	machine_run_release(&run);
	strbuf_release(&why);
	return ret;
}

static int write_meta(const char *dir, const char *state, const struct machine_start *s,
		      struct strbuf *err)
{
	char sum[17], *path = path_join(dir, "meta.json");
	uint64_t size = 0;
	json_t *v = json_object();
	int ret = sum_file(state, &size, sum, err);

	if (ret == 0) {
		json_set_str(v, "sum", sum);
		json_set_int(v, "size", (int64_t)size);
		json_set_str(v, "image", s->image);
		json_set_str(v, "accel", machine_accel_name(s->accel));
		json_set_int(v, "memory_mib", s->memory_mib);
		json_object_set_new(v, "devices", json_array());
		for (size_t i = 0; i < s->qemu_args->n; i++)
			json_array_append_new(json_object_get(v, "devices"),
					      json_str(s->qemu_args->v[i]));
		ret = json_write_file(path, v, err);
	}
	json_decref(v);
	free(path);
	return ret;
}

static int make_state(const struct machine_ops *ops, const struct machine_start *s,
		      const char *init, const char *dir, struct strbuf *err)
{
	char nonce[33], *until = NULL;
	char *initrd = path_join(dir, "initrd.cpio"), *console = path_join(dir, "boot.log");
	char *tmp = path_join(dir, "state.tmp"), *state = path_join(dir, "state");
	struct machine_start start = *s;
	int ret;

	empty_dir(dir);
	ret = check_room(dir, s, err);
	if (ret == 0)
		ret = machine_nonce(nonce, err);
	if (ret == 0)
		ret = write_initrd(initrd, init, nonce, err);
	if (ret == 0)
		ret = file_write_nosync(console, "", 0, err);
	if (ret == 0) {
		until = xstrfmt("kport:%s:ready", nonce);
		start.saved = true;
		start.payload = start.state = NULL;
		start.initrd = initrd;
		start.console_path = console;
		start.wall_seconds = (s->wall_seconds > BOOT_SECONDS ? s->wall_seconds : BOOT_SECONDS) + SAVE_SECONDS;
		ret = boot_and_save(ops, &start, until, tmp, err);
	}
	if (ret == 0 && rename(tmp, state) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s'", tmp);
	if (ret == 0)
		ret = write_meta(dir, state, s, err);
	if (ret < 0)
		empty_dir(dir);
	free(until);
	free(initrd);
	free(console);
	free(tmp);
	free(state);
	return ret;
}

int machine_snapshot_get(const struct machine_ops *ops, const struct machine_start *s, char **dir,
			 struct strbuf *err)
{
	char *init = kport_libexec_path("kport-init"), *base = states_dir(), *key = NULL;
	struct lock lock = LOCK_INIT;
	int ret;

	*dir = NULL;
	if (!ops->save)
		ret = kp_fail(err, KP_NOTFOUND, "the back end '%s' does not save machines",
			      ops->name);
	else
		ret = make_key(ops, s, init, &key, err);
	if (ret < 0)
		goto out;
	*dir = path_join(base, key);
	ret = file_mkdirs(*dir, err);
	if (ret == 0)
		ret = lock_take(&lock, *dir, WAIT_SECONDS, err);
	if (ret == 0)
		ret = known_refusal(*dir, err);
	if (ret == 0 && !is_good(*dir)) {
		prune(base, *dir, (uint64_t)s->memory_mib << 19);
		ret = make_state(ops, s, init, *dir, err);
	}
	lock_release(&lock);
out:
	if (ret < 0) {
		free(*dir);
		*dir = NULL;
	}
	free(init);
	free(base);
	free(key);
	return ret == KP_ERR ? KP_INFRA : ret;
}
