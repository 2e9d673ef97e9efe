// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/page.h"

#include <openssl/evp.h>

#include "port/html.h"

#define BAR_HEIGHT 18
#define BAR_LEFT   190
#define BAR_WIDTH  420
#define BAR_ALL	   800

static const char style[] =
	"body{max-width:110rem}th[data-k]{cursor:pointer;user-select:none}th[data-k]:focus-visible{outline:2px solid var(--ok)}"
	"th[aria-sort=ascending]::after{content:' \\25B2'}th[aria-sort=descending]::after{content:' \\25BC'}"
	"input[type=search]{font:inherit;color:inherit;background:var(--box);border:1px solid var(--line);"
	"padding:.2rem .5rem;width:22rem;max-width:100%;margin:.3rem 0}"
	".num{text-align:right;font-variant-numeric:tabular-nums}.scroll{overflow-x:auto}"
	"svg{max-width:100%;height:auto}svg text{fill:var(--fg);font:13px system-ui,sans-serif}svg .t{fill:var(--dim)}"
	".s0{fill:#2f7ed8}.s1{fill:#c77c02}.s2{fill:#6a9f2a}.s3{fill:#9a5bb5}.ci{stroke:var(--fg);stroke-width:1.5}"
	".axis{stroke:var(--line)}"
	".u{white-space:pre-wrap;overflow-wrap:anywhere;max-height:none}.u .a{background:var(--add)}.u .d{background:var(--del)}"
	".u .h{color:var(--dim)}";

static const char script[] =
	"'use strict';for(const t of document.querySelectorAll('table.sort')){"
	"const b=t.tBodies[0],hs=[...t.tHead.rows[0].cells],q=t.closest('section').querySelector('input'),"
	"n=t.closest('section').querySelector('output'),all=[...b.rows];"
	"const key=(r,i,num)=>{const c=r.cells[i],v=c.dataset.v??c.textContent;return num?(v===''?-Infinity:+v):v.toLowerCase()};"
	"const sort=h=>{const i=hs.indexOf(h),num=h.dataset.k==='n',"
	"down=h.getAttribute('aria-sort')==='ascending';for(const x of hs)x.removeAttribute('aria-sort');"
	"h.setAttribute('aria-sort',down?'descending':'ascending');"
	"all.sort((x,y)=>{const a=key(x,i,num),c=key(y,i,num);return(a<c?-1:a>c?1:0)*(down?-1:1)});b.append(...all)};"
	"for(const h of hs){h.tabIndex=0;h.onclick=()=>sort(h);"
	"h.onkeydown=e=>{if(e.key==='Enter'||e.key===' '){e.preventDefault();sort(h)}}}"
	"const show=()=>{const w=q.value.toLowerCase().split(/\\s+/).filter(Boolean);let k=0;for(const r of all){"
	"const s=r.textContent.toLowerCase();r.hidden=!w.every(x=>x[0]==='-'&&x[1]?!s.includes(x.slice(1)):s.includes(x));"
	"k+=!r.hidden}n.textContent=k+' of '+all.length};q.oninput=show;q.parentNode.hidden=false;show()}";

