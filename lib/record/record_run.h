/* record/record_run.h - many records at once, for another thread to look at.
 *
 * A run is a row of whole records as they lie in the file.  Their headers are verified, which
 * finding the end of each needs anyway; their payloads are not: that is left to tfr_run_next(),
 * which any thread may call, so that one thread reads while others verify.  A run owns its memory,
 * and the reader takes that of the last run in exchange for the next, so nothing is copied and
 * nothing allocated. */
#ifndef TFR_RECORD_RECORD_RUN_H
#define TFR_RECORD_RECORD_RUN_H

#include <tfr-private/record.h>

/* Zero-initialised is empty; tfr_run_clear() frees. */
struct tfr_run {
	uint8_t *block; /* memory of `cap` bytes, which the run owns */
	size_t cap;
	const uint8_t *data; /* the records, in `block` */
	size_t size;	     /* of them, framing included */
	uint64_t records;
	uint64_t index;	 /* of the first record, counted from 0 in its file */
	uint64_t offset; /* of its first byte, in the uncompressed stream */
	size_t at;	 /* tfr_run_next() is here */
	uint64_t seen;	 /* records it has passed */
	/* The next record is larger than the reader's block, so many bytes with its framing: the
	 * run is empty, and tfr_reader_large_run() reads it once the caller has found the memory.
	 */
	uint64_t large;
};

/* The next run: what a block holds.  TFR_OK also where run->large says that a large record comes;
 * otherwise as tfr_reader_next(), each fault with the call after the run of what lay before it. */
enum tfr_status tfr_reader_next_run(
	struct tfr_reader *r, struct tfr_run *run, struct tfr_error *err);
/* The large record alone, in a block of its own size. */
enum tfr_status tfr_reader_large_run(
	struct tfr_reader *r, struct tfr_run *run, struct tfr_error *err);

/* The next record of a run; `rec` is a view into it.  TFR_END after the last.  TFR_EDATA: its data
 * checksum does not fit; the next call goes on behind it.  The error has the place and no path. */
enum tfr_status tfr_run_next(struct tfr_run *run, struct tfr_record *rec, struct tfr_error *err);
/* Passes over the next records as long as their data checksums fit, where nobody looks into them,
 * and says how many. */
uint64_t tfr_run_pass_sound(struct tfr_run *run);
void tfr_run_clear(struct tfr_run *run);

#endif
