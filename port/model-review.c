// SPDX-License-Identifier: GPL-2.0-only
/*
 * The critique: behind every deterministic check, and it decides nothing. What it says stands
 * in the result for the person who reviews.
 */
#include "base/compat.h"
#include "port/model-internal.h"

#include "base/alloc.h"
#include "base/error.h"
#include "port/series.h"

static void add_findings(const struct port_run *r, struct strbuf *out)
{
	for (int g = 0; g < GATE_COUNT; g++) {
		const struct gate_report *rep = &r->ladder.gate[g];

		if (rep->verdict == VERDICT_NONE)
			continue;
		strbuf_addf(out, "%s: %s", gate_name((enum gate_id)g), verdict_name(rep->verdict));
		if (rep->reason.len)
			strbuf_addf(out, ", %s", rep->reason.buf);
		strbuf_addch(out, '\n');
		for (size_t i = 0; i < rep->findings.n && i < 10; i++) {
			strbuf_addstr(out, "  ");
			finding_describe(&rep->findings.f[i], out);
			strbuf_addch(out, '\n');
		}
	}
}

/* Files that may not be sent are left out, and said to be. */
static int add_diff(struct port_run *r, struct strbuf *out, struct strbuf *err)
{
	struct strbuf diff = STRBUF_INIT;
	int ret = tree_diff(r->before, r->search.tree, &diff, err);
	bool send = true;

	for (char *p = diff.buf; !ret && p && *p;) {
		size_t n = strcspn(p, "\n");
		const char *path;

		n += p[n] == '\n';
		if (starts_with(p, "diff --git a/")) {
			char *name = xstrndup(p + 13, strcspn(p + 13, " \n"));

			path = name;
			send = model_may_send(r->model, path);
			if (!send)
				strbuf_addf(out, "[the change of '%s' may not be shown]\n", path);
			free(name);
		}
		if (send)
			model_add_data(out, p, n);
		p += n;
	}
	strbuf_release(&diff);
	return ret;
}

static int ask(struct port_run *r, const struct prompt *system, const struct prompt *p, const char *diff,
	       const char *findings, struct strbuf *err)
{
	struct agent_task t = { .role = "reviewer", .system = system->text };
	struct strbuf question = STRBUF_INIT;
	struct proto_reply reply;
	int ret;

	prompt_fill(p, &question, "DRIVER", r->orig->name, "FROM", r->from ? r->from->name : "an older one",
		    "TO", r->to->name, "DIFF", diff, "FINDINGS", findings, NULL);
	t.question = question.buf;
	ret = agent_run(r->model->agent, &t, &reply, err);
	strbuf_release(&question);
	if (ret)
		return ret;
	for (size_t i = 0; i < reply.concerns.n; i++) {
		if (strcmp(reply.concerns.v[i], "none"))
			strvec_push(&r->model->concerns, reply.concerns.v[i]);
	}
	proto_reply_release(&reply);
	return 0;
}

int model_review(struct port_run *r, struct strbuf *err)
{
	struct strbuf diff = STRBUF_INIT, findings = STRBUF_INIT, why = STRBUF_INIT;
	struct prompt system = { 0 }, p = { 0 };
	int ret = prompt_load("system", &system, err);

	if (!ret)
		ret = prompt_load("reviewer", &p, err);
	if (!ret)
		ret = add_diff(r, &diff, err);
	if (!ret && diff.len) {
		add_findings(r, &findings);
		ret = ask(r, &system, &p, diff.buf, findings.buf, &why);
		/* A critique that cannot be had changes nothing. */
		if (ret && ret != KP_INTERRUPTED) {
			strvec_pushf(&r->model->notes, "no critique: %s", why.buf);
			ret = 0;
		} else if (ret) {
			strbuf_addbuf(err, &why);
		}
	}
	prompt_release(&system);
	prompt_release(&p);
	strbuf_release(&diff);
	strbuf_release(&findings);
	strbuf_release(&why);
	return ret;
}
