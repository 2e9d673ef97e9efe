#ifdef __cplusplus
extern "C" {
#endif
int first(void);
DEFINE_THING(foo)
TRACE_EVENT(bar,
	TP_PROTO(int x, struct y *z),
	TP_ARGS(x, z)
);
int second(int a;
int third(void);
static_assert(sizeof(int) == 4, "x;y");
_Static_assert(1);
static const struct foo table[] = {
	{ .a = 1, .b = { 2, 3 } },
};
__diag_push();
SYSCALL_DEFINE1(frob, int, x)
{
	return x;
}
asm(".globl x");
struct broken {
	int ok;
	some junk here (;
	int also_ok;
};
int fourth(void) __attribute__((alias("first")));
#ifdef __cplusplus
}
#endif
#ifndef __KERNEL__
int user_space_only(void);
#else
int kernel_only(void);
#endif
int fifth(void)
