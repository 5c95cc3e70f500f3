/* tests/unit/libexec/sandbox.c - what tfr-read-hdf5 cannot do in its sandbox, and what it can.  A
 * plain program: the framework of the other tests could not report from there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "read_hdf5.h"

/* 100 and the number of the first try that went wrong, which is the status. */
static int wrong, tries;

#define refused(what, result) check((result) == -1 && errno == EPERM)
#define allowed(what, good) check(good)

static void check(bool good)
{
	tries++;
	if (!wrong && !good)
		wrong = 100 + tries;
}

static void try_forbidden(void)
{
	static char byte;
	const int file = TFR_HDF5_FILE;

	refused("open", open("/dev/null", O_RDONLY));
	refused("creat", open("made-in-the-sandbox", O_WRONLY | O_CREAT, 0600));
	refused("socket", socket(AF_INET, SOCK_STREAM, 0));
	refused("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){ 0 }));
	refused("execve", execl("/bin/true", "true", (char *)NULL));
	refused("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	refused("kill", kill(getppid(), 0));
	refused("unlink", unlink("/nonexistent"));
	refused("write to the file", write(file, "x", 1));
	refused("write to stdout", write(1, "", 0));
	refused("read of stderr", read(2, &byte, 1));
	refused("pread of stdout", pread(1, &byte, 1, 0));
	refused("dup", dup(file));
	refused("ioctl", syscall(SYS_ioctl, 0, 0x5412, &byte)); /* TIOCSTI */
	refused("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
	refused("map of the file",
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED ? -1 : 0);
	refused("map to execute", mmap(NULL, 4096, PROT_READ | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
					  ? -1
					  : 0);
}

static void try_allowed(void)
{
	struct timespec now;
	char bytes[4] = "";
	char *memory = malloc(64 << 20), *page;

	allowed("malloc", memory);
	if (memory)
		memset(memory, 1, 64 << 20);
	memory = realloc(memory, 80 << 20);
	allowed("realloc", memory);
	free(memory);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	allowed("mmap", page != MAP_FAILED);
	refused("mprotect to execute", mprotect(page, 4096, PROT_READ | PROT_EXEC));
	allowed("mprotect", !mprotect(page, 4096, PROT_READ));
	allowed("pread", pread(TFR_HDF5_FILE, bytes, 4, 0) == 4 && !memcmp(bytes, "\177ELF", 4));
	allowed("clock", !clock_gettime(CLOCK_MONOTONIC, &now));
	allowed("write", write(TFR_HDF5_SOCKET, "x", 1) == 1);
}

int main(void)
{
	int ends[2], file = open("/proc/self/exe", O_RDONLY), kept, refusal;

#ifdef __SANITIZE_ADDRESS__
	printf("skipped: AddressSanitizer makes calls that the sandbox refuses\n");
	return 77;
#endif
	/* The socket and the file get the numbers that they have in the program. */
	kept = fcntl(1, F_DUPFD, 10);
	if (file < 0 || kept < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 9;
	file = fcntl(file, F_DUPFD, 10);
	ends[0] = fcntl(ends[0], F_DUPFD, 10);
	if (dup2(file, TFR_HDF5_FILE) < 0 || dup2(kept, 2) < 0 ||
		dup2(ends[0], TFR_HDF5_SOCKET) < 0)
		return 9;
	refusal = sandbox_enter();
	if (refusal) {
		printf("skipped: no seccomp: %s\n", strerror(refusal));
		return 77;
	}
	try_allowed();
	try_forbidden();
	_exit(wrong); /* nothing can be printed */
}
