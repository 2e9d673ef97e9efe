// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "tests/helper/test-tool.h"

#include "base/alloc.h"
#include "base/jsonutil.h"

/* One step of a path; moves *path on. NULL when there is no such thing. */
static json_t *descend(json_t *v, const char **path)
{
	const char *p = *path;
	size_t len;
	char *key;

	if (*p == '[') {
		unsigned long i = strtoul(p + 1, (char **)path, 10);

		*path += **path == ']';
		return json_array_get(v, i);
	}
	p += *p == '.';
	len = strcspn(p, ".[#");
	key = xstrndup(p, len);
	*path = p + len;
	if (len)
		v = json_object_get(v, key);
	free(key);
	return v;
}

int tool_json(int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT, out = STRBUF_INIT;
	const char *path;
	json_t *doc, *v;

	if (argc != 3)
		return 129;
	if (json_read_file(argv[1], 0, &doc, &err) < 0) {
		fprintf(stderr, "%s\n", err.buf);
		return 1;
	}
	path = argv[2];
	for (v = doc; v && *path && *path != '#';)
		v = descend(v, &path);
	if (!v) {
		fprintf(stderr, "'%s': nothing at %s\n", argv[1], argv[2]);
		return 1;
	}
	if (*path == '#')
		strbuf_addf(&out, "%zu",
			    json_is_array(v) ? json_array_size(v) : json_object_size(v));
	else if (json_is_string(v))
		strbuf_addstr(&out, json_string_value(v));
	else
		json_dump_compact(v, &out);
	printf("%s\n", out.buf);
	strbuf_release(&out);
	json_decref(doc);
	return 0;
}
