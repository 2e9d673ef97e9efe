// SPDX-License-Identifier: GPL-2.0-only
/*
 * console_parse and the machine's judge: any console gives events in order of their
 * lines with bounded texts, and four verdicts with reasons; what the log cannot
 * show (it reached our init with this nonce) never becomes a pass.
 */
#include "tests/fuzz/fuzz.h"

#include "base/alloc.h"
#include "checks/machine-judge.h"

static void check_events(const struct console_log *l)
{
	int line = 1;

	FUZZ_CHECK(l->n <= 4096);
	for (size_t i = 0; i < l->n; i++) {
		FUZZ_CHECK(l->ev[i].line >= line);
		line = l->ev[i].line;
		FUZZ_CHECK(l->ev[i].title && strlen(l->ev[i].title) <= 400);
		FUZZ_CHECK(l->ev[i].text && strlen(l->ev[i].text) <= 8192);
	}
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct module_item item = { .driver = true };
	struct module_list list = { .m = &item, .n = 1 };
	struct machine_run run = { .accel = MACHINE_ACCEL_TCG };
	struct machine_trace t;
	struct machine_judgement j;

	item.info.name = (char *)"foo";
	strvec_init(&item.info.depends);
	run.end = (enum machine_end)(size % (MACHINE_CRASHED + 1));
	machine_trace_read((const char *)data, size, "abc", &list, &run, &t);
	check_events(&t.log);
	machine_judge(&t, NULL, &j);
	for (size_t i = 0; i < MACHINE_GATES; i++) {
		FUZZ_CHECK(j.gate[i].verdict != VERDICT_NONE && j.gate[i].reason.len);
		FUZZ_CHECK(t.reached || j.gate[i].verdict != VERDICT_PASS);
	}
	machine_judgement_release(&j);
	machine_trace_release(&t);
	machine_trace_read((const char *)data, size, NULL, &list, &run, &t);
	FUZZ_CHECK(!t.reached && !t.ended);
	machine_trace_release(&t);
}
