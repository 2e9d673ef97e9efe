// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/html.h"

#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"

#define MAX_LINE_SHOWN 400

const char html_style[] =
	":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--dim:#5b6570;--line:#d5dae0;"
	"--box:#f5f7f9;--add:#dff5e3;--add2:#a5e3b3;--del:#fde4e4;--del2:#f5b1b1;--ok:#11713a;"
	"--bad:#b3261e;--warn:#8a5a00}"
	"@media(prefers-color-scheme:dark){:root{--fg:#e2e6ea;--bg:#14171a;--dim:#98a2ad;"
	"--line:#343a41;--box:#1d2125;--add:#12351f;--add2:#1f6b39;--del:#3f1a1b;--del2:#7d2b2c;"
	"--ok:#5bd68a;--bad:#ff8b82;--warn:#f0c060}}"
	"*{box-sizing:border-box}body{margin:0 auto;max-width:76rem;padding:1rem;color:var(--fg);"
	"background:var(--bg);font:16px/1.5 system-ui,sans-serif}"
	"h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.15rem;margin:2rem 0 .6rem;"
	"border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1.2rem 0 .3rem}"
	"p{margin:.4rem 0}code,pre,.diff{font:13px/1.45 ui-monospace,monospace}"
	"code{overflow-wrap:anywhere}.dim{color:var(--dim)}"
	"pre{background:var(--box);padding:.6rem;overflow:auto;max-height:24rem;margin:.4rem 0}"
	"table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:600}"
	".grid td,.grid th{padding:.25rem .6rem .25rem 0;vertical-align:top;"
	"border-bottom:1px solid var(--line);white-space:nowrap}"
	".grid td.w{white-space:normal;overflow-wrap:anywhere;width:100%}"
	".PASS,.safe,.ok{color:var(--ok)}.FAIL,.bad,.shown{color:var(--bad)}"
	".UNKNOWN,.INFRA,.warn,.review{color:var(--warn)}.SKIP{color:var(--dim)}"
	".v{font-weight:700}.diff{table-layout:fixed;border:1px solid var(--line);margin:.4rem 0}"
	".diff td{padding:0 .4rem;white-space:pre-wrap;overflow-wrap:anywhere;vertical-align:top}"
	".diff .c{width:3.2rem}.diff .n{text-align:right;color:var(--dim);user-select:none}"
	".diff .d{background:var(--del)}.diff .a{background:var(--add)}"
	".diff .d b{background:var(--del2);font-weight:400}"
	".diff .a b{background:var(--add2);font-weight:400}"
	".diff .h td{background:var(--box);color:var(--dim)}"
	"details{margin:.4rem 0}summary{cursor:pointer}"
	"@media(max-width:48rem){.diff,.diff tbody{display:block}.diff tr{display:grid;"
	"grid-template-columns:3.2rem 1fr}.diff .h{display:block}.diff .e,.diff colgroup{display:none}"
	".grid .o{display:none}body{padding:.6rem}}"
	"@media print{pre{max-height:none}}";

/* Length of the UTF-8 sequence at s, 0 when it is none. */
static size_t utf8_len(const unsigned char *s, size_t n)
{
	size_t len = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 :
		     *s >= 0xf0 && *s < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

void html_textn(struct strbuf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_len((const unsigned char *)s + i, n - i);
		unsigned char c = (unsigned char)s[i];

		if (!len || (c < 0x20 && c != '\n' && c != '\t' && c != '\r'))
			strbuf_addstr(out, "\xef\xbf\xbd");
		else if (c == '<')
			strbuf_addstr(out, "&lt;");
		else if (c == '>')
			strbuf_addstr(out, "&gt;");
		else if (c == '&')
			strbuf_addstr(out, "&amp;");
		else if (c == '"')
			strbuf_addstr(out, "&quot;");
		else
			strbuf_add(out, s + i, len);
		i += len ? len : 1;
	}
}

void html_text(struct strbuf *out, const char *s)
{
	if (s)
		html_textn(out, s, strlen(s));
}

/* ---- diffs ----------------------------------------------------------------- */

struct half {
	const char *text;
	size_t len;
	int number; /* 0: there is no such line */
};

static struct half half_of(const git_diff_line *l)
{
	struct half h = { .text = l->content, .len = l->content_len };

