// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: all that other drivers did in a function for a change of the kernel is
 * repeated together, or nothing is. Two small kernels and their drivers are
 * written here, their examples mined, and a driver's function is given.
 */
#include "tests/unit/unit.h"

#include "mine/examples.h"
#include "port/propose.h"

static struct kernel k_old, k_new;
static struct api_index *ix_old, *ix_new;
static struct examples *examples;
static struct tree *tree;
static struct edit_group_list list;
static struct strvec exclude = STRVEC_INIT;

#define COMMON                                                                                     \
	"struct gadget { int n; };\nstruct disk;\nstruct tag_set;\n"                               \
	"#define ENOMEM 12\n#define EBUSY 16\n#define IS_ERR(p) (!(p))\n#define PTR_ERR(p) (long)(p)\n"  \
	"void gadget_free(struct gadget *g);\nint gadget_read(struct gadget *g);\n"                \
	"#define FROM_DEVICE 1\n#define TO_DEVICE 2\n"

static const char old_header[] = COMMON
	"struct gadget *gadget_init(int base, int flags);\n"
	"void gadget_lock(struct gadget *g);\nvoid gadget_unlock(struct gadget *g);\n"
	"int gadget_claim(struct gadget *g);\nvoid gadget_drop(struct gadget *g);\n"
	"struct disk *disk_alloc(struct tag_set *t);\n"
	"void disk_max_segs(struct disk *d, int n);\nvoid disk_max_size(struct disk *d, int n);\n"
	"int gadget_xfer(struct gadget *g, int dir, void *buf);\n"
	"struct super { struct disk *dev; };\nint gadget_block(struct disk *d, int n);\n"
	"int gadget_open(struct gadget *g);\nvoid gadget_close(struct gadget *g);\n"
	"int gadget_tune(struct gadget *g);\n"
	"int gadget_attach(struct gadget *g, int (*read)(struct gadget *g));\n"
	"int gadget_mark(struct gadget *g);\nint gadget_ask(struct gadget *g);\nvoid gadget_prepare(struct gadget *g, int clock);\n"
	"int gadget_plug(struct gadget *g);\nint gadget_start(struct gadget *g);\n"
	"void gadget_hold(struct gadget *g);\nvoid gadget_unhold(struct gadget *g);\n";
static const char new_header[] = COMMON
	"struct gadget *gadget_alloc(int base, int flags);\n"
	"void gadget_auto_lock(struct gadget *g);\n"
	"bool gadget_take(struct gadget *g);\nvoid gadget_give(struct gadget *g);\n"
	"struct disk_limits { int max_segs; int max_size; };\n"
	"struct disk *disk_alloc(struct tag_set *t, struct disk_limits *lim);\n"
	"struct super { struct disk *dev; struct file *dev_file; };\n"
	"int gadget_block(struct file *f, int n);\n"
	"#define OP_IN 3\nint gadget_transfer(struct gadget *g, int op, void *buf);\n"
	"struct gadget_ops { int (*read)(struct gadget *g); void (*stop)(struct gadget *g); };\n"
	"int gadget_connect(struct gadget *g, const struct gadget_ops *ops);\n"
	"struct gadget_ops *gadget_plug_ops(struct gadget *g);\n"
	"int gadget_label(struct gadget *g, int dir);\nint gadget_query(struct gadget *g);\nbool gadget_begin(struct gadget *g);\nvoid gadget_setup(struct gadget *g, void (*hook)(void), int clock);\n"
	"int gadget_get(struct gadget *g);\nvoid gadget_put(struct gadget *g);\n"
	"int gadget_adjust(struct gadget *g, int up);\nvoid gadget_hold_guard(struct gadget *g);\n";

static void put(const char *dir, const char *rel, const char *text)
{
	char *base = path_join(scratch, dir), *path = path_join(base, rel);

	assert_ok(file_mkdirs_for(path, &err));
	assert_ok(file_write(path, text, strlen(text), &err));
	free(base);
	free(path);
}

static void both(const char *rel, const char *before, const char *after)
{
	put("src-old", rel, before);
	put("src-new", rel, after);
}

