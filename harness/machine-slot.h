/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A private root of the embedded libvirt driver, one per process that runs
 * machines: STATE/machines/N, locked while in use. Taking one first ends the
 * machines of processes that died (kill -9): an emulator whose command line
 * names a slot that nobody holds is killed.
 */
#ifndef KPORT_MACHINE_SLOT_H
#define KPORT_MACHINE_SLOT_H

#include "base/lock.h"
#include "base/strbuf.h"
#include "base/strvec.h"

struct machine_slot {
	char *root;
	struct lock lock;
};
#define MACHINE_SLOT_INIT { .lock = LOCK_INIT }

int machine_slot_take(struct machine_slot *s, struct strbuf *err);
void machine_slot_release(struct machine_slot *s);

/* "emulator PID of ROOT" for each whose slot nobody holds. */
int machine_slot_leftovers(struct strvec *out, struct strbuf *err);

/*
 * Waits for (reaps) children of this process that are dead emulators. Where
 * process 1 is slow to do so, libvirt takes seconds to believe that they ended.
 */
void machine_reap(void);

#endif
