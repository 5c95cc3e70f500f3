/* tfr/sandbox.c - limits the program to computing while it reads the file.
 *
 * A seccomp filter allows reading the file and the socket, writing to the socket, memory that is
 * not executable, the clock and exit.  Every other call fails with EPERM; a call of another
 * architecture ends the program.  TSYNC applies the filter to threads that a plugin has started. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "read_hdf5.h"

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__) && !defined(__ILP32__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* For libraries, stacks and libhdf5's metadata; memory for values is added. */
static const uint64_t base_memory = (uint64_t)1 << 30;

static void limit_resource(int resource, uint64_t value)
{
	struct rlimit now;

	if (getrlimit((__rlimit_resource_t)resource, &now))
		return;
	if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max)
		value = now.rlim_max;
	now.rlim_cur = (rlim_t)value;
	setrlimit((__rlimit_resource_t)resource, &now);
}

/* A chunk is in memory packed and unpacked while a filter doubles its buffer; four times --memory
 * is enough for that.  tfr raises the limit for large rows, and limits the time.  The sanitizers
 * reserve terabytes of address space, so memory is not limited under them. */
void sandbox_limit(uint64_t memory)
{
#ifndef SANITIZED
	uint64_t most = memory < (uint64_t)1 << 60 ? base_memory + 4 * memory : UINT64_MAX / 2;

	limit_resource(RLIMIT_AS, most < (rlim_t)-1 ? most : (rlim_t)-1);
#else
	(void)memory;
	(void)base_memory;
#endif
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* the program must not outlive tfr */
	limit_resource(RLIMIT_CORE, 0);
	limit_resource(RLIMIT_FSIZE, 0);
	limit_resource(RLIMIT_NOFILE, 0);
}

#ifdef ARCHITECTURE

#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define IF(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define IF_BITS(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, then, otherwise)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)

/* The low words of arguments: numbers are little-endian on all systems that tfr supports. */
#define ALLOW(call) IF(call, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define ALLOW_ON(call, fd)                                                                         \
	IF(call, 0, 4), LOAD(args[0]), IF(fd, 0, 1), ANSWER(SECCOMP_RET_ALLOW), REFUSE
#define ALLOW_DATA(call)                                                                           \
	IF(call, 0, 4), LOAD(args[2]), IF_BITS(PROT_EXEC, 1, 0), ANSWER(SECCOMP_RET_ALLOW), REFUSE
/* Anonymous memory. */
#define ALLOW_MAP(call)                                                                            \
	IF(call, 0, 6), LOAD(args[2]), IF_BITS(PROT_EXEC, 3, 0), LOAD(args[3]),                    \
		IF_BITS(MAP_ANONYMOUS, 0, 1), ANSWER(SECCOMP_RET_ALLOW), REFUSE

static const struct sock_filter filter[] = {
	LOAD(arch),
	IF(ARCHITECTURE, 1, 0),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	ALLOW_ON(SYS_pread64, TFR_HDF5_FILE),
	ALLOW_ON(SYS_read, TFR_HDF5_SOCKET),
	ALLOW_ON(SYS_write, TFR_HDF5_SOCKET),
#ifdef SYS_mmap2
	ALLOW_MAP(SYS_mmap2),
#else
	ALLOW_MAP(SYS_mmap),
#endif
	ALLOW_DATA(SYS_mprotect),
	ALLOW(SYS_munmap),
	ALLOW(SYS_mremap),
	ALLOW(SYS_madvise),
	ALLOW(SYS_brk),
	ALLOW(SYS_futex),
	ALLOW(SYS_clock_gettime),
#ifdef SYS_clock_gettime64
	ALLOW(SYS_clock_gettime64),
#endif
	ALLOW(SYS_gettimeofday),
	ALLOW(SYS_rt_sigreturn),
	ALLOW(SYS_restart_syscall),
	ALLOW(SYS_exit),
	ALLOW(SYS_exit_group),
	REFUSE,
};

int sandbox_enter(void)
{
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter),
		.filter = (struct sock_filter *)filter };

	long status;

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return errno;
	status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	return status < 0 ? errno : status > 0 ? ESRCH : 0; /* above 0: a thread that refuses it */
}

#else

int sandbox_enter(void)
{
	return ENOSYS;
}

#endif