static void make_kernel(const char *which, const char *header, struct kernel *k,
			struct api_index **ix)
{
	char *dir = path_join(scratch, which), *src = xstrfmt("src-%s", which);

	put(which, "include/linux/gadget.h", header);
	put(which, "include/generated/utsrelease.h", "#define UTS_RELEASE \"6.1.0\"\n");
	put(which, "scripts/Makefile.build", "");
	k->name = xstrdup(which);
	k->common_dir = dir;
	k->build_dir = xstrdup(dir);
	k->source_dir = path_join(scratch, src);
	assert_ok(api_index_open(dir, dir, NULL, ix, &err));
	free(src);
}

/* A driver that allocates a gadget into a member and checks it. */
static void allocating(const char *rel, const char *who)
{
	char *before = xstrfmt("int %s_probe(struct %s *p)\n{\n\tp->g = gadget_init(p->base + 4, 1);\n"
			       "\tif (!p->g)\n\t\treturn -ENOMEM;\n\n\treturn 0;\n}\n", who, who);
	char *after = xstrfmt("int %s_probe(struct %s *p)\n{\n\tp->g = gadget_alloc(p->base + 4, 1);\n"
			      "\tif (IS_ERR(p->g))\n\t\treturn PTR_ERR(p->g);\n\n\treturn 0;\n}\n", who, who);

	both(rel, before, after);
	free(before);
	free(after);
}

