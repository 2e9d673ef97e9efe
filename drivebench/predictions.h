/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Predictions: JSON Lines of {"case", "patch", "attempt"?, "model"?}, or with the aliases
 * instance_id, model_patch, model_name_or_path. A line that is wrong is one message and the
 * rest is read: no JSON, too long, unknown keys' types, a case that is not known, the same
 * case and attempt twice.
 */
#ifndef KPORT_PREDICTIONS_H
#define KPORT_PREDICTIONS_H

#include "drivebench/case.h"

struct predictions {
	int64_t attempts;	/* the largest number that was named */
	size_t taken, refused;
};

/*
 * Writes each patch to dir/ID.N.patch; problems: a line for each refused line.
 * Negative: the file cannot be read or nothing can be written.
 */
int predictions_read(const char *file, const struct case_set *cases, const char *dir, struct predictions *out,
		     struct strvec *problems, struct strbuf *err);

#endif
