/* shard/job/part_notes.h - what a part of the first step notes of its records, for the parts of the
 * second step and the end of the job.
 *
 * Notes are bytes in the order in which they were put, or in buckets, each with its own order.
 * They are kept as records in the exchange of the part, so their checksums prove that they came
 * through. */
#ifndef TFR_SHARD_JOB_PART_NOTES_H
#define TFR_SHARD_JOB_PART_NOTES_H

#include "shard/job/job.h"

struct tfr_part_notes;

/* The notes of the part that runs. */
enum tfr_status tfr_part_notes_new(
	struct tfr_part_notes **n, struct tfr_job *job, uint32_t buckets, struct tfr_error *err);
void tfr_part_notes_free(struct tfr_part_notes *n); /* accepts NULL */
/* Appends to a bucket; one thread at a time.  A reader gets the bytes of one call together. */
enum tfr_status tfr_part_notes_put(struct tfr_part_notes *n, uint32_t bucket, const void *data,
	size_t size, struct tfr_error *err);
/* Completes the notes. */
enum tfr_status tfr_part_notes_end(struct tfr_part_notes *n, struct tfr_error *err);

/* Passes the notes of a part, of the step that is due, to take().  TFR_END from take() ends the
 * call, which returns TFR_OK then. */
enum tfr_status tfr_part_notes_read(struct tfr_job *job, uint32_t part, uint32_t bucket,
	enum tfr_status (*take)(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

#endif
