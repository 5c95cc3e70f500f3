/* sweep/reading.h - one file of the inputs while it is read: where it is, and what becomes of its
 * faults.
 *
 * Whatever the order, reads that can meet faults go through this struct, so that one policy decides
 * about them.  The reader has the position. */
#ifndef TFR_SWEEP_READING_H
#define TFR_SWEEP_READING_H

#include "base/error.h"
#include "record/reader.h"
#include "record/record_run.h"
#include "sweep/fault_policy.h"

/* Where reading starts. */
struct tfr_file_start {
	uint64_t offset, records; /* before it; offset in the uncompressed stream */
};

struct tfr_reading {
	struct tfr_fault_policy *faults;
	const char *path;
	uint32_t file;		   /* its number in the set, from 0 */
	struct tfr_reader *reader; /* NULL: not open */
	uint64_t seen;		   /* records and faults so far */
	bool over;		   /* read to the end */
	struct tfr_error why;	   /* of the last fault */
	void *result;		   /* of the file or piece; the policy adds faults to it */
	/* Comes before a record that is larger than the block is read into memory.  A failure
	 * ends reading.  May be NULL. */
	enum tfr_status (*admit)(
		struct tfr_reading *in, const struct tfr_record_run *large, struct tfr_error *err);
};

/* Starts with a file, of which no reader is open. */
void tfr_reading_begin(struct tfr_reading *in, const char *path, uint32_t file);
/* Starts with a file and opens its reader, at a record of which the offset and the number are given
 * or, with 0 records before it, at the first.  TFR_END: the policy has ended the file, and no
 * reader is open. */
enum tfr_status tfr_reading_open(struct tfr_reading *in, const char *path, uint32_t file,
	const struct tfr_file_start *from, const struct tfr_reader_opts *opts,
	struct tfr_error *err);
/* A failure in->why of the file: to open it, or before its next record.  TFR_OK: the reader is at
 * the next record.  TFR_END: the policy has ended the file.  Otherwise the failure ends reading. */
enum tfr_status tfr_reading_meet(struct tfr_reading *in, struct tfr_error *err);
/* The next record whose checksum verifies, a view until the next call.  TFR_END: there is none. */
enum tfr_status tfr_reading_next(
	struct tfr_reading *in, struct tfr_record *rec, struct tfr_error *err);
/* Reads the next run, after the faults before it.  TFR_END: there is none. */
enum tfr_status tfr_reading_next_run(
	struct tfr_reading *in, struct tfr_record_run *run, struct tfr_error *err);
/* Closes the reader. */
void tfr_reading_end(struct tfr_reading *in);

/* The origin of a run, for the threads that verify its records while another one reads on. */
struct tfr_record_run_origin {
	struct tfr_fault_policy *faults;
	const char *path;
	void *result; /* for the policy */
};

/* A record of a run that is bad.  As tfr_reading_meet(); `why` gets the place of the record if its
 * status is TFR_EDATA. */
enum tfr_status tfr_record_run_meet(const struct tfr_record_run_origin *of,
	const struct tfr_record *rec, struct tfr_error *why, struct tfr_error *err);
/* The same for a record whose checksum does not verify. */
enum tfr_status tfr_record_run_meet_payload(const struct tfr_record_run_origin *of,
	const struct tfr_record *rec, struct tfr_error *err);

/* The next record of a run whose checksum verifies; the policy gets the others.  TFR_END: none is
 * left, or the policy has ended the file.  Inline: it runs once per record. */
static inline enum tfr_status tfr_record_run_next_intact(const struct tfr_record_run_origin *of,
	struct tfr_record_run *run, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status;

	while ((status = tfr_record_run_next(run, rec, NULL)) == TFR_EDATA)
		TFR_TRY(tfr_record_run_meet_payload(of, rec, err));
	return status;
}

#endif
