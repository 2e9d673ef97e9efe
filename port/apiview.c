// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/apiview.h"
#include "base/jsonutil.h"

/* "type name" with "[n]" and ":3" of the type put behind the name. */
static void object_text(const char *type, const char *name, struct strbuf *out)
{
	size_t len = strlen(type), cut = strcspn(type, "[:");
	const char *fn = strstr(type, "(*");

	if (fn) {
		/* "int (*[4])", "void (*)(int)": the name goes behind the star. */
		strbuf_addf(out, "%.*s%s%s", (int)(fn + 2 - type), type, name, fn + 2);
		return;
	}
	while (cut > 0 && type[cut - 1] == ' ')
		cut--;
	strbuf_add(out, type, cut);
	if (cut && type[cut - 1] != '*')
		strbuf_addch(out, ' ');
	strbuf_addstr(out, name);
	strbuf_add(out, type + cut, len - cut);
}

static void callable_text(const struct api_symbol *s, bool pointer, struct strbuf *out)
{
	const char *type = s->type ? s->type : "int";

	strbuf_addstr(out, type);
	if (!ends_with(type, "*") || pointer)
		strbuf_addch(out, ' ');
	if (pointer && !strstr(type, "(*"))
		strbuf_addf(out, "(*%s)(%s)", s->name, s->params);
	else
		strbuf_addf(out, "%s(%s)", s->name, s->params);
}

static void macro_text(const struct api_symbol *s, struct strbuf *out)
{
	const char *nl;
	int len;

	strbuf_addf(out, "#define %s", s->name);
	if (s->kind == API_MACRO_FN)
		strbuf_addf(out, "(%s)", s->params ? s->params : "");
	if (!s->body)
		return;
	nl = strchr(s->body, '\n');
	len = nl ? (int)(nl - s->body) : (int)strlen(s->body);
	strbuf_addf(out, " %.*s%s", len > 160 ? 160 : len, s->body, len > 160 || nl ? " ..." : "");
}

void apiview_decl(const struct api_symbol *s, struct strbuf *out)
{
	const char *word = s->kind == API_STRUCT ? "struct" : s->kind == API_UNION ? "union" : "enum";

	switch (s->kind) {
	case API_FUNCTION:
		callable_text(s, false, out);
		break;
	case API_INLINE:
		strbuf_addstr(out, "static inline ");
		callable_text(s, false, out);
		break;
	case API_MACRO:
	case API_MACRO_FN:
		macro_text(s, out);
		break;
	case API_STRUCT:
	case API_UNION:
	case API_ENUM:
		strbuf_addf(out, "%s %s", word, s->name);
		break;
	case API_ENUMERATOR:
		strbuf_addf(out, "enum %s { %s%s%s }", s->parent ? s->parent : "", s->name,
			    s->type ? " = " : "", s->type ? s->type : "");
		break;
	case API_TYPEDEF:
		strbuf_addstr(out, "typedef ");
		/* FALLTHROUGH */
	case API_VARIABLE:
	case API_MEMBER:
		if (s->params)
			callable_text(s, true, out);
		else
			object_text(s->type ? s->type : "?", s->name, out);
		break;
	default:
		strbuf_addstr(out, s->name);
	}
	if (s->must_check)
		strbuf_addstr(out, " __must_check");
}

static const char *percent(double confidence)
{
	static char buf[16];

	snprintf(buf, sizeof(buf), "%d %%", (int)(confidence * 100 + 0.5));
	return buf;
}

