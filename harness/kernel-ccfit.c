// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel configuration records what its compiler can do. When another compiler
 * builds modules for it, the symbols that the other one does not satisfy are
 * turned off, by the conditions that the kernel's own Kconfig files state for
 * them (init/Kconfig, arch/Kconfig, arch/x86/Kconfig, lib/Kconfig.*,
 * security/Kconfig.hardening of 5.10 to 7.3). Configuration programs cannot do it
 * here: packages of headers come without the Kconfig files.
 *
 * Only symbols that are facts about compiler, assembler and linker are touched,
 * never a choice that changes the kernel's structures. Versions of the tools that
 * are used replace the recorded ones.
 */
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/kernel-record.h"

enum probe_kind {
	PROBE_FLAG,    /* the compiler takes these options */
	PROBE_CODE,    /* it compiles this text without a warning */
	PROBE_GCC_MIN, /* its version is at least this */
	PROBE_NEEDS,   /* follows another symbol of the table, which stands before */
};

struct probe {
	const char *symbol;
	enum probe_kind kind;
	const char *arg;
	const char *otherwise; /* value instead of "off", or NULL */
};

static const struct probe probes[] = {
	{ "CC_HAS_MIN_FUNCTION_ALIGNMENT", PROBE_FLAG, "-fmin-function-alignment=8" },
	{ "CC_HAS_SANE_FUNCTION_ALIGNMENT", PROBE_NEEDS, "CC_HAS_MIN_FUNCTION_ALIGNMENT" },
	{ "CC_HAS_ASSUME", PROBE_GCC_MIN, "130100" },
	{ "CC_HAS_COUNTED_BY", PROBE_GCC_MIN, "150100" },
	{ "CC_HAS_COUNTED_BY_PTR", PROBE_GCC_MIN, "160000" },
	{ "CC_HAS_MULTIDIMENSIONAL_NONSTRING", PROBE_CODE,
	  "char tag[][4] __attribute__((__nonstring__)) = { };" },
	{ "CC_HAS_ASM_GOTO_OUTPUT", PROBE_CODE,
	  "int f(int x) { asm goto (\"\" : \"=r\"(x) ::: bar); return x; bar: return 0; }" },
	{ "CC_HAS_ASM_GOTO_TIED_OUTPUT", PROBE_NEEDS, "CC_HAS_ASM_GOTO_OUTPUT" },
	{ "CC_HAS_ASM_INLINE", PROBE_CODE, "void f(void) { asm inline (\"\"); }" },
	{ "CC_HAS_NAMED_AS", PROBE_CODE, "int __seg_fs fs; int __seg_gs gs;" },
	{ "USE_X86_SEG_SUPPORT", PROBE_NEEDS, "CC_HAS_NAMED_AS" },
	{ "CC_HAS_NO_PROFILE_FN_ATTR", PROBE_CODE,
	  "__attribute__((no_profile_instrument_function)) int f(void);" },
	{ "CC_HAS_INT128", PROBE_CODE, "__int128 x;" },
	{ "CC_HAS_KASAN_GENERIC", PROBE_FLAG, "-fsanitize=kernel-address" },
	{ "CC_HAS_KASAN_SW_TAGS", PROBE_FLAG, "-fsanitize=kernel-hwaddress" },
	{ "CC_HAS_UBSAN_BOUNDS_STRICT", PROBE_FLAG, "-fsanitize=bounds-strict" },
	{ "CC_HAS_UBSAN_ARRAY_BOUNDS", PROBE_FLAG, "-fsanitize=array-bounds" },
	{ "CC_HAS_MARCH_NATIVE", PROBE_FLAG, "-march=native" },
	{ "CC_HAS_SLS", PROBE_FLAG, "-mharden-sls=all" },
	{ "CC_HAS_RETURN_THUNK", PROBE_FLAG, "-mfunction-return=thunk-extern" },
	{ "CC_HAS_IBT", PROBE_FLAG, "-fcf-protection=branch -mindirect-branch-register" },
	{ "CC_HAS_ENTRY_PADDING", PROBE_FLAG, "-fpatchable-function-entry=16,16" },
	{ "CC_HAS_ZERO_CALL_USED_REGS", PROBE_FLAG, "-fzero-call-used-regs=used-gpr" },
	{ "CC_HAS_AUTO_VAR_INIT_PATTERN", PROBE_FLAG, "-ftrivial-auto-var-init=pattern" },
	{ "CC_HAS_AUTO_VAR_INIT_ZERO_BARE", PROBE_FLAG, "-ftrivial-auto-var-init=zero" },
	{ "CC_HAS_AUTO_VAR_INIT_ZERO", PROBE_FLAG, "-ftrivial-auto-var-init=zero" },
	{ "CC_HAS_STACKPROTECTOR_STRONG", PROBE_FLAG, "-fstack-protector-strong" },
	{ "CC_IMPLICIT_FALLTHROUGH", PROBE_FLAG, "-Wimplicit-fallthrough=5" },
	{ "CC_OPT_INLINE_MEMSET", PROBE_FLAG, "-finline-stringops=memset" },
	{ "CC_MS_EXTENSIONS", PROBE_FLAG, "-fms-anonymous-structs", "-fms-extensions" },
};

