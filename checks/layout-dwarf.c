// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/layout-dwarf.h"

#include <dwarf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

#define MAX_DEPTH 16
#define MAX_TYPE_TEXT 200
#define MAX_DIES 4000000 /* visited in one object */
#define MAX_OBJECT (1LL << 30) /* bytes */

/* ---- single entries ------------------------------------------------------- */

bool die_type(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, out);
}

bool die_peel(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Die t = *die;

	for (int i = 0; i < MAX_DEPTH; i++) {
		switch (dwarf_tag(&t)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!die_type(&t, &t))
				return false;
			break;
		default:
			*out = t;
			return true;
		}
	}
	return false;
}

bool die_is_struct(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

bool die_flag(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	bool v = false;

	return dwarf_attr_integrate(die, attr, &a) && dwarf_formflag(&a, &v) == 0 && v;
}

bool die_number(Dwarf_Die *die, unsigned attr, uint64_t *out)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (!dwarf_attr_integrate(die, attr, &a) || dwarf_formudata(&a, &w) != 0)
		return false;
	*out = w;
	return true;
}

uint64_t die_array_count(Dwarf_Die *array)
{
	Dwarf_Die d;
	uint64_t all = 1, n;

	if (dwarf_child(array, &d) != 0)
		return 0;
	do {
		if (dwarf_tag(&d) != DW_TAG_subrange_type)
			continue;
		if (die_number(&d, DW_AT_count, &n))
			;
		else if (die_number(&d, DW_AT_upper_bound, &n) && n < UINT32_MAX)
			n++;
		else
			n = 0;
		all = n && all > UINT32_MAX / n ? UINT32_MAX : all * n;
	} while (dwarf_siblingof(&d, &d) == 0);
	return all;
}

static void type_text(Dwarf_Die *t, struct strbuf *out, int depth);

static void target_text(Dwarf_Die *t, struct strbuf *out, int depth)
{
	Dwarf_Die to;

	if (die_type(t, &to))
		type_text(&to, out, depth + 1);
	else
		strbuf_addstr(out, "void");
}

static void type_text(Dwarf_Die *t, struct strbuf *out, int depth)
{
	const char *name = dwarf_diename(t), *word = NULL;

	if (depth > MAX_DEPTH || out->len > MAX_TYPE_TEXT) {
		strbuf_addstr(out, "...");
		return;
	}
	switch (dwarf_tag(t)) {
	case DW_TAG_pointer_type:
		target_text(t, out, depth);
		strbuf_addstr(out, out->len && out->buf[out->len - 1] == '*' ? "*" : " *");
		return;
	case DW_TAG_array_type:
		target_text(t, out, depth);
		strbuf_addf(out, "[%llu]", (unsigned long long)die_array_count(t));
		return;
	case DW_TAG_subroutine_type:
		target_text(t, out, depth);
		strbuf_addstr(out, " (...)");
		return;
	case DW_TAG_const_type:
		strbuf_addstr(out, "const ");
		target_text(t, out, depth);
		return;
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		target_text(t, out, depth);
		return;
	case DW_TAG_structure_type:
		word = "struct";
		break;
	case DW_TAG_union_type:
		word = "union";
		break;
	case DW_TAG_enumeration_type:
		word = "enum";
		break;
	default:
		break;
	}
	strbuf_addf(out, "%s%s%s", word ? word : "", word && name ? " " : "", name ? name : "");
}

void die_type_text(Dwarf_Die *type, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	type_text(type, &text, 0);
	strbuf_addbuf(out, &text);
	strbuf_release(&text);
}

/* ---- the tables ----------------------------------------------------------- */

void dbg_init(struct dbg *g, const char *tree)
{
	memset(g, 0, sizeof(*g));
	g->tree = xstrdup(tree);
}

static void free_structs(void *p)
{
	struct dbg_struct *s = p, *next;

	for (; s; s = next) {
		next = s->next;
		free(s->name);
		free(s->file);
		free(s);
	}
}

void dbg_release(struct dbg *g)
{
	for (size_t i = 0; i < g->n; i++)
		dwfl_end(g->dwfl[i]);
	free(g->dwfl);
	free(g->tree);
	strmap_release(&g->structs, free_structs);
	strmap_release(&g->types, free);
	strmap_release(&g->functions, free);
	strmap_release(&g->globals, free);
	strmap_release(&g->files, NULL);
	memset(g, 0, sizeof(*g));
}

