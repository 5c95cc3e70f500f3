/* record/writer.h - private calls of the writers of records and bytes, for the writers of sets. */
#ifndef TFR_RECORD_WRITER_H
#define TFR_RECORD_WRITER_H

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
		*mark; /* a mark of tfr_writer_mark_place() to continue from; may be NULL */
	bool sealed;   /* with `mark`: the file was sealed, and may have its name */
};

/* Makes what `files` open files like `path` share.  NULL if they are not compressed.  It must
 * outlive them. */
enum tfr_status tfr_writer_deflater(struct tfr_parallel_deflate **deflater,
	const struct tfr_writer_opts *opts, const char *path, uint32_t files,
	struct tfr_error *err);

/* The summand of a payload in a content sum. */
uint64_t tfr_content_sum(const void *payload, size_t size);

/* As tfr_writer_open(), with the settings of a set for its file; NULL: none. */
enum tfr_status tfr_writer_open_with(struct tfr_writer **w, const char *path,
	const struct tfr_writer_opts *opts, const struct tfr_writer_how *how,
	struct tfr_error *err);
/* Writes records that are framed already; `add` has their totals: records, payload_bytes, sum.  No
 * header may be divided between two pieces. */
enum tfr_status tfr_writer_put_framed(struct tfr_writer *w, const struct iovec *pieces, int count,
	const struct tfr_totals *add, struct tfr_error *err);
/* Ends the stream: nothing more can be put, and memory is freed.  With `rest`, the descriptor is
 * closed as well.  Sealing and publishing still work. */
enum tfr_status tfr_writer_end(struct tfr_writer *w, bool rest, struct tfr_error *err);
/* Appends to `mark` the state needed to continue from here in another process.  The bytes before
 * the mark are on disk. */
enum tfr_status tfr_writer_mark_place(
	struct tfr_writer *w, struct tfr_buf *mark, struct tfr_error *err);
/* As tfr_output_keep() and tfr_output_name(). */
void tfr_writer_keep(struct tfr_writer *w);
enum tfr_status tfr_writer_name(struct tfr_writer *w, const char *path, struct tfr_error *err);
/* The output, which belongs to the writer. */
struct tfr_output *tfr_stream_writer_output(struct tfr_stream_writer *w);
struct tfr_output *tfr_writer_output(const struct tfr_writer *w);
/* Seals, and frees memory, the descriptor and its lock; publishing still works. */
enum tfr_status tfr_writer_finish(struct tfr_writer *w, struct tfr_error *err);

#endif
