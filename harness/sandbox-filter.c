// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/sandbox-filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"

/*
 * Calls that are younger than what was judged here are not there: libraries and tools fall back
 * on older ones. Numbers are the same on all architectures from 424 on, but for those below.
 */
#define FIRST_UNJUDGED 451
#if defined(__alpha__) || defined(__mips__) || defined(__ia64__)
#define COMMON_NUMBERS false
#else
#define COMMON_NUMBERS true
#endif

#if defined(__s390__) || defined(__CRIS__)
#define CLONE_FLAGS_ARG 1
#else
#define CLONE_FLAGS_ARG 0
#endif

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80 /* not of clone(): there the bits are a signal */
#endif

/* With EPERM, as without a privilege: what changes the machine or looks into other processes. */
static const char *const forbidden[] = {
	/* what is mounted where */
	"mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen",
	"fsconfig", "fsmount", "fspick", "mount_setattr", "setns", "open_by_handle_at",
	/* other processes */
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
	"move_pages", "migrate_pages",
	/* the kernel itself */
	"bpf", "perf_event_open", "init_module", "finit_module", "delete_module", "create_module",
	"query_module", "get_kernel_syms", "kexec_load", "kexec_file_load", "reboot", "syslog",
	"lookup_dcookie", "fanotify_init", "nfsservctl", "acct", "_sysctl", "uselib",
	/* devices and ports */
	"iopl", "ioperm", "swapon", "swapoff", "quotactl", "quotactl_fd", "vhangup", "vm86",
	"vm86old", "modify_ldt", "pciconfig_read", "pciconfig_write", "pciconfig_iobase",
	"s390_pci_mmio_read", "s390_pci_mmio_write", "rtas",
	/* keys belong to the user, not to a namespace */
	"add_key", "request_key", "keyctl",
	/* names and time of the machine */
	"sethostname", "setdomainname", "settimeofday", "stime", "clock_settime", "clock_settime64",
	"adjtimex", "clock_adjtime", "clock_adjtime64",
};

/*
 * With ENOSYS, so that callers fall back: arguments that a filter cannot see because they are
 * in memory (clone3, openat2), interfaces whose holes have been many and that no build needs.
 */
static const char *const absent[] = { "clone3", "openat2", "io_uring_setup", "io_uring_enter",
				      "io_uring_register", "userfaultfd" };

static const unsigned long namespaces[] = { CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
					    CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET };

/* Typing into a terminal, and the line disciplines, whose modules are loaded on demand. */
static const unsigned long ioctls[] = { TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS };

/* Which argument is a mode, and which holds the flags that make it one (-1: it always is). */
static const struct mode_call {
	const char *name;
	int mode, flags;
	bool makes_node;
} mode_calls[] = {
	{ "chmod", 1, -1, false },   { "fchmod", 1, -1, false }, { "fchmodat", 2, -1, false },
	{ "creat", 1, -1, false },   { "open", 2, 1, false },	 { "openat", 3, 2, false },
	{ "mknod", 1, -1, true },    { "mknodat", 2, -1, true },
};

/* The number of a call; false where libseccomp or the architecture has none. */
static bool number_of(const char *name, int *number)
{
	*number = seccomp_syscall_resolve_name(name);
	return *number != __NR_SCMP_ERROR;
}

static int deny(scmp_filter_ctx f, int answer, const char *name, unsigned n, const struct scmp_arg_cmp *args)
{
	int number;

	if (!number_of(name, &number))
		return 0;
	return seccomp_rule_add_array(f, SCMP_ACT_ERRNO((uint32_t)answer), number, n, args);
}

static int deny_bits(scmp_filter_ctx f, int answer, const char *name, unsigned arg, uint64_t bits)
{
	struct scmp_arg_cmp a = SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, bits, bits);

	return deny(f, answer, name, 1, &a);
}

static int add_names(scmp_filter_ctx f)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forbidden) && !ret; i++)
		ret = deny(f, EPERM, forbidden[i], 0, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(absent) && !ret; i++)
		ret = deny(f, ENOSYS, absent[i], 0, NULL);
	return ret;
}

static int add_namespaces(scmp_filter_ctx f)
{
	int ret = deny_bits(f, EPERM, "unshare", 0, CLONE_NEWTIME);

	for (size_t i = 0; i < ARRAY_SIZE(namespaces) && !ret; i++) {
		ret = deny_bits(f, EPERM, "unshare", 0, namespaces[i]);
		if (!ret)
			ret = deny_bits(f, EPERM, "clone", CLONE_FLAGS_ARG, namespaces[i]);
	}
	return ret;
}

/* The kernel looks at the lower half of these arguments only. */
static int add_sockets_and_ioctls(scmp_filter_ctx f)
{
	/* Families are small numbers; what is above counts as a family as well. */
	struct scmp_arg_cmp below = SCMP_CMP64(0, SCMP_CMP_LT, AF_UNIX);
	struct scmp_arg_cmp above = SCMP_CMP64(0, SCMP_CMP_GT, AF_UNIX);
	int ret = deny(f, EAFNOSUPPORT, "socket", 1, &below);

	if (!ret)
		ret = deny(f, EAFNOSUPPORT, "socket", 1, &above);
	for (size_t i = 0; i < ARRAY_SIZE(ioctls) && !ret; i++) {
		struct scmp_arg_cmp a = SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xffffffff, ioctls[i]);

		ret = deny(f, EPERM, "ioctl", 1, &a);
	}
	return ret;
}

