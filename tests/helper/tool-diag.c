// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "harness/diag.h"
#include "tests/helper/test-tool.h"

static json_t *list_json(const struct diag_list *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(a, diag_to_json(&l->d[i]));
	return a;
}

int tool_diag(int argc, const char **argv)
{
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT, out = STRBUF_INIT;
	struct diag_list raw = { 0 }, roots = { 0 };
	char cwd[4096];
	json_t *o;
	int ret;

	if (argc != 2 || !getcwd(cwd, sizeof(cwd)))
		return 129;
	ret = file_read(argv[1], 0, &text, &err);
	if (!ret)
		ret = diag_parse_gcc(text.buf, text.len, cwd, &raw, &err);
	if (ret < 0) {
		fprintf(stderr, "test-tool diag: %s\n", err.buf);
	} else {
		diag_read_sources(&raw);
		diag_fold(&raw, &roots);
		o = json_pack("{s:o, s:o}", "raw", list_json(&raw), "roots", list_json(&roots));
		json_dump_pretty(o, &out);
		fputs(out.buf, stdout);
		json_decref(o);
	}
	diag_list_release(&raw);
	diag_list_release(&roots);
	strbuf_release(&text);
	strbuf_release(&err);
	strbuf_release(&out);
	return ret < 0 ? 1 : 0;
}
