// SPDX-License-Identifier: GPL-2.0-only
/*
 * The precompiled header holds the -include files of the command and the
 * source's include block; the rest of the source comes through stdin behind a
 * line marker and as many empty lines, so that positions stay true.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/strmap.h"
#include "harness/capture.h"
#include "harness/checker.h"
#include "harness/sandbox.h"

#define USES_BEFORE_PCH 2 /* plain checks until the header pays */
#define MAX_SOURCE (16u << 20)
#define MAX_TREE_DEPS 2000

struct pch {
	struct hash_hex key;	/* of the include block */
	unsigned uses;		/* checks with this key */
	bool bad;		/* not possible with this key */
	bool built;
	struct strvec deps;	/* files of the tree that are in it */
	struct hash_hex deps_hash;
	char *path;		/* SCRATCH/N.h; the file is PATH.gch */
};

struct kbuild_checker {
	const struct kernel *k;
	char *tree, *real, *scratch; /* real: where the tree's files lie */
	struct strmap pchs; /* source\nobject -> struct pch */
	unsigned n;
	struct kbuild_checker_stats stats;
};

struct kbuild_checker *kbuild_checker_new(const struct kernel *k, const char *tree,
					  const char *scratch)
{
	return kbuild_checker_at(k, tree, tree, scratch);
}

struct kbuild_checker *kbuild_checker_at(const struct kernel *k, const char *tree,
					 const char *real, const char *scratch)
{
	struct kbuild_checker *c = xcalloc(1, sizeof(*c));

	c->k = k;
	c->tree = xstrdup(tree);
	c->real = xstrdup(real);
	c->scratch = xstrdup(scratch);
	return c;
}

static void pch_free(void *p)
{
	struct pch *pch = p;

	strvec_release(&pch->deps);
	free(pch->path);
	free(pch);
}

void kbuild_checker_free(struct kbuild_checker *c)
{
	struct strbuf ignored = STRBUF_INIT;

	if (!c)
		return;
	strmap_release(&c->pchs, pch_free);
	if (c->stats.built)
		file_remove(c->scratch, &ignored);
	strbuf_release(&ignored);
	free(c->tree);
	free(c->real);
	free(c->scratch);
	free(c);
}

const struct kbuild_checker_stats *kbuild_checker_stats(const struct kbuild_checker *c)
{
	return &c->stats;
}

/* Where the file lies that the compiler finds at path; newly allocated. */
static char *real_path(const struct kbuild_checker *c, const char *path)
{
	const char *rel = path_inside(c->tree, path);

	return rel ? path_join(c->real, rel) : xstrdup(path);
}

/* Behind a comment at p, or p. */
static size_t skip_comment(const char *s, size_t i, size_t len)
{
	if (i + 1 >= len || s[i] != '/')
		return i;
	if (s[i + 1] == '/') {
		while (i < len && s[i] != '\n')
			i++;
		return i;
	}
	if (s[i + 1] != '*')
		return i;
	for (i += 2; i + 1 < len; i++)
		if (s[i] == '*' && s[i + 1] == '/')
			return i + 2;
	return len;
}

/* Behind the newline that ends the directive at i; comments and continued lines belong to it. */
static size_t skip_directive(const char *s, size_t i, size_t len)
{
	while (i < len && s[i] != '\n') {
		size_t j = skip_comment(s, i, len);

		if (j == i && s[i] == '\\' && i + 1 < len && s[i + 1] == '\n')
			j = i + 2;
		i = j == i ? i + 1 : j;
	}
	return i < len ? i + 1 : len;
}

