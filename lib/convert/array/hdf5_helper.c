/* convert/array/hdf5_helper.c - starts, limits and ends the helper program, sends requests to it,
 * and treats its replies as hostile input.
 *
 * Its processor time is limited from outside for each request, because no single limit fits files
 * of all sizes.  Every reply must be one that the request allows, with a matching size; otherwise
 * the file is not read.  Texts use only as much memory as has arrived. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/installed.h"
#include "convert/array/arrays.h"

enum { PART = 1 << 20, ERRNO_MOST = 4095 /* Linux has no larger ones */ };

#define PROGRAM "tfr-read-hdf5"

enum { SECONDS = 60 /* for a request, and one more for each MiB */ };

extern char **environ;

/* --- starting it --- */

static enum tfr_status find_program(
	const struct tfr_hdf5_helper *h, struct tfr_installed *program, struct tfr_error *err)
{
	const char *fault;

	if (h->program) {
		snprintf(program->path, sizeof(program->path), "%s", h->program);
		fault = tfr_installed_check(program);
	} else {
		fault = tfr_installed_open(program, TFR_INSTALLED_PROGRAM, PROGRAM);
	}
	if (!fault)
		return TFR_OK;
	if (program->sys_errno)
		return tfr_fail_errno(err, program->sys_errno, program->path, "cannot open");
	return tfr_fail_hint(err, TFR_EUNAVAILABLE,
		"tfr needs this program to read HDF5 files; it is installed with tfr.",
		"cannot read '%s': the program '%s' %s", h->path, program->path, fault);
}

/* posix_spawn(), because a process with threads cannot be forked safely.  Output of the process is
 * not for users: tfr reports errors itself.  In a process group of its own it does not receive the
 * terminal's signals, so that tfr can end in order. */
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
static int spawn_opened(struct tfr_hdf5_helper *h, int file, int program, int socket)
{
	/* Moves them above the helper's own descriptors, which would replace them. */
	TFR_AUTO_CLOSE int file_above = fcntl(file, F_DUPFD_CLOEXEC, TFR_HDF5_FILE + 1);
	TFR_AUTO_CLOSE int program_above = fcntl(program, F_DUPFD_CLOEXEC, TFR_HDF5_FILE + 1);
	TFR_AUTO_CLOSE int socket_above = fcntl(socket, F_DUPFD_CLOEXEC, TFR_HDF5_FILE + 1);
	char protocol[16], memory[24], opened[40];
	char *argv[] = { (char *)PROGRAM, protocol, memory,
		(char *)(h->no_sandbox ? TFR_HDF5_NO_SANDBOX : TFR_HDF5_SANDBOX),
		(char *)(h->any_order ? TFR_HDF5_ANY_ORDER : TFR_HDF5_IN_ORDER), NULL };

	if (file_above < 0 || program_above < 0 || socket_above < 0)
		return errno;
	snprintf(protocol, sizeof(protocol), "%d", TFR_HDF5_PROTOCOL);
	snprintf(memory, sizeof(memory), "%llu", (unsigned long long)h->memory);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", program_above);
	return spawn(&h->pid, opened, socket_above, file_above, argv);
}

