#ifdef A
int f(int a) {
#else
int f(void) {
#endif
}
#if 0
}}
#endif
struct s { int a, b[3]; DECLARE_BITMAP(m, 8); } __packed;
