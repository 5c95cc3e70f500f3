/* crash/shim.c - kills a program at its n-th change of the file system, delays these changes, or records them.
 *
 * Preloaded by tests/crash/run.  A change is a call that creates, writes, truncates, syncs, renames, links or removes
 * a regular file or a folder; each counts, whether it succeeds or not, in the order in which they begin.
 *
 *   CRASH_KILL=N      SIGKILL before change N, counted from 1; CRASH_AFTER=1: after it
 *   CRASH_DELAY=US    sleep at random up to so many microseconds before each change; CRASH_SEED seeds that
 *   CRASH_LOG=FILE    append each change that succeeded to FILE, with its bytes: what tests/crash/replay.py reads
 *   CRASH_INODES=FILE pairs of inode numbers, each of 64 bits: stat() shows the second for the first, so that a folder
 *                     that was built again has the inodes that it had.  Other files get numbers that no file has.
 *
 * Changes of several threads are made one at a time, so that the log has their order.  A sync reports success and does
 * nothing: the page cache outlives a killed process, and the power cuts are simulated. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FILE_OFFSET_BITS /* open() and open64() are wrapped, each under its own name */
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))find(#name))
#define EXPORTED __attribute__((visibility("default")))

enum { PATH_SIZE = 8192 };

enum kind {
	CREATED = 1, /* a, path */
	NAMELESS,    /* a */
	WRITTEN,     /* a, at `b`: the bytes */
	TRUNCATED,   /* a, to size b */
	ALLOCATED,   /* a, mode and offset in b and c, length in d */
	SYNCED,	     /* a */
	FOLDER,	     /* path: its entries synced */
	EVERYTHING,  /* synced */
	RENAMED,     /* flags in b, path, path */
	LINKED,	     /* a, path */
	UNLINKED,    /* path */
	MADE,	     /* path */
	REMOVED,     /* path */
	COUNTED,     /* b changes in all, as the program ends */
};

/* One change in the log: this, then two texts or the bytes.  `a` is an inode, `mtime` that of the file. */
struct change {
	uint32_t kind, size, size2, reserved;
	uint64_t a, b, c, d, mtime;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long kill_at, count;
static bool kill_after;
static unsigned delay, seed;
static int log_fd = -1;
static uint64_t (*inodes)[2];
static size_t inode_count;

static void *find(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		__builtin_trap();
	return found;
}

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

static void read_inodes(const char *path)
{
	static uint64_t table[4096][2];
	int fd = NEXT(open)(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, table, sizeof(table));

	if (size < 0 || size == sizeof(table))
		abort();
	close(fd);
	inode_count = (size_t)size / sizeof(table[0]);
	inodes = table;
}

static void setup(void)
{
	const char *path = getenv("CRASH_LOG"), *table = getenv("CRASH_INODES");

	kill_at = number("CRASH_KILL");
	kill_after = number("CRASH_AFTER");
	delay = (unsigned)number("CRASH_DELAY");
	seed = (unsigned)number("CRASH_SEED");
	if (path)
		log_fd = NEXT(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (table)
		read_inodes(table);
}

/* --- the frame of each change --- */

static void begin(void)
{
	pthread_once(&once, setup);
	if (delay) {
		pthread_mutex_lock(&lock);
		seed = seed * 1103515245u + 12345u;
		pthread_mutex_unlock(&lock);
		usleep((seed >> 8) % delay);
	}
	pthread_mutex_lock(&lock);
	count++;
	if (count == kill_at && !kill_after)
		kill(getpid(), SIGKILL);
}

static void end(void)
{
	int saved = errno;

	if (count == kill_at)
		kill(getpid(), SIGKILL);
	pthread_mutex_unlock(&lock);
	errno = saved;
}

static void put(const void *data, size_t size)
{
	if (size && NEXT(write)(log_fd, data, size) != (ssize_t)size)
		abort();
}

static void note(struct change c, const void *data, size_t size, const char *second)
{
	int saved = errno;

	if (log_fd < 0)
		return;
	c.size = (uint32_t)size;
	c.size2 = (uint32_t)strlen(second);
	put(&c, sizeof(c));
	put(data, size);
	put(second, c.size2);
	errno = saved;
}

static void note_path(enum kind kind, uint64_t inode, const char *path)
{
	note((struct change){ .kind = kind, .a = inode }, path, strlen(path), "");
}

static bool look(int fd, struct stat *st)
{
	int saved = errno;
	bool found = NEXT(fstat)(fd, st) == 0;

	errno = saved;
	return found;
}

static uint64_t mtime_of(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

static void note_file(enum kind kind, int fd, uint64_t b, uint64_t c, uint64_t d)
{
	struct stat st;

	if (look(fd, &st))
		note((struct change){ .kind = kind, .a = st.st_ino, .b = b, .c = c, .d = d, .mtime = mtime_of(&st) },
			"", 0, "");
}

static bool is_regular(int fd)
{
	struct stat st;

	return look(fd, &st) && S_ISREG(st.st_mode);
}

/* The absolute path, by way of what /proc says of the folder; the name itself is not followed. */
static const char *absolute(int folder, const char *path, char *to)
{
	char from[PATH_SIZE], link[64];
	ssize_t n;

	if (*path == '/') {
		snprintf(to, PATH_SIZE, "%s", path);
		return to;
	}
	if (folder == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/self/cwd");
	else
		snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	n = readlink(link, from, sizeof(from) - 1);
	from[n > 0 ? n : 0] = '\0';
	if (snprintf(to, PATH_SIZE, "%s/%s", from, path) >= PATH_SIZE)
		abort();
	return to;
}

__attribute__((destructor)) static void note_count(void)
{
	note((struct change){ .kind = COUNTED, .b = (uint64_t)count }, "", 0, "");
}

/* --- opening --- */

static int opened(int folder, const char *path, int flags, bool existed, int fd)
{
	struct stat st;
	char full[PATH_SIZE];

	if (fd < 0 || !look(fd, &st) || !S_ISREG(st.st_mode))
		return fd;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		note_file(NAMELESS, fd, 0, 0, 0);
	else if (!existed)
		note_path(CREATED, st.st_ino, absolute(folder, path, full));
	else if (flags & O_TRUNC)
		note_file(TRUNCATED, fd, 0, 0, 0);
	return fd;
}

static bool changes(int flags)
{
	return flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE;
}

static bool is_there(int folder, const char *path)
{
	struct stat st;
	int saved = errno;
	bool found = NEXT(fstatat)(folder, path, &st, 0) == 0;

	errno = saved;
	return found;
}

#define OPEN(NAME, ...)                                                                                                \
	va_list rest;                                                                                                  \
	mode_t mode;                                                                                                   \
	bool existed;                                                                                                  \
	int fd;                                                                                                        \
                                                                                                                       \
	va_start(rest, flags);                                                                                         \
	mode = changes(flags) ? va_arg(rest, mode_t) : 0;                                                              \
	va_end(rest);                                                                                                  \
	if (!changes(flags))                                                                                           \
		return NEXT(NAME)(__VA_ARGS__, flags);                                                                 \
	begin();                                                                                                       \
	existed = is_there(folder, path);                                                                              \
	fd = opened(folder, path, flags, existed, NEXT(NAME)(__VA_ARGS__, flags, mode));                               \
	end();                                                                                                         \
	return fd

EXPORTED int open(const char *path, int flags, ...)
{
	const int folder = AT_FDCWD;
	OPEN(open, path);
}

EXPORTED int open64(const char *path, int flags, ...)
{
	const int folder = AT_FDCWD;
	OPEN(open64, path);
}

EXPORTED int openat(int folder, const char *path, int flags, ...)
{
	OPEN(openat, folder, path);
}

EXPORTED int openat64(int folder, const char *path, int flags, ...)
{
	OPEN(openat64, folder, path);
}

EXPORTED int mkostemp(char *path, int flags)
{
	int fd;

	begin();
	fd = opened(AT_FDCWD, path, flags, false, NEXT(mkostemp)(path, flags));
	end();
	return fd;
}

EXPORTED int mkostemp64(char *path, int flags)
{
	return mkostemp(path, flags);
}

/* --- contents --- */

static void wrote(int fd, off_t at, const struct iovec *pieces, int n, ssize_t size)
{
	struct change c = { .kind = WRITTEN };
	struct stat st;

	if (size < 0 || log_fd < 0 || !look(fd, &st))
		return;
	if (at < 0)
		at = lseek(fd, 0, SEEK_CUR) - size;
	c.a = st.st_ino;
	c.b = (uint64_t)at;
	c.mtime = mtime_of(&st);
	c.size = (uint32_t)size;
	put(&c, sizeof(c));
	for (int i = 0; i < n && size; i++) {
		size_t part = pieces[i].iov_len < (size_t)size ? pieces[i].iov_len : (size_t)size;

		put(pieces[i].iov_base, part);
		size -= (ssize_t)part;
	}
}

EXPORTED ssize_t writev(int fd, const struct iovec *pieces, int n)
{
	ssize_t size;

	if (!is_regular(fd))
		return NEXT(writev)(fd, pieces, n);
	begin();
	size = NEXT(writev)(fd, pieces, n);
	wrote(fd, -1, pieces, n, size);
	end();
	return size;
}

EXPORTED ssize_t write(int fd, const void *data, size_t n)
{
	struct iovec piece = { (void *)(uintptr_t)data, n };
	ssize_t size;

	if (!is_regular(fd))
		return NEXT(write)(fd, data, n);
	begin();
	size = NEXT(write)(fd, data, n);
	wrote(fd, -1, &piece, 1, size);
	end();
	return size;
}

EXPORTED ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
	struct iovec piece = { (void *)(uintptr_t)data, n };
	ssize_t size;

	begin();
	size = NEXT(pwrite64)(fd, data, n, at);
	wrote(fd, at, &piece, 1, size);
	end();
	return size;
}

EXPORTED ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	return pwrite64(fd, data, n, at);
}

EXPORTED int ftruncate64(int fd, off64_t size)
{
	int status;

	begin();
	status = NEXT(ftruncate64)(fd, size);
	if (!status)
		note_file(TRUNCATED, fd, (uint64_t)size, 0, 0);
	end();
	return status;
}

EXPORTED int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

EXPORTED int fallocate64(int fd, int mode, off64_t at, off64_t size)
{
	int status;

	begin();
	status = NEXT(fallocate64)(fd, mode, at, size);
	if (!status)
		note_file(ALLOCATED, fd, (uint64_t)mode, (uint64_t)at, (uint64_t)size);
	end();
	return status;
}

EXPORTED int fallocate(int fd, int mode, off_t at, off_t size)
{
	return fallocate64(fd, mode, at, size);
}

/* --- syncs --- */

static int sync_one(int fd)
{
	char path[PATH_SIZE], link[64];
	struct stat st;
	ssize_t n;

	begin();
	if (look(fd, &st) && S_ISDIR(st.st_mode)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		note_path(FOLDER, st.st_ino, path);
	} else {
		note_file(SYNCED, fd, 0, 0, 0);
	}
	end();
	return 0;
}

EXPORTED int fsync(int fd)
{
	return sync_one(fd);
}

EXPORTED int fdatasync(int fd)
{
	return sync_one(fd);
}

EXPORTED int syncfs(int fd)
{
	begin();
	note_file(EVERYTHING, fd, 0, 0, 0);
	end();
	return 0;
}

/* --- names --- */

static int renamed(int from_folder, const char *from, int to_folder, const char *to, unsigned flags, int status)
{
	char old[PATH_SIZE], new[PATH_SIZE];

	absolute(from_folder, from, old);
	absolute(to_folder, to, new);
	if (!status)
		note((struct change){ .kind = RENAMED, .b = flags }, old, strlen(old), new);
	end();
	return status;
}

EXPORTED int rename(const char *from, const char *to)
{
	begin();
	return renamed(AT_FDCWD, from, AT_FDCWD, to, 0, NEXT(rename)(from, to));
}

EXPORTED int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	begin();
	return renamed(from_folder, from, to_folder, to, 0, NEXT(renameat)(from_folder, from, to_folder, to));
}

EXPORTED int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	begin();
	return renamed(
		from_folder, from, to_folder, to, flags, NEXT(renameat2)(from_folder, from, to_folder, to, flags));
}

static int linked(int folder, const char *to, int status)
{
	char path[PATH_SIZE];
	struct stat st;

	if (!status && !NEXT(fstatat)(folder, to, &st, AT_SYMLINK_NOFOLLOW))
		note_path(LINKED, st.st_ino, absolute(folder, to, path));
	end();
	return status;
}

EXPORTED int link(const char *from, const char *to)
{
	begin();
	return linked(AT_FDCWD, to, NEXT(link)(from, to));
}

EXPORTED int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	begin();
	return linked(to_folder, to, NEXT(linkat)(from_folder, from, to_folder, to, flags));
}

