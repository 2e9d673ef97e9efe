/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/sarif.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/jsonutil.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

void sarif_uri(const char *path, struct strbuf *out)
{
	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		if (isalnum(*p) || strchr("-._~/", *p))
			strbuf_addch(out, (char)*p);
		else
			strbuf_addf(out, "%%%02X", *p);
	}
}

static json_t *message(const char *text)
{
	json_t *o = json_object();

	json_set_str(o, "text", text && *text ? text : "(no text)");
	return o;
}

/* The number of the rule in rules; it is added when it is not there. */
static size_t rule_index(json_t *rules, const char *id, const char *help)
{
	json_t *o;

	for (size_t i = 0; i < json_array_size(rules); i++)
		if (!strcmp(json_string_value(json_object_get(json_array_get(rules, i), "id")), id))
			return i;
	o = json_object();
	json_set_str(o, "id", id);
	json_object_set_new(o, "shortDescription", message(help));
	json_array_append_new(rules, o);
	return json_array_size(rules) - 1;
}

static json_t *physical_location(const struct finding *f)
{
	json_t *o = json_object(), *artifact = json_object(), *region = json_object();
	struct strbuf uri = STRBUF_INIT;
	bool inside = f->file[0] != '/';

	if (!inside)
		strbuf_addstr(&uri, "file://");
	sarif_uri(f->file, &uri);
	json_set_str(artifact, "uri", uri.buf);
	if (inside)
		json_set_str(artifact, "uriBaseId", "DRIVER");
	json_object_set_new(o, "artifactLocation", artifact);
	if (f->line > 0) {
		json_set_int(region, "startLine", f->line);
		json_object_set_new(o, "region", region);
	} else {
		json_decref(region);
	}
	strbuf_release(&uri);
	return o;
}

static json_t *logical_locations(const struct finding *f)
{
	json_t *a = json_array(), *o = json_object();

	json_set_str(o, "name", f->function);
	json_set_str(o, "kind", "function");
	json_array_append_new(a, o);
	return a;
}

static json_t *locations(const struct finding *f)
{
	json_t *a = json_array(), *o;

	if (!f->file && !f->function)
		return a;
	o = json_object();
	if (f->file)
		json_object_set_new(o, "physicalLocation", physical_location(f));
	if (f->function)
		json_object_set_new(o, "logicalLocations", logical_locations(f));
	json_array_append_new(a, o);
	return a;
}

static json_t *one_result(const struct finding *f, enum gate_id gate, enum verdict v, bool compared, json_t *rules)
{
	json_t *o = json_object(), *prints = json_object();
	struct hash_hex print = { "" };
	char *id = xstrfmt("%s/%s%s%s", gate_name(gate), f->tool ? f->tool : "kport", f->rule ? "/" : "",
			   f->rule ? f->rule : "");

	json_set_str(o, "ruleId", id);
	json_set_int(o, "ruleIndex", rule_index(rules, id, gate_title(gate)));
	json_set_str(o, "level", v == VERDICT_FAIL ? "error" : "warning");
	json_object_set_new(o, "message", message(f->text));
	json_object_set_new(o, "locations", locations(f));
	finding_fingerprint(f, &print);
	json_set_str(prints, "kport/v1", print.hex);
	json_object_set_new(o, "partialFingerprints", prints);
	if (compared)
		json_set_str(o, "baselineState", "new");
	free(id);
	return o;
}

/* What is neither a yes nor a no of a gate: who reads only results must not take it for a pass. */
static json_t *notification(enum gate_id gate, const struct gate_report *r)
{
	json_t *o = json_object(), *d = json_object();
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "gate %s is %s: %s", gate_name(gate), verdict_name(r->verdict),
		    r->reason.len ? r->reason.buf : "no reason given");
	json_set_str(d, "id", gate_name(gate));
	json_object_set_new(o, "descriptor", d);
	json_set_str(o, "level", r->verdict == VERDICT_SKIP ? "note" : r->verdict == VERDICT_INFRA ? "error" : "warning");
	json_object_set_new(o, "message", message(text.buf));
	strbuf_release(&text);
	return o;
}

static json_t *invocation(const struct gate_ladder *l)
{
	json_t *o = json_object(), *notes = json_array();
	bool ran = true;

	for (int i = 0; i < GATE_COUNT; i++) {
		enum verdict v = l->gate[i].verdict;

		if (v == VERDICT_SKIP || v == VERDICT_UNKNOWN || v == VERDICT_INFRA)
			json_array_append_new(notes, notification(i, &l->gate[i]));
		ran &= v != VERDICT_INFRA;
	}
	json_set_bool(o, "executionSuccessful", ran);
	json_object_set_new(o, "toolExecutionNotifications", notes);
	return o;
}

static json_t *tool(json_t *rules)
{
	json_t *o = json_object(), *driver = json_object();

	json_set_str(driver, "name", "kport");
	json_object_set(driver, "rules", rules);
	json_object_set_new(o, "driver", driver);
	return o;
}

json_t *sarif_from_ladder(const struct gate_ladder *l, bool compared)
{
	json_t *doc = json_object(), *runs = json_array(), *run = json_object();
	json_t *rules = json_array(), *results = json_array(), *bases = json_object(), *invocations = json_array();

	for (int i = 0; i < GATE_COUNT; i++)
		for (size_t j = 0; j < l->gate[i].findings.n; j++)
			json_array_append_new(results, one_result(&l->gate[i].findings.f[j], i, l->gate[i].verdict,
								  compared, rules));
	json_object_set_new(bases, "DRIVER", json_pack("{s:o}", "description", message("the driver's directory")));
	json_array_append_new(invocations, invocation(l));
	json_object_set_new(run, "tool", tool(rules));
	json_object_set_new(run, "invocations", invocations);
	json_object_set_new(run, "originalUriBaseIds", bases);
	json_object_set_new(run, "results", results);
	json_set_str(run, "columnKind", "utf16CodeUnits");
	json_array_append_new(runs, run);
	json_set_str(doc, "$schema", SCHEMA);
	json_set_str(doc, "version", "2.1.0");
	json_object_set_new(doc, "runs", runs);
	json_decref(rules);
	return doc;
}

int sarif_write(const char *path, const struct gate_ladder *l, bool compared, struct strbuf *err)
{
	json_t *doc = sarif_from_ladder(l, compared);
	int ret = json_write_file(path, doc, err);

	json_decref(doc);
	return ret;
}
