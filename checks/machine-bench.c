// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/machine-bench.h"

#include <sys/random.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "checks/machine-judge.h"
#include "harness/firmware.h"

#define SETTLE_MS 100

int machine_bench_init(struct machine_bench *b, const struct gate_subject *s, const struct kernel *k,
		      const struct kbuild_result *build, struct strbuf *err)
{
	struct strvec kos = STRVEC_INIT;
	int ret;

	memset(b, 0, sizeof(*b));
	machine_devices_init(&b->devices);
	strvec_init(&b->firmware);
	b->kernel = k;
	b->from = s->boot_from;
	for (size_t i = 0; i < build->nmodules; i++)
		strvec_push(&kos, build->modules[i].path);
	ret = file_mkdirs(s->run_dir, err);
	if (ret == 0)
		ret = file_mkdtemp(s->run_dir, "tmp-machine-", &b->dir, err);
	if (ret == 0)
		ret = machine_devices_choose(&kos, &b->devices, err);
	if (ret == 0)
		ret = modules_resolve(k, &kos, &b->devices.needs, b->dir, &b->modules, err);
	if (ret == 0)
		firmware_choose(&b->modules, &b->firmware);
	strvec_release(&kos);
	return ret;
}

void machine_bench_release(struct machine_bench *b)
{
	module_list_release(&b->modules);
	machine_devices_release(&b->devices);
	strvec_release(&b->firmware);
	if (b->dir)
		file_remove(b->dir, NULL);
	free(b->dir);
	b->dir = NULL;
}

/* A saved state knows neither the time nor anything that is random. */
static void add_renewal(struct strbuf *plan)
{
	unsigned char raw[48];

	strbuf_addf(plan, "clock %lld\n", (long long)time(NULL));
	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return;
	strbuf_addstr(plan, "seed ");
	for (size_t i = 0; i < sizeof(raw); i++)
		strbuf_addf(plan, "%02x", raw[i]);
	strbuf_addch(plan, '\n');
}

static void add_plan(const struct machine_bench *b, const char *nonce, struct strbuf *plan)
{
	strbuf_addf(plan, "nonce %s\ntimeout %d\nsettle %d\n", nonce, MACHINE_STEP_SECONDS, SETTLE_MS);
	if (b->from == MACHINE_SNAPSHOT)
		add_renewal(plan);
	for (size_t i = 0; i < b->devices.modalias.n; i++)
		strbuf_addf(plan, "device %s\n", b->devices.modalias.v[i]);
	for (size_t i = 0; i < b->devices.interfaces.n; i++)
		strbuf_addf(plan, "interface %s\n", b->devices.interfaces.v[i]);
	if (b->devices.modalias.n)
		strbuf_addstr(plan, "peer\n");
	for (size_t i = 0; i < b->devices.standins.n; i++)
		strbuf_addf(plan, "standin %s\n", b->devices.standins.v[i]);
	for (size_t i = 0; i < b->modules.n; i++) {
		const char *name = b->modules.m[i].info.name;
		bool stub = !strcmp(name, "i2c_stub") && !b->modules.m[i].driver;

		strbuf_addf(plan, "%s %s /m/%s.ko%s\n", b->modules.m[i].driver ? "mod" : "dep", name, name,
			    stub ? " chip_addr=" MACHINE_I2C_ADDRESS : "");
	}
}

bool machine_bench_add_firmware(struct machine_bench *b, const struct strvec *asked)
{
	size_t had = b->firmware.n;

	for (size_t i = 0; i < asked->n; i++) {
		char *rel = firmware_find(asked->v[i]);

		if (rel && !strvec_contains(&b->firmware, rel))
			strvec_push(&b->firmware, rel);
		free(rel);
	}
	return b->firmware.n > had;
}

/* Where the kernel looks for it. names: keeps the paths. */
static void add_firmware(const struct machine_bench *b, struct initramfs_file *files, struct strvec *names)
{
	for (size_t i = 0; i < b->firmware.n; i++) {
		char *source = path_join(firmware_dir(), b->firmware.v[i]);

		files[i].path = strvec_pushf(names, "lib/firmware/%s", b->firmware.v[i]);
		files[i].source = strvec_push(names, source);
		free(source);
	}
}

int machine_bench_write(const struct machine_bench *b, const char *nonce, const char *path, struct strbuf *err)
{
	size_t n = 2 + b->modules.n + b->firmware.n;
	struct initramfs_file *files = xcalloc(n, sizeof(*files));
	struct strbuf plan = STRBUF_INIT;
	struct strvec names = STRVEC_INIT;
	char *init = kport_libexec_path("kport-init");
	int ret;

	add_plan(b, nonce, &plan);
	files[0] = (struct initramfs_file){ .path = "init", .source = init, .mode = 0755 };
	files[1] = (struct initramfs_file){ .path = "kport.plan", .data = plan.buf,
					    .len = plan.len, .mode = 0600 };
	for (size_t i = 0; i < b->modules.n; i++) {
		files[i + 2].path = strvec_pushf(&names, "m/%s.ko", b->modules.m[i].info.name);
		files[i + 2].source = b->modules.m[i].file;
	}
	add_firmware(b, files + 2 + b->modules.n, &names);
	ret = initramfs_write(path, files, n, err);
	free(init);
	free(files);
	strvec_release(&names);
	strbuf_release(&plan);
	return ret;
}
