/* record/writer.h - private calls of a record writer, for the writers of sets. */
#ifndef TFR_RECORD_WRITER_H
#define TFR_RECORD_WRITER_H

#include <tfr-private/record.h>

#include "record/stream_writer.h"

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
/* As those of the stream writer.  A mark has the totals as well. */
enum tfr_status tfr_writer_end(struct tfr_writer *w, bool rest, struct tfr_error *err);
enum tfr_status tfr_writer_mark_place(
	struct tfr_writer *w, struct tfr_buf *mark, struct tfr_error *err);
void tfr_writer_keep(struct tfr_writer *w);
enum tfr_status tfr_writer_name(struct tfr_writer *w, const char *path, struct tfr_error *err);
/* As tfr_stream_writer_output(). */
struct tfr_output *tfr_writer_output(const struct tfr_writer *w);
/* Seals, and frees memory, the descriptor and its lock; publishing still works. */
enum tfr_status tfr_writer_finish(struct tfr_writer *w, struct tfr_error *err);

#endif