/* One symbol and what becomes of it. */
struct edit {
	const char *symbol; /* without CONFIG_ */
	char *value;	    /* as in autoconf.h, strings in quotes; NULL: off */
};

struct fit {
	const char *cc;
	unsigned long version; /* of gcc, as GCC_VERSION has it; 0: not gcc */
	char *conf;	       /* auto.conf */
	struct edit *edits;
	size_t n, alloc;
	bool unsure; /* a probe was not answered: interrupted, or the machine is at fault */
};

static void add_edit(struct fit *f, const char *symbol, char *value)
{
	ALLOC_GROW(f->edits, f->n + 1, f->alloc);
	f->edits[f->n++] = (struct edit){ symbol, value };
}

static const struct edit *find_edit(const struct fit *f, const char *symbol, size_t len)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strncmp(f->edits[i].symbol, symbol, len) && !f->edits[i].symbol[len])
			return &f->edits[i];
	return NULL;
}

/* The line of a symbol in auto.conf behind its "=", or NULL. */
static const char *conf_value(const struct fit *f, const char *symbol)
{
	char *key = xstrfmt("\nCONFIG_%s=", symbol);
	const char *p = strstr(f->conf, key);

	p = p ? p + strlen(key) : NULL;
	free(key);
	return p;
}

static bool compiles(struct fit *f, const char *options, const char *code)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf ignored = STRBUF_INIT;
	bool ok;

	strvec_pushl(&c.argv, f->cc, "-Werror", NULL);
	strvec_split(&c.argv, options, " ");
	strvec_pushl(&c.argv, "-c", "-x", "c", "-", "-o", "/dev/null", NULL);
	c.in = code;
	c.in_len = strlen(code);
	c.discard = true;
	c.limits.wall_seconds = 120;
	ok = child_run(&c, &r, &ignored) == 0 && r.kind == CHILD_EXITED;
	f->unsure |= !ok;
	ok = ok && r.code == 0;
	child_release(&c);
	strbuf_release(&ignored);
	return ok;
}

/* gcc's faults with outputs of "asm goto": before 11.5, 12.0 to 12.3, 13.0 to 13.2. */
static bool asm_goto_broken(unsigned long v)
{
	return v && (v < 110500 || (v >= 120000 && v < 120400) || (v >= 130000 && v < 130300));
}

static bool satisfied(struct fit *f, const struct probe *p)
{
	if (!strcmp(p->symbol, "CC_HAS_ASM_GOTO_OUTPUT") && asm_goto_broken(f->version))
		return false;
	switch (p->kind) {
	case PROBE_FLAG:
		return compiles(f, p->arg, "");
	case PROBE_CODE:
		return compiles(f, "", p->arg);
	case PROBE_GCC_MIN:
		return f->version >= strtoul(p->arg, NULL, 10);
	case PROBE_NEEDS:
		return !find_edit(f, p->arg, strlen(p->arg));
	}
	return true;
}

static void probe_all(struct fit *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		const struct probe *p = &probes[i];
		const char *is = conf_value(f, p->symbol);

		if (!is || (p->otherwise &&
			    !strncmp(is + (*is == '"'), p->otherwise, strlen(p->otherwise))))
			continue;
		if (!satisfied(f, p))
			add_edit(f, p->symbol,
				 p->otherwise ? xstrfmt("\"%s\"", p->otherwise) : NULL);
	}
	if (asm_goto_broken(f->version) && find_edit(f, "CC_HAS_ASM_GOTO_OUTPUT", 22))
		add_edit(f, "GCC_ASM_GOTO_OUTPUT_BROKEN", xstrdup("y"));
}

/* ---- versions -------------------------------------------------------------- */

/* "12.2.0" gives 120200, "2.40" 24000: as the kernel counts. */
static unsigned long version_number(const char *s)
{
	unsigned a = 0, b = 0, c = 0;

	if (sscanf(s, "%u.%u.%u", &a, &b, &c) < 2)
		return 0;
	/* Developers' snapshots of binutils carry a date as the third number. */
	return a * 10000ul + b * 100ul + (c < 100 ? c : 0);
}

