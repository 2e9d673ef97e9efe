// SPDX-License-Identifier: GPL-2.0-only
/* kport impact: what an upgrade will break in a driver, before anything is built. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/options.h"
#include "harness/driver.h"
#include "port/impact.h"

static const char *opt_from, *opt_to;

static const struct option options[] = {
	OPTION_STR('f', "from", &opt_from, "KERNEL", "kernel that the driver was written for"),
	OPTION_STR('t', "to", &opt_to, "KERNEL", "kernel that it is to run on"),
	OPTION_END()
};

static void item_text(const struct impact_item *it, struct strbuf *out)
{
	strbuf_addf(out, "%s:%d: %s", it->file, it->line, it->name);
	if (it->via)
		strbuf_addf(out, ", filled in by %s", it->via);
	if (it->uses > 1)
		strbuf_addf(out, " (%d uses)", it->uses);
	strbuf_addstr(out, ": ");
	if (it->kind == IMPACT_INCLUDE) {
		strbuf_addf(out, "needs #include <%s>", it->header);
	} else if (it->text) {
		strbuf_addstr(out, it->text);
	} else {
		struct api_change c = *it->change;

		c.member = NULL; /* the name says it */
		apiview_change(&c, out);
	}
	if (it->weight == IMPACT_FATAL)
		strbuf_addstr(out, ", and the driver's licence is not GPL: it cannot be loaded");
	if (it->remedy_text && it->remedy != REMEDY_RENAME)
		strbuf_addf(out, "; %s", it->remedy_text);
	if (!it->sure)
		strbuf_addstr(out, " [perhaps]");
}

/* What builds but wants a look comes last. */
static void print_items(const struct impact *im, bool look, size_t *counts)
{
	for (size_t i = 0; i < im->n; i++) {
		struct strbuf sb = STRBUF_INIT;

		if ((im->item[i].weight == IMPACT_LOOK) != look)
			continue;
		item_text(&im->item[i], &sb);
		printf("%s%s\n", look ? "look: " : "", sb.buf);
		strbuf_release(&sb);
		counts[im->item[i].kind]++;
	}
}

static void print_text(const struct impact *im, const struct api_pair *p, size_t nfiles)
{
	size_t counts[IMPACT_KIND_COUNT] = { 0 };

	print_items(im, false, counts);
	print_items(im, true, counts);
	printf("%s -> %s, %zu files: ", api_index_release(p->old_ix), api_index_release(p->new_ix), nfiles);
	if (!im->n) {
		printf("nothing that the headers tell\n");
		return;
	}
	printf("%zu headers, %zu symbols, %zu members, %zu callbacks, %zu includes", counts[IMPACT_HEADER],
	       counts[IMPACT_SYMBOL], counts[IMPACT_MEMBER], counts[IMPACT_CALLBACK], counts[IMPACT_INCLUDE]);
	if (counts[IMPACT_LAYOUT] + counts[IMPACT_DOC])
		printf("; to look at: %zu layouts, %zu documented anew", counts[IMPACT_LAYOUT], counts[IMPACT_DOC]);
	putchar('\n');
	if (p->no_layout)
		log_info("layouts of structures were not compared: %s", p->no_layout);
}

static bool breaks(const struct impact *im)
{
	for (size_t i = 0; i < im->n; i++)
		if (im->item[i].weight != IMPACT_LOOK)
			return true;
	return false;
}

static json_t *item_json(const struct impact_item *it)
{
	json_t *o = json_object();

	json_set_str(o, "kind", impact_kind_name(it->kind));
	json_set_str(o, "file", it->file);
	json_set_int(o, "line", it->line);
	json_set_int(o, "uses", it->uses);
	json_set_str(o, "name", it->name);
	json_set_str(o, "header", it->header);
	json_set_str(o, "weight", impact_weight_name(it->weight));
	json_set_str(o, "text", it->text);
	json_set_str(o, "via", it->via);
	json_set_bool(o, "sure", it->sure);
	if (it->remedy) {
		json_t *r = json_object();

		json_set_str(r, "kind", impact_remedy_name(it->remedy));
		json_set_str(r, "name", it->remedy_name);
		json_set_str(r, "text", it->remedy_text);
		json_object_set_new(o, "remedy", r);
	}
	if (it->change)
		json_object_set_new(o, "change", apiview_change_json(it->change));
	return o;
}

static void print_json(const struct impact *im, const struct api_pair *p, const struct driver *d)
{
	json_t *o = json_object(), *items = json_array();
	size_t i;

	json_set_str(o, "driver", d->name);
	json_set_str(o, "version", d->version);
	json_set_str(o, "from", api_index_release(p->old_ix));
	json_set_str(o, "to", api_index_release(p->new_ix));
	for (i = 0; i < im->n; i++)
		json_array_append_new(items, item_json(&im->item[i]));
	json_object_set_new(o, "impact", items);
	json_print(o);
}

static int impact(const char *input, const char *scratch, struct strbuf *err)
{
	char *copy = path_join(scratch, "tree");
	struct driver *d = NULL;
	struct tree *t = NULL;
	struct api_pair p = { 0 };
	struct impact im = { 0 };
	int ret, code = EXIT_YES;

	ret = driver_load(input, copy, NULL, &d, err);
	if (!ret)
		ret = tree_read(d->tree, &t, err);
	if (!ret)
		ret = api_pair_open(&p, opt_from, opt_to, err);
	if (!ret && api_pair_is_reversed(&p))
		log_warn(API_PAIR_REVERSED, opt_from, opt_to);
	if (!ret) {
		impact_find(t, &p, &im);
		ret = impact_remedies(&im, &p, err);
	}
	if (!ret) {
		if (opt_json)
			print_json(&im, &p, d);
		else
			print_text(&im, &p, t->n);
		code = breaks(&im) ? EXIT_NO : EXIT_YES;
	}
	impact_release(&im);
	api_pair_close(&p);
	tree_unref(t);
	driver_free(d);
	free(copy);
	return ret < 0 ? ret : code;
}

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT, ignored = STRBUF_INIT;
	const char *tmp = getenv("TMPDIR");
	char *scratch = NULL;
	int ret;

	options_parse(cmd, options, argc, argv, &operands);
	if (operands.n != 1)
		usage("give one DRIVER");
	if (!opt_from || !opt_to)
		usage("give --from KERNEL and --to KERNEL");
	ret = file_mkdtemp(tmp && *tmp ? tmp : "/tmp", "kport-impact-", &scratch, &err);
	if (!ret)
		ret = impact(operands.v[0], scratch, &err);
	if (scratch)
		file_remove(scratch, &ignored);
	if (ret < 0) {
		log_error("%s", err.buf);
		ret = ret == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(ret);
	}
	free(scratch);
	strvec_release(&operands);
	strbuf_release(&err);
	strbuf_release(&ignored);
	return ret;
}

const struct command cmd_impact = {
	"impact", "list what an upgrade will break in a driver, without building it",
	"kport impact DRIVER --from KERNEL --to KERNEL [--json]", run
};
