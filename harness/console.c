// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/console.h"

#include <ctype.h>

#include "base/alloc.h"

#define MAX_TEXT   8192
#define MAX_LINE   2048
#define MAX_EVENTS 4096
/* A report without an end line is over after so many lines. */
#define MAX_REPORT_LINES 150

/* How a report begins. The first row that matches counts. */
struct start {
	const char *words;
	bool inside;	/* anywhere in the line, not only at its beginning */
	enum console_event_kind kind;
	const char *title; /* NULL: the line itself, normalised */
};

static const struct start starts[] = {
	{ "Kernel panic - not syncing", false, CONSOLE_PANIC, NULL },
	{ "BUG: KASAN: ", false, CONSOLE_SANITIZER, NULL },
	{ "BUG: KFENCE: ", false, CONSOLE_SANITIZER, NULL },
	{ "BUG: KCSAN: ", false, CONSOLE_SANITIZER, NULL },
	{ "BUG: KMSAN: ", false, CONSOLE_SANITIZER, NULL },
	{ "UBSAN: ", false, CONSOLE_SANITIZER, NULL },
	{ "BUG: memory leak", false, CONSOLE_SANITIZER, "memory leak" },
	{ "new suspected memory leaks", true, CONSOLE_SANITIZER, "memory leak" },
	{ "BUG: soft lockup", true, CONSOLE_HANG, "BUG: soft lockup" },
	{ "hard LOCKUP", true, CONSOLE_HANG, "hard lockup" },
	{ "BUG: workqueue lockup", false, CONSOLE_HANG, "BUG: workqueue lockup" },
	{ "blocked for more than", true, CONSOLE_HANG, "INFO: task hung" },
	{ "self-detected stall on CPU", true, CONSOLE_HANG, "INFO: rcu detected stall" },
	{ "detected stalls on CPUs/tasks", true, CONSOLE_HANG, "INFO: rcu detected stall" },
	{ "detected expedited stalls", true, CONSOLE_HANG, "INFO: rcu detected stall" },
	{ "unregister_netdevice: waiting for", false, CONSOLE_HANG,
	  "unregister_netdevice: waiting for a device to become free" },
	{ "WARNING: possible circular locking dependency detected", false, CONSOLE_LOCKDEP,
	  "possible deadlock" },
	{ "WARNING: possible recursive locking detected", false, CONSOLE_LOCKDEP,
	  "possible deadlock" },
	{ "WARNING: possible irq lock inversion", false, CONSOLE_LOCKDEP, "possible deadlock" },
	{ "WARNING: SOFTIRQ-safe", false, CONSOLE_LOCKDEP, "possible deadlock" },
	{ "WARNING: HARDIRQ-safe", false, CONSOLE_LOCKDEP, "possible deadlock" },
	{ "WARNING: inconsistent lock state", false, CONSOLE_LOCKDEP, "inconsistent lock state" },
	{ "WARNING: suspicious RCU usage", false, CONSOLE_LOCKDEP, "suspicious RCU usage" },
	{ "WARNING: bad unlock balance", false, CONSOLE_LOCKDEP, "bad unlock balance" },
	{ "WARNING: held lock freed", false, CONSOLE_LOCKDEP, "held lock freed" },
	{ "WARNING: lock held when returning", false, CONSOLE_LOCKDEP, "lock held when returning" },
	{ "WARNING: Nested lock was not taken", false, CONSOLE_LOCKDEP, "nested lock not taken" },
	{ "[ BUG: Invalid wait context", false, CONSOLE_LOCKDEP, "invalid wait context" },
	{ "INFO: trying to register non-static key", false, CONSOLE_LOCKDEP,
	  "INFO: trying to register non-static key" },
	{ "BUG: unable to handle", false, CONSOLE_OOPS, "BUG: unable to handle page fault" },
	{ "BUG: kernel NULL pointer dereference", false, CONSOLE_OOPS,
	  "BUG: kernel NULL pointer dereference" },
	{ "BUG: sleeping function called from invalid context", false, CONSOLE_OOPS,
	  "BUG: sleeping function called from invalid context" },
	{ "BUG: scheduling while atomic", false, CONSOLE_OOPS, "BUG: scheduling while atomic" },
	{ "BUG: Objects remaining", false, CONSOLE_OOPS, NULL },
	{ "BUG: ", false, CONSOLE_OOPS, NULL },
	{ "kernel BUG at ", false, CONSOLE_OOPS, "kernel BUG" },
	{ "general protection fault", true, CONSOLE_OOPS, "general protection fault" },
	{ "Oops: general protection", false, CONSOLE_OOPS, "general protection fault" },
	{ "Unable to handle kernel", false, CONSOLE_OOPS, "BUG: unable to handle page fault" },
	{ "invalid opcode: ", false, CONSOLE_OOPS, "invalid opcode" },
	{ "Oops: invalid opcode", false, CONSOLE_OOPS, "invalid opcode" },
	{ "divide error: ", false, CONSOLE_OOPS, "divide error" },
	{ "Oops: divide error", false, CONSOLE_OOPS, "divide error" },
	{ "double fault: ", false, CONSOLE_OOPS, "double fault" },
	{ "stack segment: ", false, CONSOLE_OOPS, "stack segment fault" },
	{ "Oops: ", false, CONSOLE_OOPS, "Oops" },
	{ "unchecked MSR access error", false, CONSOLE_WARNING, "unchecked MSR access error" },
	{ "sysfs: cannot create duplicate filename", false, CONSOLE_WARNING,
	  "sysfs: cannot create duplicate filename" },
	{ "kobject_add_internal failed for", true, CONSOLE_WARNING, "kobject_add_internal failed" },
	{ "kobject: can not set name properly", false, CONSOLE_WARNING, NULL },
	{ "tried to init an initialized object", true, CONSOLE_WARNING,
	  "kobject: initialised twice" },
	{ ": nobody cared", true, CONSOLE_WARNING, "irq: nobody cared" },
	{ "Slab cache still has objects", true, CONSOLE_WARNING, "slab cache still has objects" },
	{ "returned with preemption imbalance", true, CONSOLE_WARNING, "preemption imbalance" },
	{ "returned with disabled interrupts", true, CONSOLE_WARNING, "interrupts left disabled" },
	{ "init suspiciously returned", true, CONSOLE_WARNING, "module init returned a positive value" },
	{ "Unknown symbol ", true, CONSOLE_ERROR, NULL },
	{ "disagrees about version of symbol", true, CONSOLE_ERROR, NULL },
	{ ": version magic '", true, CONSOLE_ERROR, NULL },
	{ "exports duplicate symbol", true, CONSOLE_ERROR, NULL },
	{ "Invalid relocation target", true, CONSOLE_ERROR, NULL },
	{ "section size must match", true, CONSOLE_ERROR, NULL },
	{ "module license '", true, CONSOLE_ERROR, NULL },
	{ "is in restricted namespace", true, CONSOLE_ERROR, NULL },
	{ "uses symbol", true, CONSOLE_ERROR, NULL },
	{ "does not import it", true, CONSOLE_ERROR, NULL },
};

