static const struct ops o = { .a = f, .b.c[1] = (x){ 1, }, [2] = { .d }, e: g, };
int (*h)(int) = 0, *p, q[3];
typedef int t;
