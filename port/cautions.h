/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What no compiler sees: things that are declared alike on both kernels and behave
 * otherwise on the target. port/cautions/AREA/NAME.cocci has the head of a rule
 * (rules.h) with these fields in place of Replaces, and the same items:
 *
 *	// Uses: alloc_workqueue		starts it where one of these names stands in the driver
 *	// Unless: pci_release_regions		... and none of these does
 *	// Before: !WQ_PERCPU			what holds on the old kernel; where none is given it counts as held
 *	// Needs: WQ_PERCPU			what holds on the target
 *
 * One item more: "kernel>=6.16", where no header tells. A caution whose semantic patch
 * edits is applied before the search and becomes a patch of the series. One with
 * "virtual report" prints places, which become findings of the port that a person has to
 * look at. Each is tested by tests/fixtures/cautions/NAME/{in,out,clean}.
 */
#ifndef KPORT_CAUTIONS_H
#define KPORT_CAUTIONS_H

#include "port/run.h"

/* r->start and r->first with the edits; r->watch: the reports that are to be made. */
int cautions_apply(struct port_run *r, struct strbuf *err);
/* Their places in the ported driver: r->cautions. */
int cautions_report(struct port_run *r, struct strbuf *err);

/* Is the name used by, and nothing of Unless in, the tree? */
bool caution_concerns(const struct rule *c, struct tree *t);
/* Do the items hold for this kernel? k or ix NULL: yes. */
bool caution_items_hold(const struct strvec *items, const struct kernel *k, struct api_index *ix);

#endif
