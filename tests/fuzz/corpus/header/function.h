/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FIXTURE_FUNCTION_H
#define _FIXTURE_FUNCTION_H
#include <linux/types.h>
#ifdef CONFIG_ABSENT
#include "absent.h"
#endif

/**
 * frob_start - start a frob
 * @f: the frob
 *
 * Long text.
 */
extern int __must_check frob_start(struct frob *f, gfp_t flags);
void __printf(2, 3) frob_log(struct frob *, const char *fmt, ...);
asmlinkage __visible void frob_entry(void) __releases(lock) __attribute__((cold));
const char * const *frob_names(unsigned   long  long /* a
comment */ which, char buf [ 16 ], u8 __user *to);
void (*frob_handler(int sig, void (*fn)(int, void *)))(int, void *);
int frob_cb(struct frob *f, int (*cb)(struct frob *, void *), void *arg),
    frob_cb2(void);
unsigned long frob_old_style();
typeof(int) frob_typeof(typeof(u8) x);
int (frob_paren)(int a);
__bpf_kfunc struct frob *frob_kfunc(u32 id) __weak;

static inline int frob_old(struct frob *f, gfp_t flags)
{
	return frob_start(f, flags);	/* forwards */
}

static __always_inline void frob_void(struct frob *f) { frob_stop(f); }
static inline int frob_not_alias(struct frob *f, gfp_t flags)
{
	return frob_start(f, GFP_KERNEL);
}

static inline bool frob_swapped(int a, int b) { return frob_cmp(b, a); }
static inline struct frob *frob_get(struct frob *f)
{
#ifdef CONFIG_SMP
	if (f) {
#else
	if (!f) {
#endif
		get(f);
	}
	return f;
}
int frob_after(void);
#ifdef CONFIG_NET
int frob_net(struct frob *f);
#else
static inline int frob_net(struct frob *f) { return -ENOSYS; }
#endif
#if IS_ENABLED(CONFIG_ABSENT)
int frob_absent(void);
#elif defined(UNKNOWN) || defined(CONFIG_HZ)
int frob_elif(void);
#else
int frob_else(void);
#endif
extern struct frob_ops frob_default_ops;
extern const u8 frob_table[16], *frob_other;
extern int (*frob_hook)(struct frob *f);
DECLARE_PER_CPU(struct frob, frob_cpu);
#ifdef __ASSEMBLY__
.macro frob_asm
#endif
#if 0
int frob_dead(void);
#endif
int frob_split(int a,
#ifdef CONFIG_ABSENT
	       int b);
#else
	       long c);
#endif
ACPI_EXTERNAL_RETURN_STATUS(acpi_status acpi_frob(acpi_handle h))
EXPORT_SYMBOL(frob_start);
int frob_last(void);
#endif /* _FIXTURE_FUNCTION_H */
