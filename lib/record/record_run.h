/* record/record_run.h - hands many records at once to another thread.
 *
 * A run is a sequence of complete records as they are in the file.  Their headers are verified,
 * which is needed to find the end of each.  Their payloads are verified by tfr_record_run_next(),
 * which any thread may call, so one thread reads while others verify.  A run owns its memory, and
 * the reader swaps the last run's block for the next, so nothing is copied or allocated. */
#ifndef TFR_RECORD_RECORD_RUN_H
#define TFR_RECORD_RECORD_RUN_H

#include <tfr-private/record.h>

/* Zero-initialised is empty; tfr_record_run_clear() frees. */
struct tfr_record_run {
	uint8_t *block; /* memory of `cap` bytes, which the run owns */
	size_t cap;
	const uint8_t *data; /* the records, in `block` */
	size_t size;	     /* of them, framing included */
	uint64_t records;
	uint64_t index;	 /* of the first record, counted from 0 in its file */
	uint64_t offset; /* of its first byte, in the uncompressed stream */
	size_t at;	 /* the position of tfr_record_run_next() */
	uint64_t seen;	 /* records before `at` */
	/* The next record is larger than the reader's block, so many bytes with its framing: the
	 * run is empty, and tfr_reader_large_run() reads it once the caller has found the memory.
	 */
	uint64_t large;
};

/* Reads the next run, the records of a block.  TFR_OK also if run->large announces a large record.
 * Otherwise as tfr_reader_next(): a fault is reported by the call after the run before it. */
enum tfr_status tfr_reader_next_run(
	struct tfr_reader *r, struct tfr_record_run *run, struct tfr_error *err);
/* Reads the large record alone, into a block of its size. */
enum tfr_status tfr_reader_large_run(
	struct tfr_reader *r, struct tfr_record_run *run, struct tfr_error *err);

/* Makes a run of the complete records at `p` whose headers verify, up to the first that is not one.
 * Their bytes stay the caller's.  Returns the number of bytes. */
size_t tfr_record_run_of_bytes(
	struct tfr_record_run *run, const uint8_t *p, size_t size, uint64_t offset);

/* Verifies the next record of a run; `rec` is a view into the run.  TFR_END after the last.
 * TFR_EDATA: the data CRC does not verify; the next call continues after the record.  The error
 * has the position but no path. */
enum tfr_status tfr_record_run_next(
	struct tfr_record_run *run, struct tfr_record *rec, struct tfr_error *err);
/* Verifies and skips records up to the first whose data CRC does not verify.  Returns their
 * number. */
uint64_t tfr_record_run_verify(struct tfr_record_run *run);
void tfr_record_run_clear(struct tfr_record_run *run);

#endif
