/* record/stream_writer.h - private calls of a stream writer, for the record writer. */
#ifndef TFR_RECORD_STREAM_WRITER_H
#define TFR_RECORD_STREAM_WRITER_H

#include <tfr-private/record.h>

#include "base/buf.h"
#include "base/unread.h"

struct tfr_output;
struct tfr_parallel_deflate;

/* How a file of a set is written, in addition to the public options.  All may be 0. */
struct tfr_writer_how {
	struct tfr_parallel_deflate
		*deflater;     /* shared with other files; NULL: its own if it is compressed */
	bool brief;	       /* as in struct tfr_output_opts */
	const char *temporary; /* likewise */
	struct tfr_unread
		*mark; /* a mark of tfr_stream_writer_mark_place() to continue from; may be NULL */
	bool sealed;   /* with `mark`: the file was sealed, and may have its name */
};

/* Makes what `files` open files like `path` share.  NULL if they are not compressed.  It must
 * outlive them. */
enum tfr_status tfr_writer_deflater(struct tfr_parallel_deflate **deflater,
	const struct tfr_writer_opts *opts, const char *path, uint32_t files,
	struct tfr_error *err);
/* `how` may be NULL. */
enum tfr_status tfr_stream_writer_open_with(struct tfr_stream_writer **w, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how,
	struct tfr_error *err);

/* Announces a record of `size` bytes, before which the stream may be cut.  Putting calls it,
 * adding does not. */
enum tfr_status tfr_stream_writer_mark(
	struct tfr_stream_writer *w, uint64_t size, struct tfr_error *err);
enum tfr_status tfr_stream_writer_add(
	struct tfr_stream_writer *w, const struct iovec *pieces, int count, struct tfr_error *err);
bool tfr_stream_writer_compresses(const struct tfr_stream_writer *w);

/* The size and CRC-32C of the file's bytes so far. */
void tfr_stream_writer_file(const struct tfr_stream_writer *w, uint64_t *bytes, uint32_t *crc);
/* Ends the stream: nothing more can be put, and memory is freed.  With `rest`, the descriptor is
 * closed as well.  Sealing and publishing still work. */
enum tfr_status tfr_stream_writer_end(
	struct tfr_stream_writer *w, bool rest, struct tfr_error *err);
/* Appends to `mark` the state needed to continue from here in another process.  The bytes before
 * the mark are on disk. */
enum tfr_status tfr_stream_writer_mark_place(
	struct tfr_stream_writer *w, struct tfr_buf *mark, struct tfr_error *err);
/* As tfr_output_keep(). */
void tfr_stream_writer_keep(struct tfr_stream_writer *w);
/* As tfr_output_name(). */
enum tfr_status tfr_stream_writer_name(
	struct tfr_stream_writer *w, const char *path, struct tfr_error *err);
/* After sealing: frees the buffers and closes the descriptor, which releases the lock. */
enum tfr_status tfr_stream_writer_release(struct tfr_stream_writer *w, struct tfr_error *err);
/* The output, which belongs to the writer. */
struct tfr_output *tfr_stream_writer_output(struct tfr_stream_writer *w);

#endif
