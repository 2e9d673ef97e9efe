// SPDX-License-Identifier: GPL-2.0-only
/* Calls and macros that hand a structure over: to user space, to a device, to memcpy(). */
#include "base/compat.h"
#include "checks/layout-uses.h"

#include "base/alloc.h"

/* Which argument holds the structure; -1: the one that the result is assigned to. */
static const struct {
	const char *name;
	enum use_kind kind;
	int arg;
} calls[] = {
	{ "copy_to_user", USE_ABI, 1 }, { "copy_from_user", USE_ABI, 0 },
	{ "__copy_to_user", USE_ABI, 1 }, { "__copy_from_user", USE_ABI, 0 },
	{ "_copy_to_user", USE_ABI, 1 }, { "_copy_from_user", USE_ABI, 0 },
	{ "__copy_to_user_inatomic", USE_ABI, 1 }, { "__copy_from_user_inatomic", USE_ABI, 0 },
	{ "copy_struct_from_user", USE_ABI, 0 }, { "copy_from_sockptr", USE_ABI, 0 },
	{ "copy_to_sockptr", USE_ABI, 1 }, { "copy_to_iter", USE_ABI, 0 }, { "copy_from_iter", USE_ABI, 0 },
	{ "copy_from_iter_full", USE_ABI, 0 }, { "simple_read_from_buffer", USE_ABI, 3 },
	{ "simple_write_to_buffer", USE_ABI, 0 }, { "memory_read_from_buffer", USE_ABI, 3 },
	{ "nla_put", USE_ABI, 3 }, { "nla_put_64bit", USE_ABI, 3 }, { "nla_memcpy", USE_ABI, 0 },
	{ "put_cmsg", USE_ABI, 4 }, { "memdup_user", USE_ABI, -1 }, { "vmemdup_user", USE_ABI, -1 },
	{ "memdup_sockptr", USE_ABI, -1 }, { "nla_data", USE_ABI, -1 }, { "nlmsg_data", USE_ABI, -1 },
	{ "genlmsg_data", USE_ABI, -1 }, { "vmalloc_user", USE_ABI, -1 },
	{ "dma_alloc_coherent", USE_DEVICE, -1 }, { "dmam_alloc_coherent", USE_DEVICE, -1 },
	{ "dma_alloc_attrs", USE_DEVICE, -1 }, { "dma_alloc_noncoherent", USE_DEVICE, -1 },
	{ "dma_pool_alloc", USE_DEVICE, -1 }, { "dma_pool_zalloc", USE_DEVICE, -1 },
	{ "ioremap", USE_DEVICE, -1 }, { "devm_ioremap", USE_DEVICE, -1 },
	{ "devm_ioremap_resource", USE_DEVICE, -1 }, { "pci_iomap", USE_DEVICE, -1 },
	{ "devm_platform_ioremap_resource", USE_DEVICE, -1 }, { "pci_ioremap_bar", USE_DEVICE, -1 },
	{ "memcpy_fromio", USE_DEVICE, 0 }, { "memcpy_toio", USE_DEVICE, 1 },
	{ "dma_map_single", USE_DEVICE, 1 }, { "usb_control_msg", USE_DEVICE, 6 },
	{ "usb_control_msg_send", USE_DEVICE, 6 }, { "usb_control_msg_recv", USE_DEVICE, 6 },
	{ "usb_bulk_msg", USE_DEVICE, 2 }, { "usb_fill_bulk_urb", USE_DEVICE, 3 },
	{ "usb_fill_int_urb", USE_DEVICE, 3 }, { "usb_fill_control_urb", USE_DEVICE, 4 }, { "hid_hw_raw_request", USE_DEVICE, 2 },
	{ "hid_hw_output_report", USE_DEVICE, 1 }, { "i2c_master_send", USE_DEVICE, 1 },
	{ "i2c_master_recv", USE_DEVICE, 1 }, { "spi_write", USE_DEVICE, 1 }, { "spi_read", USE_DEVICE, 1 },
	{ "skb_put_data", USE_WIRE, 1 }, { "skb_push", USE_WIRE, -1 }, { "skb_put", USE_WIRE, -1 },
	{ "skb_pull", USE_WIRE, -1 }, { "skb_copy_bits", USE_WIRE, 2 },
};