/* The policy names the script by its hash, so that no other one runs, whatever text a page shows. */
static void add_policy(struct strbuf *out)
{
	unsigned char digest[EVP_MAX_MD_SIZE], text[2 * EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	EVP_Digest(script, strlen(script), digest, &n, EVP_sha256(), NULL);
	EVP_EncodeBlock(text, digest, (int)n);
	strbuf_addf(out, "<meta http-equiv=Content-Security-Policy content=\"default-src 'none';style-src 'unsafe-inline';"
		    "img-src data:;script-src 'sha256-%s'\">", (const char *)text);
}

void page_open(struct strbuf *out, const char *title)
{
	strbuf_addstr(out, "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
			   "<meta name=viewport content=\"width=device-width,initial-scale=1\">");
	add_policy(out);
	strbuf_addstr(out, "<link rel=icon href=\"data:,\"><title>");
	html_text(out, title);
	strbuf_addf(out, "</title><style>%s%s</style></head><body>\n", html_style, style);
}

void page_close(struct strbuf *out)
{
	strbuf_addf(out, "<script>%s</script></body></html>\n", script);
}

void page_table(struct strbuf *out, const char *const *columns, size_t n)
{
	strbuf_addstr(out, "<p hidden><input type=search placeholder=\"words to find, -word to leave out\" "
			   "aria-label=\"filter\"> <output class=dim></output></p>\n"
			   "<div class=scroll><table class=\"grid sort\"><thead><tr>");
	for (size_t i = 0; i < n; i++) {
		bool number = columns[i][0] == '#';

		strbuf_addf(out, "<th data-k=%s%s>", number ? "n" : "t", number ? " class=num" : "");
		html_text(out, columns[i] + number);
	}
	strbuf_addstr(out, "</tr></thead><tbody>\n");
}

static double clamp(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

void page_bars(struct strbuf *out, const char *title, const struct page_bar *b, size_t n)
{
	strbuf_addf(out, "<svg viewBox=\"0 0 %d %zu\" width=%d role=img aria-label=\"", BAR_ALL, n * BAR_HEIGHT + 22, BAR_ALL);
	html_text(out, title);
	strbuf_addstr(out, "\">\n");
	for (int i = 0; i <= 4; i++) {
		int x = BAR_LEFT + i * BAR_WIDTH / 4;

		strbuf_addf(out, "<line class=axis x1=%d y1=0 x2=%d y2=%zu /><text class=t x=%d y=%zu text-anchor=middle>%d %%</text>\n",
			    x, x, n * BAR_HEIGHT + 4, x, n * BAR_HEIGHT + 18, i * 25);
	}
	for (size_t i = 0; i < n; i++) {
		double low = BAR_LEFT + BAR_WIDTH * clamp(b[i].low), high = BAR_LEFT + BAR_WIDTH * clamp(b[i].high);
		size_t y = i * BAR_HEIGHT;

		strbuf_addf(out, "<text x=%d y=%zu text-anchor=end>", BAR_LEFT - 8, y + 13);
		html_text(out, b[i].label);
		strbuf_addf(out, "</text><rect class=s%u x=%d y=%zu width=%.1f height=%d />", b[i].series % 4, BAR_LEFT, y + 3,
			    BAR_WIDTH * clamp(b[i].value), BAR_HEIGHT - 6);
		if (b[i].high > b[i].low)
			strbuf_addf(out, "<line class=ci x1=%.1f y1=%zu x2=%.1f y2=%zu />", low, y + 9, high, y + 9);
		strbuf_addf(out, "<text class=t x=%d y=%zu>", BAR_LEFT + BAR_WIDTH + 8, y + 13);
		html_text(out, b[i].note);
		strbuf_addstr(out, "</text>\n");
	}
	strbuf_addstr(out, "</svg>\n");
}

void page_diff(struct strbuf *out, const char *diff, size_t len, size_t max)
{
	const char *end = diff + (len < max ? len : max);

	strbuf_addstr(out, "<pre class=u>");
	for (const char *p = diff; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
		const char *class = starts_with(p, "+++") || starts_with(p, "---") || *p == '@' || *p == 'd' || *p == 'i' ? "h" :
				    *p == '+' ? "a" : *p == '-' ? "d" : NULL;

		if (class)
			strbuf_addf(out, "<span class=%s>", class);
		html_textn(out, p, (size_t)(stop - p));
		strbuf_addstr(out, class ? "</span>\n" : "\n");
		p = stop + 1;
	}
	strbuf_addstr(out, "</pre>\n");
	if (len > max)
		strbuf_addf(out, "<p class=dim>%zu more bytes are in the file.</p>\n", len - max);
}
