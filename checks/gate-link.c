/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gate "link": modpost's findings, and the version magic of each module.
 *
 * Symbols that are missing only because the target kernel is configured otherwise are told
 * apart from drift: those that were not exported by the baseline's kernel either, and those
 * whose declarations in the target's headers all stand inside an #if on a CONFIG_ symbol that is
 * off. When nothing else is wrong the gate is SKIP: this configuration cannot link the
 * driver, whoever wrote it.
 */
#include "base/compat.h"
#include "checks/gate.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"
#include "checks/elfmod.h"
#include "checks/ktarget.h"

struct link {
	const struct gate_subject *s;
	struct gate_report *r;
	struct strmap from_symbols; /* exported by the baseline's kernel; empty: not known */
	struct ktarget *target;	    /* opened when first asked */
	json_t *configuration;
};

/* Names in a Module.symvers: CRC, name, module, kind, namespace, separated by tabs. */
static int read_symvers(const char *path, struct strmap *out, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, 0, &text, err);
	char *p = text.buf;

	while (ret == 0 && p && *p) {
		char *nl = strchr(p, '\n'), *name = strchr(p, '\t'), *end;

		if (nl)
			*nl = '\0';
		if (name && (!nl || name < nl)) {
			name++;
			end = strchr(name, '\t');
			if (end)
				*end = '\0';
			strmap_put(out, name, NULL);
		}
		p = nl ? nl + 1 : NULL;
	}
	strbuf_release(&text);
	return ret;
}

/* ---- configuration -------------------------------------------------------- */

static int open_target(struct link *l, struct strbuf *err)
{
	return l->target ? 0 : ktarget_open(l->s->to, &l->target, err);
}

/* The first symbol of the conditions that is off, or NULL. Newly allocated. */
static char *config_off(const struct link *l, const struct strvec *words)
{
	size_t i;

	for (i = 0; i < words->n; i++) {
		struct strbuf name = STRBUF_INIT;
		char *value;

		strbuf_addstr(&name, words->v[i]);
		if (ends_with(name.buf, "_MODULE"))
			strbuf_setlen(&name, name.len - strlen("_MODULE"));
		value = kernel_config(l->s->to, name.buf);
		if (!value)
			return strbuf_detach(&name, NULL);
		free(value);
		strbuf_release(&name);
	}
	return NULL;
}

/* Why the symbol is a matter of configuration, or NULL. Newly allocated. */
static char *configuration(struct link *l, const char *symbol, struct strbuf *err)
{
	struct strvec words = STRVEC_INIT;
	char *off = NULL, *why = NULL;

	if (l->from_symbols.live && !strmap_has(&l->from_symbols, symbol))
		return xstrfmt("'%s' is not exported by kernel '%s' either", symbol, l->s->from->name);
	if (open_target(l, err) < 0)
		return NULL;
	if (ktarget_config_of(l->target, symbol, &words))
		off = config_off(l, &words);
	if (off)
		why = xstrfmt("'%s' needs %s, which is off in kernel '%s'", symbol, off, l->s->to->name);
	strvec_release(&words);
	free(off);
	return why;
}

/* ---- modpost -------------------------------------------------------------- */

static const char *kind_words(enum diag_kind k)
{
	switch (k) {
	case DIAG_UNDEFINED_SYMBOL:
		return "missing";
	case DIAG_GPL_ONLY:
		return "gpl-only";
	case DIAG_NAMESPACE:
		return "namespace";
	case DIAG_SECTION_MISMATCH:
		return "section";
	default:
		return "modpost";
	}
}

/* Did modpost say the same of the driver before? */
static bool in_baseline(const struct link *l, const struct diag *d)
{
	const struct kbuild_result *b = l->s->old_build;
	size_t i;

	for (i = 0; b && i < b->modpost.n; i++) {
		const struct diag *o = &b->modpost.d[i];

		if (o->kind == d->kind && o->symbol && d->symbol && !strcmp(o->symbol, d->symbol))
			return true;
		if (o->kind == d->kind && d->kind == DIAG_SECTION_MISMATCH)
			return true;
	}
	return false;
}