static void drivers(void)
{
	allocating("drivers/a/one.c", "one");
	allocating("drivers/a/two.c", "two");
	allocating("drivers/b/three.c", "three");
	both("drivers/a/lock.c",
	     "int lock_show(struct lock *l)\n{\n\tint ret;\n\n\tgadget_lock(&l->g);\n"
	     "\tret = gadget_read(&l->g);\n\tif (ret)\n\t\tgoto out;\n\tl->n++;\nout:\n"
	     "\tgadget_unlock(&l->g);\n\treturn ret;\n}\n",
	     "int lock_show(struct lock *l)\n{\n\tint ret;\n\n\tgadget_auto_lock(&l->g);\n"
	     "\tret = gadget_read(&l->g);\n\tif (ret)\n\t\treturn ret;\n\tl->n++;\n"
	     "\treturn ret;\n}\n");
	both("drivers/a/claim.c",
	     "int claim_read(struct gadget *g)\n{\n\tint ret;\n\n\tret = gadget_claim(g);\n\tif (ret)\n"
	     "\t\treturn ret;\n\tret = gadget_read(g);\n\tgadget_drop(g);\n\treturn ret;\n}\n",
	     "int claim_read(struct gadget *g)\n{\n\tint ret;\n\n\tif (!gadget_take(g))\n"
	     "\t\treturn -EBUSY;\n\tret = gadget_read(g);\n\tgadget_give(g);\n\treturn ret;\n}\n");
	both("drivers/a/limits.c",
	     "int limits_probe(struct limits *l)\n{\n\tint ret = 0;\n\n\tl->disk = disk_alloc(&l->tags);\n"
	     "\tdisk_max_segs(l->disk, l->segs * 2);\n\tdisk_max_size(l->disk, 512);\n\treturn ret;\n}\n",
	     "int limits_probe(struct limits *l)\n{\n\tstruct disk_limits lim = {\n"
	     "\t\t.max_segs = l->segs * 2,\n\t\t.max_size = 512,\n\t};\n\tint ret = 0;\n\n"
	     "\tl->disk = disk_alloc(&l->tags, &lim);\n\treturn ret;\n}\n");
	both("drivers/a/super.c",
	     "int super_fill(struct super *s)\n{\n\treturn gadget_block(s->dev, 512);\n}\n",
	     "int super_fill(struct super *s)\n{\n\treturn gadget_block(s->dev_file, 512);\n}\n");
	both("drivers/a/open.c",
	     "int open_probe(struct open *o)\n{\n\treturn gadget_open(o->g);\n}\n\n"
	     "void open_remove(struct open *o)\n{\n\tgadget_close(o->g);\n}\n",
	     "int open_probe(struct open *o)\n{\n\treturn gadget_get(o->g);\n}\n\n"
	     "void open_remove(struct open *o)\n{\n\tgadget_put(o->g);\n}\n");
	for (int i = 0; i < 4; i++) {
		char *rel = xstrfmt("drivers/t/tune%d.c", i);
		char *after = xstrfmt("int tune%d(struct gadget *g)\n{\n\treturn gadget_adjust(g, %s);\n}\n", i,
				      i < 2 ? "1" : "2");
		char *before = xstrfmt("int tune%d(struct gadget *g)\n{\n\treturn gadget_tune(g);\n}\n", i);

		both(rel, before, after);
		free(rel);
		free(after);
		free(before);
	}
	both("drivers/a/table.c",
	     "static int tab_read(struct gadget *g)\n{\n\treturn 0;\n}\n\n"
	     "int tab_probe(struct tab *t)\n{\n\treturn gadget_attach(t->g, tab_read);\n}\n",
	     "static int tab_read(struct gadget *g)\n{\n\treturn 0;\n}\n\n"
	     "static void tab_stop(struct gadget *g)\n{\n\tint n = gadget_read(g);\n\n\tg->n = n;\n}\n\n"
	     "static const struct gadget_ops tab_gadget_ops = {\n\t.read = tab_read,\n\t.stop = tab_stop,\n};\n\n"
	     "int tab_probe(struct tab *t)\n{\n\treturn gadget_connect(t->g, &tab_gadget_ops);\n}\n");
	both("drivers/a/plug.c",
	     "struct plug {\n\tstruct gadget *g;\n\tint cookie;\n};\n\n"
	     "int plug_probe(struct plug *p)\n{\n\tp->cookie = gadget_plug(p->g);\n\treturn 0;\n}\n",
	     "struct plug {\n\tstruct gadget *g;\n\tstruct gadget_ops *slot;\n};\n\n"
	     "int plug_probe(struct plug *p)\n{\n\tp->slot = gadget_plug_ops(p->g);\n\treturn 0;\n}\n");
	both("drivers/a/start.c",
	     "int start_it(struct gadget *g)\n{\n\tint ret;\n\n\tret = gadget_start(g);\n\tif (ret)\n"
	     "\t\treturn ret;\n\tret = gadget_read(g);\n\treturn ret;\n}\n",
	     "int start_it(struct gadget *g)\n{\n\tif (!gadget_begin(g))\n\t\treturn -EBUSY;\n\treturn gadget_read(g);\n}\n");
	for (int i = 0; i < 3; i++) {
		char *rel = xstrfmt("drivers/p/prep%d.c", i);

		free(rel);
		rel = xstrfmt("drivers/m/mark%d.c", i);
		both(rel, "int mark_it(struct gadget *g)\n{\n\treturn gadget_mark(g);\n}\n",
		     "int mark_it(struct gadget *g)\n{\n\treturn gadget_label(g, TO_DEVICE);\n}\n");
		free(rel);
		rel = xstrfmt("drivers/p/prep%d.c", i);
		both(rel, "int prep_init(struct prep *p)\n{\n\tgadget_prepare(&p->g, 3);\n\tp->g.hook = prep_hook;\n\treturn 0;\n}\n",
		     "int prep_init(struct prep *p)\n{\n\tgadget_setup(&p->g, prep_hook, 3);\n\treturn 0;\n}\n");
		free(rel);
	}
	both("drivers/a/ask.c",
	     "int ask_it(struct ask *a)\n{\n\tint ret;\n\n\tret = gadget_ask(a->g);\n\tif (ret)\n\t\tgoto out;\n"
	     "\ta->n = 1;\nout:\n\treturn ret;\n}\n",
	     "int ask_it(struct ask *a)\n{\n\tint ret;\n\n\tret = gadget_query(a->g);\n\tif (ret)\n\t\treturn ret;\n"
	     "\ta->n = 1;\nout:\n\treturn ret;\n}\n");
	both("drivers/a/hold.c",
	     "int hold_it(struct gadget *g)\n{\n\tint ret;\n\n\tgadget_hold(g);\n"
	     "\tret = gadget_read(g);\n\tgadget_unhold(g);\n\treturn ret;\n}\n",
	     "int hold_it(struct gadget *g)\n{\n\tint ret;\n\n\tret = gadget_read(g);\n"
	     "\tgadget_hold_guard(g);\n\treturn ret;\n}\n");
	both("drivers/a/xfer.c",
	     "int xfer_in(struct gadget *g, void *b)\n{\n\treturn gadget_xfer(g, FROM_DEVICE, b);\n}\n",
	     "int xfer_in(struct gadget *g, void *b)\n{\n\treturn gadget_transfer(g, OP_IN, b);\n}\n");
}