/* Where it is declared, relative to the tree when it is in there. Newly allocated; NULL: nowhere. */
static char *decl_file(const struct dbg *g, Dwarf_Die *die, bool *own)
{
	const char *file = dwarf_decl_file(die), *rel;
	char *path = NULL, *out;
	Dwarf_Attribute a;
	Dwarf_Die cu;

	*own = false;
	if (!file)
		return NULL;
	if (file[0] != '/' && dwarf_diecu(die, &cu, NULL, NULL) && dwarf_attr(&cu, DW_AT_comp_dir, &a) &&
	    dwarf_formstring(&a))
		path = path_join(dwarf_formstring(&a), file);
	else
		path = xstrdup(file);
	rel = path_inside(g->tree, path);
	if (rel)
		while (starts_with(rel, "./"))
			rel += 2;
	*own = rel != NULL;
	out = xstrdup(rel ? rel : path);
	free(path);
	return out;
}

static void add_struct(struct dbg *g, const char *word, const char *name, Dwarf_Die *st, Dwarf_Die *named)
{
	char *full = xstrfmt("%s%s", word, name), *file;
	struct dbg_struct *s, *first = strmap_get(&g->structs, full);
	bool own;
	int line = 0;

	file = decl_file(g, named, &own);
	dwarf_decl_line(named, &line);
	for (s = first; s; s = s->next)
		if (s->line == line && !strcmp(s->file, file ? file : ""))
			break;
	if (s) {
		free(full);
		free(file);
		return;
	}
	s = xcalloc(1, sizeof(*s));
	s->name = full;
	s->file = file ? file : xstrdup("");
	s->line = line;
	s->own = own;
	s->die = *st;
	if (own)
		strmap_put(&g->files, s->file, NULL);
	if (!first) {
		strmap_put(&g->structs, full, s);
	} else {
		s->next = first->next;
		first->next = s;
	}
}

static void keep_die(struct strmap *m, const char *name, Dwarf_Die *die, bool replace)
{
	if (strmap_has(m, name) && !replace)
		return;
	free(strmap_put(m, name, xmemdup(die, sizeof(*die))));
}

static void add_typedef(struct dbg *g, const char *name, Dwarf_Die *die)
{
	Dwarf_Die t;

	keep_die(&g->types, name, die, false);
	if (die_type(die, &t) && die_is_struct(&t) && !dwarf_diename(&t) && !die_flag(&t, DW_AT_declaration))
		add_struct(g, "", name, &t, die);
}

/* Static functions of several files may have one name. */
static void add_function(struct dbg *g, const char *name, Dwarf_Die *die)
{
	bool body = !die_flag(die, DW_AT_declaration), own;
	char *file = body ? decl_file(g, die, &own) : NULL, *key = xstrfmt("%s:%s", file ? file : "", name);

	keep_die(&g->functions, name, die, body);
	if (body && own)
		keep_die(&g->functions, key, die, true);
	free(file);
	free(key);
}

static void add_children(struct dbg *g, Dwarf_Die *parent, unsigned *budget, int depth);

static void add_die(struct dbg *g, Dwarf_Die *die, unsigned *budget, int depth)
{
	const char *name = dwarf_diename(die);
	int tag = dwarf_tag(die);

	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (name && !die_flag(die, DW_AT_declaration))
			add_struct(g, tag == DW_TAG_union_type ? "union " : "struct ", name, die, die);
		break;
	case DW_TAG_typedef:
		if (name)
			add_typedef(g, name, die);
		break;
	case DW_TAG_base_type:
		if (name)
			keep_die(&g->types, name, die, false);
		break;
	case DW_TAG_variable:
		if (name && depth == 0)
			keep_die(&g->globals, name, die, false);
		break;
	case DW_TAG_subprogram:
		/* Of a function and its copies the one that has the body's variables. */
		if (name && !dwarf_hasattr(die, DW_AT_abstract_origin))
			add_function(g, name, die);
		add_children(g, die, budget, depth + 1);
		break;
	case DW_TAG_lexical_block:
		add_children(g, die, budget, depth + 1);
		break;
	default:
		break;
	}
}

static void add_children(struct dbg *g, Dwarf_Die *parent, unsigned *budget, int depth)
{
	Dwarf_Die d;

	if (depth > MAX_DEPTH || dwarf_child(parent, &d) != 0)
		return;
	do {
		if (!*budget)
			return;
		--*budget;
		add_die(g, &d, budget, depth);
	} while (dwarf_siblingof(&d, &d) == 0);
}