/* Arguments of a call, at most "most" of them. */
static unsigned arguments(const struct ctoks *ts, uint32_t open, struct cspan *arg, unsigned most)
{
	struct clist l = clist_open(ts, open);
	unsigned n = 0;

	while (n < most && clist_next(&l, &arg[n]))
		n++;
	return n;
}

static const struct dbg_struct *target(struct use_file *f, struct cspan a, struct expr_type *t)
{
	if (expr_eval(&f->s, a.first, a.end, t))
		return expr_target(f->g, t);
	*t = (struct expr_type){ .is_void = true };
	return NULL;
}

/* "x = f(...)", "struct foo *x = f(...)", "(struct foo *)f(...)": the structure behind x. */
static const struct dbg_struct *assigned(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;
	struct expr_type t;

	if (i && ctok_is(ts, i - 1, ")") && ts->t[i - 1].match != CTOK_NONE) {
		uint32_t open = ts->t[i - 1].match;

		if (expr_typename(&f->s, open + 1, i - 1, &t) && !t.is_void)
			return expr_target(f->g, &t);
		i = open;
	}
	if (i < 2 || !ctok_is(ts, i - 1, "="))
		return NULL;
	if (!expr_eval(&f->s, use_operand_start(ts, i - 2), i - 1, &t))
		return NULL;
	return expr_target(f->g, &t);
}

static void handed_over(struct use_file *f, uint32_t i, size_t k)
{
	const struct dbg_struct *st = NULL;
	struct cspan arg[8];
	struct expr_type t;
	unsigned n = arguments(f->ts, i + 1, arg, ARRAY_SIZE(arg));
	struct use *u;

	if (calls[k].arg < 0)
		st = assigned(f, i);
	else if ((unsigned)calls[k].arg < n)
		st = target(f, arg[calls[k].arg], &t);
	if (!st)
		return;
	u = use_add(f, calls[k].kind, st, i);
	u->what = xstrfmt("%s()", calls[k].name);
}

/* ---- ioctl numbers -------------------------------------------------------- */

/* _IOW, _IOR, _IOWR and macros that end so. */
static bool is_ioctl_macro(const struct ctoks *ts, uint32_t i)
{
	static const char *const ends[] = { "IOR", "IOW", "IOWR", "IOR_BAD", "IOW_BAD" };
	char *name = ctok_dup(ts, i);
	bool is = false;

	for (size_t k = 0; k < ARRAY_SIZE(ends) && !is; k++)
		is = ends_with(name, ends[k]) && (strlen(name) == strlen(ends[k]) ||
						  name[strlen(name) - strlen(ends[k]) - 1] == '_');
	free(name);
	return is;
}

static void ioctl_number(struct use_file *f, uint32_t i)
{
	struct cspan arg[4];
	unsigned n = arguments(f->ts, i + 1, arg, ARRAY_SIZE(arg));
	const struct dbg_struct *st;
	struct expr_type t;
	struct use *u;
	struct cspan a;

	if (n < 2)
		return;
	a = arg[n - 1];
	/* "sizeof(struct foo)" in an _IOC-like place, or the type itself. */
	if (ctok_is(f->ts, a.first, "sizeof") && ctok_is(f->ts, a.first + 1, "("))
		a = (struct cspan){ a.first + 2, f->ts->t[a.first + 1].match };
	if (!expr_typename(&f->s, a.first, a.end, &t)) {
		use_missing(f, a.first, a.end);
		return;
	}
	st = expr_target(f->g, &t);
	if (!st)
		return;
	u = use_add(f, USE_ABI, st, i);
	u->what = f->macro ? xstrfmt("ioctl %s", f->macro) : xstrdup("an ioctl number");
}