void apiview_change(const struct api_change *c, struct strbuf *out)
{
	static const char *const words[CHANGE_KIND_COUNT] = {
		[CHANGE_REMOVED] = "removed", [CHANGE_ADDED] = "new", [CHANGE_RENAMED] = "renamed",
		[CHANGE_SIGNATURE] = "other parameters", [CHANGE_RETURN_TYPE] = "other return type",
		[CHANGE_CONST] = "qualifiers changed", [CHANGE_TYPE] = "other type",
		[CHANGE_MEMBER_MOVED] = "moved", [CHANGE_MEMBER_RENAMED] = "renamed",
		[CHANGE_MEMBER_REMOVED] = "removed", [CHANGE_MEMBER_ADDED] = "new",
		[CHANGE_KIND] = "other kind", [CHANGE_MACRO_ARITY] = "other number of arguments",
		[CHANGE_VALUE] = "other value", [CHANGE_HEADER_MOVED] = "declared in another header",
		[CHANGE_HEADER_GONE] = "header is gone",
		[CHANGE_INCLUDE_DROPPED] = "no longer includes", [CHANGE_EXPORT_LOST] = "no longer exported",
		[CHANGE_EXPORT_GPL] = "exported to GPL modules only",
		[CHANGE_NAMESPACE] = "exported in a namespace",
		[CHANGE_DOC] = "documented anew",
	};

	if (c->member)
		strbuf_addf(out, "member %s ", c->member);
	strbuf_addstr(out, words[c->kind]);
	if (c->to_name && c->kind != CHANGE_HEADER_MOVED)
		strbuf_addf(out, "%s %s", c->kind == CHANGE_INCLUDE_DROPPED || c->kind == CHANGE_NAMESPACE ?
			    "" : c->kind == CHANGE_HEADER_GONE ? ", see" : " to", c->to_name);
	if (c->evidence && c->kind != CHANGE_EXPORT_GPL && c->kind != CHANGE_NAMESPACE)
		strbuf_addf(out, ": %s", c->evidence);
	if (c->confidence < 1)
		strbuf_addf(out, " (%s sure)", percent(c->confidence));
}

json_t *apiview_symbol_json(const struct api_symbol *s)
{
	struct strbuf decl = STRBUF_INIT;
	json_t *o;

	if (!s)
		return json_null();
	o = json_object();
	apiview_decl(s, &decl);
	json_set_str(o, "declaration", decl.buf);
	json_set_str(o, "name", s->name);
	json_set_str(o, "header", s->header);
	json_set_int(o, "line", s->line);
	json_set_str(o, "type", s->type);
	json_set_str(o, "params", s->params);
	json_set_str(o, "parent", s->parent);
	json_set_str(o, "path", s->path);
	json_set_str(o, "condition", s->cond);
	json_set_str(o, "forwards_to", s->alias);
	json_set_str(o, "namespace", s->ns);
	json_set_str(o, "doc", s->doc);
	json_set_bool(o, "active", s->active);
	json_set_bool(o, "exported", s->exported);
	json_set_bool(o, "gpl_only", s->gpl);
	strbuf_release(&decl);
	return o;
}

json_t *apiview_change_json(const struct api_change *c)
{
	json_t *o = json_object();

	json_set_str(o, "kind", api_change_name(c->kind));
	json_set_str(o, "symbol", c->symbol);
	json_set_str(o, "member", c->member);
	json_set_str(o, "to", c->to_name);
	json_set_num(o, "confidence", c->confidence);
	json_set_str(o, "evidence", c->evidence);
	json_set_bool(o, "breaks", apiview_breaks(c));
	json_object_set_new(o, "old", apiview_symbol_json(c->from));
	json_object_set_new(o, "new", apiview_symbol_json(c->to));
	return o;
}

bool apiview_breaks(const struct api_change *c)
{
	switch (c->kind) {
	case CHANGE_ADDED:
	case CHANGE_MEMBER_ADDED:
	case CHANGE_HEADER_MOVED:
	case CHANGE_INCLUDE_DROPPED:
	case CHANGE_VALUE:
	case CHANGE_DOC:
		return false;
	case CHANGE_KIND:
		/* A function that became a macro cannot be pointed to; calls go on. */
		return c->from && (c->from->kind & (API_FUNCTION | API_INLINE)) && c->to &&
		       (c->to->kind & API_MACRO_FN);
	default:
		return true;
	}
}
