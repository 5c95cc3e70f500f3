/* io/source.c - one struct for the kinds of source; `fd` < 0 means memory, or an object.
 *
 * A seekable file is read by position, so skipping payloads costs no system call. */
#include "io/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/cleanup.h"
#include "base/json_read.h"
#include "base/suffix.h"
#include "io/object.h"

/* A thread's own, so that no caller between it and the source can forget to pass it on. */
static _Thread_local struct tfr_opened *collecting;

struct tfr_source {
	int fd;
	int cancel; /* a read of a pipe ends when this descriptor is readable; -1: none */
	bool owned, seekable, device;
	const struct tfr_growing *growing; /* NULL: the file does not grow */
	const uint8_t *memory;
	struct tfr_object *object; /* NULL: none */
	const struct tfr_object_module *remote;
	uint64_t size; /* memory: its size; object: likewise, UINT64_MAX if unknown; file: the size
			  when last asked */
	uint64_t first_size; /* file: the size when it was opened; fewer bytes are a failure */
	uint64_t position; /* of the next byte, if seekable */
	int failed;	   /* errno of a read; every later one fails too, up to a seek */
	char name[];
};

void tfr_opened_collect(struct tfr_opened *into)
{
	collecting = into;
}

uint64_t tfr_opened_mark(const char *name, const struct stat *st, bool object)
{
	const int64_t time = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
	const uint64_t known[] = { XXH3_64bits(name, strlen(name)), (uint64_t)st->st_size,
		object ? (uint64_t)st->st_ino : (uint64_t)time };
	const uint64_t mark = XXH3_64bits(known, sizeof(known));

	if (collecting) {
		const char *last = tfr_base_name(name);
		const uint64_t hash = XXH3_64bits(last, strlen(last));

		collecting->sum += mark;
		collecting->failed |= !tfr_buf_append(&collecting->names, &hash, sizeof(hash));
	}
	return mark;
}

static enum tfr_status new_source(struct tfr_source **out, const char *name, struct tfr_error *err)
{
	size_t size = strlen(name) + 1;
	struct tfr_source *s = calloc(1, sizeof(*s) + size);

	TFR_NEED_MEMORY(s, err, "opening a file");
	memcpy(s->name, name, size);
	s->fd = s->cancel = -1;
	*out = s;
	return TFR_OK;
}

enum tfr_status tfr_source_open_fd(
	struct tfr_source **out, int fd, const char *name, struct tfr_error *err)
{
	struct tfr_source *s = NULL;
	struct stat st;
	off_t here = -1;

	if (fstat(fd, &st))
		return tfr_fail_errno(err, errno, name, "cannot access");
	if (S_ISDIR(st.st_mode))
		return tfr_fail_errno(err, EISDIR, name, "cannot read");
	/* Some file systems have regular files without a position. */
	if (S_ISREG(st.st_mode) && (here = lseek(fd, 0, SEEK_CUR)) < 0 && errno != ESPIPE)
		return tfr_fail_errno(err, errno, name, "cannot access");
	TFR_TRY(new_source(&s, name, err));
	if (st.st_nlink) /* a temporary file without a name is no input */
		tfr_opened_mark(name, &st, false);
	s->fd = fd;
	s->device = S_ISCHR(st.st_mode);
	if (S_ISREG(st.st_mode)) {
		s->seekable = here >= 0;
		s->position = here >= 0 ? (uint64_t)here : 0;
		s->size = s->first_size = (uint64_t)st.st_size;
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	*out = s;
	return TFR_OK;
}

static enum tfr_status open_object(struct tfr_source **out, const char *url, struct tfr_error *err)
{
	const struct tfr_object_module *remote;
	TFR_AUTO_SOURCE s = NULL;

