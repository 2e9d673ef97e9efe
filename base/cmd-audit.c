// SPDX-License-Identifier: GPL-2.0-only
/* kport audit verify FILE... */
#include "base/compat.h"

#include "base/audit.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"

static void print_text(const char *path, uint64_t lines, const char *why)
{
	if (why)
		printf("%s: %s\n", path, why);
	else
		printf("%s: %" PRIu64 " lines, the chain is whole\n", path, lines);
}

static json_t *as_json(const char *path, uint64_t lines, const char *why)
{
	json_t *o = json_object();

	json_set_str(o, "file", path);
	json_set_bool(o, "ok", !why);
	json_set_int(o, "lines", (int64_t)lines);
	json_set_str(o, "problem", why);
	return o;
}

/* Is it the hash of a line? Each line but the last is named by the one behind it. */
static bool names_line(const struct strbuf *text, const char *hex)
{
	size_t len = text->len, start;

	while (len && text->buf[len - 1] == '\n')
		len--;
	for (start = len; start && text->buf[start - 1] != '\n';)
		start--;
	return strstr(text->buf, hex) || !strcmp(hash_buf(text->buf + start, len - start).hex, hex);
}

/*
 * Whole lines that are missing at the end do not break the chain: the record of the run, beside
 * the trail, keeps the hash of the last one.
 */
static int verify_end(const char *path, struct strbuf *err)
{
	char *dir = path_dir(path), *record = path_join(dir, "result.json");
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	json_t *r = NULL;
	const char *head = NULL;
	int ret = 0;

	if (file_exists(record) && json_read_file(record, 256 << 20, &r, &ignored) == 0)
		head = json_get_str(r, "audit_head");
	if (head)
		ret = file_read(path, 0, &text, err);
	if (!ret && head && !names_line(&text, head))
		ret = kp_fail(err, KP_ERR, "line end: lines are missing; '%s' names one with the hash %s",
			      record, head);
	json_decref(r);
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(record);
	free(dir);
	return ret;
}

static int verify_one(const char *path, json_t *answers)
{
	struct strbuf err = STRBUF_INIT;
	uint64_t lines;
	int ret = audit_verify(path, &lines, &err), code = EXIT_YES;

	if (!ret && !lines)
		ret = kp_fail(&err, KP_ERR, "line 1: missing; nothing was ever recorded, or all of it is gone");
	if (!ret)
		ret = verify_end(path, &err);
	if (ret < 0 && !starts_with(err.buf, "line ")) {
		log_error("%s", err.buf);
		code = ret == KP_INFRA ? EXIT_INFRA : EXIT_FATAL;
	} else {
		const char *why = ret < 0 ? err.buf : NULL;

		if (answers)
			json_array_append_new(answers, as_json(path, lines, why));
		else
			print_text(path, lines, why);
		code = why ? EXIT_NO : EXIT_YES;
	}
	strbuf_release(&err);
	return code;
}

static int verify(const struct strvec *files)
{
	json_t *answers = opt_json ? json_array() : NULL;
	int worst = EXIT_YES;

	for (size_t i = 0; i < files->n; i++) {
		int code = verify_one(files->v[i], answers);

		if (code > worst)
			worst = code;
	}
	/* Of what could not be read there is no answer. */
	if (json_array_size(answers))
		json_print(answers);
	else
		json_decref(answers);
	return worst;
}

static int run_audit(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	int code;

	options_parse(cmd, NULL, argc, argv, &operands);
	if (!operands.n || strcmp(operands.v[0], "verify"))
		usage("say what to do: kport audit verify FILE");
	strvec_remove(&operands, 0);
	if (!operands.n)
		usage("name the file to check");
	code = verify(&operands);
	strvec_release(&operands);
	return code;
}

const struct command cmd_audit = {
	.name = "audit",
	.summary = "check that an audit trail was not changed",
	.usage = "kport audit verify FILE... [options]",
	.run = run_audit,
};