/* Frames that only report: the one behind them is where it happened. */
static const char *const reporters[] = {
	"dump_stack", "show_stack", "__warn", "report_bug", "handle_bug", "exc_", "asm_exc_",
	"__die", "die", "oops_", "page_fault_oops", "bad_area", "__bad_area", "do_user_addr_fault",
	"__might_resched", "__might_sleep", "kasan_", "print_report", "print_address_description",
	"__asan_", "__kasan_", "__schedule", "schedule", "__schedule_bug", "dequeue_", "panic",
	"warn_slowpath", "__report_bug", "watchdog", "nmi_", "rcu_", "sysfs_warn_dup", "lock_acquire",
	"__lock_acquire", "validate_chain", "check_", "print_", "lockdep_", "ret_from_fork",
	"preempt_schedule", "__cond_resched", "__ubsan_", "ubsan_", "context_switch",
	"kernfs_add_one", "spin_bug", "do_raw_spin", "_raw_spin", "__warn_printk",
};

struct parser {
	struct console_log *out;
	char *needle;	  /* "kport:NONCE:" or NULL */
	struct strbuf text; /* of the open report */
	ssize_t open;	  /* index of the open event, -1: none */
	int lines;	  /* of the open report */
	bool in_trace;
	bool in_module;	  /* the function of the open event is a module's */
	struct strbuf line;
};

