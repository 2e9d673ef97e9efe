/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the guest's one program (kport-init.c, which lists the marks). Static, without our libraries;
 * one process unless said otherwise. A step that could hang runs in a child (guest_step).
 */
#ifndef KPORT_GUEST_H
#define KPORT_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ---- kport-init.c ---- */

/* One line to the kernel's log, behind our mark. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
double now(void); /* seconds, monotonic */
void sleep_ms(int ms);
/* At most size-1 bytes of a small file, terminated; the length, or -1. */
ssize_t read_small(const char *path, char *buf, size_t size);
/* As read_small(), without the end of the first line; false when there is none. */
bool read_line(const char *path, char *buf, size_t size);
long read_number(const char *path, long otherwise);
int write_text(const char *path, const char *text); /* 0 or an errno */

/*
 * Runs fn in a child for at most that many seconds: its exit code (an errno, or what it means by it), or
 * GUEST_KILLED with *detail the signal, GUEST_STUCK with *detail the state of the task. A child
 * that is stuck stays.
 */
enum { GUEST_KILLED = -1, GUEST_STUCK = -2 };
int guest_step(int (*fn)(const void *arg), const void *arg, double seconds, int *detail);

/* ---- guest-look.c: what is in the system ---- */

struct set { /* sorted "KIND TEXT" */
	char **v;
	size_t n, alloc;
};
void set_add(struct set *s, const char *kind, const char *text);
bool set_has(const struct set *s, const char *item);
void set_sort(struct set *s);
void set_clear(struct set *s);
void snapshot(struct set *s);
/* The text behind a kind ("device "), or NULL. */
const char *item_of(const char *item, const char *kind);
/* Numbers in names count for nothing: each row of digits becomes '#'. */
void without_numbers(const char *text, char *out, size_t size);

/* ---- guest-exercise.c: the interfaces that appeared ---- */

enum exercise_result { EXERCISE_OK, EXERCISE_FAIL, EXERCISE_SKIP };

/* One kind: what it takes, and what it does with it in a child. */
struct exercise {
	const char *kind;
	int seconds;
	/* Does it take this item? What to give to run, into target. */
	bool (*takes)(const char *item, char *target, size_t size);
	enum exercise_result (*run)(const char *target);
};
extern const struct exercise exercise_net, exercise_can, exercise_block, exercise_input, exercise_tty,
	exercise_watchdog, exercise_rtc, exercise_rng, exercise_drm, exercise_video, exercise_pcm,
	exercise_card, exercise_gpio, exercise_i2c, exercise_hwmon, exercise_scsi, exercise_usb;

/* In a child: what came of it, one line. The last one counts. */
enum exercise_result result(enum exercise_result r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* In a child: a fact that the same driver would show on another kernel too. */
void got(const char *key, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Is somebody there who answers to packets, or sits behind a bus? From the plan. */
extern bool exercise_peer;
/* Not once more: what takes time and was tried already may be left out. */
extern bool exercise_first;

/* Until something of the kind has appeared, or so long: disks come late. */
void exercise_await(const char *kind, const struct set *before, double seconds);
/* Everything in "loaded" that is not in "before". False: a step hangs. */
bool exercise_all(const char *stage, const struct set *before, const struct set *loaded);

/* Helpers for kinds: "CLASS/NAME" items, with a filter on the name's start. */
bool takes_class(const char *item, const char *class, const char *name, char *target, size_t size);
int open_node(const char *name, int flags); /* below /dev; "!" in names is "/" */

/* ---- guest-cycle.c: unbind and bind again, suspend and resume ---- */

bool cycle_rebind(const struct set *before, const struct set *loaded);
bool cycle_suspend(const struct set *before, const struct set *loaded);
/* Says "WORD TEXT" for what has not come back within some seconds. The number of them. */
size_t await_again(const char *word, const struct set *before, const struct set *loaded);

/* ---- guest-view.c: what user space sees ---- */

/* Before loading: what devices of each class and bus have anyway; starts to listen to uevents. */
void view_begin(void);
void view_report(const struct set *before, const struct set *loaded);
/* Parameters of one module, while it is loaded. */
void view_module(const char *name);

/* ---- guest-standin.c: devices made up in the guest ---- */

void standin_add(const char *kind, const char *words); /* "i2c", "hid", "input", "usb", "platform"; as in the plan */
void standin_make(void); /* in front of loading; says what came of each */
void standin_offer(const struct set *before); /* behind it: platform */

#endif
