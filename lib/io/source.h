/* io/source.h - where bytes come from: a file, a pipe, memory.
 *
 * Files are read with pread(), never mapped: a file that shrinks while it is read must be a short
 * read, not a SIGBUS.
 *
 * A short read is not the end.  Linux returns the bytes before a bad sector and fails only when
 * asked for those after it, so that every read here goes on until there are 0 bytes more.  Where
 * that is before the size that a regular file had when it was opened, the read fails with TFR_ESYS.
 * A size of 0 promises nothing: files of /proc and devices have it. */
#ifndef TFR_IO_SOURCE_H
#define TFR_IO_SOURCE_H

#include <sys/types.h>

#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_source;

/* "-" is standard input.  A directory is refused here; so is a socket, by the system. */
enum tfr_status tfr_source_open(struct tfr_source **s, const char *path, struct tfr_error *err);
/* The same, of a file found beside others: one that is not regular, such as a FIFO without a
 * writer, is TFR_EDATA. */
enum tfr_status tfr_source_open_regular(
	struct tfr_source **s, const char *path, struct tfr_error *err);
/* As tfr_source_open(), of a file that is still being written: at its end, `wait` is asked what to do.  Such a
 * source is not seekable and its size is not known; the end of a pipe without a name is its end. A
 * file that shrinks, or is replaced or removed, is TFR_ESYS.  A FIFO is opened at once. */
enum tfr_status tfr_source_open_growing(struct tfr_source **s, const char *path,
	const struct tfr_growing *growing, struct tfr_error *err);
/* As tfr_source_open().  A read that waits for the bytes of a pipe, a FIFO or a terminal ends with
 * TFR_ECANCELLED once the descriptor `cancel` is readable; `cancel` stays the caller's.  A FIFO is
 * opened at once, and its first read waits for a writer. */
enum tfr_status tfr_source_open_cancellable(
	struct tfr_source **s, const char *path, int cancel, struct tfr_error *err);
/* The descriptor stays the caller's.  `name` is what errors call it. */
enum tfr_status tfr_source_open_fd(
	struct tfr_source **s, int fd, const char *name, struct tfr_error *err);
/* The memory stays the caller's and must outlive the source. */
enum tfr_status tfr_source_open_memory(struct tfr_source **s, const void *data, size_t size,
	const char *name, struct tfr_error *err);
void tfr_source_close(struct tfr_source *s);

const char *tfr_source_name(const struct tfr_source *s);
/* How many bytes are left; UINT64_MAX where nobody knows (a pipe, a terminal, a device). */
uint64_t tfr_source_left(struct tfr_source *s);
/* Whether `bytes` more may be there: false only where the size is known and too small.  The system
 * is asked again before that is said, since a file that is being written grows. */
bool tfr_source_has(struct tfr_source *s, uint64_t bytes);
/* Reads up to `size` bytes, fewer only at the end (*got < size: the end).  */
enum tfr_status tfr_source_read(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Reads what is there, at least 1 byte; *got == 0: the end. */
enum tfr_status tfr_source_read_some(
	struct tfr_source *s, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Appends a file's bytes to `text`: all of them, or, of a file that has more, more than `most`, so
 * that the caller can say what is too large.  `doing` is what memory ran out at. */
enum tfr_status tfr_source_read_file(const char *path, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err);
/* The same, of a file found beside others (tfr_source_open_regular()), and of an open source. */
enum tfr_status tfr_source_read_regular(const char *path, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err);
enum tfr_status tfr_source_read_all(struct tfr_source *s, size_t most, struct tfr_buf *text,
	const char *doing, struct tfr_error *err);
/* Of the next byte, counted from the beginning of the file; 0 where not seekable. */
uint64_t tfr_source_position(const struct tfr_source *s);
/* Whether it is a character device, which may have no end. */
bool tfr_source_device(const struct tfr_source *s);
/* Whether the next three work: a file or memory. */
bool tfr_source_seekable(const struct tfr_source *s);
/* Reads at any place without moving: fewer than `size` bytes only at the end.  Only where seekable;
 * several threads may do so at once. */
enum tfr_status tfr_source_read_at(const struct tfr_source *s, uint64_t position, void *buf,
	size_t size, size_t *got, struct tfr_error *err);
/* Whether the byte at `position` is in memory, so that reading it does not wait for a disk.  True
 * also if the system does not say. */
bool tfr_source_cached(const struct tfr_source *s, uint64_t position);
/* Moves to `position`, counted from the beginning of the file.  Only where seekable. */
void tfr_source_seek(struct tfr_source *s, uint64_t position);
/* Moves `bytes` forward from here.  Only where seekable. */
void tfr_source_skip(struct tfr_source *s, uint64_t bytes);

/* For what has a descriptor of its own: reads at `offset`, or, where that is negative, where the
 * descriptor is, until there are `size` bytes or the end.  -1: errno says why. */
ssize_t tfr_fd_read(int fd, void *buf, size_t size, int64_t offset);

#endif