const char *console_event_name(enum console_event_kind k)
{
	static const char *const names[] = { "marker",	  "oops",    "panic", "warning",
					     "sanitizer", "lockdep", "hang",  "error" };

	return names[k];
}

/* Removes "<4>", "[   12.345678]", "[   T123]" in front. */
static const char *skip_stamp(const char *s)
{
	const char *p;

	if (*s == '<' && isdigit((unsigned char)s[1]) && (p = strchr(s, '>')) && p - s <= 4)
		s = p + 1;
	while (*s == '[') {
		p = s + 1 + strspn(s + 1, " 0123456789.");
		if (p == s + 1 + strspn(s + 1, " ") || *p != ']') {
			/* the caller: a thread or a processor */
			p = s + 1 + strspn(s + 1, " ");
			if (*p != 'T' && *p != 'C')
				break;
			p += 1 + strspn(p + 1, "0123456789");
			if (*p != ']')
				break;
		}
		s = p + 1;
		s += *s == ' ';
	}
	return s;
}

/* Numbers and addresses say nothing that two runs share: each becomes "N". */
static char *normalise(const char *s)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; s[i] && sb.len < 160;) {
		bool fresh = i == 0 || (!isalnum((unsigned char)s[i - 1]) && s[i - 1] != '_');
		size_t n = 0, digits = 0;

		if (fresh) {
			size_t skip = s[i] == '0' && s[i + 1] == 'x' ? 2 : 0;

			n = skip + strspn(s + i + skip, "0123456789abcdefABCDEF");
			for (size_t j = i; j < i + n; j++)
				digits += isdigit((unsigned char)s[j]) != 0;
			if (!digits || isalnum((unsigned char)s[i + n]) || s[i + n] == '_')
				n = 0;
		}
		if (n) {
			strbuf_addch(&sb, 'N');
			i += n;
		} else {
			strbuf_addch(&sb, isprint((unsigned char)s[i]) ? s[i] : '?');
			i++;
		}
	}
	strbuf_trim(&sb);
	return strbuf_detach(&sb, NULL);
}

/* "foo_init+0x5/0x20 [foo]" -> "foo_init"; compiler suffixes removed. */
static char *function_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
	char *name;

	if (!n || n > 128 || strncmp(s + n, "+0x", 3))
		return NULL;
	name = xstrndup(s, n);
	name[strcspn(name, ".")] = '\0';
	if (*name && !isdigit((unsigned char)*name))
		return name;
	free(name);
	return NULL;
}

static bool is_reporter(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(reporters); i++)
		if (starts_with(function, reporters[i]))
			return true;
	return false;
}

/*
 * The place is the first function of a module, else the first one that does not
 * only report. "foo+0x1/0x2 [bar]" is of module bar.
 */
static void take_function(struct parser *p, const char *where)
{
	struct console_event *ev = &p->out->ev[p->open];
	bool module = strstr(where, " [") != NULL;
	char *name;

	if (ev->function && (p->in_module || !module))
		return;
	name = function_name(where);
	if (name && !module && is_reporter(name)) {
		free(name);
		name = NULL;
	}
	if (!name)
		return;
	free(ev->function);
	ev->function = name;
	p->in_module = module;
}

/* What a line inside a report says about the place. */
static void look_for_function(struct parser *p, const char *s)
{
	const char *rest;

	if (skip_prefix(s, "RIP: 0010:", &rest)) {
		take_function(p, rest);
	} else if (starts_with(s, "Call Trace:")) {
		p->in_trace = true;
	} else if (p->in_trace && *s == ' ') {
		rest = s + strspn(s, " ");
		/* "? foo" is a leftover of the stack */
		if (*rest != '?' && *rest != '<')
			take_function(p, rest);
	}
}

