/* record/writer.h - what the writers of sets need beyond the public calls of a record writer. */
#ifndef TFR_RECORD_WRITER_H
#define TFR_RECORD_WRITER_H

#include <tfr/record.h>

/* What a payload adds to a content sum. */
uint64_t tfr_content_sum(const void *payload, size_t size);

struct tfr_press;

/* As tfr_writer_open(), compressing with others by tfr_writer_press(); NULL: alone. */
enum tfr_status tfr_writer_open_with(struct tfr_writer **w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_press *press, struct tfr_error *err);
/* Writes records that are framed already; `add` says what they are: records, payload_bytes, sum.
 * No header may lie in two pieces. */
enum tfr_status tfr_writer_put_framed(struct tfr_writer *w, const struct iovec *pieces, int count,
	const struct tfr_totals *add, struct tfr_error *err);
/* Seals, and gives back memory and the descriptor, and the lock with it; publishing still works. */
enum tfr_status tfr_writer_finish(struct tfr_writer *w, struct tfr_error *err);

#endif
