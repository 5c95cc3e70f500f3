/* convert/array/hdf5_process.c - finds, starts, limits and ends the helper process.
 *
 * posix_spawn() starts it, because a process with threads cannot be forked safely.  Its
 * processor time is limited from outside for each request, because no single limit fits files of
 * all sizes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/installed.h"
#include "convert/array/hdf5_helper.h"

#define PROGRAM "tfr-read-hdf5"

enum { SECONDS = 60 /* for a request, and one more for each MiB */ };

extern char **environ;

/* --- finding it --- */

static enum tfr_status find(
	const struct tfr_hdf5_start *start, struct tfr_installed *program, struct tfr_error *err)
{
	const char *fault;

	if (start->program) {
		snprintf(program->path, sizeof(program->path), "%s", start->program);
		fault = tfr_installed_check(program);
	} else {
		fault = tfr_installed_open(program, TFR_INSTALLED_PROGRAM, PROGRAM);
	}
	if (!fault)
		return TFR_OK;
	if (program->sys_errno)
		return tfr_fail_errno(err, program->sys_errno, program->path, "cannot open");
	tfr_fail(err, TFR_EUNAVAILABLE, "cannot read '%s': the program '%s' %s", start->path,
		program->path, fault);
	tfr_error_hint(err, "tfr needs this program to read HDF5 files; it is installed with tfr.");
	return TFR_EUNAVAILABLE;
}

/* --- starting it --- */

/* Output of the process is not for users: tfr reports errors itself.  In a process group of its
 * own it does not receive the terminal's signals, so that tfr can end in order. */
static int spawn(pid_t *pid, const char *program, int socket, int file, char *const argv[])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int failure = posix_spawn_file_actions_init(&actions);

	if (failure)
		return failure;
	failure = posix_spawnattr_init(&attr);
	if (failure) {
		posix_spawn_file_actions_destroy(&actions);
		return failure;
	}
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0);
	failure = posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	if (!failure)
		failure = posix_spawn_file_actions_adddup2(&actions, socket, TFR_HDF5_SOCKET);
	if (!failure)
		failure = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (!failure)
		failure = posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (!failure)
		failure = posix_spawn_file_actions_adddup2(&actions, file, TFR_HDF5_FILE);
	if (!failure)
		failure = posix_spawn(pid, program, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return failure;
}

/* Starts the program by its descriptor, so that it is the one whose owner was checked. */
static int spawn_opened(
	struct tfr_hdf5_helper *h, const struct tfr_hdf5_start *start, int program, int socket)
{
	/* Moves them above the helper's own descriptors, which would replace them. */
	TFR_AUTO_CLOSE int file = fcntl(start->file, F_DUPFD_CLOEXEC, TFR_HDF5_FILE + 1);
	TFR_AUTO_CLOSE int above = fcntl(program, F_DUPFD_CLOEXEC, TFR_HDF5_FILE + 1);
	TFR_AUTO_CLOSE int end = fcntl(socket, F_DUPFD_CLOEXEC, TFR_HDF5_FILE + 1);
	char protocol[16], memory[24], opened[40];
	char *argv[] = { (char *)PROGRAM, protocol, memory,
		(char *)(start->no_sandbox ? TFR_HDF5_NO_SANDBOX : TFR_HDF5_SANDBOX),
		(char *)(start->any_order ? TFR_HDF5_ANY_ORDER : TFR_HDF5_IN_ORDER), NULL };

	if (file < 0 || above < 0 || end < 0)
		return errno;
	snprintf(protocol, sizeof(protocol), "%d", TFR_HDF5_PROTOCOL);
	snprintf(memory, sizeof(memory), "%llu", (unsigned long long)start->memory);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", above);
	return spawn(&h->pid, opened, end, file, argv);
}

