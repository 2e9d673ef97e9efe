// SPDX-License-Identifier: GPL-2.0-only
/* apt SUITE PACKAGE VERSION DIR: downloads one package and prints its path ("-": any suite or version). */
#include "base/compat.h"
#include "base/error.h"
#include "harness/kernel.h"
#include "tests/helper/test-tool.h"

static const char *word(const char *s)
{
	return strcmp(s, "-") ? s : NULL;
}

int tool_apt(int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	char *path = NULL;
	int ret;

	if (argc != 5)
		return 129;
	ret = apt_download(word(argv[1]), argv[2], word(argv[3]), argv[4], &path, &err);
	if (ret < 0)
		fprintf(stderr, "test-tool apt: %s\n", err.buf);
	else
		printf("%s\n", path);
	free(path);
	strbuf_release(&err);
	return ret < 0 ? kp_exit_code(ret) : 0;
}