static bool is_directive(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (p++; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	return (size_t)(end - p) > n && !memcmp(p, word, n);
}

size_t include_block(const char *text, size_t len)
{
	size_t i = 0, last = 0;
	int depth = 0;

	while (i < len) {
		const char *p = text + i, *end = text + len;
		size_t j = skip_comment(text, i, len);

		if (j != i) {
			i = j;
			continue;
		}
		if (strchr(" \t\r\n\f", *p) && *p) {
			i++;
			continue;
		}
		if (*p != '#')
			break;
		i = skip_directive(text, i, len);
		if (is_directive(p, end, "if"))
			depth++;
		else if (is_directive(p, end, "endif"))
			depth--;
		if (depth < 0)
			break;
		if (depth == 0 && (is_directive(p, end, "include") || is_directive(p, end, "endif")))
			last = i;
	}
	return last;
}

static struct pch *get_pch(struct kbuild_checker *c, const struct kbuild_unit *u)
{
	char *key = xstrfmt("%s\n%s", u->source, u->object ? u->object : "");
	struct pch *p = strmap_get(&c->pchs, key);

	if (!p) {
		p = xcalloc(1, sizeof(*p));
		strvec_init(&p->deps);
		p->path = xstrfmt("%s/%u.h", c->scratch, c->n++);
		strmap_put(&c->pchs, key, p);
	}
	free(key);
	return p;
}

static struct hash_hex hash_deps(const struct kbuild_checker *c, const struct strvec *deps)
{
	struct strbuf ignored = STRBUF_INIT;
	struct hash *h = hash_new();

	for (size_t i = 0; i < deps->n; i++) {
		struct hash_hex one = { "absent" };
		char *real = real_path(c, deps->v[i]);

		hash_file(real, &one, &ignored);
		hash_add_str(h, one.hex);
		free(real);
	}
	strbuf_release(&ignored);
	return hash_final(h);
}

/* Forgets what was built for another block or other headers. */
static void refresh(const struct kbuild_checker *c, struct pch *p, const char *text, size_t block)
{
	struct hash_hex key = hash_buf(text, block), deps;

	if (strcmp(p->key.hex, key.hex)) {
		p->key = key;
		p->uses = 0;
		p->bad = p->built = false;
	} else if (p->built) {
		deps = hash_deps(c, &p->deps);
		if (strcmp(p->deps_hash.hex, deps.hex)) {
			p->uses = 0;
			p->built = false;
		}
	}
	p->uses++;
}

static bool is_source_arg(const struct kbuild_unit *u, const char *arg)
{
	char *abs;
	bool same;

	if (*arg == '-' || !ends_with(arg, ".c"))
		return false;
	abs = path_join(u->cwd, starts_with(arg, "./") ? arg + 2 : arg);
	same = !strcmp(abs, u->source);
	free(abs);
	return same;
}

/* The command without source, -c and -include files; those go to includes. */
static void split_command(const struct kbuild_unit *u, struct strvec *argv, struct strvec *includes)
{
	struct strvec all = STRVEC_INIT;
	char *dir = path_dir(u->source);

	capture_check_argv(u, false, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (!strcmp(all.v[i], "-include") && i + 1 < all.n) {
			strvec_push(includes, all.v[++i]);
			continue;
		}
		if (!strcmp(all.v[i], "-c") || !strcmp(all.v[i], "-fsyntax-only") ||
		    is_source_arg(u, all.v[i]))
			continue;
		strvec_push(argv, all.v[i]);
	}
	strvec_pushl(argv, "-iquote", dir, NULL);
	strvec_release(&all);
	free(dir);
}

enum scratch_use { SCRATCH_UNUSED, SCRATCH_READ, SCRATCH_WRITE };

/* Runs the compiler in the sandbox. */
static int run(struct kbuild_checker *c, const struct kbuild_unit *u, const struct strvec *argv,
	       const char *in, size_t in_len, enum scratch_use use, struct strbuf *text, int *code,
	       struct strbuf *err)
{
	struct sandbox sb = SANDBOX_INIT;
	struct child child = CHILD_INIT;
	struct child_result r = { 0 };
	int ret = kbuild_sandbox(c->k, NULL, NULL, &sb, err);

	if (strcmp(c->tree, c->real))
		strvec_pushl(&sb.binds, c->real, c->tree, NULL);
	else
		strvec_push(&sb.ro, c->tree);
	if (use != SCRATCH_UNUSED)
		strvec_push(use == SCRATCH_WRITE ? &sb.rw : &sb.ro, c->scratch);
	strvec_pushv(&child.argv, argv->v);
	child.dir = u->cwd;
	child.in = in;
	child.in_len = in_len;
	child.err = text;
	child.discard = true;
	child.limits.wall_seconds = 120;
	if (!ret)
		ret = sandbox_run(&sb, &child, &r, err);
	if (!ret && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted while checking '%s'", u->source);
	*code = r.kind == CHILD_EXITED ? r.code : 128 + 9;
	child_release(&child);
	sandbox_release(&sb);
	return ret;
}

/* Files of the tree in a make rule of -MD; a name with a blank makes the answer useless. */
static bool read_deps(struct kbuild_checker *c, const struct kbuild_unit *u, struct pch *p)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	struct strvec words = STRVEC_INIT;
	char *path = xstrfmt("%s.d", p->path);
	bool ok = file_read(path, MAX_SOURCE, &text, &ignored) == 0;

	strvec_clear(&p->deps);
	strvec_split(&words, text.buf, " \\\n");
	for (size_t i = 0; i < words.n && ok; i++) {
		char *abs = path_join(u->cwd, words.v[i]), *real = file_realpath(abs);

		/* A link that leads out of the tree changes no more than the kernel does. */
		if (real && path_inside(c->tree, real))
			strvec_push(&p->deps, real);
		ok = p->deps.n <= MAX_TREE_DEPS;
		free(abs);
		free(real);
	}
	free(path);
	strvec_release(&words);
	strbuf_release(&text);
	strbuf_release(&ignored);
	return ok;
}

static bool is_silent(const struct strbuf *text, int code)
{
	struct diag_list l = { 0 };
	struct strbuf ignored = STRBUF_INIT;
	bool silent = code == 0 && diag_parse_gcc(text->buf, text->len, NULL, &l, &ignored) == 0 && !l.n;

	diag_list_release(&l);
	strbuf_release(&ignored);
	return silent;
}

static int build_pch(struct kbuild_checker *c, const struct kbuild_unit *u, struct pch *p,
		     const char *text, size_t block, struct strbuf *err)
{
	struct strvec argv = STRVEC_INIT, includes = STRVEC_INIT;
	struct strbuf header = STRBUF_INIT, out = STRBUF_INIT;
	char *gch = xstrfmt("%s.gch", p->path), *d = xstrfmt("%s.d", p->path);
	int code = 1, ret = file_mkdirs(c->scratch, err);

	split_command(u, &argv, &includes);
	for (size_t i = 0; i < includes.n; i++)
		strbuf_addf(&header, "#include \"%s\"\n", includes.v[i]);
	/* Messages and __FILE__ of the block are the source's. */
	strbuf_addf(&header, "# 1 \"%s\"\n", u->source);
	strbuf_add(&header, text, block);
	strvec_pushl(&argv, "-x", "c-header", "-MD", "-MF", d, "-o", gch, p->path, NULL);
	if (!ret)
		ret = file_write(p->path, header.buf, header.len, err);
	c->stats.built++;
	if (!ret)
		ret = run(c, u, &argv, NULL, 0, SCRATCH_WRITE, &out, &code, err);
	if (!ret) {
		p->built = is_silent(&out, code) && read_deps(c, u, p);
		p->bad = !p->built;
		if (p->built)
			p->deps_hash = hash_deps(c, &p->deps);
		/* Without it gcc has to use the compiled one or to fail. */
		ret = file_remove(p->path, err);
	}
	free(gch);
	free(d);
	strvec_release(&argv);
	strvec_release(&includes);
	strbuf_release(&header);
	strbuf_release(&out);
	return ret;
}

/* 1: the answer is in out; 0: it could not be had this way. */
static int ask_fast(struct kbuild_checker *c, const struct kbuild_unit *u, struct pch *p,
		    const char *text, size_t len, size_t block, struct kbuild_answer *out,
		    struct strbuf *err)
{
	struct strvec argv = STRVEC_INIT, includes = STRVEC_INIT;
	struct strbuf in = STRBUF_INIT;
	int ret;

	split_command(u, &argv, &includes);
	strvec_pushl(&argv, "-include", p->path, "-Winvalid-pch", "-fsyntax-only", "-x", "c", "-", NULL);
	strbuf_addf(&in, "# 1 \"%s\"\n", u->source);
	for (size_t i = 0; i < block; i++)
		if (text[i] == '\n')
			strbuf_addch(&in, '\n');
	strbuf_add(&in, text + block, len - block);
	ret = run(c, u, &argv, in.buf, in.len, SCRATCH_READ, &out->text, &out->code, err);
	if (!ret) {
		/* Messages about the header, or in it. */
		p->bad = strstr(out->text.buf, "-Winvalid-pch") || strstr(out->text.buf, c->scratch);
		if (p->bad)
			strbuf_reset(&out->text);
		ret = !p->bad;
	}
	strvec_release(&argv);
	strvec_release(&includes);
	strbuf_release(&in);
	return ret;
}

static int ask_plain(struct kbuild_checker *c, const struct kbuild_unit *u,
		     struct kbuild_answer *out, struct strbuf *err)
{
	struct strvec argv = STRVEC_INIT;
	int ret;

	capture_check_argv(u, false, &argv);
	ret = run(c, u, &argv, NULL, 0, SCRATCH_UNUSED, &out->text, &out->code, err);
	strvec_release(&argv);
	return ret;
}

int kbuild_checker_ask(struct kbuild_checker *c, const struct kbuild_unit *u,
		       struct kbuild_answer *out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct pch *p = get_pch(c, u);
	char *source = real_path(c, u->source);
	size_t block;
	int ret = file_read(source, MAX_SOURCE, &text, err);

	if (ret < 0)
		goto out;
	block = include_block(text.buf, text.len);
	refresh(c, p, text.buf, block);
	if (block && !p->bad && !p->built && p->uses > USES_BEFORE_PCH)
		ret = build_pch(c, u, p, text.buf, block, err);
	if (!ret && p->built && !p->bad)
		ret = ask_fast(c, u, p, text.buf, text.len, block, out, err);
	if (ret < 0)
		goto out;
	c->stats.fast += ret == 1;
	c->stats.plain += ret == 0;
	ret = ret == 1 ? 0 : ask_plain(c, u, out, err);
out:
	free(source);
	strbuf_release(&text);
	return ret;
}

void kbuild_answer_read(const struct kbuild_answer *a, const struct kbuild_unit *u,
			const char *tree, struct diag_list *out)
{
	struct diag_list raw = { 0 };

	capture_parse(a->text.buf, a->text.len, u->cwd, tree, a->code, &raw);
	diag_fold(&raw, out);
	diag_list_release(&raw);
}

int kbuild_checker_run(struct kbuild_checker *c, const struct kbuild_unit *u, struct diag_list *out,
		       int *exit_code, struct strbuf *err)
{
	struct kbuild_answer a = KBUILD_ANSWER_INIT;
	int ret = kbuild_checker_ask(c, u, &a, err);

	if (!ret) {
		*exit_code = a.code;
		kbuild_answer_read(&a, u, c->tree, out);
	}
	strbuf_release(&a.text);
	return ret;
}
