// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "tests/helper/test-tool.h"

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"

int tool_progress(int argc, const char **argv)
{
	int steps = argc > 1 ? (int)(strtod(argv[1], NULL) * 50) : 0;
	struct progress *p = progress_start("unpacking", (uint64_t)steps);

	for (int i = 0; i < steps; i++) {
		usleep(20000);
		progress_update(p, (uint64_t)i + 1);
		progress_note(p, "file-%d", i);
		if (i == steps / 2 && argc > 2)
			log_info("in between");
	}
	progress_finish(p);
	log_info("finished");
	return EXIT_YES;
}
