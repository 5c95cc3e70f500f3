/* faults/shim.c - makes one call of libc fail, the n-th of its kind since main().
 *
 * FAULT_STATE names a file of FAULT_STATE_SIZE bytes, which is mapped: a uint64_t count of calls per function, in the order
 * of `functions` below, then 1 where the
 * fault was delivered, 2 where it was not for the sake of a library that does not check its allocations: json-c 0.16,
 * libarchive 3.6 and libhdf5 1.10 crash, libgcrypt 1.10 aborts.  FAULT is FUNCTION:N:KIND.  KIND is the name of an errno;
 * or `short`: half of the bytes; or `torn`: half of the bytes, and the next call on that descriptor fails; or
 * `end`: a read finds the end of the file; or `swap`: before the call, the file "other" gets the name in FAULT_SWAP.  Calls of all threads count; programs that
 * this one starts are not attacked.
 *
 * With FAULT_WHERE, the stack at the call is printed.
 *
 * Calls inside libc, such as those of stdio, do not pass here.  tests/faults/inside covers these. */
#include "interpose.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* tests/faults/run reads this list: one name per line. */
enum function {
	F_open,
	F_openat,
	F_read,
	F_pread,
	F_write,
	F_pwrite,
	F_writev,
	F_fsync,
	F_fdatasync,
	F_fstat,
	F_stat,
	F_rename,
	F_link,
	F_linkat,
	F_unlink,
	F_mkdir,
	F_ftruncate,
	F_fallocate,
	F_flock,
	F_close,
	F_opendir,
	F_readdir,
	F_mmap,
	F_malloc,
	F_calloc,
	F_realloc,
	F_aligned_alloc,
	F_posix_spawn,
	F_pthread_create,
	F_access,
	F_lseek,
	F_realpath,
	F_readlink,
	F_fopen,
	F_glob,
	F_scandir,
	FUNCTIONS
};

static const char *const functions[FUNCTIONS] = { "open", "openat", "read", "pread", "write", "pwrite",
	"writev", "fsync", "fdatasync", "fstat", "stat", "rename", "link", "linkat", "unlink", "mkdir",
	"ftruncate", "fallocate", "flock", "close", "opendir", "readdir", "mmap", "malloc", "calloc",
	"realloc", "aligned_alloc", "posix_spawn", "pthread_create", "access", "lseek", "realpath",
	"readlink", "fopen", "glob", "scandir" };

static const struct {
	const char *name;
	int value;
} errors[] = { { "EACCES", EACCES }, { "EAGAIN", EAGAIN }, { "EINTR", EINTR }, { "EIO", EIO },
	{ "EMFILE", EMFILE }, { "ENOLCK", ENOLCK }, { "ENOMEM", ENOMEM }, { "ENOSPC", ENOSPC },
	{ "ESTALE", ESTALE } };

enum { SHORT = -1, TORN = -2, END = -3, SWAP = -4 }; /* beside errno */

struct state {
	_Atomic uint64_t calls[FUNCTIONS];
	_Atomic uint64_t delivered;
};

static struct state *state;
static enum function target = FUNCTIONS;
static uint64_t target_call;
static int target_kind;
static _Atomic int torn = -1; /* the descriptor whose next call fails */
static _Thread_local int paused __attribute__((tls_model("initial-exec")));

static int kind_of(const char *word)
{
	if (!strcmp(word, "short"))
		return SHORT;
	if (!strcmp(word, "torn"))
		return TORN;
	if (!strcmp(word, "end"))
		return END;
	if (!strcmp(word, "swap"))
		return SWAP;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (!strcmp(word, errors[i].name))
			return errors[i].value;
	__builtin_trap();
}

/* "write:3:ENOSPC" */
static void parse(const char *fault)
{
	char name[32];
	char kind[16];
	unsigned long long n;
	int f = 0;

	if (sscanf(fault, "%31[a-z_]:%llu:%15[A-Za-z]", name, &n, kind) != 3)
		__builtin_trap();
	while (f < FUNCTIONS && strcmp(name, functions[f]))
		f++;
	if (f == FUNCTIONS)
		__builtin_trap();
	target = f;
	target_call = n;
	target_kind = kind_of(kind);
}

