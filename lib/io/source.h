/* io/source.h - sources of bytes: a file, a pipe, memory, or an object behind a URL (object.h).
 *
 * Files are read with pread(), never mapped, so a file that is truncated meanwhile gives a short
 * read, not a SIGBUS.
 *
 * A short read is not the end.  Linux returns the bytes before a bad sector and fails only in the
 * next read.  So every read here continues until 0 bytes are returned.  If that is before the size
 * that a regular file had when it was opened, the read fails with TFR_ESYS.  A size of 0 means
 * nothing: files of /proc and devices have it. */
#ifndef TFR_IO_SOURCE_H
#define TFR_IO_SOURCE_H

#include <sys/stat.h>
#include <sys/types.h>

#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_source;

/* A digest of the files that a thread opens, so that a resumed run can tell whether its inputs have
 * changed. */
struct tfr_opened {
	uint64_t sum;	      /* of their marks */
	struct tfr_buf names; /* uint64_t: hashes of the last names of their paths */
	bool failed;	      /* some are missing, because there was no memory */
};

/* From now on, adds the sources that this thread opens.  NULL ends it. */
void tfr_opened_collect(struct tfr_opened *opened);
/* The mark, a hash of the name, size and time of a file, or of the name, size and ETag of an
 * object; `st` is that of tfr_stat() or of an open file, which thereby counts as opened. */
uint64_t tfr_opened_mark(const char *name, const struct stat *st, bool object);

/* "-" is standard input.  A directory is refused here, a socket by the system. */
enum tfr_status tfr_source_open(struct tfr_source **s, const char *path, struct tfr_error *err);
/* As tfr_source_open(), for a file found next to others: one that is not regular, such as a FIFO
 * without a writer, is TFR_EDATA. */
enum tfr_status tfr_source_open_regular(
	struct tfr_source **s, const char *path, struct tfr_error *err);
/* As tfr_source_open(), for a file that is still being written: at its end, `wait` decides what to
 * do.  Such a source is not seekable and has no known size.  An unnamed pipe ends at its end.  A
 * file that is truncated, replaced or removed is TFR_ESYS.  A FIFO is opened at once. */
enum tfr_status tfr_source_open_growing(struct tfr_source **s, const char *path,
	const struct tfr_growing *growing, struct tfr_error *err);
/* As tfr_source_open().  A read that waits for the bytes of a pipe, a FIFO or a terminal ends with
 * TFR_ECANCELLED once the descriptor `cancel` is readable; `cancel` stays the caller's.  A FIFO is
 * opened at once, and its first read waits for a writer. */
enum tfr_status tfr_source_open_cancellable(
	struct tfr_source **s, const char *path, int cancel, struct tfr_error *err);
/* The descriptor stays the caller's.  Errors call it `name`. */
enum tfr_status tfr_source_open_fd(
	struct tfr_source **s, int fd, const char *name, struct tfr_error *err);
/* The memory stays the caller's and must outlive the source. */
enum tfr_status tfr_source_open_memory(struct tfr_source **s, const void *data, size_t size,
	const char *name, struct tfr_error *err);
void tfr_source_close(struct tfr_source *s); /* accepts NULL */
static inline void tfr_source_auto_close(struct tfr_source **s)
{
	tfr_source_close(*s);
}
#define TFR_AUTO_SOURCE __attribute__((cleanup(tfr_source_auto_close))) struct tfr_source *

const char *tfr_source_name(const struct tfr_source *s);
/* The number of bytes left; UINT64_MAX if unknown (a pipe, a terminal, a device). */
uint64_t tfr_source_left(struct tfr_source *s);
/* Whether `bytes` more may follow.  False only if the size is known and too small.  A file may
 * grow, so the system is asked again before that. */
bool tfr_source_has(struct tfr_source *s, uint64_t bytes);
/* Reads up to `size` bytes, fewer only at the end (*got < size: the end).  */
enum tfr_status tfr_source_read(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Reads available bytes, at least 1.  *got == 0: the end. */
enum tfr_status tfr_source_read_some(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Appends all bytes of a file to `text`, or more than `most` of a larger file, so that the caller
 * can report that.  `doing` is for the error when memory runs out. */
enum tfr_status tfr_source_read_file(const char *path, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err);
/* The same, for a file found next to others (tfr_source_open_regular()). */
enum tfr_status tfr_source_read_regular(const char *path, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err);
/* The offset of the next byte in the file; 0 if not seekable. */
uint64_t tfr_source_position(const struct tfr_source *s);
/* Whether it is a character device, which may have no end. */
bool tfr_source_device(const struct tfr_source *s);
bool tfr_source_remote(const struct tfr_source *s); /* an object */
/* Whether tfr_source_read_at(), _cached(), _seek() and _skip() work: a file, memory, or an object
 * of a server that serves ranges. */
bool tfr_source_seekable(const struct tfr_source *s);
/* Reads at any position without moving; fewer than `size` bytes only at the end.  Only if
 * seekable. Several threads may do so at once. */
enum tfr_status tfr_source_read_at(const struct tfr_source *s, uint64_t position, void *buf,
	size_t size, size_t *got, struct tfr_error *err);
/* Whether the byte at `position` is in memory, so that reading it does not wait for a disk.  True
 * also if the system does not say.  Of an object: whether reading on to `position` costs less than
 * a request. */
bool tfr_source_cached(const struct tfr_source *s, uint64_t position);
/* Moves to `position` in the file.  Only if seekable. */
void tfr_source_seek(struct tfr_source *s, uint64_t position);
/* Moves `bytes` forward.  Only if seekable. */
void tfr_source_skip(struct tfr_source *s, uint64_t bytes);

/* For callers with a descriptor of their own: reads at `offset`, or at the descriptor's position
 * if that is negative, up to `size` bytes or the end.  -1 with errno. */
ssize_t tfr_fd_read(int fd, void *buf, size_t size, int64_t offset);

#endif
