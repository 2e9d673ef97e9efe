/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts of Makefiles, Kbuild files, Kconfig and dkms.conf, read as words. */
#include "base/compat.h"
#include "checks/facts.h"
#include "base/alloc.h"

static bool object_word(const char *w)
{
	size_t n = strlen(w);

	return n > 2 && ends_with(w, ".o") && strspn(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
							"UVWXYZ0123456789_-./") == n;
}

/* Flags that weaken or widen what the compiler and modpost complain about. */
static bool warning_word(const char *w)
{
	static const char *const words[] = { "-w", "-fpermissive", "-Werror", "KBUILD_MODPOST_WARN",
					     "KBUILD_MODPOST_NOFINAL" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(w, words[i]))
			return true;
	return starts_with(w, "-Wno-") || starts_with(w, "-Werror=") || starts_with(w, "CFLAGS_REMOVE") ||
	       starts_with(w, "ccflags-remove") || starts_with(w, "KBUILD_MODPOST_WARN=") ||
	       !strcmp(w, "$(filter-out") || starts_with(w, "--no-warn");
}

/* -Dname, -Dname=text, -D'name(x)=text'. */
static void define_word(struct facts *fa, const struct fact_file *file, int line, const char *w)
{
	const char *p = w + 2, *eq;
	struct strbuf name = STRBUF_INIT;
	struct fact *f;
	size_t n;

	p += strspn(p, "'\"\\");
	n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	strbuf_add(&name, p, n);
	eq = strchr(p + n, '=');
	f = facts_add(fa, FACT_DEFINE_FLAG, file, line, NULL, name.buf);
	f->value = xstrdup(eq ? eq + 1 : "1");
	strbuf_release(&name);
}

static void build_word(struct facts *fa, const struct fact_file *file, int line, const char *w)
{
	if (object_word(w))
		facts_add(fa, FACT_OBJECT, file, line, NULL, w);
	else if (warning_word(w))
		facts_add(fa, FACT_FLAG, file, line, NULL, w);
	else if (starts_with(w, "-D") && w[2])
		define_word(fa, file, line, w);
}

static void build_line(struct facts *fa, const struct fact_file *file, int line, const char *text)
{
	struct strvec words = STRVEC_INIT;
	size_t i;

	strvec_split(&words, text, " \t:=,");
	/* "=" and "," stand inside flags too: those come whole from a split at blanks. */
	for (i = 0; i < words.n; i++)
		if (words.v[i][0] != '-')
			build_word(fa, file, line, words.v[i]);
	strvec_clear(&words);
	strvec_split(&words, text, " \t");
	for (i = 0; i < words.n; i++) {
		const char *w = words.v[i], *flag = strstr(w, "=-");

		if (w[0] == '-')
			build_word(fa, file, line, w);
		else if (flag)
			build_word(fa, file, line, flag + 1);
	}
	strvec_release(&words);
}

void facts_of_build_file(struct facts *fa, const struct fact_file *file)
{
	const char *p = file->text.buf, *end = p + file->text.len;
	int line = 1;

	while (p < end) {
		const char *nl = memchr(p, '\n', end - p);
		size_t len = (nl ? nl : end) - p;
		const char *hash = memchr(p, '#', len);
		char *text = xstrndup(p, hash ? (size_t)(hash - p) : len);

		if (ends_with(text, "\r") || ends_with(text, "\\"))
			text[strlen(text) - 1] = '\0';
		build_line(fa, file, line++, text);
		free(text);
		p = nl ? nl + 1 : end;
	}
}
