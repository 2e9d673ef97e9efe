/**
 * struct frob - one frob,
 *	on two lines
 * @a: x
 */
struct frob {
	int a, *b, c[4][N + 1];
	unsigned int bit:1, more : 3;
	unsigned int :0;
	const struct frob_ops *ops;
	int (*probe)(struct frob *f, const void *id);
	void (*handlers[4])(int);
	struct list_head __rcu *head ____cacheline_aligned;
	struct {
		u32 lo, hi;
		union {
			u8 x;
			struct { u16 y; } deep;
		};
	} regs;
	union {
		int anon1;
		long anon2;
	};
	struct frob_inner {
		int i;
	} inner, *pinner;
	enum frob_state { FROB_OFF, FROB_ON = 4, } state;
#ifdef CONFIG_ABSENT
	int absent;
#endif
#if IS_ENABLED(CONFIG_USB)
	struct usb_device *udev;
#endif
	DECLARE_BITMAP(features, FROB_MAX);
	struct_group(headers,
		u8 h1;
		u16 h2;
	);
	struct_group_tagged(frob_addr, addrs,
		u8 src[6];
		u8 dst[6];
	)
	DECLARE_FLEX_ARRAY(u8, tail);
	FROB_COMMON;
	struct hlist_node node;
	struct device dev __aligned(8);
	char name[];
} __packed;

#define FROB_BASE {		\
	int base1;		\
	void (*base2)(void);	\
}
struct frob_alg {
	union {
		struct FROB_BASE;
		struct frob_base b;
	};
	u8 flag;
};
struct frob_forward;
union frob_u { int i; float f; };
typedef struct { int v; } frob_t;
typedef struct frob_tagged { int w; } frob_tagged_t, *frob_tagged_p;
typedef int (*frob_fn)(struct frob *f, int x);
typedef irqreturn_t frob_irq_fn(int irq, void *dev);
typedef unsigned int __bitwise frob_flags_t;
typedef u8 frob_mac[6];
enum frob_kind {
	FROB_A,
	FROB_B = 1 << 3,
#ifdef CONFIG_ABSENT
	FROB_ABSENT,
#endif
	FROB_C = FROB_B | (FROB_A + 2),
	/* private */
	FROB_LAST
};
enum { ANON_A = 1, ANON_B };
typedef enum { TD_A, TD_B } frob_enum_t;
struct frob_var { int z; } frob_instance;
struct empty { };
#define FROB_COMMON_LIST \
	u8 common_a; \
	u16 common_b;
#define DECLARE_FROB_SIZE(name) size_t size_##name
struct frob_generated {
	FROB_COMMON_LIST struct frob_addr own;
	FROB_COMMON_LIST
	DECLARE_FROB_SIZE(frob_inner);
	int after;
};
