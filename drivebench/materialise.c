// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/materialise.h"

#include <git2.h>

#include "base/alloc.h"
#include "base/cfunc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/workdir.h"
#include "drivebench/bundle.h"
#include "harness/driver.h"
#include "port/series.h"
#include "port/tree.h"

static json_t *kernel_json(const struct kernel *k)
{
	json_t *o = json_object();

	json_set_str(o, "name", k->name);
	json_set_str(o, "release", k->release);
	json_set_str(o, "build_dir", k->build_dir);
	return o;
}

static int write_task(const struct bench_case *c, enum hints h, const struct material *m, const char *dir,
		      struct strbuf *err)
{
	json_t *o = json_object(), *s;
	char *path = path_join(dir, "task.json");
	size_t i;
	int ret;

	json_set_int(o, "schema_version", 1);
	json_set_str(o, "id", c->id);
	json_set_str(o, "track", c->track);
	json_set_str(o, "driver", c->name);
	if (m->file)
		json_set_str(o, "file", m->file);
	json_set_str(o, "task", "change the driver so that it builds for the kernel 'to' and does the same as before; "
		     "change nothing outside of the driver");
	json_object_set_new(o, "from", kernel_json(m->from));
	json_object_set_new(o, "to", kernel_json(m->to));
	if (h == HINTS_SYMBOLS) {
		json_t *names = json_array();

		json_array_foreach(json_object_get(c->json, "symbols"), i, s)
			json_array_append(names, json_object_get(s, "name"));
		json_object_set_new(o, "changed_symbols", names);
	}
	ret = json_write_file(path, o, err);
	json_decref(o);
	free(path);
	return ret;
}

static int unpack(const struct bench_case *c, struct material *m, struct strbuf *err)
{
	struct driver *d = NULL;
	char *deb = NULL;
	int ret = refs_package(c, false, &deb, err);

	if (!ret)
		ret = driver_load(deb, m->driver, NULL, &d, err);
	driver_free(d);
	free(deb);
	return ret && ret != KP_INTERRUPTED ? KP_INFRA : ret;
}

/* The old file in its kernel, brought into the shape of an external module. */
static int take_out(const struct refs *r, const struct bench_case *c, struct material *m, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct driver *d = NULL;
	char *input;
	int ret = refs_text(r, c, false, &text, err);

	if (!ret) {
		input = path_join(m->from->source_dir, c->path);
		ret = driver_load(input, m->driver, NULL, &d, err);
		free(input);
	}
	driver_free(d);
	strbuf_release(&text);
	return ret && ret != KP_INTERRUPTED ? KP_INFRA : ret;
}

int materialise(const struct refs *r, const struct bench_case *c, enum hints h, const char *dir,
		struct material *out, struct strbuf *err)
{
	struct material m = { 0 };
	char *abs;
	int ret = refs_kernel(r, c->from, &m.from, err);

	if (!ret)
		ret = refs_kernel(r, c->to, &m.to, err);
	if (!ret)
		ret = file_mkdirs(dir, err);
	abs = ret ? NULL : file_realpath(dir);
	if (!ret) {
		m.driver = path_join(abs, c->name);
		m.file = c->path ? xstrdup(c->path) : NULL;
		ret = c->path ? take_out(r, c, &m, err) : unpack(c, &m, err);
	}
	if (!ret)
		ret = write_task(c, h, &m, dir, err);
	free(abs);
	if (ret)
		material_release(&m);
	else
		*out = m;
	return ret == KP_NOTFOUND ? KP_INFRA : ret;
}

void material_release(struct material *m)
{
	free(m->driver);
	free(m->file);
	m->driver = m->file = NULL;
}

/* From a package's files to those of a bundle. */
static int package_patch(const struct material *m, const char *text, size_t len, struct strbuf *out, struct strbuf *err)
{
	struct tree *before = NULL, *after = NULL;
	struct strbuf ignored = STRBUF_INIT;
	char *work = NULL;
	int ret = workdir_make("bench-", &work, err);

	if (!ret)
		ret = bundle_write(work, text, len, err);
	if (!ret)
		ret = tree_read(m->driver, &before, err);
	if (!ret)
		ret = tree_read(work, &after, err);
	if (!ret)
		ret = tree_diff(before, after, out, err);
	tree_unref(before);
	tree_unref(after);
	if (work)
		file_remove(work, &ignored);
	strbuf_release(&ignored);
	free(work);
	return ret;
}

