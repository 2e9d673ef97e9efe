// SPDX-License-Identifier: GPL-2.0-only
/* A night as a page and as JUnit XML. */
#include "base/compat.h"
#include "drivebench/nightly.h"

#include "base/alloc.h"
#include "base/file.h"
#include "drivebench/page.h"
#include "port/html.h"

static const char *class_of(const struct night_unit *u)
{
	switch (u->change) {
	case NIGHT_NEW_FAILURE:
		return "bad";
	case NIGHT_STILL_FAILING:
	case NIGHT_KNOWN:
	case NIGHT_KNOWN_PASSES:
	case NIGHT_FLAKY:
	case NIGHT_INFRA:
		return "warn";
	default:
		return "ok";
	}
}

static void add_row(const struct nightly *n, const struct night_unit *u, struct strbuf *out)
{
	char *report = xstrfmt("%s/%s/report.html", n->dir, u->dir);
	const char *slash = file_exists(report) ? strchr(u->dir, '/') : NULL;

	strbuf_addstr(out, "<tr><td>");
	/* Both lie below nights/. */
	if (slash) {
		strbuf_addstr(out, "<a href=\"../");
		html_text(out, slash + 1);
		strbuf_addstr(out, "/report.html\">");
	}
	html_text(out, u->driver->name);
	strbuf_addstr(out, slash ? "</a><td>" : "<td>");
	html_text(out, u->driver->from->release);
	strbuf_addstr(out, "<td>");
	html_text(out, u->kernel->release);
	strbuf_addf(out, "<td class=\"v %s\">%s<td>%s<td>", class_of(u), night_change_name(u->change), u->outcome);
	html_text(out, u->before ? u->before : "");
	if (u->before_kernel) {
		strbuf_addstr(out, " on ");
		html_text(out, u->before_kernel);
	}
	strbuf_addf(out, "<td class=num>%d%s<td class=num>%.1f<td class=w>", u->tries, u->carried ? " earlier" : "", u->seconds);
	html_text(out, u->words);
	strbuf_addstr(out, "</tr>\n");
	free(report);
}

static int write_page(const struct nightly *n, struct strbuf *err)
{
	static const char *const heads[] = { "driver", "from", "kernel", "against the last good night", "now", "then", "#tries",
					     "#seconds", "words" };
	char *path = xstrfmt("%s/nights/%s/index.html", n->dir, n->id);
	struct strbuf out = STRBUF_INIT;
	int ret;

	page_open(&out, "kport nightly");
	strbuf_addf(&out, "<h1>Night %s</h1>\n<p class=dim>compared with %s</p>\n<p>", n->id, n->good ? n->good : "none: no good night yet");
	for (int c = 0; c < NIGHT_CHANGES; c++)
		if (n->counts[c])
			strbuf_addf(&out, "%zu %s. ", n->counts[c], night_change_name((enum night_change)c));
	strbuf_addstr(&out, "</p>\n<section>");
	page_table(&out, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < n->nunits; i++)
		add_row(n, &n->units[i], &out);
	strbuf_addstr(&out, "</tbody></table></div></section>\n");
	page_close(&out);
	ret = file_mkdirs_for(path, err);
	if (!ret)
		ret = file_write(path, out.buf, out.len, err);
	strbuf_release(&out);
	free(path);
	return ret;
}

static int write_junit(const struct nightly *n, struct strbuf *err)
{
	char *path = xstrfmt("%s/nights/%s/junit.xml", n->dir, n->id);
	size_t failures = 0;
	struct strbuf out = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < n->nunits; i++)
		failures += n->units[i].change != NIGHT_INFRA && !night_passes(n->units[i].outcome);
	strbuf_addf(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"kport nightly %s\" tests=\"%zu\" failures=\"%zu\" "
		    "errors=\"%zu\">\n", n->id, n->nunits, failures, n->counts[NIGHT_INFRA]);
	for (size_t i = 0; i < n->nunits; i++) {
		const struct night_unit *u = &n->units[i];

		strbuf_addstr(&out, "  <testcase classname=\"");
		html_text(&out, u->kernel->release);
		strbuf_addf(&out, "\" name=\"%s\" time=\"%.3f\">", u->driver->name, u->seconds);
		if (!night_passes(u->outcome)) {
			strbuf_addf(&out, "<%s type=\"%s\" message=\"", u->change == NIGHT_INFRA ? "error" : "failure",
				    night_change_name(u->change));
			html_text(&out, u->words);
			strbuf_addstr(&out, "\"/>");
		}
		strbuf_addstr(&out, "</testcase>\n");
	}
	strbuf_addstr(&out, "</testsuite>\n");
	ret = file_write(path, out.buf, out.len, err);
	strbuf_release(&out);
	free(path);
	return ret;
}

int nightly_report(const struct nightly *n, struct strbuf *err)
{
	int ret = write_page(n, err);

	return ret ? ret : write_junit(n, err);
}
