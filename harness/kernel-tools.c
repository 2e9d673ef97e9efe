// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host tools of an unpacked kernel: modpost, objtool and the like were linked
 * against their distribution's C library. Those that this machine cannot load
 * are started through the loader and libraries of that distribution, unpacked
 * next to them, by a small script in their place. All paths are relative, so the
 * record can be moved.
 */
#include "base/compat.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/kernel-record.h"

#define LOADER_MAX 256
#define TOOLS_MAX  2000

/* The loader that a 64-bit little-endian program of this architecture asks for; "" for none. */
static bool read_interp(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	unsigned char head[4096];
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
	bool elf = false;

	*out = '\0';
	if (n < (ssize_t)sizeof(eh) || memcmp(head, ELFMAG, SELFMAG) ||
	    head[EI_CLASS] != ELFCLASS64)
		goto out;
	memcpy(&eh, head, sizeof(eh));
	elf = eh.e_type == ET_EXEC || eh.e_type == ET_DYN;
	for (unsigned i = 0; elf && i < eh.e_phnum; i++) {
		size_t at = eh.e_phoff + (size_t)i * sizeof(ph);

		if (eh.e_phoff > sizeof(head) || at + sizeof(ph) > (size_t)n)
			break;
		memcpy(&ph, head + at, sizeof(ph));
		if (ph.p_type != PT_INTERP || ph.p_filesz >= size)
			continue;
		if (pread(fd, out, ph.p_filesz, (off_t)ph.p_offset) != (ssize_t)ph.p_filesz)
			*out = '\0';
		else
			out[ph.p_filesz] = '\0';
		break;
	}
out:
	if (fd >= 0)
		close(fd);
	return elf;
}

bool kernel_program_is_static(const char *path)
{
	char interp[LOADER_MAX], *real = file_realpath(path);
	bool yes = real && read_interp(real, interp, sizeof(interp)) && !*interp;

	free(real);
	return yes;
}

/* Asks a loader to resolve everything; the program itself does not run. */
static bool loads(const char *loader, const char *libs, const char *tool, struct strbuf *why)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	const char *missing;
	bool ok;

	strvec_push(&c.argv, loader);
	if (libs)
		strvec_pushl(&c.argv, "--library-path", libs, NULL);
	strvec_pushl(&c.argv, "--list", tool, NULL);
	strvec_push(&c.env, "LC_ALL=C");
	strvec_push(&c.env, "LD_LIBRARY_PATH");
	c.out = &text;
	c.err_to_out = true;
	c.limits.wall_seconds = 120;
	ok = child_run(&c, &r, &ignored) == 0;
	missing = strstr(text.buf, "not found");
	if (ok && (missing || !child_ok(&r))) {
		const char *start = missing ? missing : text.buf;

		while (start > text.buf && start[-1] != '\n')
			start--;
		start += strspn(start, " \t");
		strbuf_addf(why, "%s: %.*s", path_base(tool), (int)strcspn(start, "\n"), start);
		ok = false;
	} else if (!ok) {
		strbuf_addf(why, "%s: %s", path_base(tool), ignored.buf);
	}
	child_release(&c);
	strbuf_release(&text);
	strbuf_release(&ignored);
	return ok;
}

static bool tool_fits(const char *path, struct strbuf *why)
{
	char interp[LOADER_MAX];

	if (!read_interp(path, interp, sizeof(interp)) || !*interp)
		return true;
	if (!file_exists(interp)) {
		strbuf_addf(why, "%s: its loader '%s' is not here", path_base(path), interp);
		return false;
	}
	return loads(interp, NULL, path, why);
}

/* Signing is not part of building a module: these are left as they are. */
static bool used_by_builds(const char *path)
{
	static const char *const unused[] = { "extract-cert", "sign-file", "insert-sys-cert" };

	for (size_t i = 0; i < ARRAY_SIZE(unused); i++)
		if (!strcmp(path_base(path), unused[i]))
			return false;
	return true;
}

