/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/gate.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsonutil.h"

static const struct {
	const char *name, *title;
} gates[GATE_COUNT] = {
	[GATE_APPLY] = { "apply", "the patch gives the ported tree, byte for byte, inside the driver" },
	[GATE_COMPILE] = { "compile", "every object is rebuilt with the kernel's own warnings" },
	[GATE_LINK] = { "link", "modpost finds every symbol in the target kernel" },
	[GATE_NODIAG] = { "nodiag", "no finding of gcc, sparse or Coccinelle is new" },
	[GATE_LAYOUT] = { "layout", "structures that others read lie where they did" },
	[GATE_BOOT] = { "boot", "the target kernel boots with the modules at hand" },
	[GATE_LOAD] = { "load", "the modules load without a complaint of the kernel" },
	[GATE_UNLOAD] = { "unload", "the modules unload and load again" },
	[GATE_PROBE] = { "probe", "the driver binds to an emulated device" },
	[GATE_EXERCISE] = { "exercise", "the interfaces that appear work, also after unbinding and sleep" },
	[GATE_BEHAVIOUR] = { "behaviour", "user space sees what it saw of the driver before" },
	[GATE_HONEST] = { "honest", "the driver still does all that it did" },
};

const char *gate_name(enum gate_id id)
{
	return (unsigned)id < GATE_COUNT ? gates[id].name : "?";
}

const char *gate_title(enum gate_id id)
{
	return (unsigned)id < GATE_COUNT ? gates[id].title : "?";
}

int gate_mask_parse(const char *list, unsigned *mask, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	struct strbuf known = STRBUF_INIT;
	int ret = 0;

	*mask = 0;
	strvec_split(&names, list, ", ");
	for (size_t i = 0; i < names.n && ret == 0; i++) {
		int id = 0;

		while (id < GATE_COUNT && strcmp(gates[id].name, names.v[i]))
			id++;
		if (id < GATE_COUNT) {
			*mask |= GATE_BIT(id);
			continue;
		}
		for (id = 0; id < GATE_COUNT; id++)
			strbuf_addf(&known, "%s%s", id ? ", " : "", gates[id].name);
		ret = kp_fail(err, KP_ERR, "there is no gate '%s'; the gates are %s", names.v[i], known.buf);
	}
	strbuf_release(&known);
	strvec_release(&names);
	return ret;
}

void gate_ladder_init(struct gate_ladder *l)
{
	size_t i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < GATE_COUNT; i++)
		strbuf_init(&l->gate[i].reason);
}

static void report_release(struct gate_report *r)
{
	strbuf_release(&r->reason);
	finding_list_release(&r->findings);
	free(r->log);
	json_decref(r->data);
	memset(r, 0, sizeof(*r));
	strbuf_init(&r->reason);
}

void gate_ladder_release(struct gate_ladder *l)
{
	size_t i;

	for (i = 0; l && i < GATE_COUNT; i++)
		report_release(&l->gate[i]);
}

/* ---- running -------------------------------------------------------------- */

static bool blocks(const struct gate_ladder *l, enum gate_id id, enum gate_id by)
{
	enum verdict v = l->gate[by].verdict;

	if (v == VERDICT_NONE || v == VERDICT_PASS)
		return false;
	switch (by) {
	case GATE_APPLY:
		return v != VERDICT_SKIP;
	case GATE_COMPILE:
		return id != GATE_HONEST && (v == VERDICT_FAIL || v == VERDICT_INFRA);
	case GATE_LINK:
		return (GATE_BIT(id) & GATE_MASK_MACHINE) != 0;
	default:
		return false;
	}
}

/* SKIP with the reason when an earlier gate leaves nothing to judge. */
static bool blocked(struct gate_ladder *l, enum gate_id id)
{
	int by;

	for (by = 0; by < (int)id; by++) {
		if (!blocks(l, id, by))
			continue;
		l->gate[id].verdict = VERDICT_SKIP;
		strbuf_addf(&l->gate[id].reason, "blocked: gate %s is %s", gate_name(by),
			    verdict_name(l->gate[by].verdict));
		return true;
	}
	return false;
}

static void run_one(const struct gate_subject *s, enum gate_id id, struct gate_ladder *l)
{
	static void (*const run[GATE_COUNT])(const struct gate_subject *, struct gate_report *) = {
		[GATE_APPLY] = gate_apply, [GATE_COMPILE] = gate_compile, [GATE_LINK] = gate_link,
		[GATE_NODIAG] = gate_nodiag, [GATE_LAYOUT] = gate_layout,
		[GATE_HONEST] = gate_honest,
	};
	double start = clock_seconds();

	run[id](s, &l->gate[id]);
	l->gate[id].seconds = clock_seconds() - start;
}

/* Boot to behaviour come from one run of a machine; those not asked for are left out again. */
static void run_machine(const struct gate_subject *s, unsigned mask, struct gate_ladder *l)
{
	bool stop = false;
	int id;

	for (id = 0; id < GATE_COUNT; id++)
		if (GATE_BIT(id) & GATE_MASK_MACHINE & mask)
			stop |= blocked(l, id);
	if (!stop)
		gate_machine(s, l);
	for (id = 0; id < GATE_COUNT; id++)
		if (GATE_BIT(id) & GATE_MASK_MACHINE & ~mask)
			report_release(&l->gate[id]);
}

int gates_run(const struct gate_subject *s, unsigned mask, struct gate_ladder *out, struct strbuf *err)
{
	int id;

	for (id = 0; id < GATE_COUNT; id++) {
		if (child_interrupted())
			return kp_fail(err, KP_INTERRUPTED, "interrupted before gate '%s'", gate_name(id));
		if (id == GATE_BOOT && (mask & GATE_MASK_MACHINE))
			run_machine(s, mask, out);
		if ((mask & GATE_BIT(id)) && !(GATE_BIT(id) & GATE_MASK_MACHINE) && !blocked(out, id))
			run_one(s, id, out);
	}
	return child_interrupted() ? kp_fail(err, KP_INTERRUPTED, "interrupted in the gates") : 0;
}

/* ---- answers -------------------------------------------------------------- */

bool gate_ladder_ok(const struct gate_ladder *l)
{
	bool passed = false;
	size_t i;

	for (i = 0; i < GATE_COUNT; i++) {
		enum verdict v = l->gate[i].verdict;

		if (v == VERDICT_FAIL || v == VERDICT_UNKNOWN || v == VERDICT_INFRA)
			return false;
		passed |= v == VERDICT_PASS;
	}
	return passed;
}

json_t *gate_ladder_json(const struct gate_ladder *l)
{
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < GATE_COUNT; i++) {
		const struct gate_report *r = &l->gate[i];
		json_t *o = json_object();

		/* "rank" keeps the order: documents are written with sorted keys. */
		json_set_int(o, "rank", i);
		json_set_str(o, "verdict", verdict_name(r->verdict));
		json_set_str(o, "reason", r->reason.len ? r->reason.buf : NULL);
		json_set_str(o, "log", r->log);
		json_set_num(o, "seconds", r->seconds);
		json_object_set_new(o, "findings", finding_list_json(&r->findings));
		if (r->data)
			json_object_set(o, "data", r->data);
		json_object_set_new(all, gate_name(i), o);
	}
	return all;
}