/* A file of a build belongs to the caller, who may be root: nobody else may run it as him. */
static int add_set_id(scmp_filter_ctx f, const struct mode_call *c)
{
	static const uint64_t bits[] = { S_ISUID, S_ISGID };
	static const uint64_t making[] = { O_CREAT, O_TMPFILE & ~O_DIRECTORY };
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bits) && !ret; i++) {
		struct scmp_arg_cmp a[2] = { SCMP_CMP64((unsigned)c->mode, SCMP_CMP_MASKED_EQ, bits[i], bits[i]) };

		if (c->flags < 0)
			ret = deny(f, EPERM, c->name, 1, a);
		for (size_t j = 0; j < ARRAY_SIZE(making) && c->flags >= 0 && !ret; j++) {
			a[1] = SCMP_CMP64((unsigned)c->flags, SCMP_CMP_MASKED_EQ, making[j], making[j]);
			ret = deny(f, EPERM, c->name, 2, a);
		}
	}
	return ret;
}

static int add_modes(scmp_filter_ctx f)
{
	static const uint64_t devices[] = { S_IFCHR, S_IFBLK };
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(mode_calls) && !ret; i++) {
		const struct mode_call *c = &mode_calls[i];

		ret = add_set_id(f, c);
		for (size_t j = 0; j < ARRAY_SIZE(devices) && c->makes_node && !ret; j++) {
			struct scmp_arg_cmp a = SCMP_CMP64((unsigned)c->mode, SCMP_CMP_MASKED_EQ, S_IFMT, devices[j]);

			ret = deny(f, EPERM, c->name, 1, &a);
		}
	}
	return ret;
}

/*
 * 32-bit programs run under the same rules: compilers that were built once and for all
 * are often 32-bit. Not x32, which nothing uses: its numbers are above FIRST_UNJUDGED.
 */
static int add_architectures(scmp_filter_ctx f)
{
	uint32_t second = 0;

	switch (seccomp_arch_native()) {
	case SCMP_ARCH_X86_64:
		second = SCMP_ARCH_X86;
		break;
	case SCMP_ARCH_AARCH64:
		second = SCMP_ARCH_ARM;
		break;
	case SCMP_ARCH_S390X:
		second = SCMP_ARCH_S390;
		break;
	case SCMP_ARCH_PPC64:
		second = SCMP_ARCH_PPC;
		break;
	}
	return second ? seccomp_arch_add(f, second) : 0;
}

/* In front of libseccomp's program: it cannot say "all numbers from here on". */
static int write_unjudged(int fd)
{
	const struct sock_filter head[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		/* Its own calls are far above the common ones. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_ARM, 3, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_UNJUDGED, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};

	if (!COMMON_NUMBERS)
		return 0;
	return write(fd, head, sizeof(head)) == sizeof(head) ? 0 : -errno;
}

static int make_program(int fd)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	int ret = f ? add_architectures(f) : -ENOMEM;

	/* Faster by a search tree where libseccomp can. */
	if (!ret)
		seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!ret)
		ret = add_names(f);
	if (!ret)
		ret = add_namespaces(f);
	if (!ret)
		ret = add_sockets_and_ioctls(f);
	if (!ret)
		ret = add_modes(f);
	if (!ret)
		ret = write_unjudged(fd);
	if (!ret)
		ret = seccomp_export_bpf(f, fd);
	if (f)
		seccomp_release(f);
	return ret;
}

static int program = -1; /* a file in memory, of the whole run */
static int failure;	 /* or why there is none: an errno */
static pthread_once_t program_once = PTHREAD_ONCE_INIT;

static void make_once(void)
{
	int fd = memfd_create("kport-filter", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ret = fd < 0 ? -errno : make_program(fd);

	if (!ret && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		ret = -errno;
	failure = -ret;
	if (!ret)
		program = fd;
	else if (fd >= 0)
		close(fd);
}

bool sandbox_filter_possible(void)
{
	/* Without filters EINVAL; with them the missing program is a bad address. */
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) < 0 && errno != EINVAL;
}

int sandbox_filter_open(struct strbuf *err)
{
	char path[64];
	int fd;

	if (!sandbox_filter_possible())
		return kp_fail(err, KP_NOTFOUND, "this kernel has no seccomp filters");
	pthread_once(&program_once, make_once);
	if (program < 0) {
		errno = failure;
		kp_fail_errno(err, "no filter of system calls can be made");
		return KP_INFRA;
	}
	/* Its own position in the file: bubblewraps of several threads read at once. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", program);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		kp_fail_errno(err, "the filter of system calls cannot be opened");
		return KP_INFRA;
	}
	return fd;
}