static void judge_diag(struct link *l, const struct diag *d, struct strbuf *err)
{
	char *why = NULL;

	if (d->kind == DIAG_UNDEFINED_SYMBOL && d->symbol)
		why = configuration(l, d->symbol, err);
	if (why) {
		json_array_append_new(l->configuration, json_str(why));
		free(why);
		return;
	}
	/* Advice such as "missing MODULE_DESCRIPTION()" is no matter of linking. */
	if (!diag_is_failure(d) && (d->kind != DIAG_SECTION_MISMATCH || in_baseline(l, d)))
		return;
	if (d->kind == DIAG_NAMESPACE && d->expected)
		finding_addf(&l->r->findings, "modpost", kind_words(d->kind), NULL, 0, NULL,
			     "'%s' stands in namespace '%s', which is not imported", d->symbol, d->expected);
	else
		finding_addf(&l->r->findings, "modpost", kind_words(d->kind), NULL, 0, NULL, "%s", d->message);
}

/* ---- version magic -------------------------------------------------------- */

static int judge_module(struct link *l, const struct kbuild_module *m, struct strbuf *err)
{
	const char *release = l->s->to->release, *magic, *rest;
	struct strbuf why = STRBUF_INIT;
	struct elfmod e;
	int ret = elfmod_read(m->path, &e, &why);

	if (ret == KP_ERR) {
		finding_addf(&l->r->findings, "modpost", "elf", NULL, 0, NULL, "%s", why.buf);
		ret = 0;
	} else if (ret < 0) {
		strbuf_addbuf(err, &why);
	} else {
		magic = elfmod_info(&e, "vermagic");
		if (!magic)
			finding_addf(&l->r->findings, "modpost", "vermagic", NULL, 0, NULL,
				     "module '%s' has no version magic", m->name);
		else if (!skip_prefix(magic, release, &rest) || *rest != ' ')
			finding_addf(&l->r->findings, "modpost", "vermagic", NULL, 0, NULL,
				     "module '%s' is for kernel '%s', not for '%s'", m->name, magic, release);
	}
	elfmod_release(&e);
	strbuf_release(&why);
	return ret;
}

/* ---- the gate ------------------------------------------------------------- */

static void conclude(struct link *l)
{
	struct gate_report *r = l->r;
	size_t n = json_array_size(l->configuration);

	json_set_int(r->data, "modules", l->s->new_build->nmodules);
	if (r->findings.n) {
		r->verdict = VERDICT_FAIL;
		strbuf_addf(&r->reason, "%zu finding%s, first: ", r->findings.n, r->findings.n == 1 ? "" : "s");
		finding_describe(&r->findings.f[0], &r->reason);
	} else if (n) {
		r->verdict = VERDICT_SKIP;
		strbuf_addf(&r->reason, "configuration: %s%s",
			    json_string_value(json_array_get(l->configuration, 0)), n > 1 ? ", and more" : "");
	} else if (!l->s->new_build->nmodules) {
		r->verdict = VERDICT_FAIL;
		strbuf_addstr(&r->reason, "no module came out of the build");
	} else {
		r->verdict = VERDICT_PASS;
	}
}

void gate_link(const struct gate_subject *s, struct gate_report *r)
{
	struct link l = { .s = s, .r = r };
	struct strbuf err = STRBUF_INIT;
	size_t i;
	int ret = 0;

	if (!s->new_build) {
		r->verdict = VERDICT_SKIP;
		strbuf_addstr(&r->reason, "nothing was built");
		return;
	}
	r->data = json_object();
	l.configuration = json_array();
	json_object_set_new(r->data, "configuration", l.configuration);
	if (s->new_build->modpost.n && s->from && s->from->symvers && file_exists(s->from->symvers))
		ret = read_symvers(s->from->symvers, &l.from_symbols, &err);
	for (i = 0; ret == 0 && i < s->new_build->modpost.n; i++)
		judge_diag(&l, &s->new_build->modpost.d[i], &err);
	for (i = 0; ret == 0 && i < s->new_build->nmodules; i++)
		ret = judge_module(&l, &s->new_build->modules[i], &err);
	if (ret < 0 || err.len) {
		r->verdict = VERDICT_INFRA;
		strbuf_addbuf(&r->reason, &err);
	} else {
		conclude(&l);
	}
	ktarget_close(l.target);
	strmap_release(&l.from_symbols, NULL);
	strbuf_release(&err);
}
