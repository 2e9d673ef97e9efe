#if LINUX_VERSION_CODE < KERNEL_VERSION(6,1,0) && defined(X)
a
#elif LINUX_VERSION_CODE
b
#else
c
#endif
MODULE_LICENSE("G")
static __printf(1,2) int g(int, ...) __must_hold(x) { return 0; }