	TFR_TRY(tfr_objects(&remote, url, err));
	TFR_TRY(new_source(&s, url, err));
	s->remote = remote;
	TFR_TRY(remote->open(&s->object, url, err));
	tfr_opened_mark(url, remote->stat(s->object), true);
	s->seekable = remote->seekable(s->object);
	s->size = (uint64_t)remote->stat(s->object)->st_size; /* -1: unknown */
	*out = TFR_STEAL(s);
	return TFR_OK;
}

/* Without O_NONBLOCK, opening a FIFO would wait for a writer, and nothing could end the wait. */
static enum tfr_status open_path(struct tfr_source **out, const char *path, int nonblock,
	bool regular, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int fd = -1;
	struct stat st;

	if (tfr_is_url(path))
		return open_object(out, path, err);
	if (!regular && !strcmp(path, "-"))
		return tfr_source_open_fd(out, STDIN_FILENO, "standard input", err);
	fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | nonblock));
	if (fd < 0)
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (regular && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		return tfr_fail_path(err, TFR_EDATA, path, "not a regular file:");
	TFR_TRY(tfr_source_open_fd(out, fd, path, err));
	(*out)->owned = true;
	fd = -1;
	return TFR_OK;
}

enum tfr_status tfr_source_open(struct tfr_source **out, const char *path, struct tfr_error *err)
{
	return open_path(out, path, 0, false, err);
}

enum tfr_status tfr_source_open_regular(
	struct tfr_source **out, const char *path, struct tfr_error *err)
{
	return open_path(out, path, O_NONBLOCK, true, err);
}

enum tfr_status tfr_source_open_growing(struct tfr_source **out, const char *path,
	const struct tfr_growing *growing, struct tfr_error *err)
{
	if (tfr_is_url(path) && growing)
		return tfr_fail_path(err, TFR_EUSAGE, path,
			"an object does not grow, so it cannot be followed:");
	TFR_TRY(open_path(out, path, O_NONBLOCK, false, err));
	(*out)->growing = growing;
	return TFR_OK;
}

enum tfr_status tfr_source_open_cancellable(
	struct tfr_source **out, const char *path, int cancel, struct tfr_error *err)
{
	assert(cancel >= 0);
	TFR_TRY(tfr_source_open_growing(out, path, NULL, err));
	(*out)->cancel = cancel;
	return TFR_OK;
}

enum tfr_status tfr_source_open_memory(struct tfr_source **out, const void *data, size_t size,
	const char *name, struct tfr_error *err)
{
	struct tfr_source *s = NULL;

	TFR_TRY(new_source(&s, name, err));
	s->memory = data;
	s->size = size;
	s->seekable = true;
	*out = s;
	return TFR_OK;
}

void tfr_source_close(struct tfr_source *s)
{
	if (!s)
		return;
	if (s->owned)
		close(s->fd);
	if (s->object)
		s->remote->close(s->object);
	free(s);
}

const char *tfr_source_name(const struct tfr_source *s)
{
	return s->name;
}

uint64_t tfr_source_left(struct tfr_source *s)
{
	struct stat st;

	if (!s->seekable || s->growing)
		return UINT64_MAX;
	if (s->fd >= 0 && fstat(s->fd, &st) == 0)
		s->size = (uint64_t)st.st_size;
	return s->position < s->size ? s->size - s->position : 0;
}

bool tfr_source_has(struct tfr_source *s, uint64_t bytes)
{
	if (!s->seekable && s->object)
		return true;
	if (s->growing || (s->position <= s->size && bytes <= s->size - s->position))
		return true;
	return bytes <= tfr_source_left(s);
}

bool tfr_source_seekable(const struct tfr_source *s)
{
	return s->seekable && !s->growing;
}

bool tfr_source_device(const struct tfr_source *s)
{
	return s->device;
}

bool tfr_source_remote(const struct tfr_source *s)
{
	return s->object;
}

uint64_t tfr_source_position(const struct tfr_source *s)
{
	return s->position;
}

void tfr_source_seek(struct tfr_source *s, uint64_t position)
{
	s->position = position;
	s->failed = 0;
}

void tfr_source_skip(struct tfr_source *s, uint64_t bytes)
{
	s->position += bytes;
}