static int set_up(void **state)
{
	struct strvec dirs = STRVEC_INIT;
	char *cache, *db;

	if (scratch_make(state) < 0)
		return -1;
	cache = path_join(scratch, "cache");
	db = path_join(scratch, "examples.db");
	setenv("KPORT_CACHE_HOME", cache, 1);
	make_kernel("old", old_header, &k_old, &ix_old);
	make_kernel("new", new_header, &k_new, &ix_new);
	drivers();
	strvec_push(&dirs, "drivers");
	assert_ok(examples_mine(k_old.source_dir, k_new.source_dir, &dirs, db, NULL, NULL, &err));
	assert_ok(examples_open(db, &examples, &err));
	strvec_release(&dirs);
	free(cache);
	free(db);
	return 0;
}

static int tear_down(void **state)
{
	struct kernel *k[] = { &k_old, &k_new };

	edit_group_list_release(&list);
	tree_unref(tree);
	examples_close(examples);
	api_index_close(ix_old);
	api_index_close(ix_new);
	strvec_release(&exclude);
	for (size_t i = 0; i < 2; i++) {
		free(k[i]->name);
		free(k[i]->common_dir);
		free(k[i]->build_dir);
		free(k[i]->source_dir);
	}
	return scratch_remove(state);
}

static void propose(const char *symbol, const char *text)
{
	/* What both kernels have takes other arguments now. */
	struct breakage b = { .diag = { .kind = api_lookup(ix_new, symbol, API_ANY_CALLABLE) ?
							DIAG_TOO_FEW_ARGS : DIAG_IMPLICIT_FUNCTION,
					.symbol = (char *)symbol },
			      .path = (char *)"my.c" };
	struct breakage_list all = { .b = &b, .n = 1 };
	struct propose_ctx c = { .from = &k_old, .to = &k_new, .old_ix = ix_old, .new_ix = ix_new,
				 .b = &b, .all = &all, .examples = examples, .exclude = &exclude };
	char *dir = path_join(scratch, "driver");
	const char *at = strstr(text, symbol);

	edit_group_list_release(&list);
	tree_unref(tree);
	tree = NULL;
	put("driver", "my.c", text);
	assert_ok(tree_read(dir, &tree, &err));
	c.tree = tree;
	assert_non_null(at);
	b.start = (size_t)(at - text);
	b.end = b.start + strlen(symbol);
	assert_ok(propose_group.propose(&c, &list, &err));
	free(dir);
}

static void gives(const char *symbol, const char *text, const char *want, enum risk risk)
{
	struct tree *after;

	propose(symbol, text);
	assert_true(list.n > 0);
	after = tree_apply(tree, list.g[0], &err);
	if (!after)
		print_message("# %s\n", err.buf);
	assert_non_null(after);
	assert_string_equal(after->files[0]->text, want);
	assert_int_equal(list.g[0]->risk, risk);
	tree_unref(after);
}

static void refused(const char *symbol, const char *text)
{
	propose(symbol, text);
	for (size_t i = 0; i < list.n; i++)
		print_message("# %s: %s\n", list.g[i]->title, list.g[i]->why);
	assert_int_equal(list.n, 0);
}

/* Call, check and returned error change together; three drivers did the same. */
static void value_and_checks(void **state)
{
	gives("gadget_init",
	      "int my_probe(struct my *m)\n{\n\tm->priv->timer = gadget_init(0x10, m->flags);\n"
	      "\tif (!m->priv->timer)\n\t\treturn -ENOMEM;\n\treturn gadget_read(m->priv->timer);\n}\n",
	      "int my_probe(struct my *m)\n{\n\tm->priv->timer = gadget_alloc(0x10, m->flags);\n"
	      "\tif (IS_ERR(m->priv->timer))\n\t\treturn PTR_ERR(m->priv->timer);\n"
	      "\treturn gadget_read(m->priv->timer);\n}\n", RISK_SAFE);
	assert_non_null(strstr(list.g[0]->why, "3 drivers"));
}