static unsigned long tool_version(const char *tool, const char *option)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	unsigned long v = 0;

	strvec_pushl(&c.argv, tool, option, NULL);
	strvec_push(&c.env, "LC_ALL=C");
	c.out = &text;
	c.discard = true;
	c.limits.wall_seconds = 120;
	if (child_run(&c, &r, &ignored) == 0 && child_ok(&r)) {
		const char *p;

		/* binutils: the last word of the first line */
		text.buf[strcspn(text.buf, "\n")] = '\0';
		p = strrchr(text.buf, ' ');
		v = version_number(p ? p + 1 : text.buf);
	}
	child_release(&c);
	strbuf_release(&text);
	strbuf_release(&ignored);
	return v;
}

static void edit_version(struct fit *f, const char *symbol, unsigned long v)
{
	const char *is = conf_value(f, symbol);

	if (is && v && strtoul(is, NULL, 10) != v)
		add_edit(f, symbol, xstrfmt("%lu", v));
}

/* ---- writing --------------------------------------------------------------- */

/* The length of the symbol's name at p ("FOO=y", "FOO 1"). */
static size_t symbol_len(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* Strings stand in auto.conf with quotes in older kernels, without in newer: as the old value. */
static void add_string(const struct fit *f, struct strbuf *out, const struct edit *e)
{
	const char *was = conf_value(f, e->symbol);
	bool bare = !was || *was != '"';

	strbuf_addf(out, "CONFIG_%s=%.*s\n", e->symbol, (int)strlen(e->value) - (bare ? 2 : 0),
		    e->value + (bare ? 1 : 0));
}

static void add_line(const struct fit *f, struct strbuf *out, const struct edit *e, bool header)
{
	if (!e->value)
		return;
	if (!header && *e->value == '"')
		add_string(f, out, e);
	else if (header)
		strbuf_addf(out, "#define CONFIG_%s %s\n", e->symbol,
			    strcmp(e->value, "y") ? e->value : "1");
	else
		strbuf_addf(out, "CONFIG_%s=%s\n", e->symbol, e->value);
}

/* auto.conf or autoconf.h with the edits applied: old lines go, new ones stand at the end. */
static int rewrite(const struct fit *f, const char *path, bool header, struct strbuf *err)
{
	const char *lead = header ? "#define CONFIG_" : "CONFIG_";
	struct strbuf old = STRBUF_INIT, text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret = file_read(path, 16 << 20, &old, err);

	if (ret < 0)
		goto out;
	strvec_split(&lines, old.buf, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *name;

		if (!skip_prefix(lines.v[i], lead, &name) || !find_edit(f, name, symbol_len(name)))
			strbuf_addf(&text, "%s\n", lines.v[i]);
	}
	for (size_t i = 0; i < f->n; i++)
		add_line(f, &text, &f->edits[i], header);
	ret = file_write(path, text.buf, text.len, err);
out:
	strbuf_release(&old);
	strbuf_release(&text);
	strvec_release(&lines);
	return ret;
}

static void add_notes(const struct fit *f, struct strvec *notes)
{
	for (size_t i = 0; i < f->n; i++)
		strvec_pushf(notes, f->edits[i].value ? "CONFIG_%s=%s" : "CONFIG_%s off",
			     f->edits[i].symbol, f->edits[i].value);
}

int kernel_fit_config(const char *build_dir, const char *cc, struct strvec *notes,
		      struct strbuf *err)
{
	struct fit f = { .cc = cc };
	char *conf = path_join(build_dir, "include/config/auto.conf");
	char *header = path_join(build_dir, "include/generated/autoconf.h");
	struct strbuf text = STRBUF_INIT;
	const char *was;
	int ret;

	strbuf_addch(&text, '\n');
	ret = file_read(conf, 16 << 20, &text, err);
	if (ret < 0)
		goto out;
	f.conf = text.buf;
	was = conf_value(&f, "GCC_VERSION");
	if (!was) /* built with clang */
		goto out;
	f.version = tool_version(cc, "-dumpfullversion");
	if (strtoul(was, NULL, 10) == f.version)
		goto out;
	if (f.version)
		probe_all(&f);
	if (!f.version || f.unsure) {
		ret = child_interrupted() ? kp_fail(err, KP_INTERRUPTED, "interrupted") :
					    kp_fail(err, KP_INFRA, "cannot find out what '%s' can do", cc);
		goto out;
	}
	edit_version(&f, "GCC_VERSION", f.version);
	edit_version(&f, "AS_VERSION", tool_version("as", "--version"));
	edit_version(&f, "LD_VERSION", tool_version("ld", "--version"));
	ret = rewrite(&f, header, true, err);
	/* Last: its GCC_VERSION says that all is done. */
	if (ret == 0)
		ret = rewrite(&f, conf, false, err);
	if (ret == 0)
		add_notes(&f, notes);
out:
	for (size_t i = 0; i < f.n; i++)
		free(f.edits[i].value);
	free(f.edits);
	free(conf);
	free(header);
	strbuf_release(&text);
	return ret;
}
