int f(const char *a, ...) { L"x\"y"; '\''; a<<=1...; #x
}
// c \
 d
/* open