/* The check is not there in the form that the others had: not even the call is changed. */
static void half_is_refused(void **state)
{
	refused("gadget_init",
		"int my_probe(struct my *m)\n{\n\tm->g = gadget_init(1, 2);\n\tif (m->g == 0)\n"
		"\t\treturn -ENOMEM;\n\treturn 0;\n}\n");
}

static void own_version_is_not_used(void **state)
{
	const char text[] = "int my_probe(struct my *m)\n{\n\tm->g = gadget_init(1, 2);\n\tif (!m->g)\n"
			    "\t\treturn -ENOMEM;\n\treturn 0;\n}\n";

	strvec_push(&exclude, "drivers/a/one.c");
	propose("gadget_init", text);
	assert_int_equal(list.n, 1);
	assert_null(strstr(list.g[0]->why, "one.c"));
	assert_int_equal(list.g[0]->risk, RISK_REVIEW);
	strvec_push(&exclude, "drivers/a/two.c");
	strvec_push(&exclude, "drivers/b/three.c");
	propose("gadget_init", text);
	assert_int_equal(list.n, 0);
	strvec_clear(&exclude);
}

/* Lock, unlock, the label and every jump to it. */
static void paired_edits(void **state)
{
	gives("gadget_lock",
	      "int my_show(struct my *m, int a)\n{\n\tint err;\n\n\tgadget_lock(m->g);\n"
	      "\terr = gadget_read(m->g);\n\tif (err)\n\t\tgoto done;\n\tif (a)\n\t\tgoto done;\n"
	      "\tm->n = a;\ndone:\n\tgadget_unlock(m->g);\n\treturn err;\n}\n",
	      "int my_show(struct my *m, int a)\n{\n\tint err;\n\n\tgadget_auto_lock(m->g);\n"
	      "\terr = gadget_read(m->g);\n\tif (err)\n\t\treturn err;\n\tif (a)\n\t\treturn err;\n"
	      "\tm->n = a;\n\treturn err;\n}\n", RISK_REVIEW);
}

/* What was assigned is an argument now: the assignment goes along, or nothing is done. */
static void value_that_moved(void **state)
{
	gives("gadget_prepare",
	      "int my_init(struct my *m)\n{\n\tgadget_prepare(&m->g, 3);\n\tm->g.hook = &my_hook;\n\treturn 0;\n}\n",
	      "int my_init(struct my *m)\n{\n\tgadget_setup(&m->g, &my_hook, 3);\n\treturn 0;\n}\n", RISK_SAFE);
	refused("gadget_prepare",
		"int my_init(struct my *m)\n{\n\tgadget_prepare(&m->g, 3);\n\treturn 0;\n}\n");
}

/* It jumps to an unlock here; there was nothing at the label there but the return. */
static void jump_to_more(void **state)
{
	refused("gadget_ask", "int my_ask(struct my *m)\n{\n\tint ret;\n\n\tmutex_lock(m->l);\n\tret = gadget_ask(m->g);\n"
			      "\tif (ret)\n\t\tgoto out;\n\tm->n = 1;\nout:\n\tmutex_unlock(m->l);\n\treturn ret;\n}\n");
}

/* The other driver returned at once what it kept in a local: no other assignment becomes a return. */
static void assignments_stay(void **state)
{
	refused("gadget_start", "int my_start(struct gadget *g)\n{\n\tint rc;\n\n\trc = gadget_start(g);\n"
				"\tif (rc)\n\t\trc = g->n;\n\trc = gadget_read(g);\n\treturn rc;\n}\n");
}

/* The lock is another one by now: its unlock stays. */
static void unlock_alone(void **state)
{
	refused("gadget_unlock",
		"int my_show(struct my *m)\n{\n\tint err;\n\n\tmutex_lock(m->l);\n\terr = gadget_read(m->g);\n"
		"\tgadget_unlock(m->g);\n\treturn err;\n}\n");
}