	while (h.len && (h.text[h.len - 1] == '\n' || h.text[h.len - 1] == '\r'))
		h.len--;
	if (h.len > MAX_LINE_SHOWN)
		h.len = MAX_LINE_SHOWN;
	h.number = l->new_lineno > 0 && l->origin != GIT_DIFF_LINE_DELETION ? l->new_lineno :
		   l->old_lineno;
	return h;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* What differs between two lines: the middle behind a common start and before a common end. */
static void common_ends(const struct half *a, const struct half *b, size_t *start, size_t *end)
{
	*start = *end = 0;
	while (*start < a->len && *start < b->len && a->text[*start] == b->text[*start])
		(*start)++;
	while (*start && (is_continuation(a->text[*start]) || is_continuation(b->text[*start])))
		(*start)--;
	while (*end < a->len - *start && *end < b->len - *start &&
	       a->text[a->len - 1 - *end] == b->text[b->len - 1 - *end])
		(*end)++;
	while (*end && is_continuation(a->text[a->len - *end]))
		(*end)--;
}

static void add_cell(struct strbuf *out, const struct half *h, const char *class, size_t start,
		     size_t end, bool mark)
{
	if (!h->number) {
		strbuf_addstr(out, "<td class=\"n e\"></td><td class=e></td>");
		return;
	}
	strbuf_addf(out, "<td class=n>%d</td><td class=%s>", h->number, class);
	if (mark && start + end < h->len && start + end > 0) {
		html_textn(out, h->text, start);
		strbuf_addstr(out, "<b>");
		html_textn(out, h->text + start, h->len - start - end);
		strbuf_addstr(out, "</b>");
		html_textn(out, h->text + h->len - end, end);
	} else {
		html_textn(out, h->text, h->len);
	}
	strbuf_addstr(out, "</td>");
}

static void add_pair(struct strbuf *out, struct half a, struct half b)
{
	size_t start = 0, end = 0;
	bool both = a.number && b.number;

	if (both)
		common_ends(&a, &b, &start, &end);
	strbuf_addstr(out, "<tr>");
	add_cell(out, &a, "d", start, end, both);
	add_cell(out, &b, "a", start, end, both);
	strbuf_addstr(out, "</tr>\n");
}

static void add_context(struct strbuf *out, const git_diff_line *l)
{
	struct half h = half_of(l);

	strbuf_addf(out, "<tr><td class=n>%d</td><td>", l->old_lineno);
	html_textn(out, h.text, h.len);
	strbuf_addf(out, "</td><td class=\"n e\">%d</td><td class=e>", l->new_lineno);
	html_textn(out, h.text, h.len);
	strbuf_addstr(out, "</td></tr>\n");
}

static void add_hunk(struct strbuf *out, git_patch *patch, size_t h)
{
	int n = git_patch_num_lines_in_hunk(patch, h);
	const git_diff_line *l;

	for (int i = 0; i < n;) {
		int del = i, add;

		if (git_patch_get_line_in_hunk(&l, patch, h, (size_t)i))
			return;
		if (l->origin == GIT_DIFF_LINE_CONTEXT) {
			add_context(out, l);
			i++;
			continue;
		}
		while (del < n && !git_patch_get_line_in_hunk(&l, patch, h, (size_t)del) &&
		       l->origin == GIT_DIFF_LINE_DELETION)
			del++;
		add = del;
		while (add < n && !git_patch_get_line_in_hunk(&l, patch, h, (size_t)add) &&
		       l->origin == GIT_DIFF_LINE_ADDITION)
			add++;
		for (int k = 0; k < del - i || k < add - del; k++) {
			struct half a = { 0 }, b = { 0 };

			if (k < del - i && !git_patch_get_line_in_hunk(&l, patch, h, (size_t)(i + k)))
				a = half_of(l);
			if (k < add - del &&
			    !git_patch_get_line_in_hunk(&l, patch, h, (size_t)(del + k)))
				b = half_of(l);
			add_pair(out, a, b);
		}
		i = add > i ? add : i + 1; /* "no newline" remarks are passed over */
	}
}

static int add_file(struct strbuf *out, const struct srcfile *a, const struct srcfile *b,
		    struct strbuf *err)
{
	git_diff_options opts = GIT_DIFF_OPTIONS_INIT;
	git_patch *patch = NULL;

	opts.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
	if (git_patch_from_buffers(&patch, a->text, a->len, a->path, b->text, b->len, b->path,
				   &opts)) {
		strbuf_addf(err, "cannot compare versions of '%s'", a->path);
		return KP_INFRA;
	}
	strbuf_addstr(out, "<table class=diff><colgroup><col class=c><col><col class=c><col></colgroup>"
			   "<tbody><tr class=h><td colspan=4>");
	html_text(out, a->path);
	strbuf_addstr(out, "</td></tr>\n");
	for (size_t h = 0; h < git_patch_num_hunks(patch); h++) {
		if (h)
			strbuf_addstr(out, "<tr class=h><td colspan=4>&#8943;</td></tr>\n");
		add_hunk(out, patch, h);
	}
	strbuf_addstr(out, "</tbody></table>\n");
	git_patch_free(patch);
	return 0;
}

int html_tree_diff(struct strbuf *out, const struct tree *before, const struct tree *after,
		   struct strbuf *err)
{
	int ret = 0;

	git_libgit2_init();
	for (size_t i = 0; !ret && i < after->n; i++) {
		const struct srcfile *a = tree_file(before, after->files[i]->path);

		if (a && strcmp(a->hash.hex, after->files[i]->hash.hex))
			ret = add_file(out, a, after->files[i], err);
	}
	git_libgit2_shutdown();
	return ret;
}
