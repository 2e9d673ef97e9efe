#define FROB_MAX	16	/* comment */
#define FROB_EXPR	(FROB_MAX \
				+ 1)
#define FROB_EMPTY
#define frob_old_name	frob_new_name
#define frob_self frob_self
#define frob_call(a, b)		frob_do(a, b)
#define frob_call_paren(a, b)	(frob_do((a), (b)))
#define frob_call_extra(a)	frob_do(a, NULL)
#define frob_alloc(...)		alloc_hooks(frob_alloc_noprof(__VA_ARGS__))
#define frob_fmt(fmt, args...)	frob_print(fmt, ##args)
#define frob_stmt(x) do { \
	if (x)	\
		frob(x); \
} while (0)
#define frob_none()	frob_nothing()
#define frob_str(x)	#x
#define frob_noarg (x)
#ifndef frob_default
#define frob_default(x) generic_frob(x)
#endif
#define TESTFLAG(uname, lname) \
static __always_inline int Frob##uname(struct frob *f) { return test_bit(FR_##lname, &f->flags); }
#define SETFLAG(uname, lname) \
static __always_inline void SetFrob##uname(struct frob *f) { set_bit(FR_##lname, &f->flags); }
#define FROBFLAG(uname, lname) TESTFLAG(uname, lname) \
	SETFLAG(uname, lname)
FROBFLAG(Dirty, dirty) TESTFLAG(Busy, busy)
	SETFLAG(Busy, busy)
#define __MAKE(size) u##size u##size##_swap(u##size v);
__MAKE(16)
__MAKE(32)
#undef __MAKE
int frob_after(void);
#define UNBALANCED(x) {
#define	frob_tab	0x10UL