/* A return that only the label led to goes with it. */
static void label_with_its_return(void **state)
{
	gives("gadget_lock",
	      "int my_show(struct my *m)\n{\n\tint err;\n\n\tgadget_lock(m->g);\n\terr = gadget_read(m->g);\n"
	      "\tif (err)\n\t\tgoto done;\n\tgadget_unlock(m->g);\n\treturn 7;\ndone:\n"
	      "\tgadget_unlock(m->g);\n\treturn err;\n}\n",
	      "int my_show(struct my *m)\n{\n\tint err;\n\n\tgadget_auto_lock(m->g);\n\terr = gadget_read(m->g);\n"
	      "\tif (err)\n\t\treturn err;\n\treturn 7;\n}\n", RISK_REVIEW);
}

/* What the call's value was looked at for goes with it, never the call alone. */
static void value_that_is_gone(void **state)
{
	gives("gadget_claim",
	      "int my_read(struct my *m, int *val)\n{\n\tint rc;\n\n\trc = gadget_claim(m->g);\n\tif (rc)\n"
	      "\t\treturn rc;\n\trc = gadget_read(m->g);\n\tgadget_drop(m->g);\n\t*val = 1;\n"
	      "\treturn rc;\n}\n",
	      "int my_read(struct my *m, int *val)\n{\n\tint rc;\n\n\tif (!gadget_take(m->g))\n"
	      "\t\treturn -EBUSY;\n\trc = gadget_read(m->g);\n\tgadget_give(m->g);\n\t*val = 1;\n"
	      "\treturn rc;\n}\n", RISK_REVIEW);
	/* The check leaves in another way: the last return is not the check's. */
	refused("gadget_claim",
		"int my_read(struct my *m)\n{\n\tint rc;\n\n\tdo {\n\t\trc = gadget_claim(m->g);\n\t\tif (rc)\n"
		"\t\t\tbreak;\n\t\trc = gadget_read(m->g);\n\t\tgadget_drop(m->g);\n\t} while (0);\n"
		"\treturn rc;\n}\n");
	refused("gadget_claim",
		"int my_read(struct my *m)\n{\n\tint rc;\n\n\trc = gadget_claim(m->g);\n\tif (rc < 0)\n"
		"\t\treturn rc;\n\trc = gadget_read(m->g);\n\tgadget_drop(m->g);\n\treturn rc;\n}\n");
}

/* A new local, an argument, and the calls whose values it takes over. */
static void new_local(void **state)
{
	gives("disk_alloc",
	      "int my_probe(struct my *m)\n{\n\tint n = 3;\n\n\tm->d = disk_alloc(&m->set);\n"
	      "\tm->n = n;\n\tdisk_max_segs(m->d, n);\n\tdisk_max_size(m->d, 4096 * n);\n\treturn 0;\n}\n",
	      "int my_probe(struct my *m)\n{\n\tint n = 3;\n\tstruct disk_limits lim = {\n"
	      "\t\t.max_segs = n,\n\t\t.max_size = 4096 * n,\n\t};\n\n\tm->d = disk_alloc(&m->set, &lim);\n"
	      "\tm->n = n;\n\treturn 0;\n}\n", RISK_REVIEW);
	/* A value that comes from a call that is not made here is not copied. */
	gives("disk_alloc",
	      "int my_probe(struct my *m)\n{\n\tint n = 3;\n\n\tm->d = disk_alloc(&m->set);\n"
	      "\tdisk_max_segs(m->d, n);\n\treturn 0;\n}\n",
	      "int my_probe(struct my *m)\n{\n\tint n = 3;\n\tstruct disk_limits lim = {\n"
	      "\t\t.max_segs = n,\n\t};\n\n\tm->d = disk_alloc(&m->set, &lim);\n\treturn 0;\n}\n",
	      RISK_REVIEW);
}