static void close_report(struct parser *p)
{
	struct console_event *ev;

	if (p->open < 0)
		return;
	ev = &p->out->ev[p->open];
	free(ev->text);
	ev->text = xstrndup(p->text.buf, p->text.len);
	if (ev->function && ev->kind != CONSOLE_PANIC && ev->kind != CONSOLE_ERROR &&
	    !strstr(ev->title, " in ")) {
		char *title = xstrfmt("%s in %s", ev->title, ev->function);

		free(ev->title);
		ev->title = title;
	}
	strbuf_reset(&p->text);
	p->open = -1;
	p->in_trace = p->in_module = false;
}

static struct console_event *add_event(struct parser *p, enum console_event_kind kind, int line)
{
	struct console_log *l = p->out;
	struct console_event *ev;

	if (l->n >= MAX_EVENTS)
		return NULL;
	ALLOC_GROW(l->ev, l->n + 1, l->alloc);
	ev = &l->ev[l->n++];
	memset(ev, 0, sizeof(*ev));
	ev->kind = kind;
	ev->line = line;
	return ev;
}

/*
 * lib/bug.c: "WARNING: CPU: 0 PID: 71 at file.c:10 func+0x1/0x2 [mod]", and since
 * 6.18 "WARNING: file.c:10 at func+0x1/0x2 [mod], CPU#0: insmod/71". A text of a
 * driver that happens to begin with "WARNING:" is neither.
 */
static const char *warning_place(const char *s)
{
	const char *rest, *at;

	if (!skip_prefix(s, "WARNING: ", &rest))
		return NULL;
	at = strstr(rest, " at ");
	if (!at)
		return NULL;
	if (starts_with(rest, "CPU: ")) {
		const char *place = strchr(at + 4, ' ');

		return place ? place + 1 : "";
	}
	return strstr(rest, "CPU#") ? at + 4 : NULL;
}

static const struct start *find_start(const char *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (starts[i].inside ? strstr(s, starts[i].words) != NULL
				     : starts_with(s, starts[i].words))
			return &starts[i];
	return NULL;
}

static void open_report(struct parser *p, enum console_event_kind kind, char *title, int line)
{
	struct console_event *ev;

	close_report(p);
	ev = add_event(p, kind, line);
	if (!ev) {
		free(title);
		return;
	}
	ev->title = title;
	p->open = ev - p->out->ev;
	p->lines = 0;
}

/* "BUG: KASAN: slab-use-after-free in foo_exit+0x1/0x2 [foo]" */
static void title_place(struct parser *p, const char *s)
{
	const char *in = strstr(s, " in ");
	struct console_event *ev = &p->out->ev[p->open];

	if (!in)
		return;
	take_function(p, in + 4);
	if (ev->function) {
		char *head = xstrndup(s, (size_t)(in - s)), *norm = normalise(head);
		const char *rest;

		if (!skip_prefix(norm, "BUG: ", &rest))
			rest = norm;
		free(ev->title);
		ev->title = xstrdup(rest);
		free(norm);
		free(head);
	}
}

/*
 * mm/slub.c: "BUG kmalloc-64 (Tainted: G  OE): Poison overwritten" becomes the
 * title "BUG kmalloc-N: Poison overwritten"; newly allocated, NULL when it is none.
 */
static char *slab_title(const char *s)
{
	const char *paren = strstr(s, " ("), *what = strstr(s, "): ");
	char *head, *title;

	if (!starts_with(s, "BUG ") || !paren || !what || what < paren ||
	    (!starts_with(paren, " (Tainted: ") && !starts_with(paren, " (Not tainted")))
		return NULL;
	head = xstrfmt("%.*s: %s", (int)(paren - s), s, what + 3);
	title = normalise(head);
	free(head);
	return title;
}

/*
 * Does this line begin a report? Inside an open one only a panic, or a complaint
 * of another sort than the oops that is being told, does.
 */
