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
	int failure;

	/* On Linux, these calls allocate nothing and always succeed. */
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	failure = posix_spawn_file_actions_adddup2(&actions, socket, TFR_HDF5_SOCKET) ?:
		  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ?:
		  posix_spawn_file_actions_adddup2(&actions, 1, 2) ?:
		  posix_spawn_file_actions_adddup2(&actions, file, TFR_HDF5_FILE) ?:
		  posix_spawn(pid, program, &actions, &attr, argv, environ);
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

/* Sets a limit of the helper to `value`, or raises one that it has by `value`. */
static void set_limit(
	const struct tfr_hdf5_helper *h, __rlimit_resource_t resource, uint64_t value, bool raise)
{
	struct rlimit now;

	if (!h->pid || prlimit(h->pid, resource, NULL, &now) ||
		(raise && now.rlim_cur == RLIM_INFINITY))
		return;
	if (raise)
		value += now.rlim_cur;
	if (value > now.rlim_max)
		return;
	now.rlim_cur = (rlim_t)value;
	prlimit(h->pid, resource, &now, NULL);
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
	set_limit(h, RLIMIT_CPU, h->until, false);
}

/* --- its end --- */

/* Gives an ending process time to exit, and kills it otherwise.  Returns its status, or 0. */
static int wait_for(pid_t pid)
{
	int status = 0;

	for (unsigned i = 0; i < 500; i++) {
		if (waitpid(pid, &status, WNOHANG))
			return status;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	kill(pid, SIGKILL);
	TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	return status;
}

/* Returns why the helper has ended. */
static enum tfr_status has_ended(struct tfr_hdf5_helper *h, struct tfr_error *err)
{
	int status = h->pid ? wait_for(h->pid) : 0;

	h->pid = 0;
	if (!h->ready) {
		tfr_fail(err, TFR_EUNAVAILABLE, "cannot read '%s': " PROGRAM " does not start",
			h->path);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			tfr_error_hint(err, "It needs libhdf5, which is not installed.");
		return TFR_EUNAVAILABLE;
	}
	if (!WIFSIGNALED(status))
		return tfr_fail(err, TFR_EDATA, "cannot read '%s': " PROGRAM " ended unexpectedly",
			h->path);
	if (WTERMSIG(status) != SIGXCPU)
		return tfr_fail(err, TFR_EDATA,
			"cannot read '%s': libhdf5 crashed (signal %d); the file may be damaged",
			h->path, WTERMSIG(status));
	return tfr_fail(err, TFR_EDATA,
		"cannot read '%s': libhdf5 took too much processor time; the file may be damaged",
		h->path);
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
static enum tfr_status receive_text(
	struct tfr_hdf5_helper *h, char *text, size_t room, struct tfr_error *err)
{
	if (h->reply.size >= room)
		return nonsense(h, err);
	TFR_TRY(receive(h, text, h->reply.size, err));
	text[h->reply.size] = '\0';
	return TFR_OK;
}

static enum tfr_status fail_damaged(struct tfr_hdf5_helper *h, struct tfr_error *err)
{
	char text[TFR_HDF5_NAME + TFR_HDF5_REASON];
	size_t path;

	TFR_TRY(receive_text(h, text, sizeof(text), err));
	path = strlen(text);
	if (path == h->reply.size)
		return nonsense(h, err);
	if (!path)
		return tfr_fail(err, TFR_EDATA, "cannot read '%s': %s", h->path, text + 1);
	return tfr_fail(
		err, TFR_EDATA, "cannot read '%s' of '%s': %s", text, h->path, text + path + 1);
}

/* Receives the head of a reply, and all of a failure.  `name` is that of the data set concerned,
 * or NULL. */
static enum tfr_status receive_reply(
	struct tfr_hdf5_helper *h, const char *name, struct tfr_error *err)
{
	char text[TFR_HDF5_REASON];

	TFR_TRY(receive(h, &h->reply, sizeof(h->reply), err));
	switch (h->reply.answer) {
	case TFR_HDF5_DAMAGED:
		return fail_damaged(h, err);
	case TFR_HDF5_FAILED:
		TFR_TRY(receive_text(h, text, sizeof(text), err));
		if (!h->reply.code || h->reply.code > ERRNO_MOST)
			return nonsense(h, err);
		return tfr_fail_errno(err, (int)h->reply.code, h->path, "cannot %s", text);
	case TFR_HDF5_REFUSED:
		if (h->ready)
			return nonsense(h, err);
		return tfr_fail_hint(err, TFR_EUNAVAILABLE,
			"Use --no-sandbox to read a file that you trust without one.",
			"cannot read '%s': this system has no sandbox (seccomp) for it: %s",
			h->path, strerror((int)h->reply.code));
	case TFR_HDF5_UNUSABLE:
		if (!name)
			return nonsense(h, err);
		TFR_TRY(receive_text(h, text, sizeof(text), err));
		return tfr_fail_hint(err, TFR_EDATA,
			"Use --exclude with its name to leave an array out.",
			"cannot make features of '%s' of '%s': it has %s", name, h->path, text);
	case TFR_HDF5_FILTER:
		if (!name)
			return nonsense(h, err);
		TFR_TRY(receive_text(h, text, sizeof(text), err));
		return tfr_fail_hint(err, TFR_EUNAVAILABLE,
			"Set HDF5_PLUGIN_PATH to the folder of a libhdf5 plugin that has it, or "
			"compress the data set with gzip.",
			"'%s' of '%s' is compressed by filter %d%s%s, which libhdf5 lacks here",
			name, h->path, (int)h->reply.code, *text ? ", " : "", text);
	default:
		return TFR_OK;
	}
}

/* --- requests --- */

enum tfr_status tfr_hdf5_start(struct tfr_hdf5_helper *h, int file, struct tfr_error *err)
{
	TFR_TRY(start_process(h, file, err));
	allow_time(h, 0);
	TFR_TRY(receive_reply(h, NULL, err));
	if (h->reply.answer != TFR_HDF5_READY || h->reply.code != TFR_HDF5_PROTOCOL ||
		h->reply.size)
		return nonsense(h, err);
	h->ready = true;
	return TFR_OK;
}

void tfr_hdf5_ask(struct tfr_hdf5_helper *h, const struct tfr_hdf5_request *request,
	const uint32_t *numbers, uint64_t bytes)
{
	allow_time(h, bytes);
	send_bytes(h, request, sizeof(*request));
	if (request->op == TFR_HDF5_PICK)
		send_bytes(h, numbers, (size_t)request->count * sizeof(*numbers));
}

enum tfr_status tfr_hdf5_next(
	struct tfr_hdf5_helper *h, char name[TFR_HDF5_NAME], struct tfr_error *err)
{
	tfr_hdf5_ask(h, &(struct tfr_hdf5_request){ .op = TFR_HDF5_NEXT }, NULL, 0);
	TFR_TRY(receive_reply(h, NULL, err));
	if (h->reply.answer == TFR_HDF5_END)
		return h->reply.size ? nonsense(h, err) : TFR_END;
	if (h->reply.answer != TFR_HDF5_NAMED)
		return nonsense(h, err);
	TFR_TRY(receive_text(h, name, TFR_HDF5_NAME, err));
	return h->reply.size && strlen(name) == h->reply.size ? TFR_OK : nonsense(h, err);
}

static_assert(sizeof(struct tfr_bytes) <= TFR_HDF5_TEXT, "a text fits into its place");

/* The bytes of a row; 0: it is not plausible. */
static uint64_t measure_row(const struct tfr_hdf5_set *set)
{
	uint64_t bytes;

	if (set->cell > TFR_CELL_TEXT || set->cell == TFR_CELL_BOOL || set->cell == TFR_CELL_UCS4 ||
		!tfr_cell_has_size((enum tfr_cell_type)set->cell, set->cell_size) || !set->n_dims ||
		set->n_dims > TFR_HDF5_DIMS || !set->chunk_rows || set->dims[0] > INT64_MAX)
		return 0;
	bytes = tfr_dims_product(set->cell_size, set->dims + 1, set->n_dims - 1);
	return bytes <= TFR_ITEM_MOST ? bytes : 0;
}

enum tfr_status tfr_hdf5_open(struct tfr_hdf5_helper *h, const char *name, struct tfr_hdf5_set *set,
	struct tfr_error *err)
{
	uint64_t row;

	tfr_hdf5_ask(h, &(struct tfr_hdf5_request){ .op = TFR_HDF5_OPEN }, NULL, 0);
	TFR_TRY(receive_reply(h, name, err));
	if (h->reply.answer != TFR_HDF5_SET || h->reply.size != sizeof(*set))
		return nonsense(h, err);
	TFR_TRY(receive(h, set, sizeof(*set), err));
	row = measure_row(set);
	set_limit(h, RLIMIT_AS, 4 * row, true);
	return row ? TFR_OK : nonsense(h, err);
}

/* Receives the sizes of `n` texts and the texts, in parts, so that memory grows as they arrive. */
static enum tfr_status receive_texts(struct tfr_hdf5_helper *h, uint8_t *into, size_t n,
	struct tfr_buf *text, struct tfr_error *err)
{
	uint64_t at = n * sizeof(uint64_t), left, size;

	text->size = 0;
	while (text->size < h->reply.size) {
		left = h->reply.size - text->size;
		size = left < PART ? left : PART;
		TFR_NEED_MEMORY(tfr_buf_reserve(text, (size_t)size), err, "reading arrays");
		TFR_TRY(receive(h, text->data + text->size, size, err));
		text->size += (size_t)size;
	}
	left = text->size - at;
	for (size_t i = 0; i < n; i++) {
		struct tfr_bytes v;

		memcpy(&size, text->data + i * sizeof(size), sizeof(size));
		if (size > left)
			return nonsense(h, err);
		v = (struct tfr_bytes){ text->data + at, (size_t)size };
		memcpy(into + i * sizeof(v), &v, sizeof(v));
		at += size;
		left -= size;
	}
	return left ? nonsense(h, err) : TFR_OK;
}

enum tfr_status tfr_hdf5_rows(struct tfr_hdf5_helper *h, const char *name, uint8_t *into,
	size_t size, struct tfr_buf *text, struct tfr_error *err)
{
	size_t n = size / sizeof(struct tfr_bytes);

	TFR_TRY(receive_reply(h, name, err));
	if (h->reply.answer != TFR_HDF5_ROWS ||
		(text ? h->reply.size / sizeof(uint64_t) < n : h->reply.size != size))
		return nonsense(h, err);
	return text && into ? receive_texts(h, into, n, text, err)
			    : receive(h, into, h->reply.size, err);
}