static int removed(enum kind kind, int folder, const char *path, int status)
{
	char full[PATH_SIZE];

	if (!status)
		note_path(kind, 0, absolute(folder, path, full));
	end();
	return status;
}

EXPORTED int unlink(const char *path)
{
	begin();
	return removed(UNLINKED, AT_FDCWD, path, NEXT(unlink)(path));
}

EXPORTED int unlinkat(int folder, const char *path, int flags)
{
	begin();
	return removed(flags & AT_REMOVEDIR ? REMOVED : UNLINKED, folder, path, NEXT(unlinkat)(folder, path, flags));
}

EXPORTED int rmdir(const char *path)
{
	begin();
	return removed(REMOVED, AT_FDCWD, path, NEXT(rmdir)(path));
}

EXPORTED int mkdirat(int folder, const char *path, mode_t mode)
{
	begin();
	return removed(MADE, folder, path, NEXT(mkdirat)(folder, path, mode));
}

EXPORTED int mkdir(const char *path, mode_t mode)
{
	begin();
	return removed(MADE, AT_FDCWD, path, NEXT(mkdir)(path, mode));
}

/* --- inodes --- */

static uint64_t shown(uint64_t inode)
{
	pthread_once(&once, setup);
	for (size_t i = 0; i < inode_count; i++)
		if (inodes[i][0] == inode)
			return inodes[i][1];
	return inodes ? inode | (uint64_t)1 << 40 : inode;
}

#define STAT(NAME, PARAMETERS, ...)                                                                              \
	EXPORTED int NAME PARAMETERS                                                                                   \
	{                                                                                                              \
		int status = NEXT(NAME)(__VA_ARGS__);                                                                  \
                                                                                                                       \
		if (!status)                                                                                           \
			st->st_ino = (__typeof__(st->st_ino))shown(st->st_ino);                                        \
		return status;                                                                                         \
	}

STAT(stat, (const char *path, struct stat *st), path, st)
STAT(lstat, (const char *path, struct stat *st), path, st)
STAT(fstat, (int fd, struct stat *st), fd, st)
STAT(fstatat, (int folder, const char *path, struct stat *st, int flags), folder, path, st, flags)
STAT(stat64, (const char *path, struct stat64 *st), path, st)
STAT(lstat64, (const char *path, struct stat64 *st), path, st)
STAT(fstat64, (int fd, struct stat64 *st), fd, st)
STAT(fstatat64, (int folder, const char *path, struct stat64 *st, int flags), folder, path, st, flags)