/* A constant that became another one is that driver's choice. */
static void choices_stay(void **state)
{
	refused("gadget_xfer", "int my_xfer(struct gadget *g, int dir, void *b)\n{\n"
			       "\treturn gadget_xfer(g, dir, b);\n}\n");
	refused("gadget_xfer", "int my_xfer(struct gadget *g, void *b)\n{\n"
			       "\treturn gadget_xfer(g, TO_DEVICE, b);\n}\n");
	propose("gadget_xfer", "int my_xfer(struct gadget *g, void *b)\n{\n"
			       "\treturn gadget_xfer(g, FROM_DEVICE, b);\n}\n");
	assert_int_equal(list.n, 1);
}

/* What one member became is not what an expression of the driver's own becomes. */
static void other_object(void **state)
{
	refused("gadget_block", "int my_fill(struct super *s)\n{\n"
				"\treturn gadget_block(my_info(s)->disk, 512);\n}\n");
	propose("gadget_block", "int my_fill(struct super *p)\n{\n\treturn gadget_block(p->dev, 4096);\n}\n");
	assert_int_equal(list.n, 1);
}

/* Both functions, and the one with the other half of the pair, change together or not at all. */
static void functions_of_a_file(void **state)
{
	gives("gadget_claim",
	      "int my_read(struct my *m)\n{\n\tint rc;\n\n\trc = gadget_claim(m->g);\n\tif (rc)\n"
	      "\t\treturn rc;\n\trc = gadget_read(m->g);\n\tgadget_drop(m->g);\n\treturn rc;\n}\n\n"
	      "int your_read(struct your *y)\n{\n\tint ret;\n\n\tret = gadget_claim(y->g);\n\tif (ret)\n"
	      "\t\treturn ret;\n\tret = gadget_read(y->g);\n\tgadget_drop(y->g);\n\treturn ret;\n}\n",
	      "int my_read(struct my *m)\n{\n\tint rc;\n\n\tif (!gadget_take(m->g))\n"
	      "\t\treturn -EBUSY;\n\trc = gadget_read(m->g);\n\tgadget_give(m->g);\n\treturn rc;\n}\n\n"
	      "int your_read(struct your *y)\n{\n\tint ret;\n\n\tif (!gadget_take(y->g))\n"
	      "\t\treturn -EBUSY;\n\tret = gadget_read(y->g);\n\tgadget_give(y->g);\n\treturn ret;\n}\n",
	      RISK_REVIEW);
	gives("gadget_open",
	      "int my_probe(struct my *m)\n{\n\treturn gadget_open(m->g);\n}\n\n"
	      "void my_remove(struct my *m)\n{\n\tgadget_close(m->g);\n}\n",
	      "int my_probe(struct my *m)\n{\n\treturn gadget_get(m->g);\n}\n\n"
	      "void my_remove(struct my *m)\n{\n\tgadget_put(m->g);\n}\n", RISK_REVIEW);
	assert_non_null(strstr(list.g[0]->why, "2 functions"));
}

/* A table that is new, and the helper that it names, come along in this driver's words. */
static void new_table(void **state)
{
	gives("gadget_attach",
	      "#include <linux/gadget.h>\nstatic int my_read(struct gadget *x)\n{\n\treturn 1;\n}\n\n"
	      "int my_probe(struct my *m)\n{\n\treturn gadget_attach(m->g, my_read);\n}\n",
	      "#include <linux/gadget.h>\nstatic int my_read(struct gadget *x)\n{\n\treturn 1;\n}\n\n"
	      "static void my_stop(struct gadget *g)\n{\n\tint n = gadget_read(g);\n\n\tg->n = n;\n}\n\n"
	      "static const struct gadget_ops my_gadget_ops = {\n\t.read = my_read,\n\t.stop = my_stop,\n};\n\n"
	      "int my_probe(struct my *m)\n{\n\treturn gadget_connect(m->g, &my_gadget_ops);\n}\n", RISK_REVIEW);
	/* The name is taken. */
	refused("gadget_attach",
		"#include <linux/gadget.h>\nstatic int my_gadget_ops;\nint my_probe(struct my *m)\n{\n"
		"\treturn gadget_attach(m->g, my_read);\n}\n");
}