/* Its first reply has not been received yet. */
static enum tfr_status start_process(struct tfr_hdf5_helper *h, int file, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int opened = -1, theirs = -1;
	struct tfr_installed program;
	int ends[2], failure;

	TFR_TRY(find_program(h, &program, err));
	opened = program.fd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return tfr_fail_errno(err, errno, program.path, "cannot start");
	h->socket = ends[0];
	theirs = ends[1];
	failure = spawn_opened(h, file, opened, theirs);
	if (failure) {
		h->pid = 0;
		return tfr_fail_errno(err, failure, program.path, "cannot start");
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

/* Extends the time limit for a request of so many bytes. */
static void allow_time(struct tfr_hdf5_helper *h, uint64_t bytes)
{
	uint64_t seconds = (h->seconds ?: SECONDS) + (bytes >> 20);
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

/* Returns why the helper has ended. */
static enum tfr_status has_ended(struct tfr_hdf5_helper *h, struct tfr_error *err)
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

/* --- bytes --- */

static enum tfr_status nonsense(struct tfr_hdf5_helper *h, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA,
		"cannot read '%s': tfr-read-hdf5 sent an invalid reply; the file may be damaged",
		h->path);
}

/* If the helper has ended, receiving its reply reports why. */
static void send_bytes(struct tfr_hdf5_helper *h, const void *bytes, size_t left)
{
	const char *p = bytes;

	while (left) {
		ssize_t n = send(h->socket, p, left, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		p += n;
		left -= (size_t)n;
	}
}

/* `into` NULL: drops the bytes. */
static enum tfr_status receive(
	struct tfr_hdf5_helper *h, void *into, uint64_t size, struct tfr_error *err)
{
	char dropped[4096], *p = into;

	while (size) {
		size_t most = p || size < sizeof(dropped) ? (size_t)size : sizeof(dropped);
		ssize_t n = recv(h->socket, p ?: dropped, most, MSG_WAITALL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != ECONNRESET)
			return tfr_fail_errno(err, errno, h->path, "cannot receive the rows of");
		if (n <= 0)
			return has_ended(h, err);
		if (p)
			p += n;
		size -= (size_t)n;
	}
	return TFR_OK;
}

/* --- replies --- */

/* Receives the body of a reply as a text, with a NUL added. */
static enum tfr_status receive_text(struct tfr_hdf5_helper *h, const struct tfr_hdf5_reply *reply,
	char *text, size_t room, struct tfr_error *err)
{
	if (reply->size >= room)
		return nonsense(h, err);
	TFR_TRY(receive(h, text, reply->size, err));
	text[reply->size] = '\0';
	return TFR_OK;
}

static enum tfr_status fail_damaged(
	struct tfr_hdf5_helper *h, const struct tfr_hdf5_reply *reply, struct tfr_error *err)
{
	char text[TFR_HDF5_NAME + TFR_HDF5_REASON];
	size_t path;

	TFR_TRY(receive_text(h, reply, text, sizeof(text), err));
	path = strlen(text);
	if (path == reply->size)
		return nonsense(h, err);
	if (!path)
		return tfr_fail(err, TFR_EDATA, "cannot read '%s': %s", h->path, text + 1);
	return tfr_fail(
		err, TFR_EDATA, "cannot read '%s' of '%s': %s", text, h->path, text + path + 1);
}

/* Receives the head of a reply, and all of a failure.  `name` is that of the data set concerned,
 * or NULL. */
static enum tfr_status receive_reply(struct tfr_hdf5_helper *h, struct tfr_hdf5_reply *reply,
	const char *name, struct tfr_error *err)
{
	char text[TFR_HDF5_REASON];

	TFR_TRY(receive(h, reply, sizeof(*reply), err));
	switch (reply->answer) {
	case TFR_HDF5_DAMAGED:
		return fail_damaged(h, reply, err);
	case TFR_HDF5_FAILED:
		TFR_TRY(receive_text(h, reply, text, sizeof(text), err));
		if (!reply->code || reply->code > ERRNO_MOST)
			return nonsense(h, err);
		return tfr_fail_errno(err, (int)reply->code, h->path, "cannot %s", text);
	case TFR_HDF5_REFUSED:
		if (h->ready)
			return nonsense(h, err);
		return tfr_fail_hint(err, TFR_EUNAVAILABLE,
			"Use --no-sandbox to read a file that you trust without one.",
			"cannot read '%s': this system has no sandbox (seccomp) for it: %s",
			h->path, strerror((int)reply->code));
	case TFR_HDF5_UNUSABLE:
		if (!name)
			return nonsense(h, err);
		TFR_TRY(receive_text(h, reply, text, sizeof(text), err));
		return tfr_fail_hint(err, TFR_EDATA,
			"Use --exclude with its name to leave an array out.",
			"cannot make features of '%s' of '%s': it has %s", name, h->path, text);
	case TFR_HDF5_FILTER:
		if (!name)
			return nonsense(h, err);
		TFR_TRY(receive_text(h, reply, text, sizeof(text), err));
		return tfr_fail_hint(err, TFR_EUNAVAILABLE,
			"Set HDF5_PLUGIN_PATH to the folder of a libhdf5 plugin that has it, or "
			"compress the data set with gzip.",
			"'%s' of '%s' is compressed by filter %d%s%s, which libhdf5 lacks here",
			name, h->path, (int)reply->code, *text ? ", " : "", text);
	default:
		return TFR_OK;
	}
}

/* --- requests --- */

enum tfr_status tfr_hdf5_start(struct tfr_hdf5_helper *h, int file, struct tfr_error *err)
{
	struct tfr_hdf5_reply reply;

	TFR_TRY(start_process(h, file, err));
	allow_time(h, 0);
	TFR_TRY(receive_reply(h, &reply, NULL, err));
	if (reply.answer != TFR_HDF5_READY || reply.code != TFR_HDF5_PROTOCOL || reply.size)
		return nonsense(h, err);
	h->ready = true;
	return TFR_OK;
}

/* Sends a request that concerns no rows.  `name` is that of the data set, or NULL. */
static enum tfr_status request_reply(struct tfr_hdf5_helper *h, enum tfr_hdf5_op op,
	const char *name, struct tfr_hdf5_reply *reply, struct tfr_error *err)
{
	struct tfr_hdf5_request request = { .op = op };

	allow_time(h, 0);
	send_bytes(h, &request, sizeof(request));
	return receive_reply(h, reply, name, err);
}

enum tfr_status tfr_hdf5_next(
	struct tfr_hdf5_helper *h, char name[TFR_HDF5_NAME], struct tfr_error *err)
{
	struct tfr_hdf5_reply reply;

	TFR_TRY(request_reply(h, TFR_HDF5_NEXT, NULL, &reply, err));
	if (reply.answer == TFR_HDF5_END)
		return reply.size ? nonsense(h, err) : TFR_END;
	if (reply.answer != TFR_HDF5_NAMED)
		return nonsense(h, err);
	TFR_TRY(receive_text(h, &reply, name, TFR_HDF5_NAME, err));
	return reply.size && strlen(name) == reply.size ? TFR_OK : nonsense(h, err);
}

static_assert(sizeof(struct tfr_bytes) <= TFR_HDF5_TEXT, "a text fits into its place");

static bool is_possible(const struct tfr_hdf5_set *set)
{
	uint64_t bytes;

	if (set->cell > TFR_CELL_TEXT || set->cell == TFR_CELL_BOOL || set->cell == TFR_CELL_UCS4 ||
		!tfr_cell_has_size((enum tfr_cell_type)set->cell, set->cell_size) || !set->n_dims ||
		set->n_dims > TFR_HDF5_DIMS || !set->chunk_rows || set->dims[0] > INT64_MAX)
		return false;
	bytes = tfr_dims_product(set->cell_size, set->dims + 1, set->n_dims - 1);
	return bytes && bytes <= TFR_ITEM_MOST;
}

enum tfr_status tfr_hdf5_open(struct tfr_hdf5_helper *h, const char *name, struct tfr_hdf5_set *set,
	struct tfr_error *err)
{
	struct tfr_hdf5_reply reply;

	TFR_TRY(request_reply(h, TFR_HDF5_OPEN, name, &reply, err));
	if (reply.answer != TFR_HDF5_SET || reply.size != sizeof(*set))
		return nonsense(h, err);
	TFR_TRY(receive(h, set, sizeof(*set), err));
	return is_possible(set) ? TFR_OK : nonsense(h, err);
}

void tfr_hdf5_ask(struct tfr_hdf5_helper *h, uint32_t set, uint64_t first, uint64_t count,
	const uint32_t *numbers, uint64_t bytes)
{
	struct tfr_hdf5_request request = { .op = numbers ? TFR_HDF5_PICK : TFR_HDF5_READ,
		.set = set,
		.first = first,
		.count = count };

	allow_time(h, bytes);
	send_bytes(h, &request, sizeof(request));
	if (numbers)
		send_bytes(h, numbers, (size_t)count * sizeof(*numbers));
}

/* Receives as many bytes as the sizes say, in parts, so that memory grows as they arrive. */
static enum tfr_status receive_texts(
	struct tfr_hdf5_helper *h, uint64_t size, struct tfr_buf *text, struct tfr_error *err)
{
	text->size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(text, 1), err, "reading arrays");
	while (size) {
		size_t n = size < PART ? (size_t)size : PART;

		TFR_NEED_MEMORY(tfr_buf_reserve(text, n), err, "reading arrays");
		TFR_TRY(receive(h, text->data + text->size, n, err));
		text->size += n;
		size -= n;
	}
	return TFR_OK;
}

/* The sizes are at the end of the memory for the pointers to their texts, which are written from
 * the first on.  A pointer has twice the bytes of a size, so that the k-th pointer never
 * overwrites a size after the k-th. */
static enum tfr_status receive_pointers(struct tfr_hdf5_helper *h, uint64_t bytes, uint8_t *into,
	size_t n, struct tfr_buf *text, struct tfr_error *err)
{
	uint8_t *sizes = into + n * (sizeof(struct tfr_bytes) - sizeof(uint64_t));
	uint64_t all = n * sizeof(uint64_t), size, at = 0;

	TFR_TRY(receive(h, sizes, all, err));
	for (size_t i = 0; i < n; i++) {
		memcpy(&size, sizes + i * sizeof(size), sizeof(size));
		if (__builtin_add_overflow(all, size, &all))
			return nonsense(h, err);
	}
	if (all != bytes)
		return nonsense(h, err);
	TFR_TRY(receive_texts(h, all - n * sizeof(size), text, err));
	for (size_t i = 0; i < n; i++) {
		struct tfr_bytes v;

		memcpy(&size, sizes + i * sizeof(size), sizeof(size));
		v = (struct tfr_bytes){ text->data + at, (size_t)size };
		memcpy(into + i * sizeof(v), &v, sizeof(v));
		at += size;
	}
	return TFR_OK;
}

enum tfr_status tfr_hdf5_rows(struct tfr_hdf5_helper *h, const char *name, uint8_t *into,
	size_t size, struct tfr_buf *text, struct tfr_error *err)
{
	size_t n = size / sizeof(struct tfr_bytes);
	struct tfr_hdf5_reply reply;

	TFR_TRY(receive_reply(h, &reply, name, err));
	if (reply.answer != TFR_HDF5_ROWS ||
		(text ? reply.size / sizeof(uint64_t) < n : reply.size != size))
		return nonsense(h, err);
	return text && into ? receive_pointers(h, reply.size, into, n, text, err)
			    : receive(h, into, reply.size, err);
}