ssize_t tfr_fd_read(int fd, void *buf, size_t size, int64_t offset)
{
	size_t got = 0;
	ssize_t n = 1;

	while (n && got < size) {
		n = offset < 0 ? read(fd, (char *)buf + got, size - got)
			       : pread(fd, (char *)buf + got, size - got, offset + (off_t)got);
		if (n < 0 && errno != EINTR)
			return -1;
		got += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)got;
}

/* The file ends at `position`.  Fails if that is before its size at opening. */
static enum tfr_status check_end(
	const struct tfr_source *s, uint64_t position, struct tfr_error *err)
{
	if (position >= s->first_size)
		return TFR_OK;
	tfr_fail_path(err, TFR_ESYS, s->name, "the end is at byte %llu of %llu in",
		(unsigned long long)position, (unsigned long long)s->first_size);
	tfr_error_hint(err, "The file had more bytes when it was opened.  It was truncated since, "
			    "or its storage does not return the rest.");
	return TFR_ESYS;
}

static size_t copy_memory(const struct tfr_source *s, uint64_t position, void *buf, size_t size)
{
	uint64_t left = position < s->size ? s->size - position : 0;
	size_t n = size < left ? size : (size_t)left;

	if (n)
		memcpy(buf, s->memory + position, n);
	return n;
}

static enum tfr_status read_memory(struct tfr_source *s, void *buf, size_t size, size_t *got)
{
	*got = copy_memory(s, s->position, buf, size);
	s->position += *got;
	return TFR_OK;
}

static enum tfr_status read_object(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	TFR_TRY(s->remote->read(s->object, s->position, buf, size, got, err));
	s->position += *got;
	return TFR_OK;
}

/* Whether the path still names the opened file, and the file is not shorter than what was read. */
static enum tfr_status check_growing(struct tfr_source *s, struct tfr_error *err)
{
	struct stat held, named;

	if (fstat(s->fd, &held))
		return tfr_fail_errno(err, errno, s->name, "cannot access");
	if (s->seekable && (uint64_t)held.st_size < s->position)
		return tfr_fail_path(err, TFR_ESYS, s->name, "the file shrank while it was read:");
	if (s->owned && (stat(s->name, &named) || named.st_ino != held.st_ino ||
				named.st_dev != held.st_dev))
		return tfr_fail_path(err, TFR_ESYS, s->name,
			"the file was replaced or removed while it was read:");
	return TFR_OK;
}

/* Reads available bytes; *n is 0 or negative if there are none.  A pipe is polled first, because a
 * blocking read could not be ended. */
static void read_now(struct tfr_source *s, void *buf, size_t size, ssize_t *n)
{
	struct pollfd ready = { .fd = s->fd, .events = POLLIN };

	errno = EAGAIN;
	*n = -1;
	if (s->seekable)
		*n = pread(s->fd, buf, size, (off_t)s->position);
	else if (poll(&ready, 1, 0) > 0)
		*n = read(s->fd, buf, size);
}

static enum tfr_status read_growing(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	enum tfr_status status;
	ssize_t n = 0;

	*got = 0;
	for (;;) {
		read_now(s, buf, size, &n);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return tfr_fail_errno(err, errno, s->name, "cannot read");
		if (n > 0)
			break;
		if (n == 0 && !s->seekable && !s->owned)
			return TFR_OK; /* the other end cannot be opened again */
		TFR_TRY(check_growing(s, err));
		status = s->growing->wait(s->growing->ctx, err);
		if (status)
			return status == TFR_END ? TFR_OK : status;
	}
	s->position += (uint64_t)n;
	*got = (size_t)n;
	return TFR_OK;
}

/* Waits for bytes or for the other end to close.  A file on disk never waits. */
static enum tfr_status await_bytes(const struct tfr_source *s, struct tfr_error *err)
{
	struct pollfd fds[2] = { { .fd = s->fd, .events = POLLIN },
		{ .fd = s->cancel, .events = POLLIN } };

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return tfr_fail_errno(err, errno, s->name, "cannot wait for");
	return fds[1].revents ? tfr_fail(err, TFR_ECANCELLED, "cancelled") : TFR_OK;
}