/* The files of the driver that the unit's line table names. */
static void add_files(struct dbg *g, Dwarf_Die *cu)
{
	Dwarf_Files *files;
	Dwarf_Attribute a;
	size_t n;
	const char *dir = dwarf_attr(cu, DW_AT_comp_dir, &a) ? dwarf_formstring(&a) : NULL;

	if (dwarf_getsrcfiles(cu, &files, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const char *f = dwarf_filesrc(files, i, NULL, NULL), *rel;
		char *path = f ? path_join(dir ? dir : "/", f) : NULL;

		rel = path ? path_inside(g->tree, path) : NULL;
		if (rel && *rel)
			strmap_put(&g->files, rel, NULL);
		free(path);
	}
}

static int add_units(struct dbg *g, Dwfl *dwfl, const char *object, struct strbuf *err)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;
	unsigned budget = MAX_DIES;
	size_t n = 0;

	while ((cu = dwfl_nextcu(dwfl, cu, &bias))) {
		if (dwarf_tag(cu) != DW_TAG_compile_unit)
			continue;
		add_files(g, cu);
		add_children(g, cu, &budget, 0);
		n++;
	}
	if (!budget)
		return kp_fail(err, KP_ERR, "'%s' has more debug information than is read", object);
	return n ? 0 : kp_fail(err, KP_NOTFOUND, "'%s' has no debug information", object);
}

/* What the object has is all there is: nothing is looked for on this machine or elsewhere. */
static int no_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **out)
{
	return -1;
}

static int no_elf(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	return -1;
}

int dbg_add(struct dbg *g, const char *object, struct strbuf *err)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = no_elf, .find_debuginfo = no_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl;
	/* The driver's Makefile has had its hands on it: not a FIFO, nor a link to elsewhere. */
	int fd = open(object, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return kp_fail(err, KP_NOTFOUND, "there is no object '%s'", object);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_OBJECT) {
		if (fd >= 0)
			close(fd);
		return kp_fail(err, KP_ERR, "'%s' is no object file", object);
	}
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl) {
		close(fd);
		return kp_fail(err, KP_INFRA, "libdwfl: %s", dwfl_errmsg(-1));
	}
	ALLOC_GROW(g->dwfl, g->n + 1, g->alloc);
	g->dwfl[g->n++] = dwfl;
	dwfl_report_begin(dwfl);
	/* Takes the descriptor when it succeeds. */
	if (!dwfl_report_offline(dwfl, object, object, fd)) {
		close(fd);
		return kp_fail(err, KP_ERR, "'%s': %s", object, dwfl_errmsg(-1));
	}
	dwfl_report_end(dwfl, NULL, NULL);
	return add_units(g, dwfl, object, err);
}

/* ---- looking up ----------------------------------------------------------- */

const struct dbg_struct *dbg_struct(const struct dbg *g, const char *name, const char *file)
{
	const struct dbg_struct *first = strmap_get(&g->structs, name), *s;

	for (s = first; s; s = s->next)
		if (file ? !strcmp(s->file, file) : s->own)
			return s;
	return file ? NULL : first;
}

/* The name it has as a type, with the DIE that is its definition's place: its own, or its typedef's. */
static char *struct_name(Dwarf_Die *type, Dwarf_Die *named)
{
	Dwarf_Die t = *type, alias;
	bool have = false;

	for (int i = 0; i < MAX_DEPTH && !die_is_struct(&t); i++) {
		if (dwarf_tag(&t) == DW_TAG_typedef) {
			alias = t;
			have = true;
		} else if (dwarf_tag(&t) == DW_TAG_pointer_type || dwarf_tag(&t) == DW_TAG_array_type) {
			return NULL;
		}
		if (!die_type(&t, &t))
			return NULL;
	}
	if (!die_is_struct(&t))
		return NULL;
	*named = dwarf_diename(&t) || !have ? t : alias;
	if (dwarf_diename(&t))
		return xstrfmt("%s %s", dwarf_tag(&t) == DW_TAG_union_type ? "union" : "struct",
			       dwarf_diename(&t));
	return have ? xstrdup(dwarf_diename(&alias)) : NULL;
}

const struct dbg_struct *dbg_struct_of(const struct dbg *g, Dwarf_Die *type)
{
	const struct dbg_struct *s;
	Dwarf_Die named;
	char *name = struct_name(type, &named);
	bool own;
	int line = 0;

	s = name ? strmap_get(&g->structs, name) : NULL;
	if (s && s->next && !die_flag(&named, DW_AT_declaration)) {
		char *file = decl_file(g, &named, &own);

		dwarf_decl_line(&named, &line);
		while (s->next && file && !(s->line == line && !strcmp(s->file, file)))
			s = s->next;
		free(file);
	}
	free(name);
	return s;
}

bool dbg_function(const struct dbg *g, const char *file, const char *name, Dwarf_Die *out)
{
	char *key = xstrfmt("%s:%s", file ? file : "", name);
	Dwarf_Die *d = strmap_get(&g->functions, key);

	if (!d)
		d = strmap_get(&g->functions, name);
	free(key);
	if (d)
		*out = *d;
	return d != NULL;
}