/* ---- user pointers -------------------------------------------------------- */

/* put_user(x->a, &u->b): the structure that the pointer looks into. */
static void single_value(struct use_file *f, uint32_t i)
{
	struct cspan arg[3];
	const struct ctoks *ts = f->ts;
	const struct dbg_struct *st;
	struct expr_type t;
	struct use *u;
	uint32_t last;

	if (arguments(ts, i + 1, arg, ARRAY_SIZE(arg)) < 2 || !ctok_is(ts, arg[1].first, "&"))
		return;
	for (last = arg[1].end - 1; last > arg[1].first; last--)
		if (ctok_is(ts, last, "->") || ctok_is(ts, last, "."))
			break;
	if (last <= arg[1].first + 1 || !expr_eval(&f->s, arg[1].first + 1, last, &t))
		return;
	st = expr_target(f->g, &t);
	if (!st)
		return;
	u = use_add(f, USE_ABI, st, i);
	u->what = ctok_dup(ts, i);
}

/* ---- memory --------------------------------------------------------------- */

static void memory_call(struct use_file *f, uint32_t i, bool set)
{
	struct cspan arg[4];
	struct expr_type a = { .is_void = true }, b = { .is_void = true };
	const struct dbg_struct *x, *y = NULL;
	struct use *u;
	int64_t n;

	if (arguments(f->ts, i + 1, arg, ARRAY_SIZE(arg)) < 3)
		return;
	x = target(f, arg[0], &a);
	if (!set)
		y = target(f, arg[1], &b);
	if (!x && !y)
		return;
	/* Between a structure and bytes: the bytes are read by somebody. */
	if (!set && (x ? !y && expr_is_bytes(&b) : expr_is_bytes(&a)) && !use_is_scratch(f, arg[x ? 1 : 0].end - 1)) {
		u = use_add(f, USE_WIRE, x ? x : y, i);
		u->what = xstrdup("a copy of bytes");
	}
	u = use_add(f, set ? USE_SET : USE_COPY, x ? x : y, i);
	u->other = x ? y : NULL;
	u->what = ctok_dup(f->ts, i);
	if (use_number(f, arg[2].first, arg[2].end, &n)) {
		u->number = n;
		u->flags |= USE_NUMBER;
	}
}

static void size_of(struct use_file *f, uint32_t i)
{
	uint32_t first = i + 2, end = f->ts->t[i + 1].match;
	const struct dbg_struct *st = NULL;
	struct expr_type t;

	if (end == CTOK_NONE)
		return;
	if (expr_typename(&f->s, first, end, &t) || expr_eval(&f->s, first, end, &t))
		st = expr_struct(f->g, &t);
	if (st)
		use_add(f, USE_SIZEOF, st, i);
}

void uses_of_call(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;

	if (ts->t[i + 1].match == CTOK_NONE)
		return;
	if (ctok_is(ts, i, "sizeof")) {
		size_of(f, i);
		return;
	}
	if (ctok_is(ts, i, "memcpy") || ctok_is(ts, i, "memmove") || ctok_is(ts, i, "memcmp") ||
	    ctok_is(ts, i, "__builtin_memcpy"))
		memory_call(f, i, false);
	else if (ctok_is(ts, i, "memset"))
		memory_call(f, i, true);
	else if (ctok_is(ts, i, "put_user") || ctok_is(ts, i, "get_user") || ctok_is(ts, i, "__put_user") ||
		 ctok_is(ts, i, "__get_user") || ctok_is(ts, i, "unsafe_put_user") ||
		 ctok_is(ts, i, "unsafe_get_user"))
		single_value(f, i);
	else if (is_ioctl_macro(ts, i))
		ioctl_number(f, i);
	for (size_t k = 0; k < ARRAY_SIZE(calls); k++)
		if (ctok_is(ts, i, calls[k].name))
			handed_over(f, i, k);
}