/* A member that the other driver's structure got, and the statement that fills it. */
static void new_member(void **state)
{
	gives("gadget_plug",
	      "struct my {\n\tstruct gadget *g;\n\tint id;\n};\n\n"
	      "int my_probe(struct my *m)\n{\n\tm->id = gadget_plug(m->g);\n\treturn 0;\n}\n",
	      "struct my {\n\tstruct gadget *g;\n\tstruct gadget_ops *slot;\n};\n\n"
	      "int my_probe(struct my *m)\n{\n\tm->slot = gadget_plug_ops(m->g);\n\treturn 0;\n}\n", RISK_REVIEW);
	/* What it came for is used elsewhere. */
	refused("gadget_plug", "struct my {\n\tstruct gadget *g;\n\tint id;\n};\n\n"
			       "int my_probe(struct my *m)\n{\n\tm->id = gadget_plug(m->g);\n\treturn 0;\n}\n\n"
			       "int my_id(struct my *m)\n{\n\treturn m->id;\n}\n");
	/* It has one of that name. */
	refused("gadget_plug", "struct my {\n\tstruct gadget *g;\n\tint slot;\n};\n\n"
			       "int my_probe(struct my *m)\n{\n\tm->slot = gadget_plug(m->g);\n\treturn 0;\n}\n");
}

/* A flag that three drivers wanted, all alike, is for a person; an error code is not (value_and_checks). */
static void chosen_flag(void **state)
{
	propose("gadget_mark", "int my_mark(struct gadget *g)\n{\n\treturn gadget_mark(g);\n}\n");
	assert_int_equal(list.n, 1);
	assert_int_equal(list.g[0]->risk, RISK_REVIEW);
}

/* Drivers that did the same with another constant. */
static void disagreement(void **state)
{
	propose("gadget_tune", "int my_tune(struct gadget *g)\n{\n\treturn gadget_tune(g);\n}\n");
	assert_int_equal(list.n, 2);
	assert_int_equal(list.g[0]->risk, RISK_SHOWN);
	assert_int_equal(list.g[1]->risk, RISK_SHOWN);
}

/* What ends with its scope begins where the first place was, not where the last one was. */
static void scope_begins_first(void **state)
{
	refused("gadget_hold", "int my_hold(struct gadget *g)\n{\n\tint ret;\n\n\tgadget_hold(g);\n"
			       "\tret = gadget_read(g);\n\tgadget_unhold(g);\n\treturn ret;\n}\n");
}

static void same_again(void **state)
{
	const char text[] = "int my_show(struct my *m)\n{\n\tint err;\n\n\tgadget_lock(m->g);\n"
			    "\terr = gadget_read(m->g);\n\tgadget_unlock(m->g);\n\treturn err;\n}\n";
	struct edit_group_list first;

	propose("gadget_lock", text);
	first = list;
	memset(&list, 0, sizeof(list));
	propose("gadget_lock", text);
	assert_int_equal(first.n, list.n);
	for (size_t i = 0; i < list.n; i++) {
		assert_true(edit_groups_equal(first.g[i], list.g[i]));
		assert_string_equal(first.g[i]->why, list.g[i]->why);
	}
	edit_group_list_release(&first);
}

static void files_of_a_group(void **state)
{
	char *path;

	path = examples_new_path(examples, "drivers/a/lock.c");
	assert_string_equal(path, "drivers/a/lock.c");
	free(path);
	assert_null(examples_new_path(examples, "drivers/a/none.c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_and_checks),  cmocka_unit_test(half_is_refused),
		cmocka_unit_test(own_version_is_not_used), cmocka_unit_test(paired_edits),
		cmocka_unit_test(label_with_its_return), cmocka_unit_test(unlock_alone), cmocka_unit_test(jump_to_more), cmocka_unit_test(value_that_moved),
		cmocka_unit_test(assignments_stay),
		cmocka_unit_test(value_that_is_gone), cmocka_unit_test(new_local),
		cmocka_unit_test(choices_stay),	     cmocka_unit_test(same_again),
		cmocka_unit_test(files_of_a_group),  cmocka_unit_test(other_object),
		cmocka_unit_test(files_of_a_group),  cmocka_unit_test(functions_of_a_file),
		cmocka_unit_test(disagreement),	     cmocka_unit_test(new_table), cmocka_unit_test(chosen_flag),
		cmocka_unit_test(new_member),	     cmocka_unit_test(scope_begins_first),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
