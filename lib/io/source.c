/* io/source.c - one struct for the three kinds of source; `fd` < 0 means memory.
 *
 * A seekable file is read by position, so that hopping over payloads costs no system call. */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tfr_source {
	int fd;
	bool owned, seekable;
	const uint8_t *memory;
	uint64_t size;	   /* memory: its size; file: the size when last asked */
	uint64_t position; /* of the next byte, where seekable */
	char name[];
};

static enum tfr_status new_source(struct tfr_source **out, const char *name, struct tfr_error *err)
{
	size_t size = strlen(name) + 1;
	struct tfr_source *s = calloc(1, sizeof(*s) + size);

	if (!s)
		return tfr_fail_nomem(err, "opening a file");
	memcpy(s->name, name, size);
	s->fd = -1;
	*out = s;
	return TFR_OK;
}

enum tfr_status tfr_source_open_fd(
	struct tfr_source **out, int fd, const char *name, struct tfr_error *err)
{
	struct tfr_source *s = NULL;
	struct stat st;
	off_t here;

	if (fstat(fd, &st))
		return tfr_fail_errno(err, errno, name, "cannot look at");
	if (S_ISDIR(st.st_mode))
		return tfr_fail_errno(err, EISDIR, name, "cannot read");
	if (new_source(&s, name, err))
		return TFR_ENOMEM;
	s->fd = fd;
	if (S_ISREG(st.st_mode)) {
		here = lseek(fd, 0, SEEK_CUR);
		s->seekable = here >= 0;
		s->position = here >= 0 ? (uint64_t)here : 0;
		s->size = (uint64_t)st.st_size;
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	*out = s;
	return TFR_OK;
}

enum tfr_status tfr_source_open(struct tfr_source **out, const char *path, struct tfr_error *err)
{
	enum tfr_status status;
	int fd;

	if (!strcmp(path, "-"))
		return tfr_source_open_fd(out, STDIN_FILENO, "standard input", err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return tfr_fail_errno(err, errno, path, "cannot open");
	status = tfr_source_open_fd(out, fd, path, err);
	if (status)
		close(fd);
	else
		(*out)->owned = true;
	return status;
}

enum tfr_status tfr_source_open_memory(struct tfr_source **out, const void *data, size_t size,
	const char *name, struct tfr_error *err)
{
	struct tfr_source *s = NULL;

	if (new_source(&s, name, err))
		return TFR_ENOMEM;
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
	free(s);
}

const char *tfr_source_name(const struct tfr_source *s)
{
	return s->name;
}

uint64_t tfr_source_left(struct tfr_source *s)
{
	struct stat st;

	if (!s->seekable)
		return UINT64_MAX;
	if (s->fd >= 0 && fstat(s->fd, &st) == 0)
		s->size = (uint64_t)st.st_size;
	return s->position < s->size ? s->size - s->position : 0;
}

bool tfr_source_has(struct tfr_source *s, uint64_t bytes)
{
	if (s->position <= s->size && bytes <= s->size - s->position)
		return true;
	return bytes <= tfr_source_left(s);
}

bool tfr_source_seekable(const struct tfr_source *s)
{
	return s->seekable;
}

void tfr_source_skip(struct tfr_source *s, uint64_t bytes)
{
	s->position += bytes;
}

static enum tfr_status read_memory(struct tfr_source *s, void *buf, size_t size, size_t *got)
{
	uint64_t left = s->position < s->size ? s->size - s->position : 0;

	*got = size < left ? size : (size_t)left;
	if (*got)
		memcpy(buf, s->memory + s->position, *got);
	s->position += *got;
	return TFR_OK;
}

enum tfr_status tfr_source_read_some(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	ssize_t n;

	if (s->fd < 0)
		return read_memory(s, buf, size, got);
	do {
		n = s->seekable ? pread(s->fd, buf, size, (off_t)s->position)
				: read(s->fd, buf, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return tfr_fail_errno(err, errno, s->name, "cannot read");
	s->position += (uint64_t)n;
	*got = (size_t)n;
	return TFR_OK;
}

enum tfr_status tfr_source_read(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	enum tfr_status status;
	size_t n;

	*got = 0;
	do {
		status = tfr_source_read_some(s, (char *)buf + *got, size - *got, &n, err);
		if (status)
			return status;
		*got += n;
	} while (n && *got < size);
	return TFR_OK;
}

uint64_t tfr_source_position(const struct tfr_source *s)
{
	return s->position;
}

enum tfr_status tfr_source_read_at(struct tfr_source *s, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	uint64_t here = s->position;
	enum tfr_status status;

	s->position = position;
	status = tfr_source_read(s, buf, size, got, err);
	s->position = here;
	return status;
}