int kernel_tools_unfit(const char *dir, struct strvec *out, struct strbuf *why, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	struct strbuf reason = STRBUF_INIT;
	size_t seen = 0;
	int ret = file_list(dir, &files, err);

	for (size_t i = 0; ret == 0 && i < files.n && seen < TOOLS_MAX; i++) {
		char *path = path_join(dir, files.v[i]);

		strbuf_reset(&reason);
		if (access(path, X_OK) == 0 && used_by_builds(path)) {
			seen++;
			if (!tool_fits(path, &reason)) {
				if (!out->n)
					strbuf_addbuf(why, &reason);
				strvec_push(out, path);
			}
		}
		free(path);
	}
	if (ret == 0 && child_interrupted())
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	strvec_release(&files);
	strbuf_release(&reason);
	return ret;
}

bool kernel_tools_run(const char *dir, struct strbuf *why)
{
	static const char *const parts[] = { "scripts/basic/fixdep", "scripts/mod/modpost",
					     "tools/objtool/objtool" };
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && ok; i++) {
		char *path = path_join(dir, parts[i]), *real = file_realpath(path);

		ok = !real || tool_fits(real, why);
		free(path);
		free(real);
	}
	return ok;
}

/* ---- wrapping -------------------------------------------------------------- */

/* Directory of the file called name below dir. */
static char *find_dir_of(const char *dir, const char *name, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	char *found = NULL;

	if (file_list(dir, &files, err) == 0) {
		for (size_t i = 0; i < files.n && !found; i++)
			if (!strcmp(path_base(files.v[i]), name)) {
				char *path = path_join(dir, files.v[i]);

				found = path_dir(path);
				free(path);
			}
		if (!found)
			kp_fail(err, KP_ERR, "the C library's packages hold no '%s'", name);
	}
	strvec_release(&files);
	return found;
}

static int write_wrapper(const char *tool, const char *libs, const char *loader, struct strbuf *err)
{
	char *dir = path_dir(tool), *rel = kernel_relative_path(dir, libs);
	struct strbuf text = STRBUF_INIT;
	int ret;

	strbuf_addf(&text,
		    "#!/bin/sh\n# Written by kport: this program wants another C library than the "
		    "machine's.\n"
		    "d=${0%%/*}\nl=$d/%s\n"
		    "exec \"$l/%s\" --argv0 \"$0\" --library-path \"$l\" \"$d/%s.elf\" \"$@\"\n",
		    rel, loader, path_base(tool));
	ret = file_write_mode(tool, text.buf, text.len, 0755, err);
	free(dir);
	free(rel);
	strbuf_release(&text);
	return ret;
}

static int wrap_tool(const char *tool, const char *libs_root, struct strbuf *err)
{
	char interp[LOADER_MAX], *elf = xstrfmt("%s.elf", tool), *libs = NULL, *loader = NULL;
	struct strbuf why = STRBUF_INIT;
	int ret = KP_ERR;

	read_interp(tool, interp, sizeof(interp));
	libs = find_dir_of(libs_root, path_base(interp), err);
	if (!libs)
		goto out;
	loader = path_join(libs, path_base(interp));
	if (!loads(loader, libs, tool, &why)) {
		ret = kp_fail(err, KP_INFRA,
			      "a host tool of this kernel cannot run on this machine: %s", why.buf);
		goto out;
	}
	ret = 0;
	/* A second name first, so that the program is never without one. */
	if (link(tool, elf) < 0 && errno != EEXIST)
		ret = kp_fail_errno(err, "cannot link '%s'", tool);
	if (ret == 0)
		ret = write_wrapper(tool, libs, path_base(interp), err);
out:
	free(elf);
	free(libs);
	free(loader);
	strbuf_release(&why);
	return ret;
}

int kernel_tools_wrap(const char *dir, const char *libs_root, size_t *wrapped, struct strbuf *err)
{
	struct strvec unfit = STRVEC_INIT;
	struct strbuf why = STRBUF_INIT;
	int ret = kernel_tools_unfit(dir, &unfit, &why, err);

	*wrapped = 0;
	if (ret == 0 && unfit.n && !libs_root)
		ret = kp_fail(err, KP_INFRA,
			      "a host tool of this kernel cannot run on this machine: %s", why.buf);
	for (size_t i = 0; i < unfit.n && ret == 0; i++) {
		/* What a killed run has moved away already. */
		if (ends_with(unfit.v[i], ".elf"))
			continue;
		ret = wrap_tool(unfit.v[i], libs_root, err);
		*wrapped += ret == 0;
	}
	strvec_release(&unfit);
	strbuf_release(&why);
	return ret;
}