enum tfr_status tfr_hdf5_spawn(
	struct tfr_hdf5_helper *h, const struct tfr_hdf5_start *start, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int program = -1, theirs = -1;
	struct tfr_installed file;
	int ends[2], failure;

	TFR_TRY(find(start, &file, err));
	program = file.fd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return tfr_fail_errno(err, errno, file.path, "cannot start");
	if (!h->seconds)
		h->seconds = SECONDS;
	h->socket = ends[0];
	theirs = ends[1];
	failure = spawn_opened(h, start, program, theirs);
	if (failure) {
		h->pid = 0;
		return tfr_fail_errno(err, failure, file.path, "cannot start");
	}
	return TFR_OK;
}

/* --- limits --- */

static void limit(pid_t pid, int resource, uint64_t value)
{
	struct rlimit now;

	if (prlimit(pid, (__rlimit_resource_t)resource, NULL, &now))
		return;
	if (value > now.rlim_max)
		return;
	now.rlim_cur = (rlim_t)value;
	prlimit(pid, (__rlimit_resource_t)resource, &now, NULL);
}

void tfr_hdf5_allow(struct tfr_hdf5_helper *h, uint64_t bytes)
{
	uint64_t seconds = h->seconds + (bytes >> 20);
	struct timespec used;
	clockid_t clock;

	if (!h->pid || clock_getcpuclockid(h->pid, &clock) || clock_gettime(clock, &used))
		return;
	/* Most requests take little time, and the limit need not change. */
	if (h->until > (uint64_t)used.tv_sec + seconds / 2)
		return;
	h->until = (uint64_t)used.tv_sec + seconds + 1;
	limit(h->pid, RLIMIT_CPU, h->until);
}

void tfr_hdf5_allow_memory(struct tfr_hdf5_helper *h, uint64_t bytes)
{
	struct rlimit now;

	if (!h->pid || prlimit(h->pid, RLIMIT_AS, NULL, &now) || now.rlim_cur == RLIM_INFINITY)
		return;
	limit(h->pid, RLIMIT_AS, now.rlim_cur + bytes);
}

/* --- its end --- */

/* Gives an ending process time to exit, and kills it otherwise. */
static int wait_for(pid_t pid)
{
	int status = 0;
	pid_t ended = 0;

	for (unsigned i = 0; !ended && i < 500; i++) {
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		ended = waitpid(pid, &status, WNOHANG);
	}
	if (!ended) {
		kill(pid, SIGKILL);
		do
			ended = waitpid(pid, &status, 0);
		while (ended < 0 && errno == EINTR);
	}
	return ended == pid ? status : -1;
}

static enum tfr_status did_not_start(
	const struct tfr_hdf5_helper *h, int status, struct tfr_error *err)
{
	tfr_fail(err, TFR_EUNAVAILABLE, "cannot read '%s': " PROGRAM " does not start", h->path);
	if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		tfr_error_hint(err, "It needs libhdf5, which is not installed.");
	return TFR_EUNAVAILABLE;
}

enum tfr_status tfr_hdf5_ended(struct tfr_hdf5_helper *h, struct tfr_error *err)
{
	int status = h->pid ? wait_for(h->pid) : -1;

	h->pid = 0;
	if (!h->ready)
		return did_not_start(h, status, err);
	if (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return tfr_fail(err, TFR_EDATA,
			"cannot read '%s': libhdf5 took too much processor time; the file may be "
			"damaged",
			h->path);
	if (status >= 0 && WIFSIGNALED(status))
		return tfr_fail(err, TFR_EDATA,
			"cannot read '%s': libhdf5 crashed (signal %d); the file may be damaged",
			h->path, WTERMSIG(status));
	return tfr_fail(
		err, TFR_EDATA, "cannot read '%s': " PROGRAM " ended unexpectedly", h->path);
}

void tfr_hdf5_stop(struct tfr_hdf5_helper *h)
{
	if (h->socket >= 0)
		close(h->socket);
	h->socket = -1;
	if (h->pid && !kill(h->pid, SIGKILL))
		wait_for(h->pid);
	h->pid = 0;
}