int material_patch(const struct material *m, const char *text, size_t len, struct strbuf *out, struct strbuf *err)
{
	struct strbuf old = STRBUF_INIT;
	git_buf buf = GIT_BUF_INIT;
	git_patch *patch = NULL;
	char *path;
	int ret;

	if (!m->file)
		return package_patch(m, text, len, out, err);
	path = path_join(m->driver, m->file);
	ret = file_read(path, 0, &old, err);
	git_libgit2_init();
	if (!ret && (git_patch_from_buffers(&patch, old.buf, old.len, m->file, text, len, m->file, NULL) ||
		     git_patch_to_buf(&buf, patch)))
		ret = kp_fail(err, KP_INFRA, "'%s': cannot compare: %s", m->file, git_error_last()->message);
	/* Of equal files nothing but a header would be left. */
	if (!ret && git_patch_num_hunks(patch))
		strbuf_add(out, buf.ptr, buf.size);
	git_buf_dispose(&buf);
	git_patch_free(patch);
	git_libgit2_shutdown();
	strbuf_release(&old);
	free(path);
	return ret;
}

int material_gold(const struct refs *r, const struct bench_case *c, const struct material *m, struct strbuf *out,
		  struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = refs_text(r, c, true, &text, err);

	if (!ret)
		ret = material_patch(m, text.buf, text.len, out, err);
	strbuf_release(&text);
	return ret;
}

/* ---- wrong answers -------------------------------------------------------------------------- */

/* "void", "a pointer" or anything that 0 fits, from the words in front of the name. */
static const char *empty_body(const struct ctoks *ts, const struct cfunc *f)
{
	bool is_void = false, pointer = false;

	for (uint32_t i = f->ret.first; i < f->ret.end; i++) {
		is_void |= ctok_is(ts, i, "void");
		pointer |= ctok_is(ts, i, "*");
	}
	if (pointer)
		return "{\n\treturn NULL;\n}";
	return is_void ? "{\n}" : "{\n\treturn 0;\n}";
}

static void stub_file(const char *text, size_t len, struct strbuf *out)
{
	struct ctoks ts;
	struct cfile cf;
	size_t at = 0;

	if (ctoks_scan(&ts, text, len) < 0)
		return;
	cfile_parse(&cf, &ts);
	for (size_t i = 0; i < cf.nfuncs; i++) {
		const struct cfunc *f = &cf.funcs[i];
		size_t open, close;

		if (f->body.end <= f->body.first)
			continue;
		open = ts.t[f->body.first].off;
		close = ts.t[f->body.end - 1].off + ts.t[f->body.end - 1].len;
		if (open < at)
			continue;
		strbuf_add(out, text + at, open - at);
		strbuf_addstr(out, empty_body(&ts, f));
		at = close;
	}
	strbuf_add(out, text + at, len - at);
	cfile_release(&cf);
	ctoks_release(&ts);
}

static void delete_file(const char *text, size_t len, struct strbuf *out)
{
	strbuf_addstr(out, "// SPDX-License-Identifier: GPL-2.0\n#include <linux/module.h>\n\n"
		      "MODULE_DESCRIPTION(\"nothing\");\nMODULE_LICENSE(\"GPL\");\n");
}

/* Each C file of a package for itself; headers and what builds it stay. */
struct spoil {
	void (*make)(const char *, size_t, struct strbuf *);
	struct strbuf *out;
};

static int spoil_one(const char *path, const char *text, size_t len, void *payload, struct strbuf *err)
{
	const struct spoil *s = payload;

	bundle_mark(s->out, path);
	if (ends_with(path, ".c")) {
		char *copy = xstrndup(text, len); /* scanners want the NUL */

		s->make(copy, len, s->out);
		free(copy);
	} else {
		strbuf_add(s->out, text, len);
	}
	strbuf_addch(s->out, '\n');
	return 0;
}

static void spoil(const char *text, size_t len, void (*make)(const char *, size_t, struct strbuf *), struct strbuf *out)
{
	struct spoil s = { make, out };
	struct strbuf ignored = STRBUF_INIT;

	if (is_bundle(text, len))
		bundle_each(text, len, spoil_one, &s, &ignored);
	else
		make(text, len, out);
	strbuf_release(&ignored);
}

void material_stub(const char *text, size_t len, struct strbuf *out)
{
	spoil(text, len, stub_file, out);
}

void material_delete(const char *text, size_t len, struct strbuf *out)
{
	spoil(text, len, delete_file, out);
}