static void interpose_main(void)
{
	const char *path = getenv("FAULT_STATE"), *fault = getenv("FAULT");
	struct state *mapped;
	int fd;

	if (getenv("FAULT_MARK")) /* for tests/faults/inside: main() begins here */
		syscall(SYS_faccessat, AT_FDCWD, "/main-begins", F_OK);
	if (!path)
		return;
	fd = NEXT(open)(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		__builtin_trap();
	mapped = NEXT(mmap)(NULL, sizeof(*mapped), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	NEXT(close)(fd);
	if (mapped == MAP_FAILED)
		__builtin_trap();
	if (fault)
		parse(fault);
	unsetenv("FAULT_STATE"); /* a program that is started is not attacked */
	atomic_thread_fence(memory_order_seq_cst);
	state = mapped;
}

/* Prints the stack at the call that fails: OBJECT OFFSET, a line each.  backtrace() may allocate. */
static void say_where(void)
{
	void *frames[24];
	Dl_info info;
	int n;

	paused++;
	n = backtrace(frames, 24);
	for (int i = 2; i < n; i++)
		if (dladdr(frames[i], &info))
			dprintf(2, "at %s 0x%zx\n", info.dli_fname,
				(size_t)((char *)frames[i] - (char *)info.dli_fbase) - 1);
	paused--;
}

/* Whether a library calls that is known not to check its allocations. */
static bool excused(enum function f)
{
	static const char *const libraries[] = { "libjson-c.so", "libarchive.so", "libhdf5",
		"libgcrypt.so" };
	bool found = false;
	void *frames[24];
	Dl_info info;
	int n;

	if (f < F_malloc || f > F_aligned_alloc)
		return false;
	paused++;
	n = backtrace(frames, 24);
	for (int i = 2; i < n && !found; i++)
		for (size_t k = 0; k < sizeof(libraries) / sizeof(*libraries) && !found; k++)
			found = dladdr(frames[i], &info) && strstr(info.dli_fname, libraries[k]);
	paused--;
	return found;
}

/* What this call is to do: 0, go on; an errno; SHORT, TORN or END. */
static int fate(enum function f, int fd)
{
	uint64_t n;
	int held = fd;

	if (!state || interpose_finding || paused)
		return 0;
	n = atomic_fetch_add(&state->calls[f], 1) + 1;
	if (fd >= 0 && atomic_load(&torn) == fd && atomic_compare_exchange_strong(&torn, &held, -1))
		return f == F_read || f == F_pread ? EIO : ENOSPC;
	if (f != target || n != target_call || atomic_load(&state->delivered))
		return 0;
	atomic_store(&state->delivered, excused(f) ? 2 : 1);
	if (atomic_load(&state->delivered) == 2)
		return 0;
	if (target_kind == TORN)
		atomic_store(&torn, fd);
	if (getenv("FAULT_WHERE"))
		say_where();
	if (target_kind == SWAP && NEXT(rename)("other", getenv("FAULT_SWAP")))
		__builtin_trap();
	return target_kind == SWAP ? 0 : target_kind;
}

/* The size that a call is left with; -1: none of it is to be done. */
static ssize_t cut(int kind, size_t size)
{
	return kind == END ? -1 : (ssize_t)(size > 1 ? size / 2 : size);
}

#define FAIL_WITH(kind, result)                                                                    \
	do {                                                                                       \
		errno = (kind);                                                                    \
		return result;                                                                     \
	} while (0)

/* A function that either fails or is done. */
#define PLAIN(type, name, f, fd, bad, parameters, arguments)                                       \
	INTERPOSE type name parameters                                                             \
	{                                                                                          \
		int kind = fate(f, fd);                                                            \
		if (kind > 0)                                                                      \
			FAIL_WITH(kind, bad);                                                      \
		return NEXT(name) arguments;                                                       \
	}

/* ---- opening ---- */

#define OPEN(name)                                                                                 \
	INTERPOSE int name(const char *path, int flags, ...)                                       \
	{                                                                                          \
		int kind = fate(F_open, -1);                                                       \
		mode_t mode;                                                                       \
		va_list args;                                                                      \
		va_start(args, flags);                                                             \
		mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE                       \
			       ? va_arg(args, mode_t)                                              \
			       : 0;                                                                \
		va_end(args);                                                                      \
		if (kind > 0)                                                                      \
			FAIL_WITH(kind, -1);                                                       \
		return NEXT(name)(path, flags, mode);                                              \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
	INTERPOSE int name(int folder, const char *path, int flags, ...)                           \
	{                                                                                          \
		int kind = fate(F_openat, -1);                                                     \
		mode_t mode;                                                                       \
		va_list args;                                                                      \
		va_start(args, flags);                                                             \
		mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE                       \
			       ? va_arg(args, mode_t)                                              \
			       : 0;                                                                \
		va_end(args);                                                                      \
		if (kind > 0)                                                                      \
			FAIL_WITH(kind, -1);                                                       \
		return NEXT(name)(folder, path, flags, mode);                                      \
	}
OPENAT(openat)
OPENAT(openat64)

/* What _FORTIFY_SOURCE makes of calls without a mode. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
PLAIN(int, __open_2, F_open, -1, -1, (const char *path, int flags), (path, flags))
PLAIN(int, __open64_2, F_open, -1, -1, (const char *path, int flags), (path, flags))
PLAIN(int, __openat_2, F_openat, -1, -1, (int folder, const char *path, int flags), (folder, path, flags))
PLAIN(int, __openat64_2, F_openat, -1, -1, (int folder, const char *path, int flags), (folder, path, flags))

/* The descriptor is closed whatever close() says, as Linux does it. */
INTERPOSE int close(int fd)
{
	int kind = fate(F_close, -1), result = NEXT(close)(fd);

	if (kind > 0)
		FAIL_WITH(kind, -1);
	return result;
}

PLAIN(DIR *, opendir, F_opendir, -1, NULL, (const char *path), (path))
PLAIN(DIR *, fdopendir, F_opendir, -1, NULL, (int fd), (fd))
PLAIN(struct dirent *, readdir, F_readdir, -1, NULL, (DIR * dir), (dir))
PLAIN(struct dirent64 *, readdir64, F_readdir, -1, NULL, (DIR * dir), (dir))
PLAIN(int, access, F_access, -1, -1, (const char *path, int mode), (path, mode))
PLAIN(off_t, lseek, F_lseek, -1, -1, (int fd, off_t at, int whence), (fd, at, whence))
PLAIN(off64_t, lseek64, F_lseek, -1, -1, (int fd, off64_t at, int whence), (fd, at, whence))
PLAIN(char *, realpath, F_realpath, -1, NULL, (const char *path, char *real), (path, real))
PLAIN(ssize_t, readlink, F_readlink, -1, -1, (const char *path, char *link, size_t size), (path, link, size))
PLAIN(FILE *, fopen, F_fopen, -1, NULL, (const char *path, const char *mode), (path, mode))
PLAIN(FILE *, fopen64, F_fopen, -1, NULL, (const char *path, const char *mode), (path, mode))
PLAIN(int, glob, F_glob, -1, GLOB_ABORTED,
	(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *found),
	(pattern, flags, failed, found))
PLAIN(int, glob64, F_glob, -1, GLOB_ABORTED,
	(const char *pattern, int flags, int (*failed)(const char *, int), glob64_t *found),
	(pattern, flags, failed, found))
PLAIN(int, scandir, F_scandir, -1, -1,
	(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
		int (*compare)(const struct dirent **, const struct dirent **)),
	(path, list, wanted, compare))
PLAIN(int, scandir64, F_scandir, -1, -1,
	(const char *path, struct dirent64 ***list, int (*wanted)(const struct dirent64 *),
		int (*compare)(const struct dirent64 **, const struct dirent64 **)),
	(path, list, wanted, compare))

/* ---- bytes ---- */

#define BYTES(name, f, parameters, fd, size, arguments)                                            \
	INTERPOSE ssize_t name parameters                                                          \
	{                                                                                          \
		int kind = fate(f, fd);                                                            \
		ssize_t left;                                                                      \
		if (kind > 0)                                                                      \
			FAIL_WITH(kind, -1);                                                       \
		left = kind ? cut(kind, size) : (ssize_t)(size);                                   \
		if (left < 0 && kind)                                                              \
			return 0;                                                                  \
		return NEXT(name) arguments;                                                       \
	}
BYTES(read, F_read, (int fd, void *buf, size_t size), fd, size, (fd, buf, (size_t)left))
BYTES(pread, F_pread, (int fd, void *buf, size_t size, off_t at), fd, size, (fd, buf, (size_t)left, at))
BYTES(pread64, F_pread, (int fd, void *buf, size_t size, off64_t at), fd, size,
	(fd, buf, (size_t)left, at))
BYTES(write, F_write, (int fd, const void *buf, size_t size), fd, size, (fd, buf, (size_t)left))
BYTES(pwrite, F_pwrite, (int fd, const void *buf, size_t size, off_t at), fd, size,
	(fd, buf, (size_t)left, at))
BYTES(pwrite64, F_pwrite, (int fd, const void *buf, size_t size, off64_t at), fd, size,
	(fd, buf, (size_t)left, at))

ssize_t __read_chk(int fd, void *buf, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t size, off64_t at, size_t room);
BYTES(__read_chk, F_read, (int fd, void *buf, size_t size, size_t room), fd, size,
	(fd, buf, (size_t)left, room))
BYTES(__pread_chk, F_pread, (int fd, void *buf, size_t size, off_t at, size_t room), fd, size,
	(fd, buf, (size_t)left, at, room))
BYTES(__pread64_chk, F_pread, (int fd, void *buf, size_t size, off64_t at, size_t room), fd, size,
	(fd, buf, (size_t)left, at, room))

/* Half of the bytes of the first piece alone. */
INTERPOSE ssize_t writev(int fd, const struct iovec *pieces, int n)
{
	int kind = fate(F_writev, fd);

	if (kind > 0)
		FAIL_WITH(kind, -1);
	if (kind && n)
		return NEXT(write)(fd, pieces->iov_base, (size_t)cut(SHORT, pieces->iov_len));
	return NEXT(writev)(fd, pieces, n);
}

/* ---- files ---- */

PLAIN(int, fsync, F_fsync, fd, -1, (int fd), (fd))
PLAIN(int, fdatasync, F_fdatasync, fd, -1, (int fd), (fd))
PLAIN(int, syncfs, F_fsync, fd, -1, (int fd), (fd))
PLAIN(int, fstat, F_fstat, fd, -1, (int fd, struct stat *st), (fd, st))
PLAIN(int, fstat64, F_fstat, fd, -1, (int fd, struct stat64 *st), (fd, st))
PLAIN(int, stat, F_stat, -1, -1, (const char *path, struct stat *st), (path, st))
PLAIN(int, stat64, F_stat, -1, -1, (const char *path, struct stat64 *st), (path, st))
PLAIN(int, lstat, F_stat, -1, -1, (const char *path, struct stat *st), (path, st))
PLAIN(int, lstat64, F_stat, -1, -1, (const char *path, struct stat64 *st), (path, st))
PLAIN(int, fstatat, F_stat, -1, -1, (int folder, const char *path, struct stat *st, int flags),
	(folder, path, st, flags))
PLAIN(int, fstatat64, F_stat, -1, -1, (int folder, const char *path, struct stat64 *st, int flags),
	(folder, path, st, flags))
PLAIN(int, rename, F_rename, -1, -1, (const char *from, const char *to), (from, to))
PLAIN(int, renameat, F_rename, -1, -1, (int a, const char *from, int b, const char *to), (a, from, b, to))
PLAIN(int, renameat2, F_rename, -1, -1,
	(int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
PLAIN(int, link, F_link, -1, -1, (const char *from, const char *to), (from, to))
PLAIN(int, linkat, F_linkat, -1, -1, (int a, const char *from, int b, const char *to, int flags),
	(a, from, b, to, flags))
PLAIN(int, unlink, F_unlink, -1, -1, (const char *path), (path))
PLAIN(int, unlinkat, F_unlink, -1, -1, (int folder, const char *path, int flags), (folder, path, flags))
PLAIN(int, mkdir, F_mkdir, -1, -1, (const char *path, mode_t mode), (path, mode))
PLAIN(int, mkdirat, F_mkdir, -1, -1, (int folder, const char *path, mode_t mode), (folder, path, mode))
PLAIN(int, ftruncate, F_ftruncate, fd, -1, (int fd, off_t size), (fd, size))
PLAIN(int, ftruncate64, F_ftruncate, fd, -1, (int fd, off64_t size), (fd, size))
PLAIN(int, fallocate, F_fallocate, fd, -1, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
PLAIN(int, fallocate64, F_fallocate, fd, -1, (int fd, int mode, off64_t at, off64_t size),
	(fd, mode, at, size))
PLAIN(int, flock, F_flock, fd, -1, (int fd, int operation), (fd, operation))

/* ---- memory ---- */

PLAIN(void *, mmap, F_mmap, -1, MAP_FAILED,
	(void *at, size_t size, int protection, int flags, int fd, off_t from),
	(at, size, protection, flags, fd, from))
PLAIN(void *, mmap64, F_mmap, -1, MAP_FAILED,
	(void *at, size_t size, int protection, int flags, int fd, off64_t from),
	(at, size, protection, flags, fd, from))

INTERPOSE void *malloc(size_t size)
{
	int kind = fate(F_malloc, -1);

	if (interpose_finding)
		return interpose_early(size);
	if (kind)
		FAIL_WITH(kind, NULL);
	return NEXT(malloc)(size);
}

INTERPOSE void *calloc(size_t n, size_t size)
{
	int kind = fate(F_calloc, -1);

	if (interpose_finding)
		return interpose_early(n * size);
	if (kind)
		FAIL_WITH(kind, NULL);
	return NEXT(calloc)(n, size);
}

static void *moved(void *early, size_t size)
{
	void *p = NEXT(malloc)(size);
	size_t had = (size_t)(interpose_arena + sizeof(interpose_arena) - (unsigned char *)early);

	if (p)
		memcpy(p, early, size < had ? size : had);
	return p;
}

INTERPOSE void *realloc(void *p, size_t size)
{
	int kind = fate(F_realloc, -1);

	if (kind)
		FAIL_WITH(kind, NULL);
	return interpose_is_early(p) ? moved(p, size) : NEXT(realloc)(p, size);
}

INTERPOSE void *reallocarray(void *p, size_t n, size_t size)
{
	int kind = fate(F_realloc, -1);

	if (kind)
		FAIL_WITH(kind, NULL);
	return NEXT(reallocarray)(p, n, size);
}

INTERPOSE void free(void *p)
{
	if (!interpose_is_early(p))
		NEXT(free)(p);
}

PLAIN(void *, aligned_alloc, F_aligned_alloc, -1, NULL, (size_t alignment, size_t size),
	(alignment, size))

INTERPOSE int posix_memalign(void **p, size_t alignment, size_t size)
{
	int kind = fate(F_aligned_alloc, -1);

	return kind ? kind : NEXT(posix_memalign)(p, alignment, size);
}

/* ---- processes and threads ---- */

/* The constructors of a library are not ours to test. */
INTERPOSE void *dlopen(const char *path, int flags)
{
	void *library;

	paused++;
	library = NEXT(dlopen)(path, flags);
	paused--;
	return library;
}

INTERPOSE int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	int kind = fate(F_posix_spawn, -1);

	return kind ? kind : NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp);
}

INTERPOSE int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	int kind = fate(F_posix_spawn, -1);

	return kind ? kind : NEXT(posix_spawnp)(pid, file, actions, attributes, argv, envp);
}

INTERPOSE int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	int kind = fate(F_pthread_create, -1);

	return kind ? kind : NEXT(pthread_create)(thread, attributes, start, argument);
}