enum tfr_status tfr_source_read_some(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	ssize_t n;

	if (s->object)
		return read_object(s, buf, size, got, err);
	if (s->fd < 0)
		return read_memory(s, buf, size, got);
	if (s->growing)
		return read_growing(s, buf, size, got, err);
	if (s->failed)
		return tfr_fail_errno(err, s->failed, s->name, "cannot read");
	do {
		TFR_TRY(s->cancel >= 0 && !s->seekable ? await_bytes(s, err) : TFR_OK);
		n = s->seekable ? pread(s->fd, buf, size, (off_t)s->position)
				: read(s->fd, buf, size);
	} while (n < 0 && (errno == EINTR || (errno == EAGAIN && s->cancel >= 0)));
	if (n < 0) {
		s->failed = errno;
		return tfr_fail_errno(err, errno, s->name, "cannot read");
	}
	s->position += (uint64_t)n;
	*got = (size_t)n;
	return n || !size ? TFR_OK : check_end(s, s->position, err);
}

enum tfr_status tfr_source_read(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	size_t n;

	*got = 0;
	do {
		TFR_TRY(tfr_source_read_some(s, (char *)buf + *got, size - *got, &n, err));
		*got += n;
	} while (n && *got < size);
	return TFR_OK;
}

enum tfr_status tfr_source_read_at(const struct tfr_source *s, uint64_t position, void *buf,
	size_t size, size_t *got, struct tfr_error *err)
{
	ssize_t n;

	*got = 0;
	if (s->object)
		return s->remote->read_at(s->object, position, buf, size, got, err);
	if (s->fd < 0) {
		*got = copy_memory(s, position, buf, size);
		return TFR_OK;
	}
	n = tfr_fd_read(s->fd, buf, size, position < INT64_MAX ? (int64_t)position : INT64_MAX);
	if (n < 0)
		return tfr_fail_errno(err, errno, s->name, "cannot read");
	*got = (size_t)n;
	return *got == size ? TFR_OK : check_end(s, position + *got, err);
}

bool tfr_source_cached(const struct tfr_source *s, uint64_t position)
{
	char byte;
	struct iovec one = { &byte, 1 };

	if (s->object)
		return s->remote->reads_on(s->object, s->position, position - s->position);
	if (s->fd < 0 || position > INT64_MAX)
		return true;
	return preadv2(s->fd, &one, 1, (off_t)position, RWF_NOWAIT) >= 0 || errno != EAGAIN;
}

static enum tfr_status read_whole(struct tfr_source *source, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err)
{
	enum { BLOCK = 64 << 10 };
	size_t got = 1;

	while (got && text->size <= most) {
		TFR_NEED_MEMORY(tfr_buf_reserve(text, BLOCK), err, doing);
		TFR_TRY(tfr_source_read_some(source, text->data + text->size, BLOCK, &got, err));
		text->size += got;
	}
	return TFR_OK;
}

/* tfr_source_open(), or another way to open a path. */
typedef enum tfr_status opener(struct tfr_source **s, const char *path, struct tfr_error *err);

static enum tfr_status open_and_read(opener *open_it, const char *path, size_t most,
	struct tfr_buf *text, const char *doing, struct tfr_error *err)
{
	TFR_AUTO_SOURCE source = NULL;

	TFR_TRY(open_it(&source, path, err));
	return read_whole(source, most, text, doing, err);
}

enum tfr_status tfr_source_read_file(const char *path, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err)
{
	return open_and_read(tfr_source_open, path, most, text, doing, err);
}

enum tfr_status tfr_source_read_regular(const char *path, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err)
{
	return open_and_read(tfr_source_open_regular, path, most, text, doing, err);
}

enum tfr_status tfr_json_read_file(struct json_object **doc, const char *path, size_t most,
	unsigned depth, const char *doing, struct tfr_error *err)
{
	const struct tfr_json_limits limits = { .depth = depth, .size = most };
	TFR_AUTO_BUF text = { 0 };

	*doc = NULL;
	TFR_TRY(tfr_source_read_file(path, most, &text, doing, err));
	return tfr_json_read(doc, text.data, text.size, &limits, err);
}