static bool begin_report(struct parser *p, const char *s, int line)
{
	const char *place = warning_place(s);
	const struct start *st = place ? NULL : find_start(s);
	enum console_event_kind open =
		p->open >= 0 ? p->out->ev[p->open].kind : CONSOLE_MARKER;
	char *slab = slab_title(s);

	if (slab) {
		open_report(p, CONSOLE_SANITIZER, slab, line);
		return true;
	}
	if (!place && !st)
		return false;
	if (st && open == CONSOLE_OOPS && (st->kind == CONSOLE_OOPS || st->kind == CONSOLE_ERROR))
		return false;
	if (st && open == CONSOLE_PANIC)
		return false;
	if (place) {
		open_report(p, CONSOLE_WARNING, xstrdup("WARNING"), line);
		if (p->open >= 0)
			take_function(p, place);
		return true;
	}
	open_report(p, st->kind, st->title ? xstrdup(st->title) : normalise(s), line);
	if (p->open >= 0 && st->kind == CONSOLE_SANITIZER)
		title_place(p, s);
	if (st->kind == CONSOLE_ERROR) {
		strbuf_addstr(&p->text, s);
		close_report(p);
	}
	return true;
}

static bool is_end(const struct parser *p, const char *s)
{
	enum console_event_kind kind = p->out->ev[p->open].kind;

	if (starts_with(s, "---[ end "))
		return true;
	if ((kind == CONSOLE_SANITIZER || kind == CONSOLE_LOCKDEP) && p->lines > 3 &&
	    starts_with(s, "==========="))
		return true;
	/* Reports by dump_stack() alone end with their trace. */
	if (p->in_trace && starts_with(s, " </TASK>") && kind != CONSOLE_OOPS &&
	    kind != CONSOLE_PANIC && kind != CONSOLE_WARNING)
		return true;
	return p->lines >= MAX_REPORT_LINES;
}

static void add_text(struct parser *p, const char *s)
{
	if (p->text.len + strlen(s) + 1 > MAX_TEXT)
		return;
	strbuf_addstr(&p->text, s);
	strbuf_addch(&p->text, '\n');
}

static bool take_marker(struct parser *p, const char *s, int line)
{
	struct console_event *ev;
	const char *rest;

	if (!p->needle || !skip_prefix(s, p->needle, &rest))
		return false;
	close_report(p);
	ev = add_event(p, CONSOLE_MARKER, line);
	if (ev) {
		ev->text = xstrdup(rest);
		ev->title = xstrdup("marker");
	}
	return true;
}

static void take_line(struct parser *p, int line)
{
	const char *s = skip_stamp(p->line.buf);

	if (take_marker(p, s, line))
		return;
	if (starts_with(s, "------------[ cut here ]") && p->open >= 0 &&
	    p->out->ev[p->open].kind != CONSOLE_OOPS)
		close_report(p);
	if (!begin_report(p, s, line) && p->open < 0)
		return;
	if (p->open < 0)
		return;
	add_text(p, s);
	p->lines++;
	look_for_function(p, s);
	if (is_end(p, s))
		close_report(p);
}

void console_parse(const char *text, size_t len, const char *nonce, struct console_log *out)
{
	struct parser p = { .out = out, .open = -1, .text = STRBUF_INIT, .line = STRBUF_INIT };
	int line = 0;

	memset(out, 0, sizeof(*out));
	p.needle = nonce && *nonce ? xstrfmt("kport:%s:", nonce) : NULL;
	for (size_t i = 0; i < len;) {
		const char *end = memchr(text + i, '\n', len - i);
		size_t n = end ? (size_t)(end - text) - i : len - i, take = n;

		line++;
		strbuf_reset(&p.line);
		if (take > MAX_LINE)
			take = MAX_LINE;
		strbuf_add(&p.line, text + i, take);
		for (size_t j = 0; j < p.line.len; j++)
			if (!p.line.buf[j] || p.line.buf[j] == '\r')
				p.line.buf[j] = p.line.buf[j] ? ' ' : '?';
		strbuf_rtrim(&p.line);
		take_line(&p, line);
		i += n + 1;
	}
	close_report(&p);
	strbuf_release(&p.text);
	strbuf_release(&p.line);
	free(p.needle);
}

void console_log_release(struct console_log *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->ev[i].title);
		free(l->ev[i].function);
		free(l->ev[i].text);
	}
	free(l->ev);
	memset(l, 0, sizeof(*l));
}

const char *console_marker(const struct console_log *l, const char *prefix)
{
	const char *rest;

	for (size_t i = 0; i < l->n; i++)
		if (l->ev[i].kind == CONSOLE_MARKER && skip_prefix(l->ev[i].text, prefix, &rest))
			return rest;
	return NULL;
}
